"""What a question and its sources have in common: words, names, titles, numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.languages import UNKNOWN, Language, alternatives, amounts, content_words
from tersely.score import Values
from tersely.text.blocks import Kind
from tersely.text.document import Document
from tersely.text.sources import Collection, parts_of
from tersely.text.words import HEAD, alike, all_words, stems

Places = NDArray[np.intp]

# The most words of a question that count; of a longer one, the rarest.
_MOST_WORDS = 64
# A text with no more sentences is short: like a passage, it answers in a sentence or two.
_SHORT = 50
# Without a stemmer, words with the same first letters count as the same.
_PREFIX = 6
# A title is named in a sentence that has this share of its weight.
_TITLE_SHARE = 0.6
# What an amount counts for a word that asks for a price.
_PRICE = 0.7
# What never answers. A row of a table, code or a quoted mail may.
_SILENT: frozenset[Kind] = frozenset(("heading", "caption", "signature", "header", "page", "rule"))

_WORD = re.compile(r"[^\W_][\w'’-]*")
_NUMBER = re.compile(r"\d+|[一二两三四五六七八九十百千万亿]+(?=[年月日个人名次只座家所])")
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"[12](?<![\d.,].)(?:(?<=1)\d|(?<=2)0)\d\d(?![\d,])")  # a digit first, which is found fast
# "US", "WHO" and "U.S." in a question are names, whatever the words in lowercase mean.
_CAPITALS = re.compile(r"\b(?:[A-Z]\.){2,}|\b[A-Z]{2,}\b")


def _question(field: str) -> re.Pattern[str]:
    """Return what a question of some kind says, in all languages whose packs have the field."""
    spaced, dense = alternatives(field, capitals=True), alternatives(field, capitals=False)
    return re.compile(rf"\b(?:{spaced})\b|{dense}", re.IGNORECASE)


_FOR_DATE, _FOR_NUMBER = _question("questions.when"), _question("questions.how_many")
_FOR_PRICE = _question("questions.price")


class QuestionedTexts:
    """The sentences of a document: their stems, their sources, and their places in there."""

    def __init__(self, document: Document) -> None:
        parts = parts_of(document)
        self.document, self.sources = document, len(parts)
        sizes = [len(part) for part in parts]
        self.source: Places = np.repeat(np.arange(len(parts)), sizes)
        self.place: Places = np.concatenate([np.arange(size) for size in (0, *sizes)])
        self.follows = (self.place[1:] > 0).astype(np.float64)  # whether a sentence follows the one before it
        self.can_answer = np.array([kind not in _SILENT for kind in document.kinds], np.bool_)
        self.heading = _headings(document.kinds, self.place)
        self.languages = [part.language for part in parts]
        self._words = document.renamed(_roots)
        self.lengths = np.bincount(self._words.sentence, minlength=len(self)).astype(np.float64)
        self.is_long = self.sources == 1 and len(self) > _SHORT
        sentence, stem = self._words.distinct()
        frequency = np.bincount(stem, minlength=len(self._words.vocabulary))
        self.frequency = Counter(dict(zip(self._words.vocabulary, frequency.tolist(), strict=True)))
        # The sentences that have each stem: those of the first stem, of the second, and so on, and where these end.
        self._sentences, self._ends = sentence[np.argsort(stem, kind="stable")], frequency.cumsum()
        self._number = {stem: number for number, stem in enumerate(self._words.vocabulary)}
        headings = [source.heading for source in document.sources] if isinstance(document, Collection) else [""]
        self.titles = [set(stemmed(heading, part.language)) for heading, part in zip(headings, parts, strict=True)]
        self._titles_with = _by_stem(self.titles)

    def __len__(self) -> int:
        return len(self.document)

    def stems(self, sentence: int) -> list[str]:
        """Return the stems of a sentence's words."""
        first, end = np.searchsorted(self._words.sentence, (sentence, sentence + 1)).tolist()
        return list(map(self._words.vocabulary.__getitem__, self._words.words[first:end].tolist()))

    def counts(self, stems: Sequence[str]) -> Values:
        """Return how often each sentence has each of some stems, [sentences, stems]."""
        column = np.full(len(self._number), -1)
        for k, stem in enumerate(stems):
            if stem in self._number:
                column[self._number[stem]] = k
        columns = column[self._words.words]
        cells = (self._words.sentence * len(stems) + columns)[columns >= 0]
        counted = np.bincount(cells, minlength=len(self) * len(stems)).astype(np.float64)
        return counted.reshape(len(self), len(stems))

    def _sentences_with(self, stem: str) -> Places:
        end = self._ends[self._number[stem]]
        return self._sentences[end - self.frequency[stem] : end]

    def rarity(self, frequency: int | Values) -> Values:
        """Return the weight of a word by the number of sentences that have it."""
        weight: Values = np.log(1 + (len(self) - frequency + 0.5) / (np.asarray(frequency) + 0.5))
        return weight

    def sources_in(self, sentence: set[str]) -> list[int]:
        """Return the sources whose titles are in the stems of a sentence, all or most of their weight."""
        shares: Counter[int] = Counter()
        for stem in sorted(sentence & self._titles_with.keys()):
            weight = float(self.rarity(self.frequency[stem]))
            for source in self._titles_with[stem]:
                shares[source] += weight  # type: ignore[assignment]
        totals = {i: sum(float(self.rarity(self.frequency[stem])) for stem in sorted(self.titles[i])) for i in shares}
        return [source for source, share in shares.items() if share >= _TITLE_SHARE * totals[source]]

    def names(self, sentence: int) -> set[str]:
        """Return the stems of a sentence's names and numbers: capitalized words within it; in Chinese, all words."""
        if (language := self.languages[self.source[sentence]]) == "zh":
            return set(self.stems(sentence))
        words = _WORD.findall(self.document.texts[sentence])
        return set(stemmed(" ".join(w for w in words[1:] if w[0].isupper() or w[0].isdigit()), language))

    def with_new_number(self, query: str) -> NDArray[np.bool_] | None:
        """Return which sentences have the number that a question asks for: a new one, and a year only if it may be."""
        for_date, in_query = _FOR_DATE.search(query), set(_NUMBER.findall(query))
        if not for_date and not _FOR_NUMBER.search(query):
            return None
        texts = self.document.texts if for_date else (_YEAR.sub("", text) for text in self.document.texts)
        rows = (_DIGITS.findall(text) if text.isascii() else _NUMBER.findall(text) for text in texts)
        return np.array([not in_query.issuperset(numbers) for numbers in rows])

    def most_alike(self, word: str) -> Values:
        """Return how much of a word is in each sentence, by the word there that is most alike."""
        head, shares = word[:HEAD], np.zeros(len(self))
        for stem in self._number:
            if (stem.startswith(head) or word in stem or stem in word) and (share := alike(word, stem)):
                rows = self._sentences_with(stem)
                shares[rows] = np.maximum(shares[rows], share)
        return shares

    def sums(self, weights: Counter[str]) -> Values:
        """Return the sum of the weights of each sentence's words."""
        totals = np.zeros(len(self))
        for stem, weight in weights.items():
            totals[self._sentences_with(stem)] += weight
        return totals


class Question:
    """The words of a question, how rare they are, and where they occur."""

    def __init__(self, texts: QuestionedTexts, query: str) -> None:
        language = texts.document.language
        words, names = all_words(query, language), _capitals(query, language)
        # A question of nothing but stop words is better than none.
        content = content_words(words, language) or (words if not names else [])
        distinct = dict.fromkeys([*_roots(content, language), *names])
        self.stems = set(distinct)
        rarest = sorted(distinct, key=lambda stem: texts.frequency[stem] or len(texts))
        self.words: Sequence[str] = rarest[:_MOST_WORDS]
        column = {stem: k for k, stem in enumerate(self.words)}
        self.counts = texts.counts(self.words)
        for word in self.words:
            if word in names:
                self.counts[:, column[word]] = [len(names[word].findall(text)) for text in texts.document.texts]
            elif not texts.frequency[word]:
                self.counts[:, column[word]] = texts.most_alike(word)
        for word in stemmed(" ".join(_FOR_PRICE.findall(query)), language):
            if word in column:  # an amount says what something costs
                stated = np.array([bool(amounts().search(text)) for text in texts.document.texts])
                self.counts[:, column[word]] = np.maximum(self.counts[:, column[word]], _PRICE * stated)
        self.numbers = texts.with_new_number(query)
        self.in_titles = np.array([[stem in title for stem in self.words] for title in texts.titles], np.float64)
        frequency = np.minimum(self.counts + self.in_titles[texts.source], 1).sum(axis=0)
        self.weights = texts.rarity(frequency)
        # By weight, the share of the question that is anywhere in the texts.
        self.share_in_texts = float(self.weights[frequency > 0].sum() / self.weights.sum()) if self.words else 0.0


def _capitals(query: str, language: Language) -> dict[str, re.Pattern[str]]:
    """Return the names in capitals that would else be no words: each with the pattern by which texts have it.

    >>> {name: pattern.pattern for name, pattern in _capitals("Did the WHO leave the U.S.?", "en").items()}
    {'WHO': '\\\\bW\\\\.?H\\\\.?O\\\\b', 'US': '\\\\bU\\\\.?S\\\\b'}
    """
    if query == query.upper():
        return {}
    names = dict.fromkeys(name.replace(".", "") for name in _CAPITALS.findall(query))
    dotted = {name.replace(".", "") for name in _CAPITALS.findall(query) if "." in name}
    lost = (name for name in names if name in dotted or not content_words([name.lower()], language))
    return {name: re.compile(r"\b" + r"\.?".join(name) + r"\b") for name in lost}


def _headings(kinds: Sequence[Kind], place: Places) -> Places:
    """Return the heading above each sentence, in its source, or -1."""
    above, headings = -1, []
    for i, (kind, first) in enumerate(zip(kinds, (place == 0).tolist(), strict=True)):
        above = i if kind == "heading" else -1 if first else above
        headings.append(above)
    return np.array(headings, np.intp)


def _by_stem(rows: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    """Return the numbers of the rows that have each stem."""
    numbers = defaultdict[str, list[int]](list)
    for number, row in enumerate(rows):
        for stem in row:
            numbers[stem].append(number)
    return numbers


def stemmed(text: str, language: Language) -> list[str]:
    """Return the stems of a text's words.

    >>> stemmed("Verstärkungen", "other"), stemmed("the floods", "en")
    (['verstä'], ['the', 'flood'])
    """
    return _roots(all_words(text, language), language)


def _roots(words: Sequence[str], language: Language) -> list[str]:
    """Return the stems of words; if there is no stemmer since the language is not known, their first letters."""
    return [word[:_PREFIX] for word in words] if language == UNKNOWN else stems(words, language)
