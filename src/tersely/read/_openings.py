"""Does a sentence look like an opening? A small model of how texts begin, learned without labels.

The first sentence of a text stands alone, because there is nothing before it. A sentence that looks unlike first
sentences probably needs what comes before it. The model is a logistic regression over what every language has: first
words, names, quotation marks, length, and how much of it was said just before.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain, repeat
from math import exp
from typing import Any, NamedTuple

from tersely.text.document import Document
from tersely.text.language import HAN, Language

# Features that look at earlier sentences start with this mark: the first sentence of a text has none of them.
CONTEXT = "^"

_OPEN, _CLOSE, _EITHER = "“", "”", '"'
_QUOTES = frozenset((_OPEN, _CLOSE, _EITHER))
_BEFORE_QUOTE = frozenset("“‘\"'「«„")
_LONGEST_QUOTE = 8  # sentences; one that is open for longer was left unclosed by mistake
_STEM = 6  # letters; words with the same beginning count as the same word

# Straight and single quotation marks become double ones. An apostrophe is not one: it has letters on both sides.
# What comes before a mark is looked at after it, which is faster.
_OPENING = re.compile(r"[\"'‘](?<![^\s(\[—–-].)(?=[^\W\d_])", re.DOTALL)
_CLOSING = re.compile(r"[\"'’](?:(?<=[\w.,!?…]\")|(?<=[.,!?…]['’])(?!\w))")
_TOKEN = re.compile(r"\w+(?:['’]\w{1,3})?|[“”\"]")
_NOWHERE = 4  # a place after the first three words
_DIGIT = re.compile(r"\d")
_LENGTHS = (3, 6, 9, 12, 16, 20, 25, 30, 40, 60, 90)
_SHARES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.75)
_CLAUSE_END = frozenset("，,：:；;。！？!?")
_HAN_TOKEN = re.compile(f'[{HAN}“”"，,：:；;。！？!?]|[A-Za-z]+|[0-9]+')


@dataclass(frozen=True)
class Openings:
    """The model of one language: its frequent words and the weights of features, in hundredths."""

    words: frozenset[str]
    weights: dict[str, int]
    scale: tuple[float, float]  # from the sum of weights to the logit of the probability
    threshold: float  # at most one opening in twenty has a higher probability

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "Openings":
        """Read a model as the file has it."""
        slope, intercept = stored["scale"]
        return cls(frozenset(stored["words"].split()), stored["weights"], (slope, intercept), stored["threshold"])

    def probabilities(self, document: Document) -> list[float]:
        """Return for each sentence the probability that it needs what comes before, even for the first one."""
        get, (slope, intercept) = self.weights.get, self.scale
        sums = (sum(map(get, found, repeat(0))) for found in features(document, self.words))
        return [1 / (1 + exp(-max(-30.0, min(30.0, slope * total / 100 + intercept)))) for total in sums]


@cache
def load_openings(language: Language) -> Openings:
    """Return the model that comes with the package; most languages share one without words."""
    stored = json.loads(files("tersely.read").joinpath("openings.json").read_text(encoding="utf-8"))
    return Openings.of(stored["languages"].get(language) or stored["languages"]["other"])


def openings(document: Document) -> list[float]:
    """Return for each sentence the probability that it needs what comes before it: 0 for the first.

    >>> text = "The mayor of Ghent resigned on Monday. He said that he was tired. But the council asked him to stay."
    >>> first, *others = openings(Document.from_text(text))
    >>> first, min(others) > 0.5
    (0.0, True)
    """
    return [0.0, *load_openings(document.language).probabilities(document)[1:]] if len(document) else []


def features(document: Document, words: Collection[str]) -> list[list[str]]:
    """Return the features of each sentence; `words` are the frequent words of its language, which are no names."""
    rows, chinese = tokens(document), document.language == "zh"
    everything = set(chain.from_iterable(rows))
    named: set[str] = set()
    said: set[str] = set()  # in the whole text so far
    last: set[str] = set()  # in the last sentence
    before: set[str] = set()  # in the one before it
    quoted = 0  # for how many sentences a quotation has been open
    found = []
    for number, row in enumerate(rows):
        if quoted and _is_over(document, number, quoted):
            quoted = 0
        seen = _read_han(row, quoted > 0) if chinese else _read_words(row, words, quoted > 0, everything, named)
        own = [*_first_words(seen.opening), *_shape(document, number, seen, words)]
        if quoted:
            own.append("in quote")
        if number:
            own += _context(seen, words, said, before | last)
        quoted = quoted + 1 if seen.inside else 0
        said |= seen.content
        before, last = last, seen.content
        found.append(own)
    return found


def tokens(document: Document) -> list[list[str]]:
    """Return the words and quotation marks of each sentence; in Chinese, characters, words, numbers and marks."""
    if document.language == "zh":
        return [_HAN_TOKEN.findall(text) for text in document.texts]
    text = _CLOSING.sub(_CLOSE, _OPENING.sub(_OPEN, document.text))
    return [_TOKEN.findall(text, start, end) for start, end in document.sentences]


class _Seen(NamedTuple):
    """What is found in a sentence from its first to its last token."""

    length: int  # in tokens
    opening: list[str]  # the first three words
    content: set[str]  # the words that are not frequent
    head: str  # the first of them
    inside: bool  # a quotation is open in the end
    names: int = 0
    new: int = 0  # names that were not there before
    first_name: int = _NOWHERE  # its place, from 1


def _read_words(row: list[str], words: Collection[str], inside: bool, everything: set[str], named: set[str]) -> _Seen:
    """Read a sentence of a language with letter case; names are added to `named`."""
    names, new, marks, first_name, head = 0, 0, 0, _NOWHERE, ""
    opening = [token.lower() for token in row[:6] if token not in _QUOTES][:3]
    content: set[str] = set()
    for number, token in enumerate(row, 1):
        if token in words:  # most words are frequent, and in lowercase
            continue
        if token in _QUOTES:
            inside = token == _OPEN or (token == _EITHER and not inside)
            marks += 1
            continue
        low = token.lower()
        if low in words:
            continue
        stem = low[:_STEM]
        content.add(stem)
        head = head or stem
        # The first word is capitalized anyway: it is a name only if the text never has it in lowercase.
        if token[0].isupper() and (number - marks > 1 or low not in everything):
            names += 1
            first_name = min(first_name, number - marks)
            if stem not in named:
                new += 1
                named.add(stem)
    return _Seen(len(row), opening, content, head, inside, names, new, first_name)


def _read_han(row: list[str], inside: bool) -> _Seen:
    """Read a Chinese sentence, whose words are pairs of characters."""
    previous = ""
    opening: list[str] = []
    content: set[str] = set()
    for token in row:
        if token in _QUOTES:
            inside = token == _OPEN or (token == _EITHER and not inside)
            previous = ""
        elif token in _CLAUSE_END:
            previous = ""
        else:
            if previous:
                content.add(previous + token)
            if len(opening) < 3:
                opening.append("0" if token.isdigit() else "a" if token.isascii() else token)
            previous = token
    return _Seen(len(row), opening, content, "".join(opening[:2]), inside)


def _context(seen: _Seen, words: Collection[str], said: set[str], recent: set[str]) -> list[str]:
    """Return what shows next to earlier sentences: new names, how much was said before, and the age of the head."""
    context = [f"^link {_share(seen.content, recent)}", f"^said {_share(seen.content, said)}"]
    context.append(f"^new {min(seen.new, 3)} of {min(seen.names, 3)}")
    if seen.head:
        age = "just" if seen.head in recent else "old" if seen.head in said else "new"
        first = seen.opening[0]
        kind = "name" if seen.first_name == 1 else first if first in words else "word"
        context += [f"^head {age}", f"^{age} {kind}"]
    return context


def _is_over(document: Document, number: int, quoted: int) -> bool:
    """Tell whether a quotation that was not closed ends before a sentence: with its paragraph, or if it is too long."""
    start = document.sentences[number].start
    gap = document.text[document.sentences[number - 1].end : start]
    return quoted > _LONGEST_QUOTE or ("\n" in gap and document.text[start : start + 1] not in _BEFORE_QUOTE)


def _first_words(opening: list[str]) -> list[str]:
    return [f"{n} {' '.join(opening[:n])}" for n in range(1, len(opening) + 1)]


def _shape(document: Document, number: int, seen: _Seen, words: Collection[str]) -> list[str]:
    """Return how a sentence begins and ends, its length, its names and its numbers."""
    text, (start, end) = document.text, document.sentences[number]
    first, last = text[start : start + 1], text[max(start, end - 1) : end]  # both empty if the sentence is
    kind = "upper" if first.isupper() else "lower" if first.islower() else "digit" if first.isdigit() else "mark"
    shape = [
        f"begins {kind}",
        f"ends {'letter' if last.isalnum() else last}",
        f"length {bisect_left(_LENGTHS, seen.length)}",
        f"names {min(seen.names, 4)}",
        f"name at {seen.first_name}",
        "first is frequent" if seen.opening and seen.opening[0] in words else "first is rare",
    ]
    if first in _BEFORE_QUOTE:
        shape.append("quote first")
    if seen.inside:
        shape.append("quote stays open")
    if _DIGIT.search(text, start, end):
        shape.append("digit")
    return shape


def _share(content: set[str], said: set[str]) -> str:
    if not content:
        return "none"
    return str(bisect_left(_SHARES, len(content & said) / len(content)))
