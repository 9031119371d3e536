"""Reading English: what a sentence needs, from how it opens, what it refers to, and who is quoted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.read._english_noise import noise_of
from tersely.read._quotes import Quoted, quoted
from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document

_I = re.IGNORECASE
_WINDOW = 12  # sentences to look back for an antecedent
_HEAD = 600  # characters of a sentence that are looked at

_OPENING = re.compile(r"[\s\"'“‘(\[«„`*•.…–—-]*(?:\([A-Z][A-Za-z]{1,12}\) ?[-–—]{0,2} ?)?[\"'“‘]?")

_CONNECTIVE = re.compile(
    r"(?:but|and|yet|so(?! far\b| called\b|-)|however|therefore|thus|hence|moreover|furthermore|additionally|also|then|instead"
    r"|otherwise|similarly|likewise|nevertheless|nonetheless|consequently|accordingly|besides|still|indeed|or|nor|plus"
    r"|conversely|alternatively|afterwards?|subsequently|thereafter|thereby|namely|specifically|secondly|thirdly|meanwhile"
    r"|in (?:addition|contrast|turn|other words|fact|particular|short|response|return|both|each case|either)|by (?:contrast|then)"
    r"|on the (?:other hand|contrary)|at the same time|for (?:example|instance)|as (?:a result|such|well)|to that end"
    r"|that said|even (?:so|then)|more importantly|what(?: is|['’]s) more|not only that|after all|in the end|above all|if (?:so|not)"
    r"|either way|since then|until then|only then|just then|rather|because of (?:this|that|these)|for (?:one|another) thing|too"
    r"|perhaps|maybe|no wonder|hardly|neither|not so|again|of course|unfortunately|fortunately|why\?|how\?|equally|overall"
    r"|unlike (?:him|her|it|them|this)|compared with)(?![\w’'-])"
    r"|(?:no|yes|sure|right|well|oh|okay|ok|ah|hmm|yeah|alas)[,.!]",
    _I,
)
_ORDINAL = re.compile(
    r"(?:second|third|fourth|fifth|lastly|last|next|finally),|\(?(?:[b-h]|i[iv]{1,2}|[2-9])\)\s|the (?:second|third|other|others"
    r"|latter|former|rest|next|remaining|same)\b(?! (?:quarter|half|world|phase of|of the (?:year|world)))|(?:another|others|both|each|one|the two|the three|some|many|most|all|several|few|none|either)"
    r" of (?:them|these|those|which|whom)\b|(?:another|others)\b|both(?! \w+ and\b| the\b| in\b)|such\b|the (?:two|three|pair|duo|trio|couple)\b"
    r"|in (?:the )?(?:first|second|third|another|other) (?!quarter|half|place|time|world)\w+",
    _I,
)
_TIME = re.compile(
    r"(?:\w+ (?:\w+ )?|the )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|moments?|nights?) "
    r"(?:later|earlier|before|after(?:wards?)?)\b(?! the\b)|the (?:next|following|previous|same) (?:day|morning|evening|night|week|"
    r"month|year|afternoon)|(?:shortly|soon|immediately|moments|just|long) (?:afterwards?|before|after(?=,| that))|later(?:,| that| on)"
    r"|(?:at|by|around|from|since|until|before|after) that (?:time|point|day|moment)|earlier(?:,| that)|that (?:day|night|morning|year|month|week)",
    _I,
)
_PRONOUN = re.compile(
    r"(?P<he>he|him|his|himself)|(?P<she>she|hers?|herself)|(?P<they>they|them|theirs?|themselves)|(?P<it>it|its|itself)"
)
_ANY_PRONOUN = re.compile(rf"(?<![\w’'-])(?:{_PRONOUN.pattern})(?:['’](?:s|d|ll|re|ve))?(?![\w’'-])", _I)
_EXPLETIVE = re.compile(
    r"it(?:['’]s| is| was| has been| will be| would be| may be| might be| can be| could be| seems| appears| isn['’]t| wasn['’]t|"
    r" became| becomes| remains| must be| should be)\b(?:"
    r"[^.;:\"“]{0,60}?\b(?:that|whether|who|how|why|when|unclear|as if|as though)\b"
    r"| (?:\w+ ){0,2}(?:important|possible|impossible|hard|difficult|easy|easier|harder|necessary|essential|good|great|nice|bad|better|"
    r"best|wrong|right|interesting|useful|common|vital|fair|unfair|wise|crucial|safe|worth|tempting|natural|customary|reasonable|"
    r"sufficient|appropriate|convenient|helpful)\b(?: \w+){0,4}? (?:to|for)\b"
    r"| (?:\w+ ){0,2}(?:time|raining|snowing|dark|late|early|cold|hot|warm|noon|midnight|night|morning|evening|\d+ ?[ap]\.?m)\b)"
    r"|it (?:takes|took|rained|snowed|turns out|turned out|follows|depends|is said|has long)\b",
    _I,
)
_DEICTIC = (
    r"year|month|week|morning|afternoon|evening|season|summer|winter|spring|autumn|fall|country|paper|article|report|time|weekend"
    r"|quarter|court|study|section|work|thesis|book|chapter|letter|notice|message|e-?mail|century|decade|day|world|date|side|term"
    r"|coming|past|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|is|was|has|and|or|one|kind of|sort of|far|much|planet|site|page|website|house|appeal|judgment|document"
)
_DEMONSTRATIVE = re.compile(
    rf"(?<![\w’'-])(?:(?:these|such)\s(?!as\b|that\b|a\b|an\b|days\b|is\b)[a-z]"
    r"|those\s(?!who|that\b|which|with|in\b|of\b|from\b|on\b|at\b|for\b|to\b|whose|involved|affected|living|working|most|under|over|were\b|are\b|[a-z]+ing\b|[a-z]+ed\b)[a-z]"
    rf"|this\s(?!(?:{_DEICTIC})(?:['’]?s)?\b)[a-z]"
    r"|(?:at|in|of|on|by|for|from|with|to|during|under|about|after|before|into|like|over|than|as|do|did|does|done)\sthat(?:[.,;]|\s(?!the\b|an?\b|it\b|he\b|she\b|"
    r"they\b|we\b|i\b|you\b|there\b|is\b|was\b|of\b|which\b|in\b|if\b|his\b|her\b|my\b|our\b|their\b|its\b|these\b|this\b|some\b|all\b|no\b|people\b)[a-z])"
    r"|(?:despite|beyond|because of|all|like|doing|do|did|after|before|by|of|in|at|on|with|from|than|as|to|about)\s(?:this|these|those)(?=[.,;?!]))",
    _I,
)
_LINK = re.compile(
    r"(?<![\w’'-])(?:however|therefore|thus|nevertheless|nonetheless|meanwhile|furthermore|moreover|consequently|instead(?! of)"
    r"|the (?:latter|former)|aforementioned|foregoing|above-mentioned|the (?:above|same)\b(?! (?:period|quarter|time (?:last|a year)|way as|as\b))"
    r"|for example|for instance|the (?:two|three|four) (?!(?:years|months|days|weeks|hours|countries|sides|main)\b)[a-z]+(?! (?:of|that|which|who)\b))(?![\w’'-])"
    r"|(?<=, )then,|, too\b|\btoo[.,]|\bas well\.|\bthere (?:remembers?|said|told|says|is|are)\b(?<!^there is)",
    _I,
)
_SHELL = re.compile(
    r"the (?:(?!of\b)[a-z-]+ ){0,1}(?P<noun>move|decision|news|incident|announcement|comments?|remarks|claims?|allegations?|findings?|results?|figures?|idea|answer|reason|reasons|"
    r"problem|question|issue|change|changes|deal|agreement|plan|plans|proposals?|report|study|statement|charges?|case|attack|accident|crash|"
    r"ceremony|event|meeting|ruling|verdict|order|law|bill|measure|measures|rule|rules|process|approach|method|technique|effect|outcome|"
    r"offer|bid|project|programme|program|scheme|job|task|work|trip|visit|tour|scene|story|film|movie|book|song|video|footage|picture|pictures|image|images|photo|photos|clip|post|tweet|message|letter|"
    r"document|documents|survey|poll|research|researchers|authors|team|group|company|firm|charity|organi[sz]ation|agency|school|hospital|club|victim|victims|suspect|suspects|man|woman|boy|girl|teenager|child|children|"
    r"mother|father|parents|driver|officer|officers|defendant|player|striker|actor|actress|singer|star|author|pilot|owner|family|son|daughter|brother|sister|couple|"
    r"property|building|house|site|ship|boat|vehicle|car|plane|aircraft|device|product|system|drug|animal|creature|dog|cat|money|sum|amount|total|rise|fall|increase|decrease|drop|loss|gain|"
    r"award|prize|win|victory|defeat|match|game|race|contest|competition|tournament|series|show|exhibition|collection|move|step|effort|efforts|campaign|protest|protests|violence|dispute|row|controversy|debate|talks|"
    r"investigation|inquiry|probe|trial|hearing|appeal|application|conviction|sentence|arrest|killing|murder|shooting|death|deaths)(?:'s|’s)?\b",
    _I,
)
_COMPLEMENT = re.compile(r"\s*(?:of|that|which|who|whose|to|for|in|at|from|between|behind|with|on|against|over)\b|[,]? (?:which|who)\b", _I)
_SPEECH = (
    r"said|says|say|told|tells|added|adds|according to|wrote|writes|tweeted|asked|asks|explained|explains|insisted|insists|claimed|claims"
    r"|admitted|admits|revealed|continued|commented|comments|noted|notes|stated|states|argued|argues|replied|joked|recalled|recalls|concluded|announced|warned"
    r"|declared|remarked|observed|stressed|suggested|quoted|posted|responded|thinks|believes|testified|read|reads|complained|complains|shouted"
    r"|called|describes?|described|cried|whispered|muttered|snapped|agreed|demanded|ordered|answered|interrupted|began|went on|acknowledged|tells|urged|gasped|sighed|growled|soothed"
)
_SAYS = re.compile(rf"\b(?:{_SPEECH})\b", _I)
_HE_SAYS = re.compile(
    rf"(?<![\w’'-])(?:(?:he|she|they|it)(?: (?:also|then|later|has|had|further|once))? (?:{_SPEECH})|(?:said|says|added|asked|wrote) (?:he|she|they))\b", _I
)
_NAME = re.compile(r"(?<![\w’'-])[A-Z][\w’'-]*[a-z][\w’'-]*")
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lord|Lady|Prof|Professor|President|Minister|Judge|Justice|King|Queen|Prince|Princess)\b\.?")
_NOT_NAMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday thursday"
    " friday saturday sunday i i'm i've i'd i'll god christmas easter internet english".split()
)
_FUNCTION = frozenset(
    "the a an this that these those some any every each all both no and or but so yet for nor in on at by to of from with into"
    " over under after before during since until while when where why how what who which whose as if because although though"
    " unless despite however then there here he she it they we you i his her its their our your my me him them us is are was"
    " were be been being has have had do does did will would can could may might must shall should not also only just even"
    " now once today yesterday tomorrow one two three four five six seven eight nine ten last next first second third more"
    " most many much several few other another such same own than too very still again about according between among through"
    " against without within like unlike including following based asked speaking instead later earlier meanwhile perhaps".split()
)
_PERSON = re.compile(
    r"\b(?:man|woman|boy|girl|person|child|teenager|father|mother|son|daughter|brother|sister|husband|wife|friend|officer|judge|president"
    r"|minister|driver|player|actor|actress|singer|doctor|student|teacher|leader|director|chairman|spokesman|spokeswoman|king|queen"
    r"|pope|author|defendant|appellant|claimant|respondent|suspect|victim|member|patient|who|everyone|someone|nobody|anyone|somebody|lawyer"
    r"|attorney|mayor|striker|captain|manager|coach|boss|chief|head|secretary|citizen|soldier|worker|employee|user|customer|neighbou?r|uncle|aunt|"
    r"grandfather|grandmother|guy|lady|gentleman|star|model|writer|reporter|expert|analyst|professor|designer|[a-z]{3,}(?:er|or|ist|ian|man|woman))s?\b",
    _I,
)
_PLURAL = re.compile(r"\b(?:[a-z]{2,}[^s\W]s|people|police|children|men|women|staff|team|family|couple|company|government|group|crew|band|everyone|who|anyone|public|pair|data|party|club|someone|and)\b", _I)
_CATAPHORA = re.compile(r", (?:the |a |an |\w{1,8}\.? )?[A-Z]")


@dataclass(frozen=True)
class _Text:
    """The sentences of a document, and what the rules look up in them."""

    texts: Sequence[str]
    quotes: Sequence[Quoted]
    noise: Sequence[str]
    lower: frozenset[str]  # words that the document writes in lowercase: at a sentence's start they are no names

    def head(self, i: int) -> str:
        text = self.texts[i][:_HEAD]
        opening = _OPENING.match(text)
        return text[opening.end() :] if opening else text

    def names(self, text: str) -> list[str]:
        """Return the names in a piece of text."""
        return [name for name in _NAME.findall(text) if self.is_name(name)]

    def is_name(self, word: str) -> bool:
        plain = word.lower().removesuffix("'s").removesuffix("’s")
        return plain not in self.lower and plain not in _NOT_NAMES and plain not in _FUNCTION


def english(document: Document) -> Reading:
    """Return what each sentence of an English document needs, and which sentences are noise."""
    texts = document.texts
    lines, paragraphs = _breaks(document)
    noise = noise_of(texts, lines)
    lower = frozenset(re.findall(r"(?<![\w’'-])[a-z][a-z-]+", document.text))
    view = _Text(texts, quoted(texts, paragraphs), noise, lower)
    needs, whys = [], []
    for i in range(len(texts)):
        why, need = _need(view, i)
        needs.append(need)
        whys.append(why)
    return Reading(tuple(needs), tuple(whys), tuple(noise))


def _breaks(document: Document) -> tuple[list[bool], list[bool]]:
    """Return for each sentence whether a line ends before it, and whether a paragraph does."""
    ends = [0, *(end for _, end in document.sentences)]
    gaps = [document.text[end:start] for end, (start, _) in zip(ends, document.sentences, strict=False)]
    lines = [i == 0 or "\n" in gap for i, gap in enumerate(gaps)]
    if sum(lines) > 0.8 * len(lines):  # one sentence per line: only blank lines part paragraphs
        return lines, [i == 0 or gap.count("\n") > 1 for i, gap in enumerate(gaps)]
    return lines, lines


def _need(view: _Text, i: int) -> tuple[str, int]:
    quote = view.quotes[i]
    if quote.first >= 0:
        return "quotation", quote.first
    head = view.head(i)
    why, kind = _cause(view, i, head)
    if not why:
        return "", ALONE
    if i == 0:
        return (why, LOST) if why in ("connective", "pronoun") and not _cataphora(head) else ("", ALONE)
    return why, _antecedent(view, i, kind, head)


def _cause(view: _Text, i: int, head: str) -> tuple[str, str]:
    """Return why a sentence does not stand alone, and what would supply its antecedent."""
    if _CONNECTIVE.match(head):
        return "connective", "before"
    if _ORDINAL.match(head):
        return "list", "before"
    if _TIME.match(head):
        return "time", "before"
    kind = _pronoun(view, head)
    if kind:
        return "pronoun", kind
    if _spoken(view, i):
        return "quotation", "speaker"
    if _HE_SAYS.search(view.quotes[i].outside) and not view.names(view.quotes[i].outside):
        return "pronoun", "he"
    if re.match(r"(?:this|that|these|those)(?:['’]s)?\b", head, _I) and not re.match(rf"this (?:{_DEICTIC})\b(?! (?:is|was|has)\b)", head, _I):
        return "demonstrative", "before"
    if _DEMONSTRATIVE.search(head):
        return "demonstrative", "before"
    if _LINK.search(head):
        return "connective", "before"
    if _definite(view, i, head):
        return "definite", "noun"
    return "", ""


def _pronoun(view: _Text, head: str) -> str:
    """Return the pronoun that has no possible antecedent before it in its sentence."""
    for found in _ANY_PRONOUN.finditer(head):
        kind = found.lastgroup or ""
        before = head[: found.start()]
        if kind == "it" and _EXPLETIVE.match(head, found.start()):
            continue
        if _supplied(view, kind, before):
            continue
        if before and _cataphora(head[found.start() :]) or not before and kind in ("he", "she") and _cataphora_opening(head):
            continue
        return kind
    return ""


def _cataphora(rest: str) -> bool:
    return bool(_CATAPHORA.search(rest[:80]))


def _cataphora_opening(head: str) -> bool:
    return False


def _supplied(view: _Text, kind: str, before: str) -> bool:
    if view.names(before):
        return True
    if kind in ("he", "she"):
        return bool(_PERSON.search(before))
    if kind == "they":
        return bool(_PLURAL.search(before))
    words = re.findall(r"[a-z]{3,}", before.lower())
    return any(word not in _FUNCTION and not word.endswith(("ly", "ing")) for word in words)


def _spoken(view: _Text, i: int) -> bool:
    """Return whether a sentence is a quotation whose speaker it does not name."""
    text, outside = view.texts[i], view.quotes[i].outside
    if text.lstrip()[:1] not in "\"“‘'«":
        return False
    return not _SAYS.search(outside) and len(outside.split()) < 0.5 * len(text.split())


def _definite(view: _Text, i: int, head: str) -> bool:
    found = _SHELL.match(head)
    if not found or _COMPLEMENT.match(head, found.end()):
        return False
    return True


def _antecedent(view: _Text, i: int, kind: str, head: str) -> int:
    candidates = [j for j in range(i - 1, max(-1, i - _WINDOW), -1) if not view.noise[j]]
    if not candidates:
        return LOST
    if kind in ("he", "she"):
        for j in candidates:
            if view.names(view.texts[j][:_HEAD]):
                return j
    return candidates[0]
