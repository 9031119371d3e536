"""Noise in English: sentences that belong in no summary, by their form."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from tersely.read._english_forms import keyed

_FLAGS = re.IGNORECASE
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NO_LETTER, _CAPITAL, _DIGIT = re.compile(r"[\W\d_]"), re.compile(r"[A-Z]"), re.compile(r"\d")
_CLOSED = re.compile(r"(?:[.!?…:;—][\"'”’)\]»*]{0,3}\s*\.?|[,–-][\"'”’»])$")
_APART = re.compile(r"\w ?[\"'”’)]? \.$")  # a full stop set apart from the last word
_TAIL = 16  # characters that show how a sentence ends
_END = 240  # characters in which a bracket closes
_LONG = 300  # characters; no caption is longer

# Kinds of noise, by how the sentence begins, by what it says anywhere, and by the words of which that takes one.
# A pattern must match nothing that a report on the same subject would say. All are matched in lowercase.
_KINDS = (
    (
        "caption",
        r"pictured\b|(?:image|photo|picture|video|caption|graphic|left|right|above|below)\s?:|(?:figure|fig\.|table) "
        r"\d+\s?[:.]",
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
        r"\bcontributed to this (?:report|story|article)\b|\bcopyright\b.{0,40}\b(?:\d{4}|reserved|renewed|belongs)\b"
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
        r"\bscroll down\b|\bclick (?:here|on|the)\b|\bread more\b|\balso read\b|\bfollow (?:us|me|@\w+)"
        r"|\bsign up\b.{0,40}\b(?:newsletter|alerts?|e-?mails?|updates)\b|\bsubscribe (?:to|now|here)\b|\bshare this\b"
        r"|\bthis (?:article|story) (?:was|has been|is) (?:\w+ )?(?:updated|corrected|originally published|part of)\b"
        r"|\bfor confidential (?:support|help)\b|\b(?:opinions|views) expressed in this\b|\bfiled under\b|https?://"
        r"|\bwww\."
        r"|\bdownload (?:the|our) \w{0,20} ?app\b|\b(?:televised|broadcast|shown) (?:live )?on\b.{0,60}\d"
        r"|\bcould not (?:immediately )?(?:be reached|get in touch)\b|\bsend us\b|\bjoin the (?:conversation|debate"
        r"|discussion)\b"
        r"|\be-?mail (?:us|this)\b|\b(?:in|to) your inbox\b|\bthis (?:report|article|story)\b.{0,40}\b(?:first "
        r"published|produced with)\b",
        "scroll click read follow sign subscribe share article story confidential expressed filed http https www app "
        "televised"
        " broadcast shown reached touch send join mail email inbox report",
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
        r"\bplease (?:contact|call|e-?mail|feel free|let me know|do not hesitate)\b|\bif you (?:should )?have any "
        r"(?:\w+ )?(?:questions?"
        r"|quer(?:y|ies)|concerns?|comments?)\b|\b(?:i|we) hope (?:that )?(?:all of you|everyone|you(?: all)?|you and "
        r"your)\b"
        r"(?=.{0,80}\b(?:well|safe|healthy|enjoy))",
        "please hope questions question query queries concerns comments",
    ),
    (
        "procedure",
        r"(?:now )?(?:turning|moving|looking|switching|flipping|going|if you turn|let's turn|let's move|let me turn"
        r"|i'll turn|i will turn"
        r"|we turn|let me now turn)(?: now| on| over| back| to){0,3} (?:slide|page|chart)\b|operator\b",
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
        r"|\bsupplemental (?:tables|slides|materials)\b|\bavailable on our website\b|\bthese statements are\b",
        "forward harbor risks materially reconciliation reconciliations gaap call turn hand question questions answer "
        "q sec k joining"
        " with please i i'll i’ll i'd i’d comments technical operator inaudible audio discuss investment supplemental "
        "website statements",
    ),
    (
        "road map",
        r"(?:the|this) (?:paper|article|report|section|chapter) is (?:organi[sz]ed|structured)\b|in (?:this|the "
        r"(?:next|following)) "
        r"(?:section|chapter),? (?:we|i)\b|as an example\b.{0,60}\b(?:figure|table) \d|in section \d"
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
_NOISE = tuple(
    (kind, re.compile(start), re.compile(anywhere), frozenset(words.split())) for kind, start, anywhere, words in _KINDS
)
_LABEL = re.compile(r"(?![\"'“‘(\[])(?=[A-Z])[^:.!?\"“”]{2,36}: (?=[\"'“‘]?[A-Z0-9£$])")
_SPEAKS = re.compile(
    r"\b(?:said|says|say|told|adds?|added|complain(?:s|ed)|explain(?:s|ed)|warn(?:s|ed)|not(?:es|ed)|argue[sd]|continued"
    r"|replied|tweeted|stated?|announced|asks?|asked|wrote|writes|reads?|statement|is|are|was|were|has|have|be|will|can"
    r"|this|that|these|it|he|she|they|we|i|reasons?|following|include|including|example|questions?|answer|result|problem"
    r"|point|fact)\b",
    _FLAGS,
)
_NAME_LIST = re.compile(r"(?:\b[A-Z]\.? ?[A-Z]?['’]?[A-Z][\w'’-]{1,20}(?: \([^()]{1,12}\))?[,;.] ?){4}")
_GENRES = {  # kinds of noise that only papers and calls have, and what only these say
    "road map": keyed(
        r"\b(?:this|our) (?:paper|thesis|survey|approach)\b|\bwe (?:propose|present|introduce|describe)\b",
        "paper thesis survey approach propose present introduce describe",
    ),
    "procedure": keyed(
        r"\b(?:conference call|(?:this|our|today['’]s|the) call|earnings|fiscal"
        r"|(?:first|second|third|fourth) quarter|investors?|shareholders?|gaap|forward-looking)\b",
        "call earnings fiscal quarter investor investors shareholder shareholders gaap forward",
    ),
}
_QUOTES = tuple("\"“'‘")
SPEAKER = re.compile(r"#?\w[^:.!?\n]{0,30}:\s")
_CLAUSE = re.compile(
    r"\b(?:i|you|he|she|it|we|they|this|that|is|are|was|were|has|have|had|do|did|will|never|no|yes|not)\b|['’]", _FLAGS
)


def noise_of(
    texts: Sequence[str], words: Sequence[Collection[str]], breaks: Sequence[bool], *, told: bool
) -> list[str]:
    """Return the kind of noise that each sentence is, or "" for none.

    `words` are the words of each sentence in lowercase, `breaks[i]` says that a line ends before sentence i.
    """
    plain = [text.strip() for text in texts]
    tails = [text[-_TAIL:] for text in plain]
    closed = [bool(_CLOSED.search(tail)) for tail in tails]
    apart = [bool(_APART.search(tail)) for tail in tails]
    lined = sum(closed) >= 0.6 * len(plain)  # else the text does without closing marks
    # Where most full stops stand apart, or sentences begin in lowercase, the text went through a tokenizer.
    stops, small = sum(tail.endswith(".") for tail in tails), sum(text[:1].islower() for text in plain)
    tokenized = sum(apart) > 0.5 * stops or small > 0.3 * len(plain)
    missing = {kind for kind, sign in _GENRES.items() if not any(map(sign.search, plain, words))}
    labels = _labels(plain) if "road map" in missing else [False] * len(plain)
    found: list[str] = []
    bracket = ""
    for i, text in enumerate(plain):
        kind = bracket or _kind(text, words[i], missing)
        opened = kind if not bracket and text[:1] == "[" else bracket
        bracket = opened if opened and "]" not in text[-_END:] else ""
        if not kind and lined and not closed[i] and text[:1] not in _QUOTES:
            alone = breaks[i] and (i + 1 == len(plain) or breaks[i + 1])
            kind = "heading" if alone and len(_WORD.findall(text[:400])) < 20 else ""
        if not kind and apart[i] and not tokenized and len(text) < _LONG:
            kind = "heading" if len(text) < 60 else "caption"
        if not kind and labels[i]:
            kind = "caption"
        found.append(kind)
    for i, text in enumerate(plain):
        near = found[i - 1 : i] + found[i + 1 : i + 2]
        if not found[i] and lined and not told and any(near) and _is_scrap(text):
            found[i] = "scrap"
    for i in range(1, len(found) - 1):  # what stands between two captions is one
        between = found[i - 1] == found[i + 1] == "caption" and not breaks[i] and not breaks[i + 1]
        if between and not found[i] and plain[i][:1] not in _QUOTES:
            found[i] = "caption"
    return found


def _kind(text: str, words: Collection[str], missing: Collection[str]) -> str:
    head = text[:600]
    lower = head.lower()
    for kind, start, anywhere, keys in _NOISE:
        if kind not in missing and (start.match(lower) or (not keys.isdisjoint(words) and anywhere.search(lower))):
            return kind
    letters, digits = len(head) - len(_NO_LETTER.findall(head)), len(_DIGIT.findall(head))
    capitals = len(_CAPITAL.findall(head)) > 0.6 * letters > 4
    if not letters or capitals or digits > letters:
        return "list"
    if head.count(",") + head.count(";") + head.count(".") > 3 and _NAME_LIST.search(head):
        return "list"
    return ""


def _labels(texts: Sequence[str]) -> list[bool]:
    """Return which sentences begin with a label, as captions do: "Day out: Mike and Diane at the bowling alley."

    Where labels come again, or come everywhere, they name speakers or parts of a list.
    """
    found = [_LABEL.match(text) for text in texts]
    labels = [match.group() if match and not _SPEAKS.search(match.group()) else "" for match in found]
    often = {label for label, count in Counter(labels).items() if count > 1}
    if sum(map(bool, labels)) > max(1, 0.25 * len(texts)):
        return [False] * len(texts)
    return [bool(label) and label not in often for label in labels]


def is_told(texts: Sequence[str], breaks: Sequence[bool]) -> bool:
    """Return whether this is a story or a dialogue, where people take turns and short sentences tell something."""
    turns = sum(starts and text[:1] in _QUOTES for text, starts in zip(texts, breaks, strict=True))
    return turns > 0.25 * len(texts) or sum(map(bool, map(SPEAKER.match, texts))) > 0.3 * len(texts)


def _is_scrap(text: str) -> bool:
    words = _WORD.findall(text) if len(text) < 40 else []
    return 0 < len(words) < 4 and not _CLAUSE.search(text) and text[0] not in _QUOTES and text[-1] not in "\"”'’"
