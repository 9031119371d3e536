"""An English document as the rules see it: its sentences, quotations, names and noise."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tersely.read import _english_forms as forms
from tersely.read._english_noise import SPEAKER, is_told, noise_of
from tersely.read._quotes import Quoted, quoted
from tersely.text.document import Document

HEAD = 600  # characters of a sentence that are looked at
_TAIL = 16  # characters that show how it ends
_START = 3  # characters in which the first word of a sentence begins
_TALK = 0.08  # share of sentences that begin with "And" in a speech
_PERSONAL = 0.1  # share of sentences with "I" or "we" outside quotations above which the text itself speaks so
_SMALL = 0.3  # share of sentences that begin in lowercase in a text that has no capitals
# What stands before a word is looked at after its first letter, which is found faster.
_LOWER = re.compile(r"[a-z](?<![\w’'-][a-z])[a-z-]+")
_CHUNK = 1 << 16  # characters that are cut into words at once; bytes of UTF-8 that stay then
_KEPT = bytes(code if code in b"_'-" or code > 127 or chr(code).isalnum() else 32 for code in range(256))
_NAME = re.compile(r"[A-Z](?<![\w’'-][A-Z])[\w’'-]*[a-z][\w’'-]*")
_NAMES = re.compile(r"[A-Z](?<![\w’'-][A-Z])[\w’'-]*[a-z][\w’'-]*(?:\s(?:[A-Z]\.\s)?[A-Z][\w’'-]*[a-z][\w’'-]*){0,4}")
_PLACE = re.compile(r"\b(?:in|at|near|from|to|outside|across|around|into|on|of|via)\s(?:the\s)?$")
_NEAR = 16  # characters before a name that show whether it is a place
_BODY = re.compile(
    r"\b(?:Court|Office|Party|University|Company|Ltd|Inc|Government|Department|Committee|Council|House|School|Club"
    r"|Association|Bank"
    r"|Police|Union|League|Act|Street|County|Group|Agency|Ministry|Parliament|Congress|Commission|Institute|College"
    r"|Hospital|Island"
    r"|River|City|State|States|Treaty|Article|Section|Award|Cup)\b"
)
_TITLES = frozenset(("Mr", "Mrs", "Ms", "Miss", "Dr", "Sir", "Prof", "Mr.", "Mrs.", "Ms.", "Dr."))
_FULL_NAME = re.compile(
    r"[A-Z](?<![\w’'-][A-Z])[\w’'-]*+(?<=[a-z])\.? (?:[A-Z]\.? )?(?P<last>[A-Z][\w’'-]*[a-z])(?![\w-])(?! [A-Z])"
)
_SHORT_NAME = re.compile(r"\(([A-Z]{2,8})\)")

_NOBODY = forms.words(
    """other another after over under never ever number order paper however whether rather further former latter later
    earlier better
    water power matter letter quarter computer offer summer winter september october november december center corner
    dinner weather
    higher lower larger smaller greater longer newer older younger stronger major minor color error factor sector motor
    floor door
    prior labor favor honor mirror terror superior interior exterior chapter danger river border shoulder finger answer
    murder
    cancer fever shelter tower layer vector operator counter register server printer newspaper career beer
    user-?friendly cover
    disaster theater trailer transfer encounter character parameter diameter meter liter silver copper timber wonder
    anger hunger"""
)
PERSON = re.compile(
    r"\b(?:man|woman|boy|girl|person|child|teenager|father|mother|son|daughter|brother|sister|husband|wife|friend"
    r"|judge|president"
    r"|pope|king|queen|claimant|appellant|defendant|respondent|suspect|victim|patient|everyone|someone|nobody|anyone"
    r"|somebody"
    r"|attorney|mayor|captain|coach|boss|chief|secretary|citizen|student|uncle|aunt|guy|lady|gentleman|star|model"
    r"|expert|analyst"
    r"|spokesman|spokeswoman|chairman|officer|\d+-year-old|minister|actor|actress|author|doctor|director"
    r"|[a-z]{4,12}(?:ist|man|woman)"
    rf"|(?:an?|the|each|every|any|no|one|former) (?:[\w-]+ )?(?!(?:{_NOBODY})\b)[a-z]{{3,12}}(?:er|or|ian))s?\b"
)
_NOT_NAMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday"
    " friday saturday sunday i i'm i've i'd i'll god christmas easter internet english".split()
)
FUNCTION = frozenset(
    "the a an this that these those some any every each all both no and or but so yet for nor in on at by to of from "
    "with into"
    " over under after before during since until while when where why how what who which whose as if because although "
    "though"
    " unless despite however then there here he she it they we you i his her its their our your my me him them us is "
    "are was"
    " were be been being has have had do does did will would can could may might must shall should not also only just "
    "even"
    " now once today yesterday tomorrow one two three four five six seven eight nine ten last next first second third "
    "more"
    " most many much several few other another such same own than too very still again about according between among "
    "through"
    " against without within like unlike including following based asked instead later earlier meanwhile perhaps year "
    "years"
    " month months week weeks day days time times hour hours morning night please".split()
)


@dataclass(frozen=True)
class Text:
    """The sentences of a document, and what the rules look up in them."""

    texts: Sequence[str]
    signs: Sequence[int]  # of each sentence, the forms whose keys it has
    open: Sequence[bool]  # whether a sentence ends with what announces the next
    quotes: Sequence[Quoted]
    noise: Sequence[str]
    lower: frozenset[str]  # words that the document writes in lowercase: at a sentence's start they are no names
    proper: frozenset[str]  # words that it capitalizes inside sentences, or always
    small: bool  # a text without capitals
    personal: bool  # a text whose author says "I" or "we"
    told: bool  # a story or a dialogue
    talk: bool  # a speech, where "And" opens a sentence as often as not
    called: Mapping[int, Sequence[tuple[str, int]]]  # who is called by surname alone, with who gives the full name
    somebody: dict[int, bool] = field(default_factory=dict)  # whether a sentence speaks of a person, once it is asked

    def head(self, i: int) -> str:
        text = self.texts[i][:HEAD]
        speaker = SPEAKER.match(text) if self.told else None
        opening = forms.OPENING.match(text, speaker.end() if speaker else 0)
        return text[opening.end() :] if opening else text

    def spoken(self, i: int) -> bool:
        """Return whether a sentence begins with a quotation mark."""
        return self.texts[i].lstrip()[:1] in tuple("\"“‘'«`")

    def names(self, text: str) -> list[str]:
        """Return the names in a piece of text."""
        found = _NAME.finditer(text)
        return [name.group() for name in found if self.is_name(name.group(), first=not name.start())]

    def people(self, text: str) -> bool:
        """Return whether a piece of text names somebody, as far as the form of names tells."""
        for found in _NAMES.finditer(text):
            if _PLACE.search(text, max(found.start() - _NEAR, 0), found.start()) or _BODY.search(found.group()):
                continue
            name = found.group().split()
            if any(self.is_name(word, first=not found.start() and word is name[0]) for word in name):
                return True
        return False

    def has_person(self, i: int) -> bool:
        """Return whether a sentence names or mentions somebody."""
        if i not in self.somebody:
            head = self.texts[i][:HEAD]
            self.somebody[i] = self.people(head) or bool(PERSON.search(forms.lowered(head)))
        return self.somebody[i]

    def is_name(self, word: str, *, first: bool = False) -> bool:
        """Return whether a capitalized word is a name; the first word of a sentence must be one elsewhere too."""
        plain = _plain(word)
        if plain in self.lower or plain in _NOT_NAMES or plain in FUNCTION:
            return False
        return plain in self.proper if first else True


def view(document: Document) -> Text:
    """Return a document as the rules see it."""
    texts = document.texts
    lines, paragraphs = _breaks(document)
    signs = forms.signs(document.numbered, len(document))
    told = is_told(texts, lines)
    noise = noise_of(texts, signs, lines, told=told)
    quotes = quoted(texts, paragraphs)
    proper, called = _names(texts, noise)
    fillers = sum(bool(forms.FILLER.match(text)) for text in texts)
    own = sum(bool(forms.FIRST_PERSON.search(quote.outside, found)) for quote, found in zip(quotes, signs, strict=True))
    return Text(
        texts=texts,
        signs=signs,
        open=list(map(_is_open, texts)),
        quotes=quotes,
        noise=noise,
        lower=_in_lowercase(document.text),
        proper=proper,
        small=sum(text[:1].islower() for text in texts) > _SMALL * len(texts),
        personal=own > max(1, _PERSONAL * len(texts)),
        told=told,
        talk=fillers > max(2, _TALK * len(texts)),
        called=called,
    )


def _is_open(text: str) -> bool:
    """Return whether a sentence ends with what announces the next: with a colon, or with the number of an item."""
    tail = text[-_TAIL:].rstrip()
    number = tail[-2:-1].isdigit() or "(" in tail or tail[-1:] == "?"
    return tail[-1:] == ":" or (number and forms.UNFINISHED.search(tail) is not None)


def _plain(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")


def _breaks(document: Document) -> tuple[list[bool], list[bool]]:
    """Return for each sentence whether a line ends before it, and whether a paragraph does."""
    ends = [0, *(end for _, end in document.sentences)]
    gaps = [document.text[end:start] for end, (start, _) in zip(ends, document.sentences, strict=False)]
    lines = [i == 0 or "\n" in gap for i, gap in enumerate(gaps)]
    if sum(lines) > 0.8 * len(lines):  # one sentence per line: only blank lines part paragraphs
        return lines, [i == 0 or gap.count("\n") > 1 for i, gap in enumerate(gaps)]
    return lines, lines


def _names(texts: Sequence[str], noise: Sequence[str]) -> tuple[frozenset[str], dict[int, list[tuple[str, int]]]]:
    """Return what is a name, and who is called by surname alone, by sentence, with the one that gives the full name.

    Names are the words that stand capitalized inside a sentence, or at the start of several. A surname, or the
    abbreviation of a name, counts if it first comes in or after the full name.
    """
    inside: set[str] = set()
    starts: Counter[str] = Counter()
    full: dict[str, int] = {}
    mentioned: set[str] = set()
    called: dict[int, list[tuple[str, int]]] = {}
    for i, text in enumerate(texts):
        head = text[:HEAD]
        rows = [group.split() for group in _NAMES.findall(head)]
        found = [word for row in rows for word in row if word[-1] != "."]
        if found and _is_first(found[0], head):
            starts[found[0]] += 1
            inside.update(found[1:])
        else:
            inside.update(found)
        if noise[i]:
            continue
        if alone := [(name, full[name]) for name in _surnames(rows) if name in full]:
            called[i] = alone
        if len(found) > 1 or "(" in head:
            lasts = {*_FULL_NAME.findall(head), *_SHORT_NAME.findall(head)}
            full.update(dict.fromkeys(lasts - mentioned, i))
            found += lasts
        mentioned.update(found)
    often: Counter[str] = Counter()
    for word, count in starts.items():
        often[_plain(word)] += count
    proper = {_plain(word) for word in inside} | {word for word, count in often.items() if count > 1}
    return frozenset(proper), called


def _is_first(name: str, head: str) -> bool:
    """Return whether the first name in a text is its first word."""
    if head.startswith(name):
        return True
    found = _NAME.search(head) if head.find(name) < _START else None
    return found is not None and found.start() < _START


def _surnames(names: Iterable[list[str]]) -> Iterator[str]:
    """Yield the names of one word, with or without a title."""
    for *title, name in names:
        if not title or _TITLES.issuperset(title):
            yield name.removesuffix("'s").removesuffix("’s")


def _in_lowercase(text: str) -> frozenset[str]:
    """Return the words that a text has in lowercase."""
    found: set[bytes] = set()
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK)
        end = end if end >= 0 else len(text)
        found.update(text[start:end].encode("utf-8", "surrogatepass").translate(_KEPT).split())
        start = end + 1
    return frozenset(_LOWER.findall(b" ".join(found).decode("utf-8", "surrogatepass")))
