"""The kinds of noise in English, by what their sentences say."""

import re
from typing import NamedTuple

from tersely.read._english_forms import Keyed, keyed


class Kind(NamedTuple):
    """A kind of noise: how its sentences begin, and what they say anywhere."""

    name: str
    start: re.Pattern[str]
    anywhere: Keyed


_NEVER = "(?!)"
# A pattern must match nothing that a report on the same subject would say. All are matched in lowercase.
_KINDS = (
    (
        "caption",
        r"pictured\b|(?:image|photo|picture|video|caption|graphic|left|right|above|below)\s?:|(?:figure|fig\.|table) "
        r"\d+\s?[:.]|(?:figure|fig\.?|table)[ -]?\d+(?:\.\d+)?(?:\(\w\))?(?: below| above)? (?:is|are|shows?|gives?"
        r"|lists?|presents?"
        r"|illustrates?"
        r"|depicts?|compares?|summari[sz]es?|reports?|plots?)\b",
        r"\b(?:pictured (?:above|below|here|left|right|with|in|at|on|during|together|outside|training|last"
        r"|yesterday)\b|(?:file|stock) (?:photo|image|picture)\b|(?:image|media|photo|hide) caption\b)",
        "pictured photo image picture caption",
    ),
    (
        "caption",
        _NEVER,
        r"\((?:pictured|left|right|cent(?:re|er)|above|below|top|bottom|inset|far (?:left|right)|front|back|l|r|c"
        r"|(?:in )?(?:red|blue|white|black|green|yellow)|(?:second|third) (?:from )?(?:left|right)|(?:left|right"
        r"|above|below|pictured|top|bottom) [^()]{1,40})\)",
        "pictured left right centre center above below top bottom inset front back l r c red blue white black green "
        "yellow",
    ),
    (
        "credit",
        r"(?:by|reporting by|written by|edited by|produced by|illustrated by|photographs? by|posted by|source:"
        r"|credits?:|photo by)"
        r"(?=\s[^.]{0,80}$)|[—–-]? ?with files from\b|(?:additional )?(?:reporting|editing|writing) by\b|published \d"
        r"|©|(?:cnn|ap|reuters|bbc|afp|npr)['’]s [^,.]{3,60} (?:reported|contributed)\b",
        r"\b(?:contributed to th(?:is|e) (?:report|story|article)\b|copyright\b.{0,40}\b(?:\d{4}|reserved|renewed"
        r"|belongs)\b|copyright on this\b|all rights reserved\b|getty images\b|ap photo\b|this e-?(?:text"
        r"|book) (?:was|is)\b|proofread(?:ing|ers?)\b)|image copyright|transcriber'?s note",
        "contributed copyright reserved getty photo transcriber transcriber's transcribers etext text ebook book "
        "proofreading proofreaders",
    ),
    (
        "call",
        r"(?:read|see|watch|find out|learn|hear) (?:more|also|next|now|here|below|live)\b|(?:watch|read|see also"
        r"|related|more|update)\s?:"
        r"|watch .{0,200}\b(?:on|at) \d|tune in\b|visit\b.{0,80}\.(?:com|org|net)\b|also read\b",
        r"\b(?:scroll down\b|click (?:here|on|the)\b|also read\b|follow (?:us (?:on|at)\b|me on\b|@\w+)"
        r"|sign up\b.{0,40}\b(?:newsletter|alerts?|e-?mails?|updates)\b|subscribe (?:to (?:our|this)|now|here)\b"
        r"|share this\b|for confidential (?:support|help)\b|(?:opinions"
        r"|views) expressed in this\b|filed under\b|www\.|download (?:the|our) \w{0,20} ?app\b|(?:televised"
        r"|broadcast|shown) (?:live )?on\b.{0,60}\d|could not (?:immediately )?(?:be reached|get in touch)\b"
        r"|send us\b|join the (?:conversation|debate|discussion)\b|available (?:for download|on itunes)\b"
        r"|advertisement\b|e-?mail (?:us|this)\b|(?:in|to) your inbox\b)|https?://",
        "scroll click read follow sign subscribe share confidential expressed filed http https www app televised"
        " broadcast shown reached touch send join mail email inbox download itunes advertisement",
    ),
    (
        "call",
        _NEVER,
        r"\b(?:read more\b|(?:for|to (?:learn|find out|read|see)) more(?: information| details| info)?\b.{0,120}"
        r"\b(?:visit|go to|call|contact|see|\w+\.(?:com|org|net|gov))\b|this (?:article|story) (?:was|has been|is) "
        r"(?:\w+ )?(?:updated|corrected|originally published|part of)\b"
        r"|this (?:report|article|story)\b.{0,40}\b(?:first published|produced with)\b)",
        "more report article story",
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
        r"\b(?:please (?:contact|call|e-?mail|feel free|let me know|do not hesitate)\b|i am available\b"
        r"|at your convenience\b|look forward to (?:hearing|seeing|speaking|meeting|your)\b"
        r"|if you (?:should )?have any (?:\w+ )?(?:questions?|quer(?:y|ies)|concerns?|comments?)\b|(?:i"
        r"|we) hope (?:that )?(?:all of you|everyone|you(?: all)?|you and your)\b(?=.{0,80}\b(?:well|safe|healthy"
        r"|enjoy)))",
        "please hope available convenience look forward questions question query queries concerns comments",
    ),
    (
        "disclaimer",
        r"this (?:e-?mail|message|communication|transmission)\b.{0,80}\b(?:intended|confidential|privileged|contain)"
        r"|\W*internet e-?mail confidentiality",
        r"\b(?:(?:intended|named) (?:recipient|addressee)s?\b|not the addressee\b|(?:privileged"
        r"|confidential)\b.{0,40}\b(?:information may|and may|and/or|or otherwise)\b|notify the sender\b"
        r"|destroy (?:this|the) (?:message|e-?mail)\b|consent to internet\b|delete (?:this|the) (?:message"
        r"|e-?mail)\b|free from (?:any )?virus|no liability\b.{0,60}\b(?:accuracy|errors|omissions|virus))",
        "recipient recipients addressee addressees privileged confidential sender destroy consent delete virus viruses"
        " liability",
    ),
    (
        "procedure",
        r"(?:now )?(?:turning|moving|looking|switching|flipping|going|if you turn|let's turn|let's move|let me turn"
        r"|i'll turn|i will turn"
        r"|we turn|let me now turn)(?: now| on| over| back| to){0,3} (?:slide|page|chart)\b|slide \d|operator\b"
        r"|we appreciate"
        r" (?:you joining|your (?:time|interest))"
        r"|(?:i['’]m|i am|we['’]re|we are) (?:very |so )?(?:pleased|happy|delighted|glad) to"
        r" (?:be here|be with you|join you|discuss|welcome|report to you)\b|in (?:my|our) (?:prepared )?remarks"
        r"|we(?:['’]ll| will) (?:begin|start) (?:today|the call|with)"
        r"|(?:turning|moving)(?: now| on| over){0,2} to (?:our|the) [^,.]{3,40}\.$",
        r"\b(?:safe harbor\b|risks and uncertainties\b|differ materially\b|reconciliations?\b.{0,80}\b(?:gaap"
        r"|website|release|appendix|found|available)\b|non-gaap (?:results|measures?|financial|basis|metrics)\b"
        r"|(?:on|in|to) (?:the|our|today['’]s) (?:conference )?call(?: today|,| are| is| with| will)|(?:today['’]s"
        r"|our|the) (?:conference )?call (?:today )?(?:will|is being|may|contains)|turn (?:the call|it|things"
        r"|the floor|our call|the meeting) (?:back )?over\b|hand (?:the call|it|things) (?:back )?(?:over )?to\b"
        r"|(?:our|your|for the|take the) (?:first|next|final|last) question\b|open (?:the|up the|it up|up) ?(?:call"
        r"|lines?|floor)?(?: up)? (?:for|to) (?:your )?questions\b|question-and-answer\b|q ?& ?a (?:session|portion"
        r"|period)\b|sec filings?\b|(?:files?|filed|filings) with the sec\b|10-[kq]\b|joining (?:me|us) (?:today|on"
        r"|this|are|is)\b|please (?:turn|go|refer|flip|move|limit yourself"
        r"|press|stand by|proceed)\b|i(?:['’]ll| will|['’]d like to)(?: now)? (?:ask|walk|hand|turn|go into|review"
        r"|introduce|take you|pass)\b(?! \w+ (?:him|her|them))|(?:our"
        r"|my) comments today\b|will discuss the (?:financial|results)|before making an investment\b"
        r"|unless (?:otherwise|i (?:say|state)) |questions will be limited\b|will discuss (?:our|the) \w+"
        r"|unauthori[sz]ed recording\b|without limitation,? statements\b|(?:re)?play(?:back)? (?:of|will be) "
        r"|will (?:now )?(?:provide|discuss|give|cover|share|review|offer|present)\b.{0,80}\b(?:details?|colou?r"
        r"|shortly|later|perspective|remarks|in a (?:moment|minute|few)|our (?:financial|results|outlook"
        r"|guidance))\b|since our last call\b|next slide\b|supplemental (?:tables|slides|materials)\b"
        r"|available on our website\b|these statements are\b)|forward[- ]looking|\[(?:technical|operator|inaudible"
        r"|audio)[^\]]{0,30}\]",
        "forward harbor risks materially reconciliation reconciliations gaap call turn hand question questions answer "
        "q sec k joining"
        " please i'll i’ll i'd i’d comments technical operator inaudible audio discuss investment supplemental "
        "website statements unless unauthorized unauthorised limitation replay playback play will since slide",
    ),
    (
        "procedure",
        _NEVER,
        r"with(?<!\wwith) (?:(?:me|us) (?:today|on the call)|that,? (?:i|let me|we))\b",
        "with",
    ),
    (
        "docket",
        _NEVER,
        r"\A(?:"
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
        r"|(?:lord|lady|lords) [\w ,]{2,80}(?:agrees?|concur)\b.{0,20}$|i (?:agree|concur)\W?$"
        r")|\b(?:for (?:the )?(?:appellants?|respondents?|petitioners?|interveners?|intervenors?)(?: (?:nos?"
        r"|in)\b.{0,40})?\W{0,2}$|from the judge?ments? (?:and|&) (?:orders?|decrees?) dated\b)",
        "dated appellant appellants respondent respondents petitioner petitioners intervener interveners intervenor"
        " intervenors appeal appeals petition petitions jurisdiction suit suits case cases application applications"
        " reference references judgment judgments judgement judgements order orders decree decrees heard argued"
        " decided before article agree agrees concur",
    ),
    (
        "road map",
        r"(?:the|this) (?:paper|article|report|section|chapter) is (?:organi[sz]ed|structured)\b|in (?:this|the "
        r"(?:next|following)) "
        r"(?:section|chapter),? (?:we|i)\b|as an example\b.{0,60}\b(?:figure|table) \d|in section \d"
        r"|(?:after \w+ing [^,]{2,80}, )?we (?:then|first|next|finally) (?:present|describe|discuss|introduce|review"
        r"|report|give)\b",
        r"\b(?:(?:structure|remainder|rest|outline|organization|organisation) of (?:the|this) (?:paper|article|work"
        r"|report|thesis|chapter|section|document)\b|(?:sections?|chapters?) (?:\d+|[ivx]+)(?:\.\d+)? ?(?:,"
        r"|and \d+)? ?(?:then |also |briefly )?(?:describes?|discuss(?:es)?|presents?|traces?|concludes?|gives?"
        r"|reviews?|introduces?|reports?|contains?|defines?|outlines?|explains?|shows?|provides?|summari[sz]es?"
        r"|details?|deals?|addresses|evaluates?|is devoted)\b|(?:in|see|of) (?:section"
        r"|chapter) \d+(?:\.\d+)?,? (?:we|i)\b|(?:are|is) (?:(?:described|discussed|presented|given"
        r"|reported) )?in (?:section|chapter) \d|in section \d+[,;] (?:the|and)\b|(?:as follows|the following)(?:\."
        r"|:)$)"
        r"|\A.{0,120}\b(?:is|are) (?:shown|given|listed|presented|illustrated) in (?:table|figure|fig\.) ?\d+\.?$",
        "structure remainder rest outline organization organisation section sections chapter chapters follows "
        "following shown given listed presented illustrated",
    ),
)
KINDS = tuple(Kind(name, re.compile(start), keyed(anywhere, keys)) for name, start, anywhere, keys in _KINDS)
