"""The content terms of sentences, which a summary should cover, and their weights."""

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import accumulate, chain, compress, count, islice, pairwise
from operator import add
from typing import Any, NamedTuple, TypeVar
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from tersely.languages import HAN, KANA, Language, content_words, pack, pattern

_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)?")
# Tokens are words and marks. In a dense script, a token is a character.
# Most words have nothing but the letters of the first alternative, which is found faster.
_TOKEN = pattern(r"[a-zA-Z0-9]++(?![^\W_]|['’])|[^\W_]+(?:['’][^\W_]+)*|\S")
_DENSE_TOKEN = pattern(f"[{HAN}{KANA}\u0e00-\u0e7f]|[A-Za-z]+|[0-9]+|[^\\w\\s]|\\w")
# Whether these are words by themselves, or how they are written in lowercase, depends on what is around them.
_WITH_CONTEXT = pattern(f"[{HAN}Σ]")
# Words with this many of the same first letters, and this share of them, may be forms of one word.
HEAD, _ALIKE = 4, 0.6
# What a form or a compound of a word counts, as a share of the word itself.
_FORM, _COMPOUND = 0.7, 0.5
_OF_THREAD = threading.local()
_REMEMBERED = 10_000  # words, in each language, whose stems are known without looking
# How many strings a memory holds; longer ones than this are not kept, so that strangers' texts cannot fill it.
_MOST_STRINGS, _LONGEST_STRING = 50_000, 40
_BATCH = 512  # sentences whose words are sorted together
Numbers = NDArray[np.intp]
Small = NDArray[np.int32]  # for what there may be millions of
Fact = TypeVar("Fact")


class StringMemory(dict[str, Fact]):
    """What a function says of strings, asked when one is first seen."""

    def __init__(self, function: Callable[[str], Fact]) -> None:
        self._function = function

    def __missing__(self, string: str) -> Fact:
        fact = self._function(string)
        if len(string) <= _LONGEST_STRING:
            if len(self) >= _MOST_STRINGS:
                self.clear()
            self[string] = fact
        return fact


class Numbered(NamedTuple):
    """The words of sentences, one after another, as numbers. A vocabulary has the words in order of first occurrence.

    >>> numbered = Numbered.of([["rain", "fell"], ["rain"]])
    >>> numbered.words.tolist(), numbered.sentence.tolist(), numbered.vocabulary
    ([0, 1, 0], [0, 0, 1], ('rain', 'fell'))
    """

    words: Small
    sentence: Small  # in which each word stands
    vocabulary: tuple[str, ...]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> "Numbered":
        """Number the words of each sentence."""
        lengths: list[int] = []

        def words() -> Iterator[Sequence[str]]:
            for row in rows:
                lengths.append(len(row))
                yield row

        numbers, vocabulary = _numbers(chain.from_iterable(words()))
        return cls(numbers, np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), vocabulary)

    @classmethod
    def read(cls, texts: Sequence[str], language: Language, tokens: "Numbered | None" = None) -> "Numbered":
        """Number what `all_words` finds in each text.

        If the `tokens` of English texts are known, each different one is looked at only once.
        """
        if language != "en" or tokens is None:
            return cls.of(find_chunks(text, language) for text in texts).words_inside(language)
        joined = "\n".join(tokens.vocabulary)
        if not joined.isascii() and _WITH_CONTEXT.search(joined):
            return cls.of(all_words(text, language) for text in texts)
        pieces = joined.lower().split("\n") if joined else []
        size, words, start = np.ones(len(pieces), np.int32), list[str](), 0
        for i in [i for i, piece in enumerate(pieces) if not piece.isalnum()]:
            inside = all_words(pieces[i], language) if len(pieces[i]) > 1 else []
            words += [*pieces[start:i], *inside]
            size[i], start = len(inside), i + 1
        numbers, vocabulary = _numbers(words + pieces[start:])
        places, sentence = tokens.parts(size)
        return cls(numbers[places], sentence, vocabulary)

    @classmethod
    def merged(cls, groups: "Sequence[tuple[Numbers, Numbered]]") -> "Numbered":
        """Merge groups of sentences into one text, given the places there of the sentences of each group.

        >>> outer, inner = Numbered.of([["a"], ["b"]]), Numbered.of([["b"]])
        >>> numbered = Numbered.merged([(np.array([0, 2]), outer), (np.array([1]), inner)])
        >>> numbered.words.tolist(), numbered.sentence.tolist(), numbered.vocabulary
        ([0, 1, 1], [0, 1, 2], ('a', 'b'))
        """
        if len(groups) < 2:
            return groups[0][1] if groups else cls.of(())
        number, vocabulary = _numbers(chain.from_iterable(numbered.vocabulary for _, numbered in groups))
        starts = accumulate((len(numbered.vocabulary) for _, numbered in groups), initial=0)
        words = np.concatenate([number[start + part.words] for start, (_, part) in zip(starts, groups, strict=False)])
        sentence = np.concatenate([places[numbered.sentence].astype(np.int32) for places, numbered in groups])
        order = np.argsort(sentence, kind="stable")
        words, first = words[order], np.empty(len(vocabulary), np.intp)
        first[words[::-1]] = np.arange(len(words))[::-1]  # the last to be written stays
        ranked = np.argsort(first)
        number[ranked] = np.arange(len(ranked))
        return cls(number[words], sentence[order], tuple(map(vocabulary.__getitem__, ranked.tolist())))

    def words_inside(self, language: Language) -> "Numbered":
        """Number the words of chunks (see `find_chunks`), each different one of which is looked at only once."""
        inside = list(map(_words_of(language).__getitem__, self.vocabulary))
        numbers, vocabulary = _numbers(chain.from_iterable(inside))
        places, sentence = self.parts(np.fromiter(map(len, inside), np.int32, len(inside)))
        return Numbered(numbers[places], sentence, vocabulary)

    def parts(self, sizes: Small) -> tuple[Small, Small]:
        """Put parts in place of words, given how many parts each word of the vocabulary has.

        Return for each part where it stands in a list of the parts of the vocabulary, and its sentence.
        """
        counts = sizes[self.words]
        before, so_far = sizes.cumsum(dtype=np.int32) - sizes, counts.cumsum(dtype=np.int32)
        places = np.repeat(before[self.words] - so_far + counts, counts)
        places += np.arange(len(places), dtype=np.int32)
        return places, np.repeat(self.sentence, counts)

    def rows(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Return the words of each sentence; `count` is the number of sentences."""
        flat = map(self.vocabulary.__getitem__, self.words.tolist())
        return tuple(tuple(islice(flat, length)) for length in np.bincount(self.sentence, minlength=count).tolist())

    def renamed(self, names: Sequence[str]) -> "Numbered":
        """Return the same words under new names, such as stems. Words that get the same name become one."""
        number, vocabulary = _numbers(names)
        return Numbered(number[self.words], self.sentence, vocabulary)

    def part(self, sentences: Numbers) -> "Numbered":
        """Return the words of these sentences alone, which are given in ascending order."""
        inside, sentence = among(self.sentence, sentences)
        words = self.words[inside]
        present = np.zeros(len(self.vocabulary), dtype=bool)
        present[words] = True
        numbers = present.cumsum(dtype=np.int32) - 1
        return Numbered(numbers[words], sentence.astype(np.int32), tuple(compress(self.vocabulary, present.tolist())))

    def distinct(self) -> tuple[Numbers, Numbers]:
        """Return each pair of a sentence and a word that it has, ascending, as two columns."""
        size = np.int64(max(len(self.vocabulary), 1))
        starts = self.sentence.searchsorted(np.arange(0, self.sentence[-1:].sum() + _BATCH + 1, _BATCH)).tolist()
        parts = [np.sort(self.sentence[low:high] * size + self.words[low:high]) for low, high in pairwise(starts)]
        return np.divmod(np.concatenate([pairs[_is_new(pairs)] for pairs in parts]), size)


def _numbers(words: Iterable[str]) -> tuple[Small, tuple[str, ...]]:
    """Number some words, and return the different ones in order of first occurrence."""
    number: defaultdict[str, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, words), np.int32), tuple(number)


def among(numbers: NDArray[np.signedinteger], chosen: Numbers) -> tuple[NDArray[np.bool_], Numbers]:
    """Return a mask of the numbers that occur in `chosen` (sorted), and the index of each of those in `chosen`."""
    place = np.searchsorted(chosen, numbers)
    inside = np.append(chosen, -1)[place] == numbers
    return inside, place[inside]


@dataclass(frozen=True)
class Terms:
    """The distinct terms of each of `count` sentences, one after another, numbered in order of first occurrence."""

    flat: Numbers
    sentence: Numbers  # in which each term stands
    vocabulary: tuple[str, ...]
    count: int

    @cached_property
    def sentences(self) -> tuple[Numbers, ...]:
        """The terms of each sentence."""
        ends = self.lengths.cumsum().tolist()
        return tuple(self.flat[start:end] for start, end in pairwise([0, *ends]))

    @cached_property
    def lengths(self) -> Numbers:
        """How many terms each sentence has."""
        return np.bincount(self.sentence, minlength=self.count)

    @cached_property
    def often(self) -> Numbers:
        """How many sentences have each term."""
        return np.bincount(self.flat, minlength=len(self.vocabulary))

    def sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the weights of each sentence's terms."""
        # A zero before each sentence makes `reduceat` add as `sum` does, to the last bit, even where there is no term.
        starts, padded = self.lengths.cumsum() - self.lengths, np.zeros(len(self.flat) + self.count)
        padded[np.arange(len(self.flat)) + self.sentence + 1] = weights.take(self.flat)
        return np.add.reduceat(padded, starts + np.arange(self.count)) if self.count else padded


def find_tokens(text: str, language: Language) -> list[str]:
    """Return the words and marks of a text as they are spelled; the characters of a dense script.

    >>> find_tokens("Don't, John.", "en"), find_tokens("GDP上涨", "zh")
    (["Don't", ',', 'John', '.'], ['GDP', '上', '涨'])
    """
    return (_DENSE_TOKEN if pack(language).dense else _TOKEN).findall(text)


def all_words(text: str, language: Language) -> list[str]:
    """Return every word of a text in lowercase, without possessive endings; pairs of characters where spaces are rare.

    Pairs stand for words in Chinese, Japanese, Korean and Thai. An apostrophe ends a word in French, Italian, Turkish.

    >>> all_words("The storm's path", "en"), all_words("GDP好天气", "zh")
    (['the', 'storm', 'path'], ['gdp', '好天', '天气'])
    >>> all_words("L'eau de la ville", "fr"), all_words("날씨가 좋다", "ko")
    (['l', 'eau', 'de', 'la', 'ville'], ['날씨', '씨가', '좋다'])
    """
    low = text.lower()
    if language in ("en", "zh"):
        words = _WORD.findall(low)
    else:
        # Without its dot, which lowercase letters of other languages do not keep apart, "İ" is the Turkish "i".
        low = text.replace("İ", "i").replace("I", "ı").lower() if language == "tr" else low
        words = _word_pattern(language).findall(low)
    if "'s" in low or "’s" in low:
        words = [word[:-2] if word.endswith(("'s", "’s")) else word for word in words]
    if text.isascii():
        return words
    run, syllable = _run_patterns(language)
    runs = run.findall(text)
    if not runs:
        return words
    # A word that mixes scripts, such as "GDP好", is split.
    words = [part for word in words for part in run.split(word) if part]
    rows: Iterable[Sequence[str]] = map(syllable.findall, runs) if syllable else runs
    for row in rows:
        words += map(add, row, row[1:]) if len(row) > 1 else row
    return words


def find_chunks(text: str, language: Language) -> list[str]:
    """Return parts of a text whose words, one after another, are those of the text.

    They are what stands between white space; but of a text with words that are read in pairs, the whole.

    >>> find_chunks("Rain fell.", "en"), find_chunks("GDP 好天气", "zh")
    (['Rain', 'fell.'], ['GDP 好天气'])
    """
    return [text] if not text.isascii() and _run_patterns(language)[0].search(text) else text.split()


@cache
def _words_of(language: Language) -> StringMemory[list[str]]:
    return StringMemory(partial(all_words, language=language))


@cache
def _run_patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return the patterns of a run that is read in pairs, and of what such a pair consists of if not of characters."""
    entry = pack(language)
    return re.compile(entry.pairs), re.compile(entry.syllables) if entry.syllables else None


@cache
def _word_pattern(language: Language) -> re.Pattern[str]:
    """Return the pattern of a word in lowercase. Vowel signs, which Python takes for no letters, are part of it."""
    signs = "".join(c for c in map(chr, range(0x300, 0x1100)) if category(c)[0] == "M") + "\u200c\u200d"
    word = rf"(?:[^\W_]++[{signs}]*+)++"
    return re.compile(word if pack(language).apostrophe_ends_words else f"{word}(?:['’]{word})?")


def stems(words: Sequence[str], language: Language) -> list[str]:
    """Return the stem of each word ("flooded" and "flooding" are "flood"), or the words if there is no stemmer.

    >>> stems(["rivers", "flooding"], "en"), stems(["Fluss", "Flüsse"], "other")
    (['river', 'flood'], ['Fluss', 'Flüsse'])
    """
    if not (name := pack(language).stemmer):
        return list(words)
    stemmer, memory = _stemmer(name)
    if len(memory) > _REMEMBERED:
        memory.clear()
    new = [word for word in words if word not in memory]
    memory.update(zip(new, stemmer.stemWords(new), strict=True))
    return list(map(memory.__getitem__, words))


def alike(word: str, another: str) -> float:
    """Return how much a word counts for another that begins alike, as a form of it, or holds it, as a compound.

    >>> round(alike("odingas", "odinga"), 1), alike("regier", "koalitionsregier"), alike("regen", "see")
    (0.6, 0.5, 0.0)
    """
    short, long = sorted((word, another), key=len)
    if len(short) < HEAD or any(map(str.isdigit, word)):
        return 0.0
    head = next((k for k, letter in enumerate(short) if letter != long[k]), len(short))
    if head >= HEAD and head >= _ALIKE * len(long):
        return _FORM * head / len(long)
    return _COMPOUND if len(short) > HEAD and short in long else 0.0


def _stemmer(name: str) -> tuple[Any, dict[str, str]]:
    """Return a stemmer of this thread, which must not be shared, and the stems of words that it has seen."""
    stemmers: dict[str, tuple[Any, dict[str, str]]] = _OF_THREAD.__dict__
    if name not in stemmers:
        from Stemmer import Stemmer

        stemmers[name] = Stemmer(name, 0), {}  # a dictionary remembers faster
    return stemmers[name]


def content_terms(words: Numbered, stemmed: Numbered, language: Language, total: int) -> Terms:
    """Number the distinct stems of the content words of each sentence.

    `words` and `stemmed` are all words of the sentences and their stems, and `total` is the number of sentences.

    >>> words = Numbered.of([["rain", "fell"], ["rains", "and"]])
    >>> terms = content_terms(words, words.renamed(["rain", "fell", "rain", "and"]), "en", 2)
    >>> terms.vocabulary, [row.tolist() for row in terms.sentences]
    (('rain', 'fell'), [[0, 1], [0]])
    """
    content = set(content_words(words.vocabulary, language))
    is_content = np.fromiter(map(content.__contains__, words.vocabulary), bool, len(words.vocabulary))
    inside = is_content[words.words]
    sentence, stem = words.sentence[inside].astype(np.intp), stemmed.words[inside].astype(np.intp)
    first = _firsts(sentence * len(stemmed.vocabulary) + stem)
    sentence, stem = sentence[first], stem[first]
    different = stem[_firsts(stem)]
    number = np.zeros(len(stemmed.vocabulary), np.intp)
    number[different] = np.arange(len(different))
    vocabulary = tuple(map(stemmed.vocabulary.__getitem__, different.tolist()))
    return Terms(number[stem], sentence, vocabulary, total)


def _firsts(keys: Numbers) -> Numbers:
    """Return where each of the different keys stands first, ascending."""
    order = np.argsort(keys, kind="stable")
    return np.sort(order[_is_new(keys[order])])


def _is_new(ordered: NDArray[np.signedinteger]) -> NDArray[np.bool_]:
    """Return which of some ordered numbers differ from the one before."""
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new


def term_weights(terms: Terms, decay: float = 1.0, single: float = 0.1, from_end: bool = False) -> NDArray[np.float64]:
    """Return the weight of each term: the sum of decay^j over the sentences j that contain it.

    Sentences are counted from the beginning, or from the end if `from_end`. A term in a single sentence says little
    about the document: its weight is multiplied by `single`.

    >>> rain, fell, snow = 0, 1, 2
    >>> terms = Terms(np.array([rain, fell, rain, snow]), np.array([0, 0, 1, 1]), ("rain", "fell", "snow"), 2)
    >>> term_weights(terms, decay=0.5, single=0.1).tolist()
    [1.5, 0.1, 0.05]
    """
    place = (terms.count - 1 - terms.sentence if from_end else terms.sentence).astype(np.float64)
    weights = np.bincount(terms.flat, decay**place, minlength=len(terms.vocabulary))
    return np.where(terms.often == 1, weights * single, weights)
