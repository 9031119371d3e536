"""Does a sentence look like an opening? A small model of how texts begin, learned without labels.

The first sentence of a text stands alone, because there is nothing before it. A sentence that looks unlike first
sentences probably needs what comes before it. The model is a logistic regression over what every language has: first
words, frequent words before and after the first name, quotation marks, names, length, and what was said just before.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import repeat
from math import exp
from typing import Any

from tersely.text.document import Document
from tersely.text.language import HAN, Language

# Features that look at earlier sentences start with this mark: the first sentence of a text has none of them.
CONTEXT = "^"

_OPEN, _CLOSE, _EITHER = "“", "”", '"'
_LONGEST_QUOTE = 8  # sentences; a quotation that is open for longer was not closed by mistake
_STEM = 6  # letters; words with the same beginning count as the same word

# Straight and single quotation marks become double ones. An apostrophe is not one: it has letters on both sides.
_OPENING = re.compile(r"(?<![^\s(\[—–-])[\"'‘](?=[^\W\d_])")
_CLOSING = re.compile(r"(?<=[\w.,!?…])\"|(?<=[.,!?…])['’](?!\w)")
_TOKEN = re.compile(r"\w+(?:['’]\w{1,3})?|[“”\"]")
_CLAUSE_END = frozenset("，,：:；;。！？!?")
_HAN_TOKEN = re.compile(f"[{HAN}“”\"，,：:；;。！？!?]|[A-Za-z]+|[0-9]+")


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
    """Return the model that comes with the package."""
    stored = json.loads(files("tersely.read").joinpath("openings.json").read_text(encoding="utf-8"))
    return Openings.of(stored["languages"][language])


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
    return _han_features(document, words) if document.language == "zh" else _word_features(document, words)


def tokens(document: Document) -> list[list[str]]:
    """Return the words and quotation marks of each sentence; in Chinese, characters, words, numbers and marks."""
    if document.language == "zh":
        return [_HAN_TOKEN.findall(text) for text in document.texts]
    text = _CLOSING.sub(_CLOSE, _OPENING.sub(_OPEN, document.text))
    return [_TOKEN.findall(text, start, end) for start, end in document.sentences]


def _word_features(document: Document, words: Collection[str]) -> list[list[str]]:
    rows = tokens(document)
    lowercase = {token for row in rows for token in row if token.islower()}
    named: set[str] = set()
    said: set[str] = set()  # in the whole text so far
    last: set[str] = set()  # in the last sentence
    before: set[str] = set()  # in the one before it
    found = []
    quoted = 0  # for how many sentences a quotation has been open
    for number, row in enumerate(rows):
        start, end = document.sentences[number]
        if quoted and _is_over(document, number, quoted):
            quoted = 0
        mine = ["in quote"] if quoted else []
        inside, place, names, new = bool(quoted), "<", 0, 0
        content: set[str] = set()
        head = ""
        opening: list[str] = []
        first_name = 9
        for token in row:
            if token in "“”\"":
                inside = token == _OPEN or (token == _EITHER and not inside)
                continue
            low = token.lower()
            if len(opening) < 3:
                opening.append(low)
            if low in words:
                mine.append(('"' if inside else place) + low)
                continue
            stem = low[:_STEM]
            content.add(stem)
            head = head or stem
            if token is not low and token[0].isupper() and (len(opening) > 1 or low not in lowercase):
                names += 1
                first_name = min(first_name, len(opening))
                if not inside:
                    place = ">"
                if stem not in named:
                    new += 1
                    named.add(stem)
        quoted = quoted + 1 if inside else 0
        first = opening[0] if opening else ""
        mine += _shape(document.text, start, end, len(row), first in words, first_name)
        mine += ["quote stays open"] if inside else []
        mine += [f"names {min(names, 4)}", *_first_words(opening)]
        if number:
            recent = before | last
            mine += [f"^new {min(new, 3)} of {min(names, 3)}", f"^link {_share(content, recent)}"]
            mine += [f"^said {_share(content, said)}"]
            if head:
                age = "just" if head in recent else "old" if head in said else "new"
                kind = "name" if first_name == 1 else first if first in words else "word"
                mine += [f"^head {age}", f"^{age} {kind}"]
        said |= content
        before, last = last, content
        found.append(mine)
    return found


def _han_features(document: Document, words: Collection[str]) -> list[list[str]]:
    said: set[str] = set()
    last: set[str] = set()
    before: set[str] = set()
    found = []
    quoted = 0
    for number, row in enumerate(tokens(document)):
        start, end = document.sentences[number]
        if quoted and _is_over(document, number, quoted):
            quoted = 0
        mine = ["in quote"] if quoted else []
        inside, place, previous = bool(quoted), "<", ""
        content: set[str] = set()
        opening: list[str] = []
        for token in row:
            if token in "“”\"":
                inside = token == _OPEN or (token == _EITHER and not inside)
                previous = ""
            elif token in _CLAUSE_END:
                place, previous = (place if inside else ">"), ""
            else:
                if token in words:
                    mine.append(('"' if inside else place) + token)
                if previous:
                    pair = previous + token
                    content.add(pair)
                    if pair in words:
                        mine.append(('"' if inside else place) + pair)
                if len(opening) < 3:
                    opening.append(token if not token.isascii() else "0" if token.isdigit() else "a")
                previous = token
        quoted = quoted + 1 if inside else 0
        mine += _shape(document.text, start, end, len(row) // 2, bool(opening) and opening[0] in words, 9)
        mine += ["quote stays open"] if inside else []
        mine += _first_words(opening)
        if number:
            mine += [f"^link {_share(content, before | last)}", f"^said {_share(content, said)}"]
            if len(opening) > 1:
                age = "just" if "".join(opening[:2]) in before | last else "old" if "".join(opening[:2]) in said else "new"
                mine += [f"^head {age}"]
        said |= content
        before, last = last, content
        found.append(mine)
    return found


def _is_over(document: Document, number: int, quoted: int) -> bool:
    """Tell whether a quotation that was not closed ends before a sentence: with its paragraph, or when it is too long."""
    start = document.sentences[number].start
    gap = document.text[document.sentences[number - 1].end : start]
    return quoted > _LONGEST_QUOTE or ("\n" in gap and document.text[start] not in "“‘\"'")


def _first_words(opening: list[str]) -> list[str]:
    return [f"{n} {' '.join(opening[:n])}" for n in range(1, len(opening) + 1)]


def _shape(text: str, start: int, end: int, length: int, common: bool, first_name: int) -> list[str]:
    first, last = text[start], text[end - 1]
    kind = "upper" if first.isupper() else "lower" if first.islower() else "digit" if first.isdigit() else "mark"
    size = next((size for size in (3, 6, 9, 12, 16, 20, 25, 30, 40) if length <= size), 99)
    shape = [f"begins {kind}", "first is common" if common else "first is rare", f"length {size}"]
    shape.append(f"ends {last}" if not last.isalnum() else "ends letter")
    if first in "“‘\"'「«„":
        shape.append("quote first")
    if first_name < 9:
        shape.append(f"name at {first_name}")
    if any(map(str.isdigit, text[start:end])):
        shape.append("digit")
    return shape


def _share(content: set[str], said: set[str]) -> str:
    if not content:
        return "none"
    share = len(content & said) / len(content)
    return next((str(bound) for bound in (0, 10, 20, 30, 50, 75) if 100 * share <= bound), "all")
