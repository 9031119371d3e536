"""The tokens of sentences as numbers: their hashes, the stems of content words, and what each token is like."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tersely.languages import Language, pack, pattern, stop_words
from tersely.text.words import Numbered, find_tokens

if TYPE_CHECKING:
    from tersely.text.document import Document

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_DIGITS = pattern(r"\d")
# The languages of the labeled documents. Texts in other languages are read by features alone, because the network has
# learned nothing about their words.
LEARNED: tuple[Language, ...] = ("en", "zh", "fr", "de", "id")

FEATURES = 123  # of a sentence (`features.py`)
# The properties of a token, one bit for each.
FLAGS = (
    "word",
    "title",
    "upper",
    "digit",
    "stop",
    "opener",
    "close",
    "question",
    "quote_open",
    "quote_close",
    "quote_either",
    "bracket",
    "comma",
    "colon",
    "mark",
    "pronoun",
)
_BIT = {name: 1 << place for place, name in enumerate(FLAGS)}
_MARKS = {
    "close": ".!。！।۔…?？؟",
    "question": "?？؟",
    "quote_open": "“„«「『‘",
    "quote_close": "”»」』",
    "quote_either": "\"'`",
    "bracket": "()[]{}（）【】",
    "comma": ",，、،",
    "colon": ":：;；",
}
_MARK_FLAGS = {
    mark: sum(_BIT[name] for name, marks in _MARKS.items() if mark in marks) for mark in "".join(_MARKS.values())
}
_WORD, _TITLE, _UPPER, _DIGIT = (_BIT[name] for name in ("word", "title", "upper", "digit"))
# A token is packed into 62 bits: a hash of the token, a hash of its stem if it is a content word, and its flags.
_HASH_BITS, _FLAG_BITS = 23, 16
_HASH = (1 << _HASH_BITS) - 1
_STEM = 6  # letters; words with the same first letters count as the same
_REMEMBERED = 50_000  # tokens of each language that are packed only once

# A quotation ends after this many sentences even if no mark closes it, and at a new line even earlier.
_LONGEST_QUOTATION, _LONGEST_ACROSS_LINES = 8, 3

Columns = dict[str, NDArray[np.generic] | float]  # features by name, for each sentence or for all


class Extents(NamedTuple):
    """The documents of sentences that are read together, none of them empty."""

    starts: Numbers  # [d], the first sentence of each document
    sizes: Numbers  # [d], how many sentences it has
    document: Numbers  # [n], the document of each sentence

    @classmethod
    def of(cls, sizes: Sequence[int]) -> "Extents":
        """Return those of documents with these sizes."""
        counts = np.array(sizes, np.int64)
        return cls(counts.cumsum() - counts, counts, np.repeat(np.arange(len(counts)), counts))

    @property
    def first(self) -> Numbers:
        """The first sentence of each sentence's document."""
        return self.starts[self.document]

    def sums(self, figures: NDArray[np.generic]) -> NDArray[np.float64]:
        """Return the sum of the figures of each document's sentences."""
        totals: NDArray[np.float64] = np.add.reduceat(figures, self.starts, dtype=np.float64)
        return totals

    def before(self, marked: NDArray[np.bool_]) -> Numbers:
        """Return for each sentence how many marked ones are before it in its document."""
        counts: Numbers = marked.cumsum() - marked
        before: Numbers = counts - counts[self.first]
        return before


class Tokens(NamedTuple):
    """The tokens of sentences, one after another: hashes, stems (0 if no content word), and where sentences start."""

    hashes: NDArray[np.int32]  # [t]
    stems: NDArray[np.int32]  # [t]
    flags: NDArray[np.uint16]  # [t], a bit for each of `FLAGS`
    sentence: NDArray[np.int32]  # [t], the sentence of each token
    starts: Numbers  # [n]
    counts: Numbers  # [n], at least 1
    learned: bool  # whether the network has learned words of this language
    extents: Extents

    def part(self, first: int, end: int) -> "Tokens":
        """Return the tokens of the sentences from `first` to before `end`, which keep their numbers."""
        if end - first == len(self.starts):
            return self
        low = int(self.starts[first])
        inside = slice(low, int(self.starts[end - 1] + self.counts[end - 1]))
        return Tokens(
            self.hashes[inside],
            self.stems[inside],
            self.flags[inside],
            self.sentence[inside],
            self.starts[first:end] - low,
            self.counts[first:end],
            self.learned,
            self.extents,
        )


class TokenTerms(NamedTuple):
    """The distinct content words of sentences: pairs of a sentence and a term, in ascending order."""

    sentence: Numbers
    term: Numbers
    size: int  # of the vocabulary


class _Packed(dict[str, int]):
    """Packs the tokens of one language, each when it is first seen."""

    def __init__(self, language: Language) -> None:
        entry = pack(language)
        self._stops, self._dense = stop_words(language), entry.dense
        self._listed = dict.fromkeys(self._stops, _BIT["stop"])
        for name, words in (("opener", entry.words("openers")), ("pronoun", entry.words("pronouns"))):
            self._listed |= {word: self._listed.get(word, 0) | _BIT[name] for word in words}

    def __missing__(self, token: str) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        low, first, stem = token.lower(), token[0], 0
        if first.isalnum():
            flags = _WORD | self._listed.get(low, 0)
            if first.isupper():
                flags |= _TITLE
            if len(token) > 1 and token.isupper():
                flags |= _UPPER
            if low not in self._stops and (len(low) > 1 or self._dense):
                stem = crc32(low[:_STEM].encode("utf-8", "surrogatepass")) & _HASH or 1
            if first.isdigit():
                flags |= _DIGIT
                low = _DIGITS.sub("0", low)[:_STEM]  # numbers with the same number of digits are alike
        else:
            flags = _MARK_FLAGS.get(token) or _BIT["mark"]
        packed = (crc32(low.encode("utf-8", "surrogatepass")) & _HASH) << (_HASH_BITS + _FLAG_BITS)
        packed |= stem << _FLAG_BITS | flags
        self[token] = packed
        return packed


@cache
def _packed(language: Language) -> _Packed:
    return _Packed(language)


def tokens_of(*documents: "Document") -> Tokens:
    """Return the tokens of documents in one language, each with at least one sentence."""
    extents, language = Extents.of(list(map(len, documents))), documents[0].language
    count, alone = len(extents.document), len(documents) == 1 and documents[0].voiced is documents[0].texts
    tokens = documents[0].tokens if alone else None  # they may be known
    if tokens is None or np.bincount(tokens.sentence, minlength=count).min() == 0:
        texts = (text for document in documents for text in document.voiced)
        tokens = Numbered.of(find_tokens(text, language) or ["_"] for text in texts)
    counts = np.bincount(tokens.sentence, minlength=count)
    packed_of = _packed(language).__getitem__
    packed = np.fromiter(map(packed_of, tokens.vocabulary), np.int64, len(tokens.vocabulary))
    hashes, stems = (
        (packed >> bits & _HASH).astype(np.int32)[tokens.words] for bits in (_HASH_BITS + _FLAG_BITS, _FLAG_BITS)
    )
    if pack(language).dense:
        stems = _pairs(stems, tokens.sentence)
    flags, starts = packed.astype(np.uint16)[tokens.words], counts.cumsum() - counts
    return Tokens(hashes, stems, flags, tokens.sentence, starts, counts, language in LEARNED, extents)


def unpacked(flags: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Return the flags of tokens one by one, [t, 16], in the order of `FLAGS`."""
    return np.unpackbits(flags.astype("<u2").view(np.uint8).reshape(-1, 2), axis=1, bitorder="little")


def _pairs(stems: NDArray[np.int32], sentence: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the stems of pairs of neighboring characters, which stand for words."""
    pairs = np.zeros_like(stems)
    complete = (stems[:-1] > 0) & (stems[1:] > 0) & (sentence[:-1] == sentence[1:])
    pairs[:-1] = np.where(complete, (stems[:-1] * 31 + stems[1:]) & _HASH | 1, 0)
    return pairs


def distinct(values: NDArray[np.signedinteger]) -> tuple[Numbers, Numbers, Numbers]:
    """Return the distinct values, where each is first, and for each value the place of its like among them.

    That is `numpy.unique`, which loads masked arrays for it.

    >>> [part.tolist() for part in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0], [1, 0, 1]]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_new = np.concatenate([np.ones(min(len(values), 1), bool), ordered[1:] != ordered[:-1]])
    number = np.empty(len(values), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return ordered[is_new], order[is_new], number


def terms_of(tokens: Tokens) -> TokenTerms:
    """Return the distinct content words of each sentence. A word in two documents is two terms."""
    content = np.flatnonzero(tokens.stems)
    in_sentence = tokens.sentence[content]
    vocabulary, _, term = distinct(tokens.stems[content] + (tokens.extents.document[in_sentence] << _HASH_BITS))
    size = max(len(vocabulary), 1)
    sentence, term = np.divmod(distinct(in_sentence * np.int64(size) + term)[0], size)
    return TokenTerms(sentence, term, size)


def quotations(tokens: Tokens, lines: NDArray[np.bool_]) -> Columns:
    """Return whether a sentence begins and ends inside a quotation, and how much of it is quoted."""
    count = len(tokens.starts)
    begins, ends, share = np.zeros(count), np.zeros(count), np.zeros(count)
    opening, closing, either = (_BIT[f"quote_{name}"] for name in ("open", "close", "either"))
    marks = np.flatnonzero(tokens.flags & (opening | closing | either))
    if len(marks):
        of_sentence = tokens.sentence[marks]
        by_sentence = np.searchsorted(of_sentence, np.arange(count + 1)).tolist()
        turns = [flags & (opening | closing) for flags in tokens.flags[marks].tolist()]
        places = (marks - tokens.starts[of_sentence]).tolist()
        sizes, inside, since = tokens.counts.tolist(), False, 0
        starts = set(tokens.extents.starts.tolist())
        for i, (low, high) in enumerate(pairwise(by_sentence)):
            inside = inside and i not in starts
            if inside:
                since += 1
                inside = since <= _LONGEST_QUOTATION and not (lines[i] and since > _LONGEST_ACROSS_LINES)
            begins[i], at, quoted = inside, 0, 0
            for turn, place in zip(turns[low:high], places[low:high], strict=True):
                quoted += inside * (place - at)
                inside, at, since = turn == opening or (turn == 0 and not inside), place, 0
            share[i] = (quoted + inside * (sizes[i] - at)) / sizes[i]
            ends[i] = inside
    return {"begins_quoted": begins, "ends_quoted": ends, "share_quoted": share}


def names_in(tokens: Tokens) -> Columns:
    """Return how many names a sentence has, new ones and known ones: capitalized words that open no sentence."""
    count = len(tokens.starts)
    is_name = tokens.flags & (_TITLE | _BIT["stop"]) == _TITLE
    is_name[tokens.starts] = False
    places = np.flatnonzero(is_name)
    sentence = tokens.sentence[places]
    _, first, number = distinct(tokens.hashes[places] + (tokens.extents.document[sentence] << _HASH_BITS))
    repeated = sentence[first][number] < sentence if len(places) else np.zeros(0, bool)
    old, every = np.bincount(sentence[repeated], minlength=count), np.bincount(sentence, minlength=count)
    return {"new_names": np.log1p(every - old), "known_names": np.log1p(old), "has_name": every > 0}
