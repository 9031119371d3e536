"""The forms by which an English sentence leans on an earlier one, as regular expressions.

All of them are linear: what is repeated is bounded or cannot match what follows it. Most are for text in lowercase:
regular expressions that ignore case are several times slower.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from tersely.text.words import Numbered


def words(text: str) -> str:
    """Return an alternation of words or, between commas, of phrases."""
    return "|".join(part.strip() for part in (text.split(",") if "," in text else text.split()))


def lowered(text: str) -> str:
    """Return a text in lowercase, letter by letter: a letter whose lowercase is longer stays as it is."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


_SIGNS: dict[str, int] = {}  # from each key to the forms that it is a key of, one bit for each form


@dataclass(frozen=True)
class Keyed:
    """A form that takes one of some words; where a text has none of them, it is not searched."""

    form: re.Pattern[str]
    bit: int

    def search(self, text: str, signs: int) -> re.Match[str] | None:
        """Return where the form stands in a text, given the forms whose keys are there."""
        return self.form.search(text) if self.bit & signs else None

    def match(self, text: str, signs: int) -> re.Match[str] | None:
        """Return whether a text begins with the form, given the forms whose keys are there."""
        return self.form.match(text) if self.bit & signs else None

    def finditer(self, text: str, signs: int) -> Iterator[re.Match[str]]:
        """Return each place where the form stands in a text, given the forms whose keys are there."""
        return self.form.finditer(text) if self.bit & signs else iter(())


def keyed(pattern: str, keys: str) -> Keyed:
    """Return a form that takes one of the keys."""
    bit = 1 << max(_SIGNS.values(), default=0).bit_length()
    for key in keys.split():
        _SIGNS[key] = _SIGNS.get(key, 0) | bit
    return Keyed(re.compile(pattern), bit)


def signs(words: Numbered, count: int) -> list[int]:
    """Return for each of so many sentences the forms whose keys are there."""
    bits = np.fromiter(map(_SIGNS.get, words.vocabulary, repeat(0)), np.int64, len(words.vocabulary))[words.words]
    having = np.flatnonzero(bits)
    sentence, found = words.sentence[having], np.zeros(count, np.int64)
    starts = np.flatnonzero(np.diff(sentence, prepend=-1))
    if len(starts):
        found[sentence[starts]] = np.bitwise_or.reduceat(bits[having], starts)
    return found.tolist()


_FREE = r"\b(?<![’'-])"  # where a word begins
_STOP = r"(?![\w’'-])"  # where it ends

OPENING = re.compile(r"[\s\"'“‘(\[«„`*•.…–—-]{0,20}(?:\([A-Z][A-Za-z]{1,12}\) ?[-–—]{0,2} ?)?[\"'“‘]?")

# Openings that continue what was said before.
_CONTINUING = words(
    r"""but, and, yet, so(?! far\b| called\b|-), however, therefore, thus, hence, moreover, furthermore, additionally,
    also, then, instead(?! of), otherwise, similarly, likewise, nevertheless, nonetheless, consequently,
    accordingly, besides, still, indeed, or, nor, plus, conversely, alternatively, afterwards, afterward, subsequently,
    thereafter, thereby, namely, specifically, meanwhile, rather(?! than), too, perhaps, maybe, hardly, neither,
    again, equally, no wonder, not so, of course, unfortunately, fortunately, in addition, in contrast, in turn,
    in other words, in fact, in particular, in short, in response(?! to), in return, in each case, in either,
    by contrast, by then, on the other hand, on the contrary, at the same time, for example, for instance,
    as a result(?! of), as such, to that end, that said, even so, even then, more importantly,
    what(?: is|['’]s) more, not only that, after all, in the end, above all, if so, if not, either way, since then,
    until then, only then, just then, because of (?:this|that|these), for (?:one|another) thing,
    unlike (?:him|her|it|them|this), compared with (?:this|that), firstly, secondly, thirdly, lastly, why not"""
)
_SHORT = "no|yes|sure|right|well|oh|okay|ok|ah|hmm|yeah|alas"
CONNECTIVE = re.compile(rf"(?:{_CONTINUING}){_STOP}|(?:{_SHORT})[,.!]")
CONNECTIVE_FIRST = frozenset(re.findall(r"(?:^|\|)([a-z]+)", f"{_CONTINUING}|{_SHORT}"))
UNFINISHED = re.compile(r"(?::|[:;.?] (?:\(?\d{1,2}|\([a-z])[.)]|[,:] ?\?)\s*$")
VERB = re.compile(
    r"\b(?:i|you|he|she|it|we|they|this|that|is|are|was|were|am|be|has|have|had|do|does|did|will|would|can|could|may"
    r"|might|must"
    r"|should|shall|let|said|says?|told|took|made|came|went|got|gave|found|saw|left|lost|won|fell|rose|held|led|met"
    r"|kept|began"
    r"|became|stood|sat|ran|paid|sold|bought|sent|built|spent|hit|cut|put|set|grew|knew|threw|broke|spoke|wrote"
    r"|drove|chose"
    r"|felt|meant|heard|thought|brought|taught|caught|died|please|[a-z]{2,}(?:ed|s))\b|['’](?:s|re|ll|ve|d|t|m)\b|[!?]$"
)
ITEM = re.compile(r"[•▪●*–—-] ?\S|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s|[a-z\"“‘'«`]")
_FIRST_PERSON = "I I'm I've I'd I'll my we we're we've we'd we'll our"
FIRST_PERSON = keyed(
    r"(?:^|\b[a-z]+ |[,;:.] |[\"“‘'] ?)I(?:['’]\w+)? [a-z]|\b[Mm]y [a-z]|\b[Ww]e(?:['’]\w+)? [a-z]|\b[Oo]ur [a-z]",
    f"{_FIRST_PERSON} {_FIRST_PERSON.replace(chr(39), chr(8217))}".lower(),
)
FILLER = re.compile(r"And(?! (?:yet|so|then|that|this|these|those|it|he|she|they)\b)\b")
LIST = re.compile(
    r"(?:first|second|third|fourth|fifth|last|next|finally),|\(?(?:[b-h]|i[iv]{1,2}|[2-9])\)\s"
    r"|the (?:second|third|other|others|latter|remaining|same|first(?! (?:[\w-]+ ){1,3}?(?:of|for|in|to|on|since|at"
    r"|ever)\b))\b(?! (?:\w+ )?(?:quarter|half|world|time|day|year|lady|phase|step|of))"
    r"|(?:another|others|both|each|one|some|many|most|all|several|few|none|either|neither) of (?:them|these|those"
    r"|which|whom)\b"
    r"|(?:some|many|several|few)(?! (?:[a-z]*s|people|men|women|children|research|evidence|work|money|more|other|kind"
    r"|sort|an?|in|at|on|who|with|from)\b) [a-z]+ (?:the|an?|to|with|that|it|in|at|on|for|by|from|as|of|his|her|their"
    r"|they|into|up|out)\b"
    r"|(?:another|others)\b|both(?! \w+ and\b| the\b| in\b)|such\b|(?:some|many|most|others) (?:even|also|have|are"
    r"|were|had|will|would)\b"
    r"|the (?:\w+ )?(?:two|three|pair|duo|trio|couple)\b|an? (?:second|third|fourth|further|final|separate|similar"
    r"|subsequent)\b"
    r"|in (?:both|all|either|neither|each|most|some) cases?\b|in the (?:first|second|third|other),|in (?:the"
    r" )?(?:first|second|third|another|other) (?!quarter|half|place|time|world)\w"
)
_UNITS = "seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|moments?|nights?"
TIME = keyed(
    rf"(?:\w+ (?:\w+ )?)?(?:{_UNITS}) (?:later|earlier|afterwards?|before(?=,)|after(?=,)){_STOP}"
    r"|the (?:next|following|previous|same) (?:day|morning|evening|night|week|month|year|afternoon)"
    r"|(?:shortly|soon|immediately|just|long) (?:afterwards?|before(?=,)|after(?=,))|(?:later|earlier)(?:,| that| on)"
    r"|(?:at|by|around|from|since|until|before|after) that (?:time|point|day|moment)|that (?:day|night|morning|year"
    r"|month|week)",
    "later earlier afterward afterwards before after next following previous same that",
)
# Links that stand inside the sentence.
LINK = keyed(
    r"\b(?:(?<![’'-])(?:however|therefore|thus|nevertheless|nonetheless|meanwhile|furthermore|moreover|consequently"
    r"|instead(?! of)"
    r"|the latter|the former(?=[,.;]| (?:is|was|has|had|are|were|will|would|can)\b)|aforementioned|foregoing"
    r"|above-mentioned"
    r"|the (?:above|same)\b(?! (?:period|quarter|time (?:last|a year)|way as|as\b))|for instance|thereafter"
    r"|(?:stated|described|outlined|mentioned|noted|given|shown|discussed) (?:above|earlier|previously)"
    r"|the (?:two|three|four) (?!(?:years|months|days|weeks|hours|countries|sides|main)\b)[a-z]+(?! (?:of|that|which"
    r"|who)\b)"
    rf"){_STOP}|the (?:following|next|previous) (?:day|night|morning|week|month|year)(?=[ ,.]*(?:$|[,.]))|a similar"
    r" [a-z]+(?! (?:to|as)\b)|too[.,]|as well\.$|with that in mind\b)|, (?:then,|too\b)",
    "however therefore thus nevertheless nonetheless meanwhile furthermore moreover consequently instead latter former"
    " aforementioned foregoing above same instance thereafter earlier previously two three four then too well mind"
    " similar following next previous",
)

PRONOUNS = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "they": "they"}
PRONOUNS |= {"them": "they", "their": "they", "theirs": "they", "it": "it", "its": "it"}
# What stands before is looked at after the first letter, which is found faster.
_PRONOUN = "|".join(
    rf"{first}(?<![\w’'-]{first})(?:{rest})"
    for first, rest in {"h": "e|im|is|ers?", "s": "he", "t": "he(?:y|m|irs?)", "i": "ts?"}.items()
)
PRONOUN = keyed(
    rf"(?P<word>{_PRONOUN})(?:['’](?:s|d|ll|re|ve))?{_STOP}",
    " ".join(word + end for word in PRONOUNS for end in ("", "'d", "'ll", "'re", "'ve", "’d", "’ll", "’re", "’ve")),
)
_BE = (
    r"(?:['’]s| is| was| has been| will be| would be| may be| might be| can be| could be| must be| should be"
    r"| isn['’]t| wasn['’]t)"
)
EXPLETIVE = re.compile(
    rf"it(?:{_BE}| seems| appears| became| becomes| remains)\b(?:"
    r"(?: \w+){1,3}? (?:that|whether|how|why|when|if)\b|(?: \w+){1,6}? who\b"
    r"|(?: \w+)? (?:thought|believed|understood|said|hoped|expected|feared|claimed|reported|alleged|unclear)\b(?! to\b)"
    r"|(?: \w+){0,2} (?:important|possible|impossible|hard|difficult|easy|easier|harder|necessary|essential|good|great"
    r"|nice|bad"
    r"|better|best|wrong|right|interesting|useful|common|rare|vital|fair|unfair|wise|crucial|safe|worth|tempting"
    r"|natural|reasonable|sufficient|appropriate|convenient|helpful)\b(?: \w+){0,4}? (?:to|for)\b"
    r"|(?: \w+){0,2} (?:time|raining|snowing|dark|late|early|cold|hot|warm|noon|midnight|night|morning|evening)\b)"
    r"|it (?:takes|took|rained|snowed|turns out|turned out|follows|depends|appears|seems)\b"
)
CATAPHORA = re.compile(r"[^.;:,]{0,80}, (?:(?:the|an?|\w{1,8}\.?) )?(?P<name>[A-Z][\w’'-]+)")

_DEICTIC = words(
    "year month week morning afternoon evening season summer winter spring autumn fall country paper article report "
    "time weekend quarter court study section work thesis book chapter letter notice message e-?mail century decade "
    "day world date side term coming past january february march april may june july august september october "
    "november december monday tuesday wednesday thursday friday saturday sunday and or one kind sort far much site "
    "page website appeal judgment document"
)
_NO_NOUN = words(
    "is are was were has have had will would can could may might must should did does do be being isn['’]t "
    "wasn['’]t to the a an in by on at for with means makes it he she they we i you there of which if his her my "
    "our their its these this some all no people"
)
POINTING = re.compile(
    rf"(?:this(?! (?:{_DEICTIC})(?:['’]?s)?\b)|that|these|those(?! (?:who|that|which|with|in|of|from"
    rf"|whose)\b))(?:['’](?:s|ll|d|re))?{_STOP}"
)
DEMONSTRATIVE = keyed(
    rf"{_FREE}(?:(?:these|such)\s(?!as\b|that\b|a\b|an\b|days\b|(?:{_NO_NOUN})\b)(?P<a>[a-z]+)"
    r"|such\san?\s(?!(?:way|long|good|great|big|large|small|bad|short|high|low|nice|thing)\b)(?P<b>[a-z]+)(?! \w+ "
    r"that\b)|those\s(?!who|that\b|which|with|in\b|of\b|from\b|on\b|at\b|for\b|to\b|whose|most|under|over|were\b|are\b"
    r"|[a-z]+(?:ing|ed)\b)"
    rf"(?P<c>[a-z]+)|this\s(?!(?:{_DEICTIC}|{_NO_NOUN})(?:['’]?s)?\b)(?P<d>[a-z]+)"
    r"|(?:this|these|those)\s(?P<f>\d[\w.,-]*)"
    r"|(?:at|in|of|on|by|for|from|with|to|during|under|about|after|before|into|like|over|than|as|inside|within"
    r"|through|around|between|across|against|without|since|until|despite|outside|near)\s"
    rf"that\s(?!(?:{_NO_NOUN})\b)(?P<e>[a-z]+))",
    "this that these those such",
)
BARE_DEMONSTRATIVE = keyed(
    r".{0,40}\b(?:excluding|despite|beyond|because of|like|doing|do|did|after|before|by|of|in|at|on|with|from|than|as"
    r"|to|about|for)\s(?:this|these|those|that)(?=[.,;?!]| (?:is|was|were|are)\b)"
    r"|.{0,40}\b(?:living|lives?|lived|works?|worked|stay(?:s|ed|ing)?|went|moved|arrived) there\b",
    "this that these those there",
)

# Definite noun phrases. A noun of this list, with no complement of its own, names what an earlier sentence told.
_TOLD = words(
    """move decision news incident announcement comments? remarks claims? allegations? findings? results? figures? idea
    answer reasons? problem question issue changes? deal agreement plans? proposals? report study statement
    charges? case attack accident crash ceremony event meeting ruling verdict order law bill measures? rules?
    process approach method technique effect outcome offer bid project programme program scheme job task work
    trip visit tour scene story film movie book song video footage pictures? images? photos? clip post tweet
    message letter documents? survey poll research researchers authors team group company firm charity
    organi[sz]ation agency school hospital club victims? suspects? man woman boy girl teenager youngster child
    children mother father parents driver officers? defendant player striker actor actress singer star author
    pilot owner family son daughter brother sister property building house site ship boat vehicle car plane
    aircraft device product system drug animal creature dog cat money sum amount total rise fall increase
    decrease drop loss gain award prize win victory defeat match game race contest competition tournament series
    show exhibition collection step efforts? campaign protests? violence dispute row controversy debate talks
    investigation inquiry probe trial hearing application conviction sentence arrest killing murder shooting
    deaths? difference difficulty place"""
)
TOLD = re.compile(
    r"(?:(?:(?:after|following|during|despite|before|since|because of|in|at|on|under|with|for|by|from|throughout"
    rf"|amid) )?the (?-i:[a-z-]+ )?|[A-Z][a-z]+day['’]s )(?P<noun>{_TOLD}){_STOP}"
    r"(?!\s(?:of|that|which|who|whose|to|for|in|at|from|between|behind|with|on|against|over|about)\b)",
    re.IGNORECASE,
)
# The first word of that, or its last three letters.
TOLD_FIRST = frozenset(
    "the day after following during despite before since because in at on under with for by from throughout amid"
    "".split()
)
AGED = re.compile(r"The (?:\w+ )?\d{1,3}-year-old")
MEASURED = re.compile(
    r"The (?:\d{1,3}(?:[.,]\d+)?|\w+teen|two|three|four|five|six|seven|eight|nine|ten)[- ](?P<noun>[a-z]+)"
)
_PLAIN = r"(?!(?:that|which|whom?|whose|we|i|you|they|he|she|it|of|to|in|for|at|from|on|by|with|and|or)\b)[a-z][a-z-]+"
DEFINITE = re.compile(
    rf"The (?:{_PLAIN} ){{0,2}}?(?P<noun>{_PLAIN})(?=,| (?:is|are|was|were|has|have|had|will|would|can|could"
    r"|may|also|then|[a-z]+ed|[a-z]+s)\b)"
)
# What happened or was said, which the end of a clause takes as known.
GIVEN = keyed(
    r"[a-z] the (?P<noun>incident|tragedy|disaster|decision|ruling|verdict|announcement|remarks?|comments?"
    r"|allegations?|claims?"
    r"|accusations?|findings|research|proposals?|offer|request|deal|attacks?|crash|accident|blast|explosion|shooting"
    r"|killings?"
    r"|murders?|plans?|issue|matter|dispute|changes|measures|vote|hostages|suspects?|victims?)(?=[.,;]|$)",
    "incident tragedy disaster decision ruling verdict announcement remark remarks comment comments allegation "
    "allegations claim claims accusation accusations findings research proposal proposals offer request deal attack "
    "attacks crash accident blast explosion shooting killing killings murder murders plan plans issue matter "
    "dispute changes measures vote hostages suspect suspects victim victims",
)
RESULTING = re.compile(r"the (?:resulting|following|ensuing|corresponding|said|above|remaining|intervening)\b")

_SAY = words(
    """said says say told tells added adds wrote writes tweeted asked asks explained explains insisted insists claimed
    claims admitted admits revealed continued commented comments noted notes stated states argued argues replied
    joked recalled recalls concluded announced warned declared remarked observed stressed suggested quoted
    posted responded thinks believes testified read reads complained complains shouted called describes?
    described cried whispered muttered snapped agreed demanded ordered answered interrupted began acknowledged
    urged gasped sighed growled soothed tells"""
)
_SAYING = _SAY.replace("|", " ").replace("describes?", "describe describes")
SAYS = keyed(rf"\b(?:{_SAY}|according to|went on)\b", f"{_SAYING} according went")
ADDS = keyed(
    r"\b(?:added|adds|continued|replied|agreed|responded|went on)(?=[:.,]| that\b|$)",
    "added adds continued replied agreed responded went",
)
HE_SAYS = keyed(
    rf"{_FREE}(?:(?:he|she|they|it)(?: (?:also|then|later|has|had|further|once))? (?:{_SAY})|(?:said|says|added|asked"
    rf"|wrote) (?:he|she|they))\b",
    "he she they it",
)
THE_SAYS = keyed(rf"{_FREE}(?:the (?:[\w-]+ ){{1,3}}(?:{_SAY})|(?:said|says|added|wrote) the (?:\w+))\b", _SAYING)

PLURAL = re.compile(
    r"\b(?:(?!(?:years|months|weeks|days|hours|minutes|always|perhaps|does|says|this|whereas|besides|towards|his|was"
    r"|its)\b)"
    r"[a-z]{2,}[^s\W]s|people|police|children|men|women|staff|team|family|couple|company|government|group|crew|band"
    r"|everyone|anyone|public|pair|data|party|club|someone)\b"
)
CLAUSE = re.compile(
    r"[,;:—–]|\b(?:that|who|which|when|while|as|because|after|before|and|if|but|where|so|though|saying|says?|said)\b"
)
NO_NOUN_YET = re.compile(r"(?:i|you|we|please|let|who|what)(?:['’]\w+)?\s(?:[\w’']+\s){0,2}$")
ADVERBIAL = re.compile(
    r"(?:in|on|at|for|during|after|before|with|by|since|each|every|last|from|under|as|now|today|yesterday|by "
    r"now)\b[^,;]{0,80}, $"
)
