"""What each sentence is worth as part of the answer to a question."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Encoder
from tersely.select import SELECTORS, Selector
from tersely.text.document import Document
from tersely.text.language import Language, content_words
from tersely.text.sources import Collection
from tersely.text.words import HEAD, alike, all_words, stems

Values = NDArray[np.float64]
Places = NDArray[np.intp]

# The most words of a question that count; of a longer one, the rarest.
_MOST_WORDS = 64
# A text with no more sentences is short: like a passage, it answers in a sentence or two.
_SHORT = 50
# Where words find what is asked, only this many of the sentences they find first get a vector: a second's work.
_MOST_VECTORS = 256
# Without a stemmer, words with the same first letters count as the same.
_PREFIX = 6
_WORD = re.compile(r"[^\W_][\w'’-]*")
# What a question for a date or for a number says, in some of the languages with most speakers.
_WHEN = re.compile(
    r"\b(?:when|year|date|wann|jahr|quand|année|cuándo|año|quando|anno|ano|когда|год\w*)\b"
    r"|何时|何年|什么时候|什么时间|哪年|哪一年|哪天|いつ|언제",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|old|long|far|tall|large|big|fast|high)|percent\w*|number|wie ?viele?|combien|cuánt[oa]s?|"
    r"quant[oaie]s?|сколько)\b|多少|几|何人|몇",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+|[一二两三四五六七八九十百千万亿]+(?=[年月日个人名次只座家所])")
_YEAR = re.compile(r"(?<![\d.,])(?:1\d|20)\d\d(?![\d,])")


@dataclass(frozen=True)
class Answering:
    """Values sentences by what they say about a question: by words, by links between sources, and by vectors.

    A sentence is relevant by its own words and those of its source's title (as in BM25), a little by those just before
    and after it and elsewhere in its source, and by the cosine of its vector and the question's if there is an encoder.
    In a second step, what the most relevant sentences name becomes relevant, too: sources whose titles they name, and
    sentences of other sources with the same names. Asked for a number or a date, a sentence with one is more relevant.

    In one long text, an answer is spread over many sentences: the value is relevance^8 times length, and the knapsack,
    which is exact, fills the budget with what is most relevant. In several sources or a short text, an answer is a fact
    or two, in short sentences as often as in long ones. There, a word counts less in a long sentence, the value is
    relevance^4 times length^0.3, and a long sentence makes room for several that are almost as good.

    A sentence is worth nothing if all that speaks for it is less than `floor` of what speaks for the best one, by words
    and links, and less than half of it by vectors: room stays free rather than be filled with what nobody asked for.
    """

    encoder: Encoder | None = None
    near: float = 0.2
    within: float = 0.2
    vectors: float = 0.7
    named: float = 0.4
    floor: float = 0.05
    saturation: float = 1.2
    norm: float = 0.5
    leaders: int = 4
    number: float = 0.3

    @property
    def name(self) -> str:
        """What the summary calls its model."""
        return "query" if self.encoder is None else f"query@{self.encoder.name}"

    @property
    def fingerprint(self) -> str:
        """A hash that changes whenever a summary might."""
        settings = [f"{key}={value}" for key, value in vars(self).items() if isinstance(value, int | float)]
        parts = [*settings, repr(self.selector), self.encoder.fingerprint if self.encoder else ""]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    @cached_property
    def selector(self) -> Selector:
        """What chooses sentences by these values."""
        return SELECTORS.create("knapsack")

    def values(self, document: Document, query: str) -> Values:
        """Return one value per sentence, at least 0, and not 0 for all."""
        if not len(document):
            return np.empty(0)
        texts = _Texts(document)
        asked = _Asked(texts, query)
        said, around = self._by_words(texts, asked)
        cosines = np.zeros(len(texts))
        if self.encoder is not None:
            cosines = self._by_vectors(self.encoder, texts, query, said + around, asked)
        relevance = said + around + self.vectors * cosines
        links = self._by_links(texts, asked, relevance)
        relevance += links
        relevance *= np.where(texts.with_new_number(query), 1 + self.number, 1.0)
        related = _at_least(self.floor, said + links) | _at_least(0.5, cosines)
        # Between equals, the beginnings of sources are better. They are also what is left if nothing is related.
        relevance = relevance / (relevance.max() or 1.0) + 0.02 * (1 + 1 / (1 + texts.place))
        lengths = np.array([len(text) + 1 for text in document.texts], dtype=np.float64)
        values: Values = relevance**8 * lengths if texts.is_long else relevance**4 * lengths**0.3
        return np.where(related, values, 0.0) if related.any() else values

    def _by_words(self, texts: "_Texts", asked: "_Asked") -> tuple[Values, Values]:
        """Return the share of the question that each sentence and its neighbors speak about, and what its source adds.

        A word that recurs counts up to 2.2 times. One in a sentence twice as long as most counts a fifth less.
        """
        if not asked.words:
            return np.zeros(len(texts)), np.zeros(len(texts))
        said = asked.counts + asked.in_titles[texts.source]
        norm = 1.0 if texts.is_long else 1 + self.norm * (texts.lengths / (texts.lengths.mean() or 1.0) - 1)
        own = said * (self.saturation + 1) / (said + self.saturation * np.reshape(norm, (-1, 1)))
        present = np.minimum(asked.counts, 1)
        elsewhere = np.zeros((texts.sources, len(asked.words)))
        np.maximum.at(elsewhere, texts.source, present)
        beside = np.zeros_like(own)
        beside[1:] += present[:-1] * texts.follows[:, None]
        beside[:-1] += present[1:] * texts.follows[:, None]
        own += self.near * beside * texts.is_prose[:, None]
        weights = asked.weights / asked.weights.sum()
        return own @ weights, self.within * (elsewhere @ weights)[texts.source]

    def _by_vectors(self, encoder: Encoder, texts: "_Texts", query: str, relevance: Values, asked: "_Asked") -> Values:
        """Return the cosine of each sentence and the question, at least 0."""
        chosen = np.arange(len(texts))
        if len(chosen) > _MOST_VECTORS and asked.found > 0.5:
            chosen = np.sort(np.argsort(-relevance, kind="stable")[:_MOST_VECTORS])
        # Together, because the columns of some encoders mean something only within one call.
        vectors = encoder.encode([query, *(texts.document.texts[i] for i in chosen.tolist())])
        cosines = np.zeros(len(texts))
        cosines[chosen] = np.maximum(vectors[1:] @ vectors[0], 0.0)
        return cosines

    def _by_links(self, texts: "_Texts", asked: "_Asked", relevance: Values) -> Values:
        """Return what sentences gain because the most relevant ones, or the question, name them."""
        if texts.sources < 2:
            return np.zeros(len(texts))
        leaders = np.argsort(-relevance, kind="stable")[: self.leaders]
        trust = (relevance[leaders] / (relevance[leaders[0]] or 1.0)) ** 4
        titles = np.zeros(texts.sources)
        names: Counter[str] = Counter()
        for leader, weight in zip(leaders.tolist(), trust.tolist(), strict=True):
            own = texts.source[leader]
            for source in texts.named_by(set(texts.stems[leader])):
                if source != own:
                    titles[source] = max(titles[source], weight)
            for name in texts.names(leader) - asked.stems:
                if texts.frequency[name] > 1:
                    names[name] += weight * float(texts.rarity(texts.frequency[name]))
        # The first sentence of a text says what its title stands for.
        gain = titles[texts.source] * np.where(texts.place == 0, 2.0, 1.0)
        total = sum(names.values())
        if total:
            gain += 0.3 * texts.sums(names) / total * ~np.isin(texts.source, texts.source[leaders])
        linked: Values = self.named * gain
        return linked


class _Texts:
    """The sentences of a document: their stems, their sources, and their places in there."""

    def __init__(self, document: Document) -> None:
        parts = document.parts if isinstance(document, Collection) else (document,)
        self.document, self.sources = document, len(parts)
        sizes = [len(part) for part in parts]
        self.source: Places = np.repeat(np.arange(len(parts)), sizes)
        self.place: Places = np.concatenate([np.arange(size) for size in sizes])
        self.follows = (self.place[1:] > 0).astype(np.float64)  # whether a sentence follows the one before it
        self.is_prose = np.array([kind != "heading" for kind in document.kinds])  # and so about what is beside it
        self.stems = [_cut(row, part.language) for part in parts for row in part.stems]
        self.languages = [part.language for part in parts]
        self.lengths = np.array([len(row) for row in self.stems], dtype=np.float64)
        self.is_long = self.sources == 1 and len(self) > _SHORT
        self._sentences_with = _by_stem([set(row) for row in self.stems])
        self.frequency = Counter({stem: len(found) for stem, found in self._sentences_with.items()})
        headings = [source.heading for source in document.sources] if isinstance(document, Collection) else [""]
        self.titles = [set(stemmed(heading, part.language)) for heading, part in zip(headings, parts, strict=True)]
        self._titles_with = _by_stem(self.titles)

    def __len__(self) -> int:
        return len(self.stems)

    def rarity(self, frequency: int | Values) -> Values:
        """Return the weight of a word that is in so many sentences."""
        weight: Values = np.log(1 + (len(self) - frequency + 0.5) / (np.asarray(frequency) + 0.5))
        return weight

    def named_by(self, sentence: set[str]) -> list[int]:
        """Return the sources whose titles are in a sentence, all or most of their weight."""
        shares: Counter[int] = Counter()
        for stem in sentence & self._titles_with.keys():
            weight = float(self.rarity(self.frequency[stem]))
            for source in self._titles_with[stem]:
                shares[source] += weight  # type: ignore[assignment]
        whole = {i: sum(float(self.rarity(self.frequency[stem])) for stem in self.titles[i]) for i in shares}
        return [source for source, share in shares.items() if share >= 0.6 * whole[source]]

    def names(self, sentence: int) -> set[str]:
        """Return the stems of a sentence's names and numbers: capitalized words within it; in Chinese, all words."""
        if (language := self.languages[self.source[sentence]]) == "zh":
            return set(self.stems[sentence])
        words = _WORD.findall(self.document.texts[sentence])
        return set(stemmed(" ".join(w for w in words[1:] if w[0].isupper() or w[0].isdigit()), language))

    def with_new_number(self, query: str) -> NDArray[np.bool_]:
        """Return which sentences have a number that the question asks for: a new one, and a year only if it may be."""
        known, texts = set(_NUMBER.findall(query)), self.document.texts
        if _WHEN.search(query):
            found: Iterable[list[str]] = map(_NUMBER.findall, texts)
        elif _HOW_MANY.search(query):
            found = (_NUMBER.findall(_YEAR.sub("", text)) for text in texts)
        else:
            return np.zeros(len(self), dtype=np.bool_)
        return np.array([not known.issuperset(numbers) for numbers in found])

    def most_alike(self, word: str) -> Values:
        """Return how much of a word is in each sentence, by the word there that is most alike."""
        head, found = word[:HEAD], np.zeros(len(self))
        for stem, rows in self._sentences_with.items():
            if (stem.startswith(head) or word in stem or stem in word) and (share := alike(word, stem)):
                found[rows] = np.maximum(found[rows], share)
        return found

    def sums(self, weights: Counter[str]) -> Values:
        """Return the sum of the weights of each sentence's words."""
        found = np.zeros(len(self))
        for stem, weight in weights.items():
            found[self._sentences_with[stem]] += weight
        return found


class _Asked:
    """The words of a question, how rare they are, and where they occur."""

    def __init__(self, texts: _Texts, query: str) -> None:
        language = texts.document.language
        words = all_words(query, language)
        # A question of nothing but stop words is better than none.
        distinct = dict.fromkeys(_cut(stems(content_words(words, language) or words, language), language))
        self.stems = set(distinct)
        rarest = sorted(distinct, key=lambda stem: texts.frequency[stem] or len(texts))
        self.words: Sequence[str] = rarest[:_MOST_WORDS]
        column = {stem: k for k, stem in enumerate(self.words)}
        self.counts = _counted(texts.stems, column)
        for word in self.words:
            if not texts.frequency[word]:
                self.counts[:, column[word]] = texts.most_alike(word)
        self.in_titles = np.minimum(_counted(texts.titles, column), 1)
        frequency = np.minimum(self.counts + self.in_titles[texts.source], 1).sum(axis=0)
        self.weights = texts.rarity(frequency)
        # The share of the question, by weight, that is anywhere in the texts.
        self.found = float(self.weights[frequency > 0].sum() / self.weights.sum()) if self.words else 0.0


def _by_stem(rows: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    """Return where each stem is."""
    found = defaultdict[str, list[int]](list)
    for number, row in enumerate(rows):
        for stem in row:
            found[stem].append(number)
    return found


def _counted(rows: Sequence[Iterable[str]], column: dict[str, int]) -> Values:
    counts = np.zeros((len(rows), len(column)))
    for row, found in zip(counts, rows, strict=True):
        for stem in found:
            if stem in column:
                row[column[stem]] += 1
    return counts


def _at_least(share: float, figures: Values) -> NDArray[np.bool_]:
    """Return which figures are above 0, and at least this share of the largest."""
    found: NDArray[np.bool_] = (figures > 0) & (figures >= share * figures.max())
    return found


def stemmed(text: str, language: Language) -> list[str]:
    """Return the stems of a text's words.

    >>> stemmed("Verstärkungen", "other"), stemmed("the floods", "en")
    (['verstä'], ['the', 'flood'])
    """
    return _cut(stems(all_words(text, language), language), language)


def _cut(found: Iterable[str], language: Language) -> list[str]:
    return [stem[:_PREFIX] for stem in found] if language == "other" else list(found)
