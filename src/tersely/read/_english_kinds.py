"""The kinds of noise in English, by what their sentences say."""

import re

# Kinds of noise, by how the sentence begins, by what it says anywhere, and by the words of which that takes one.
# A pattern must match nothing that a report on the same subject would say. All are matched in lowercase.
_KINDS = (
    (
        "caption",
        r"pictured\b|(?:image|photo|picture|video|caption|graphic|left|right|above|below)\s?:|(?:figure|fig\.|table) "
        r"\d+\s?[:.]|(?:figure|fig\.?|table)[ -]?\d+(?:\.\d+)?(?:\(\w\))?(?: below| above)? (?:is|are|shows?|gives?"
        r"|lists?|presents?"
        r"|illustrates?"
        r"|depicts?|compares?|summari[sz]es?|reports?|plots?)\b",
        r"\((?:pictured|left|right|cent(?:re|er)|above|below|top|bottom|inset|far (?:left|right)|front|back|l|r|c"
        r"|(?:in )?(?:red|blue|white|black|green|yellow)|(?:second|third) (?:from )?(?:left|right)"
        r"|(?:left|right|above|below|pictured|top|bottom) [^()]{1,40})\)"
        r"|\bpictured (?:above|below|here|left|right|with|in|at|on|during|together|outside|training|last|yesterday)\b"
        r"|\b(?:file|stock) (?:photo|image|picture)\b|\b(?:image|media|photo|hide) caption\b",
        "pictured left right centre center above below top bottom inset front back l r c red blue white black green "
        "yellow photo"
        " image picture caption",
    ),
    (
        "credit",
        r"(?:by|reporting by|written by|edited by|produced by|illustrated by|photographs? by|posted by|source:"
        r"|credits?:|photo by)"
        r"(?=\s[^.]{0,80}$)|[—–-]? ?with files from\b|(?:additional )?(?:reporting|editing|writing) by\b|published \d"
        r"|©",
        r"\bcontributed to th(?:is|e) (?:report|story|article)\b|\bcopyright\b.{0,40}\b(?:\d{4}|reserved|renewed"
        r"|belongs)\b"
        r"|\bcopyright on this\b|\ball rights reserved\b|\bgetty images\b|\bap photo\b|image copyright|transcriber'?s "
        r"note"
        r"|\bthis e-?(?:text|book) (?:was|is)\b|\bproofread(?:ing|ers?)\b",
        "contributed copyright reserved getty photo transcriber transcriber's transcribers etext text ebook book "
        "proofreading proofreaders",
    ),
    (
        "call",
        r"(?:read|see|watch|find out|learn|hear) (?:more|also|next|now|here|below|live)\b|(?:watch|read|see also"
        r"|related|more|update)\s?:"
        r"|watch .{0,200}\b(?:on|at) \d|tune in\b|visit\b.{0,80}\.(?:com|org|net)\b|also read\b",
        r"\bscroll down\b|\bclick (?:here|on|the)\b|\bread more\b|\balso read\b|\bfollow (?:us (?:on|at)\b|me on\b"
        r"|@\w+)"
        r"|\bsign up\b.{0,40}\b(?:newsletter|alerts?|e-?mails?|updates)\b|\bsubscribe (?:to (?:our|this)|now|here)\b"
        r"|\bshare this\b"
        r"|\bthis (?:article|story) (?:was|has been|is) (?:\w+ )?(?:updated|corrected|originally published|part of)\b"
        r"|\bfor confidential (?:support|help)\b|\b(?:opinions|views) expressed in this\b|\bfiled under\b|https?://"
        r"|\bwww\."
        r"|\bdownload (?:the|our) \w{0,20} ?app\b|\b(?:televised|broadcast|shown) (?:live )?on\b.{0,60}\d"
        r"|\bcould not (?:immediately )?(?:be reached|get in touch)\b|\bsend us\b|\bjoin the (?:conversation|debate"
        r"|discussion)\b"
        r"|\b(?:for|to (?:learn|find out|read|see)) more(?: information| details| info)?\b.{0,120}\b(?:visit|go to"
        r"|call|contact"
        r"|see|\w+\.(?:com|org|net|gov))\b|\bavailable (?:for download|on itunes)\b|\badvertisement\b"
        r"|\be-?mail (?:us|this)\b|\b(?:in|to) your inbox\b|\bthis (?:report|article|story)\b.{0,40}\b(?:first "
        r"published|produced with)\b",
        "scroll click read follow sign subscribe share article story confidential expressed filed http https www app "
        "televised"
        " broadcast shown reached touch send join mail email inbox report more download itunes advertisement",
    ),
    (
        "greeting",
        r"(?:dear|hi|hello|hey|greetings)\b(?=[^.?]{0,40}[,!.:]?$)|(?:(?:best|kind|warm|many)? ?(?:regards|wishes)"
        r"|thanks|thank you"
        r"|many thanks|cheers|sincerely|yours|respectfully|good (?:morning|afternoon|evening|day"
        r"|night))\b(?=[^.?]{0,60}[,!.:]?$)"
        r"|(?:thanks|thank you)(?: \w+){0,4} for (?:joining|your (?:help|time|support|interest|attention|cooperation"
        r"|participation"
        r"|patience|question))|(?:welcome|good \w+),? (?:and |everyone|ladies|to (?:the|our))|see (?:attached|below)\b"
        r"|attached (?:is|are|please)\b(?=.{0,30}$)",
        r"\bplease (?:contact|call|e-?mail|feel free|let me know|do not hesitate)\b|\bi am available\b|\bat your"
        r" convenience\b"
        r"|\blook forward to (?:hearing|seeing|speaking|meeting|your)\b|\bif you (?:should )?have any "
        r"(?:\w+ )?(?:questions?"
        r"|quer(?:y|ies)|concerns?|comments?)\b|\b(?:i|we) hope (?:that )?(?:all of you|everyone|you(?: all)?|you and "
        r"your)\b"
        r"(?=.{0,80}\b(?:well|safe|healthy|enjoy))",
        "please hope available convenience look forward questions question query queries concerns comments",
    ),
    (
        "disclaimer",
        r"this (?:e-?mail|message|communication|transmission)\b.{0,80}\b(?:intended|confidential|privileged|contain)"
        r"|\W*internet e-?mail confidentiality",
        r"\b(?:intended|named) (?:recipient|addressee)s?\b|\bnot the addressee\b|\b(?:privileged|confidential)\b.{0,40}"
        r"\b(?:information may|and may|and/or|or otherwise)\b|\bnotify the sender\b|\bdestroy (?:this|the)"
        r" (?:message|e-?mail)\b"
        r"|\bconsent to internet\b|\bdelete (?:this|the) (?:message|e-?mail)\b|\bfree from (?:any )?virus|\bno"
        r" liability\b"
        r".{0,60}\b(?:accuracy|errors|omissions|virus)",
        "recipient recipients addressee addressees privileged confidential sender destroy consent delete virus viruses"
        " liability",
    ),
    (
        "procedure",
        r"(?:now )?(?:turning|moving|looking|switching|flipping|going|if you turn|let's turn|let's move|let me turn"
        r"|i'll turn|i will turn"
        r"|we turn|let me now turn)(?: now| on| over| back| to){0,3} (?:slide|page|chart)\b|operator\b|we appreciate"
        r" you joining|we(?:['’]ll| will) (?:begin|start) (?:today|the call|with)"
        r"|(?:turning|moving)(?: now| on| over){0,2} to (?:our|the) [^,.]{3,40}\.$",
        r"forward[- ]looking|\bsafe harbor\b|\brisks and uncertainties\b|\bdiffer materially\b"
        r"|\breconciliations?\b.{0,80}\b(?:gaap"
        r"|website|release|appendix|found|available)\b|\bnon-gaap (?:results|measures?|financial|basis|metrics)\b"
        r"|\b(?:on|in|to) (?:the|our|today['’]s) (?:conference )?call(?: today|,| are| is| with| will)|\b(?:today['’]s"
        r"|our|the) "
        r"(?:conference )?call (?:today )?(?:will|is being|may|contains)|\bturn (?:the call|it|things|the floor|our "
        r"call|the meeting) "
        r"(?:back )?over\b|\bhand (?:the call|it|things) (?:back )?(?:over )?to\b|\b(?:our|your|for the|take the) "
        r"(?:first|next|final|last) "
        r"question\b|\bopen (?:the|up the|it up|up) ?(?:call|lines?|floor)?(?: up)? (?:for|to) (?:your )?questions\b"
        r"|\bquestion-and-answer\b"
        r"|\bq ?& ?a (?:session|portion|period)\b|\bsec filings?\b|\b(?:files?|filed|filings) with the sec\b"
        r"|\b10-[kq]\b"
        r"|\bjoining (?:me|us) (?:today|on|this|are|is)\b|\bwith (?:me|us) (?:today|on the call)\b|\bplease (?:turn|go"
        r"|refer|flip|move"
        r"|limit yourself|press|stand by|proceed)\b|\bi(?:['’]ll| will|['’]d like to)(?: now)? (?:ask|walk|hand|turn"
        r"|go into|review"
        r"|introduce|take you|pass)\b(?! \w+ (?:him|her|them))|\bwith that,? (?:i|let me|we)\b|\b(?:our|my) comments "
        r"today\b"
        r"|\[(?:technical|operator|inaudible|audio)[^\]]{0,30}\]|\bwill discuss the (?:financial|results)|\bbefore "
        r"making an investment\b"
        r"|\bunless (?:otherwise|i (?:say|state)) |\bquestions will be limited\b|\bwill discuss (?:our|the) \w+"
        r"|\bunauthori[sz]ed recording\b|\bwithout limitation,? statements\b"
        r"|\b(?:re)?play(?:back)? (?:of|will be) |\bwill (?:now )?(?:provide|discuss|give|cover|share|review|offer"
        r"|present)\b"
        r".{0,80}\b(?:details?|colou?r|shortly|later|perspective|remarks|in a (?:moment|minute|few)|our (?:financial"
        r"|results"
        r"|outlook|guidance))\b|\bsince our last call\b|\bnext slide\b"
        r"|\bsupplemental (?:tables|slides|materials)\b|\bavailable on our website\b|\bthese statements are\b",
        "forward harbor risks materially reconciliation reconciliations gaap call turn hand question questions answer "
        "q sec k joining"
        " with please i i'll i’ll i'd i’d comments technical operator inaudible audio discuss investment supplemental "
        "website statements unless unauthorized unauthorised limitation replay playback play will since slide",
    ),
    (
        "docket",
        r"(?:with |and |in |[:;,] ?|\w{1,4} ?: ?)?"
        r"(?:(?:civil|ivil|vil|criminal|special|original|writ|review|transfer) )?(?:appellate |original )?(?:appeals?"
        r"|petitions?|jurisdiction"
        r"|suits?|cases?|applications?|references?)\W{1,3}(?:\(\w+\) ?)?(?:nos?\b|civil\b|criminal\b)|(?:appeals?"
        r"|petitions?) "
        r"(?:by special leave )?from the (?:judge?ment|order|decree|decision)|(?:appeals?|petitions?) by special leave"
        r"|(?:on appeal )?from the (?:judge?ments?|orders?|decrees?)\b.{0,80}\b(?:dated|of the)\b|on appeal from:?"
        r"|the judge?ments? of the court (?:was|were) delivered|(?:judge?ment|heard|argued|decided|before)\W{0,2}(?:"
        r" given)?(?: on|:)"
        r"|(?:\w\.){2,4} ?(?:appeals?|petitions?)\b.{0,40}\b(?:allowed|dismissed|disposed)|(?:appeals?"
        r"|petitions?)(?: and \w+)? "
        r"(?:allowed|dismissed|disposed of)\.?$|(?:under|petition under) article \d+.{0,60}constitution.{0,60}$"
        r"|(?:lord|lady|lords) [\w ,]{2,80}(?:agrees?|concur)\b.{0,20}$|i (?:agree|concur)\W?$",
        r"\bfor (?:the )?(?:appellants?|respondents?|petitioners?|interveners?|intervenors?)(?: (?:nos?"
        r"|in)\b.{0,40})?\W{0,2}$|\bfrom the judge?ments? (?:and|&) (?:orders?|decrees?) dated\b",
        "dated appellant appellants respondent respondents petitioner petitioners intervener interveners intervenor"
        " intervenors",
    ),
    (
        "road map",
        r"(?:the|this) (?:paper|article|report|section|chapter) is (?:organi[sz]ed|structured)\b|in (?:this|the "
        r"(?:next|following)) "
        r"(?:section|chapter),? (?:we|i)\b|as an example\b.{0,60}\b(?:figure|table) \d|in section \d"
        r"|(?:after \w+ing [^,]{2,80}, )?we (?:then|first|next|finally) (?:present|describe|discuss|introduce|review"
        r"|report|give)\b"
        r"|.{0,120}\b(?:is|are) (?:shown|given|listed|presented|illustrated) in (?:table|figure|fig\.) ?\d+\.?$",
        r"\b(?:structure|remainder|rest|outline|organization|organisation) of (?:the|this) (?:paper|article|work"
        r"|report|thesis|chapter"
        r"|section|document)\b|\b(?:sections?|chapters?) (?:\d+|[ivx]+)(?:\.\d+)? ?(?:,|and \d+)? ?(?:then |also "
        r"|briefly )?(?:describes?"
        r"|discuss(?:es)?|presents?|traces?|concludes?|gives?|reviews?|introduces?|reports?|contains?|defines?"
        r"|outlines?|explains?|shows?"
        r"|provides?|summari[sz]es?|details?|deals?|addresses|evaluates?|is devoted)\b|\b(?:in|see|of) (?:section"
        r"|chapter) \d+(?:\.\d+)?,? "
        r"(?:we|i)\b|\b(?:are|is) (?:(?:described|discussed|presented|given|reported) )?in (?:section|chapter) \d"
        r"|\bin section \d+[,;] (?:the|and)\b|\b(?:as follows|the following)(?:\.|:)$",
        "structure remainder rest outline organization organisation section sections chapter chapters follows "
        "following",
    ),
)
KINDS = tuple(
    (kind, re.compile(start), re.compile(anywhere), frozenset(words.split())) for kind, start, anywhere, words in _KINDS
)
