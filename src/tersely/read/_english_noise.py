"""Noise in English: sentences that belong in no summary, by their form."""

import re
from collections import Counter
from collections.abc import Sequence

_FLAGS = re.IGNORECASE
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CLOSED = re.compile(r"[.!?…:;][\"'”’)\]»*]{0,3}\s*\.?$")
_APART = re.compile(r"\w ?[\"'”’)]? \.$")  # a full stop set apart from the last word
_END = 240  # what marks the end of a sentence is looked for in so many characters

# Whole kinds of text, by what they say. A pattern must match nothing that a report on the same subject would say.
_KINDS = (
    (
        "caption",
        r"\((?:pictured|left|right|cent(?:re|er)|above|below|top|bottom|inset|far (?:left|right)|front|back|l|r|c|(?:in )?(?:red|blue|white|black|green|yellow)"
        r"|(?:second|third) (?:from )?(?:left|right)|(?:left|right|above|below|pictured|top|bottom)[ ,][^()]{1,40})\)"
        r"|,? ?\bpictured (?:above|below|here|left|right|with|in|at|on|during|together|outside|training|last|yesterday)\b"
        r"|^pictured\b|\b(?:file|stock) (?:photo|image|picture)\b|^(?:image|photo|picture|video|caption|graphic|left|right"
        r"|above|below)\s?:|\b(?:image|media|photo) caption\b|hide caption|^(?:figure|fig\.|table) \d+\s?[:.]",
    ),
    (
        "credit",
        r"\bcontributed to this (?:report|story|article)\b|^(?:by|reporting by|written by|edited by|editing by|produced by"
        r"|illustrated by|photographs? by|additional reporting by|posted by|source:|credit:|credits:|photo by)\b"
        r"(?=[^.]{0,80}$)|^(?:additional )?(?:reporting|editing|writing) by\b|©|\bcopyright\b.{0,40}\b(?:\d{4}|reserved"
        r"|renewed|belongs)\b|\bcopyright on this\b|\ball rights reserved\b|\bgetty images\b|\bap photo\b|image copyright"
        r"|transcriber'?s note|\bthis e-?(?:text|book) (?:was|is)\b|\bproofread(?:ing|ers?)\b|^published \d",
    ),
    (
        "call",
        r"\bscroll down\b|\bclick (?:here|on|the)\b|^(?:read|see|watch|find out|learn|hear) (?:more|also|next|now|here|below"
        r"|live)\b|\bread more\b|\balso read\b|^(?:watch|read|see also|related|more|update)\s?:|\bfollow (?:us|me|@\w+)"
        r"|\bsign up\b.{0,40}\b(?:newsletter|alerts?|e-?mails?|updates)\b|\bsubscribe (?:to|now|here)\b|\bshare this\b"
        r"|\bthis (?:article|story) (?:was|has been|is) (?:\w+ )?(?:updated|corrected|originally published|part of)\b"
        r"|\bfor confidential (?:support|help)\b|^watch [A-Z].{0,200}\b(?:on|at) \d|^tune in\b"
        r"|\b(?:opinions|views) expressed in this\b|\bfiled under\b|https?://|\bwww\.|^visit\b.{0,80}\.(?:com|org|net)\b"
        r"|\bdownload (?:the|our) \w{0,20} ?app\b|\b(?:will be |is )?(?:televised|broadcast|shown) live\b.{0,60}\d"
        r"|\btelevised on\b.{0,60}\d|\bcould not (?:immediately )?(?:be reached|get in touch)\b|\bsend us\b|\bjoin the "
        r"(?:conversation|debate|discussion)\b|\be-?mail (?:us|this)\b",
    ),
    (
        "greeting",
        r"^(?:dear|hi|hello|hey|greetings)\b(?=[^.?]{0,40}[,!.:]?$)|^(?:(?:best|kind|warm|many)? ?(?:regards|wishes)|thanks"
        r"|thank you|many thanks|cheers|sincerely|yours|respectfully|good (?:morning|afternoon|evening|day|night))\b(?=[^.?]{0,60}"
        r"[,!.:]?$)|^(?:thanks|thank you)(?: \w+){0,4} for (?:joining|your (?:help|time|support|interest|attention|cooperation"
        r"|participation|patience|question))|\bplease (?:contact|call|e-?mail|feel free|let me know|do not hesitate)\b"
        r"|\bif you (?:have|should have) any (?:\w+ )?(?:questions?|quer(?:y|ies)|concerns?|comments?)\b|^(?:welcome|good \w+),? "
        r"(?:and |everyone|ladies|to (?:the|our))|\b(?:i|we) hope (?:that )?(?:all of you|everyone|you(?: all)?|you and your)\b"
        r"(?=.{0,80}\b(?:well|safe|healthy|enjoy))|^see (?:attached|below)\b|^attached (?:is|are|please)\b(?=.{0,30}$)",
    ),
    (
        "procedure",
        r"forward[- ]looking|\bsafe harbor\b|\brisks and uncertainties\b|\bdiffer materially\b|\breconciliations?\b.{0,80}"
        r"\b(?:gaap|website|release|appendix|found|available)\b|\bnon-gaap (?:results|measures?|financial|basis|metrics)\b"
        r"|\b(?:on|in|to) (?:the|our|today['’]s) (?:conference )?call(?: today|,| are| is| with| will)|\b(?:today['’]s|our|the) "
        r"(?:conference )?call (?:today )?(?:will|is being|may|contains)|\bturn (?:the call|it|things|the floor) (?:back )?over\b"
        r"|\bhand (?:the call|it|things) (?:back )?(?:over )?to\b|\b(?:our|your|for the|take the) (?:first|next|final|last) question\b"
        r"|\bopen (?:the|up the|it up|up) ?(?:call|lines?|floor)?(?: up)? (?:for|to) (?:your )?questions\b|\bquestion-and-answer\b"
        r"|\bq ?& ?a (?:session|portion|period)\b|\bsec filings?\b|\b(?:file|filed|filings) with the sec\b|\b10-[kq]\b"
        r"|\bjoining (?:me|us) (?:today|on|this|are|is)\b|\bwith (?:me|us) (?:today|on the call)\b|\bplease (?:turn|go|refer|flip|"
        r"move|limit yourself|press|stand by|proceed)\b|^(?:now )?(?:turning|moving|looking|switching|flipping|going|if you turn|"
        r"let's turn|let's move|let me turn|i'll turn|i will turn|we turn|let me now turn)(?: now| on| over| back| to){0,3} "
        r"(?:slide|page|chart|our underlying)\b|\bi(?:['’]ll| will|['’]d like to)(?: now)? (?:ask|walk|hand|turn|go into|"
        r"review|introduce|take you|pass)\b(?! \w+ (?:him|her|them))|\bwith that,? (?:i|let me|we)\b|^operator\b|\b(?:our|my) "
        r"comments today\b|\[(?:technical|operator|inaudible|audio)[^\]]{0,30}\]|\bwill discuss the (?:financial|results)"
        r"|\bbefore making an investment\b|\bsupplemental (?:tables|slides|materials)\b|\bavailable on our website\b"
        r"|\bthese statements are\b",
    ),
    (
        "road map",
        r"\b(?:structure|remainder|rest|outline|organization|organisation) of (?:the|this) (?:paper|article|work|report|thesis|"
        r"chapter|section|document)\b|^(?:the|this) (?:paper|article|report|section|chapter) is (?:organi[sz]ed|structured)\b"
        r"|\b(?:sections?|chapters?) (?:\d+|[ivx]+)(?:\.\d+)? ?(?:,|and \d+)? ?(?:then |also |briefly )?(?:describes?|discuss(?:es)?|"
        r"presents?|traces?|concludes?|gives?|reviews?|introduces?|reports?|contains?|defines?|outlines?|explains?|shows?|"
        r"provides?|summari[sz]es?|details?|deals?|addresses|evaluates?|is devoted)\b|\b(?:in|see|of) (?:section|chapter) \d+"
        r"(?:\.\d+)?,? (?:we|i)\b|\b(?:are|is) (?:(?:described|discussed|presented|given|reported) )?in (?:section|chapter) \d"
        r"|^in (?:this|the (?:next|following)) (?:section|chapter),? (?:we|i)\b|\b(?:as follows|the following)(?:\.|:)$"
        r"|^.{0,120}\b(?:is|are) (?:shown|given|listed|presented|illustrated) in (?:table|figure|fig\.) ?\d+\.?$"
        r"|^as an example\b.{0,60}\b(?:figure|table) \d|^in section \d",
    ),
)
_NOISE = tuple((kind, re.compile(pattern, _FLAGS)) for kind, pattern in _KINDS)
_LABEL = re.compile(r"(?![\"'“‘(\[])(?=[A-Z])[^:.!?\"“”]{2,36}: (?=[\"'“‘]?[A-Z0-9£$])")
_SPEAKS = re.compile(r"\b(?:said|says|say|told|adds?|added|complain(?:s|ed)|explain(?:s|ed)|warn(?:s|ed)|not(?:es|ed)|argue[sd]|continued|replied|tweeted|stated?|announced|asks?|asked|wrote|writes|reads?|statement|is|are|was|were|has|have|"
                     r"be|will|can|this|that|these|it|he|she|they|we|i|reasons?|following|include|including|example|"
                     r"questions?|answer|result|problem|point|fact)\b", _FLAGS)  # fmt: skip
_NAME_LIST = re.compile(r"(?:\b[A-Z]\.? ?[A-Z]?['’]?[A-Z][\w'’-]{1,20}(?: \([^()]{1,12}\))?[,;.] ?){4}")
_PAPER = re.compile(r"\b(?:this|our) (?:paper|thesis|survey|approach)\b|\bwe (?:propose|present|introduce|describe)\b", _FLAGS)
SPEAKER = re.compile(r"#?\w[^:.!?\n]{0,30}:\s")
_CLAUSE = re.compile(r"\b(?:i|you|he|she|it|we|they|this|that|is|are|was|were|has|have|had|do|did|will|never|no|yes|not)\b|['’]", _FLAGS)


def noise_of(texts: Sequence[str], breaks: Sequence[bool]) -> list[str]:
    """Return the kind of noise that each sentence is, or "" for none; `breaks[i]`: a line ends before sentence i."""
    plain = [text.strip() for text in texts]
    tails = [text[-_END:] for text in plain]
    closed = [bool(_CLOSED.search(tail)) for tail in tails]
    apart = [bool(_APART.search(tail)) for tail in tails]
    lined = sum(closed) >= 0.6 * len(plain)  # else the text does without closing marks
    tokenized = sum(apart) > 0.3 * sum(tail.endswith(".") for tail in tails)
    told = is_told(plain)
    paper = any(map(_PAPER.search, plain))
    labels = _labels(plain)
    found: list[str] = []
    bracket = ""
    for i, text in enumerate(plain):
        kind = bracket or _kind(text, paper)
        opened = kind if not bracket and text[:1] == "[" else bracket
        bracket = opened if opened and "]" not in tails[i] else ""
        if not kind and lined and not closed[i]:
            alone = breaks[i] and (i + 1 == len(plain) or breaks[i + 1])
            kind = "heading" if alone and len(_WORD.findall(text[:400])) < 20 else ""
        if not kind and apart[i] and not tokenized:
            kind = "heading" if len(text) < 60 else "caption"
        if not kind and labels[i]:
            kind = "caption"
        if not kind and not told and _is_scrap(text):
            kind = "scrap"
        found.append(kind)
    return found


def _kind(text: str, paper: bool) -> str:
    head = text[:600]
    for kind, pattern in _NOISE:
        if pattern.search(head) and (paper or kind != "road map"):
            return kind
    letters = [character for character in head if character.isalpha()]
    digits = sum(character.isdigit() for character in head)
    if not letters or sum(map(str.isupper, letters)) > 0.6 * len(letters) or digits > len(letters) or _NAME_LIST.search(head):
        return "list"
    return ""


def _labels(texts: Sequence[str]) -> list[bool]:
    """Return which sentences begin with a label, as captions do: "Day out: Mike and Diane at the bowling alley."

    Where labels come again, or come everywhere, they name speakers or parts of a list.
    """
    found = [_LABEL.match(text) for text in texts]
    labels = [match.group() if match and not _SPEAKS.search(match.group()) else "" for match in found]
    often = {label for label, count in Counter(labels).items() if count > 1}
    if sum(map(bool, labels)) > 0.25 * len(texts):
        return [False] * len(texts)
    return [bool(label) and label not in often for label in labels]


def is_told(texts: Sequence[str]) -> bool:
    """Return whether this is a story or a dialogue, where short sentences tell something."""
    spoken = sum(text[:1] in "\"“'‘" for text in texts)
    return max(spoken, sum(map(bool, map(SPEAKER.match, texts)))) > 0.3 * len(texts)


def _is_scrap(text: str) -> bool:
    words = _WORD.findall(text) if len(text) < 40 else []
    return 0 < len(words) < 4 and not _CLAUSE.search(text) and not text[:1] in "\"“'‘" and not text[-1:] in "\"”'’"
