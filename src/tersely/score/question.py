"""What each sentence is worth as part of the answer to a question."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Encoder
from tersely.languages import UNKNOWN, Language, alternatives, content_words
from tersely.score import Values
from tersely.text.document import Document
from tersely.text.sources import Collection
from tersely.text.words import HEAD, alike, all_words, stems

Places = NDArray[np.intp]

# The numbers of this module were set by hand. docs/context.md measures them on questions of HotpotQA, XQuAD, RGB, QMSum
# and SQuALITY; `length_norm` was compared on halves of these questions.

# The most words of a question that count; of a longer one, the rarest.
_MOST_WORDS = 64
# A text with no more sentences is short: like a passage, it answers in a sentence or two.
_SHORT = 50
# Where words find most of the question, only this many of the sentences they find first get a vector: a second's work.
_MOST_VECTORS, _MOST_OF_QUESTION = 256, 0.5
# Without a stemmer, words with the same first letters count as the same.
_PREFIX = 6
# The value of a sentence is relevance^8 * length in a long text, and relevance^4 * length^0.3 in a short one.
_LONG_POWER, _SHORT_POWER, _LENGTH_POWER = 8, 4, 0.3
# A sentence is worth something if its cosine is at least this share of the largest one.
_LEAST_COSINE = 0.5
# What the place of a sentence adds to its relevance, at most twice: it decides between equals.
_PLACE_BONUS = 0.02
# The most relevant sentences count by this power of their relevance for what they name.
_TRUST_POWER = 4
# A title is named in a sentence that has this share of its weight.
_TITLE_SHARE = 0.6
# The first sentence of a source says what its title stands for, and gains more. A name gains less than a title.
_FIRST_SENTENCE, _NAME_SHARE = 2.0, 0.3

_WORD = re.compile(r"[^\W_][\w'’-]*")
_NUMBER = re.compile(r"\d+|[一二两三四五六七八九十百千万亿]+(?=[年月日个人名次只座家所])")
_YEAR = re.compile(r"(?<![\d.,])(?:1\d|20)\d\d(?![\d,])")


def _question(field: str) -> re.Pattern[str]:
    """Return what a question of some kind says, in all languages whose packs have the field."""
    spaced, dense = alternatives(field, capitals=True), alternatives(field, capitals=False)
    return re.compile(rf"\b(?:{spaced})\b|{dense}", re.IGNORECASE)


_FOR_DATE, _FOR_NUMBER = _question("questions.when"), _question("questions.how_many")


@dataclass(frozen=True)
class Answering:
    """Values sentences by what they say about a question: by words, by links between sources, and by vectors.

    A sentence is relevant by its own words and those of its source's title (as in BM25, with `saturation` for k1 and
    `length_norm` for b). The words of the sentences beside it count `neighbor_weight`, those elsewhere in its source
    `source_weight`, and the cosine of its vector and the question's `vector_weight`, if there is an encoder. In a
    second step, what the `leaders` name, the most relevant sentences, becomes relevant, too, by `link_weight`: sources
    whose titles they name, and sentences of other sources with the same names. If the question asks for a number or
    a date, a sentence with one is more relevant by the share `number_bonus`.

    In one long text, an answer is spread over many sentences: the value is relevance^8 times length, and the knapsack,
    which is exact, fills the budget with what is most relevant. In several sources or a short text, an answer is a fact
    or two, in short sentences as often as in long ones. There, a word counts less in a long sentence, the value is
    relevance^4 times length^0.3, and a long sentence makes room for several that are almost as good.

    A sentence is worth nothing if all that speaks for it is less than `least_share` of what speaks for the best one, by
    words and links, and less than half of it by vectors: room stays free rather than be filled with what nobody asked
    for.
    """

    select: ClassVar[str] = "knapsack"  # the selector that suits these values
    encoder: Encoder | None = None
    neighbor_weight: float = 0.2
    source_weight: float = 0.2
    vector_weight: float = 0.7
    link_weight: float = 0.4
    least_share: float = 0.05
    saturation: float = 1.2
    length_norm: float = 0.5
    leaders: int = 4
    number_bonus: float = 0.3

    @property
    def name(self) -> str:
        """What the summary calls its model."""
        return "query" if self.encoder is None else f"query@{self.encoder.name}"

    @property
    def fingerprint(self) -> str:
        """A hash that changes whenever a summary might."""
        settings = [f"{key}={value}" for key, value in vars(self).items() if isinstance(value, int | float)]
        parts = [*settings, self.select, self.encoder.fingerprint if self.encoder else ""]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    def values(self, document: Document, query: str) -> Values:
        """Return one value per sentence, at least 0, and not 0 for all."""
        if not len(document):
            return np.empty(0)
        texts = _Texts(document)
        question = _Question(texts, query)
        by_words, by_source = self._by_words(texts, question)
        cosines = np.zeros(len(texts))
        if self.encoder is not None:
            cosines = self._by_vectors(self.encoder, texts, query, by_words + by_source, question)
        relevance = by_words + by_source + self.vector_weight * cosines
        links = self._by_links(texts, question, relevance)
        relevance += links
        relevance *= np.where(texts.with_new_number(query), 1 + self.number_bonus, 1.0)
        related = _at_least(self.least_share, by_words + links) | _at_least(_LEAST_COSINE, cosines)
        # Between equals, the beginnings of sources are better. If nothing is related, they alone decide.
        relevance = relevance / (relevance.max() or 1.0) + _PLACE_BONUS * (1 + 1 / (1 + texts.place))
        lengths = np.array([len(text) + 1 for text in document.texts], dtype=np.float64)
        if texts.is_long:
            values: Values = relevance**_LONG_POWER * lengths
        else:
            values = relevance**_SHORT_POWER * lengths**_LENGTH_POWER
        return np.where(related, values, 0.0) if related.any() else values

    def _by_words(self, texts: "_Texts", question: "_Question") -> tuple[Values, Values]:
        """Return the share of the question that each sentence and its neighbors speak about, and what its source adds.

        A word that recurs counts up to 2.2 times. One in a sentence twice as long as most counts a fifth less.
        """
        if not question.words:
            return np.zeros(len(texts)), np.zeros(len(texts))
        counts = question.counts + question.in_titles[texts.source]
        norm = 1.0 if texts.is_long else 1 + self.length_norm * (texts.lengths / (texts.lengths.mean() or 1.0) - 1)
        shares = counts * (self.saturation + 1) / (counts + self.saturation * np.reshape(norm, (-1, 1)))
        present = np.minimum(question.counts, 1)
        in_source = np.zeros((texts.sources, len(question.words)))
        np.maximum.at(in_source, texts.source, present)
        beside = np.zeros_like(shares)
        beside[1:] += present[:-1] * texts.follows[:, None]
        beside[:-1] += present[1:] * texts.follows[:, None]
        shares += self.neighbor_weight * beside * texts.is_prose[:, None]
        weights = question.weights / question.weights.sum()
        return shares @ weights, self.source_weight * (in_source @ weights)[texts.source]

    def _by_vectors(
        self, encoder: Encoder, texts: "_Texts", query: str, relevance: Values, question: "_Question"
    ) -> Values:
        """Return the cosine of each sentence and the question, at least 0.

        Where the words of the question are mostly in the texts, only the first sentences by `relevance` get a vector.
        """
        chosen = np.arange(len(texts))
        if len(chosen) > _MOST_VECTORS and question.share_in_texts > _MOST_OF_QUESTION:
            chosen = np.sort(np.argsort(-relevance, kind="stable")[:_MOST_VECTORS])
        # Together, because the columns of some encoders mean something only within one call.
        vectors = encoder.encode([query, *(texts.document.texts[i] for i in chosen.tolist())])
        cosines = np.zeros(len(texts))
        cosines[chosen] = np.maximum(vectors[1:] @ vectors[0], 0.0)
        return cosines

    def _by_links(self, texts: "_Texts", question: "_Question", relevance: Values) -> Values:
        """Return what sentences gain because the most relevant ones, or the question, name them."""
        if texts.sources < 2:
            return np.zeros(len(texts))
        leaders = np.argsort(-relevance, kind="stable")[: self.leaders]
        trust = (relevance[leaders] / (relevance[leaders[0]] or 1.0)) ** _TRUST_POWER
        titles = np.zeros(texts.sources)
        names: Counter[str] = Counter()
        for leader, weight in zip(leaders.tolist(), trust.tolist(), strict=True):
            for source in texts.sources_in(set(texts.stems[leader])):
                if source != texts.source[leader]:
                    titles[source] = max(titles[source], weight)
            for name in texts.names(leader) - question.stems:
                if texts.frequency[name] > 1:
                    names[name] += weight * float(texts.rarity(texts.frequency[name]))
        gain = titles[texts.source] * np.where(texts.place == 0, _FIRST_SENTENCE, 1.0)
        total = sum(names.values())
        if total:
            gain += _NAME_SHARE * texts.sums(names) / total * ~np.isin(texts.source, texts.source[leaders])
        linked: Values = self.link_weight * gain
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
        self.frequency = Counter({stem: len(rows) for stem, rows in self._sentences_with.items()})
        headings = [source.heading for source in document.sources] if isinstance(document, Collection) else [""]
        self.titles = [set(stemmed(heading, part.language)) for heading, part in zip(headings, parts, strict=True)]
        self._titles_with = _by_stem(self.titles)

    def __len__(self) -> int:
        return len(self.stems)

    def rarity(self, frequency: int | Values) -> Values:
        """Return the weight of a word by the number of sentences that have it."""
        weight: Values = np.log(1 + (len(self) - frequency + 0.5) / (np.asarray(frequency) + 0.5))
        return weight

    def sources_in(self, sentence: set[str]) -> list[int]:
        """Return the sources whose titles are in the stems of a sentence, all or most of their weight."""
        shares: Counter[int] = Counter()
        for stem in sentence & self._titles_with.keys():
            weight = float(self.rarity(self.frequency[stem]))
            for source in self._titles_with[stem]:
                shares[source] += weight  # type: ignore[assignment]
        totals = {i: sum(float(self.rarity(self.frequency[stem])) for stem in self.titles[i]) for i in shares}
        return [source for source, share in shares.items() if share >= _TITLE_SHARE * totals[source]]

    def names(self, sentence: int) -> set[str]:
        """Return the stems of a sentence's names and numbers: capitalized words within it; in Chinese, all words."""
        if (language := self.languages[self.source[sentence]]) == "zh":
            return set(self.stems[sentence])
        words = _WORD.findall(self.document.texts[sentence])
        return set(stemmed(" ".join(w for w in words[1:] if w[0].isupper() or w[0].isdigit()), language))

    def with_new_number(self, query: str) -> NDArray[np.bool_]:
        """Return which sentences have a number that the question asks for: a new one, and a year only if it may be."""
        in_query, texts = set(_NUMBER.findall(query)), self.document.texts
        if _FOR_DATE.search(query):
            rows: Iterable[list[str]] = map(_NUMBER.findall, texts)
        elif _FOR_NUMBER.search(query):
            rows = (_NUMBER.findall(_YEAR.sub("", text)) for text in texts)
        else:
            return np.zeros(len(self), dtype=np.bool_)
        return np.array([not in_query.issuperset(numbers) for numbers in rows])

    def most_alike(self, word: str) -> Values:
        """Return how much of a word is in each sentence, by the word there that is most alike."""
        head, shares = word[:HEAD], np.zeros(len(self))
        for stem, rows in self._sentences_with.items():
            if (stem.startswith(head) or word in stem or stem in word) and (share := alike(word, stem)):
                shares[rows] = np.maximum(shares[rows], share)
        return shares

    def sums(self, weights: Counter[str]) -> Values:
        """Return the sum of the weights of each sentence's words."""
        totals = np.zeros(len(self))
        for stem, weight in weights.items():
            totals[self._sentences_with[stem]] += weight
        return totals


class _Question:
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
        self.counts = _counts(texts.stems, column)
        for word in self.words:
            if not texts.frequency[word]:
                self.counts[:, column[word]] = texts.most_alike(word)
        self.in_titles = np.minimum(_counts(texts.titles, column), 1)
        frequency = np.minimum(self.counts + self.in_titles[texts.source], 1).sum(axis=0)
        self.weights = texts.rarity(frequency)
        # By weight, the share of the question that is anywhere in the texts.
        self.share_in_texts = float(self.weights[frequency > 0].sum() / self.weights.sum()) if self.words else 0.0


def _by_stem(rows: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    """Return the numbers of the rows that have each stem."""
    numbers = defaultdict[str, list[int]](list)
    for number, row in enumerate(rows):
        for stem in row:
            numbers[stem].append(number)
    return numbers


def _counts(rows: Sequence[Iterable[str]], column: dict[str, int]) -> Values:
    """Return how often each row has each word, [rows, columns], given the column of each word that counts."""
    counts = np.zeros((len(rows), len(column)))
    for row_counts, row in zip(counts, rows, strict=True):
        for stem in row:
            if stem in column:
                row_counts[column[stem]] += 1
    return counts


def _at_least(share: float, figures: Values) -> NDArray[np.bool_]:
    """Return which figures are above 0, and at least this share of the largest."""
    enough: NDArray[np.bool_] = (figures > 0) & (figures >= share * figures.max())
    return enough


def stemmed(text: str, language: Language) -> list[str]:
    """Return the stems of a text's words.

    >>> stemmed("Verstärkungen", "other"), stemmed("the floods", "en")
    (['verstä'], ['the', 'flood'])
    """
    return _cut(stems(all_words(text, language), language), language)


def _cut(words: Iterable[str], language: Language) -> list[str]:
    return [stem[:_PREFIX] for stem in words] if language == UNKNOWN else list(words)
