"""What each sentence is worth as part of the answer to a question."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import exp, log
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Encoder
from tersely.encode.light import pieces
from tersely.score import Answer, Values
from tersely.score.matching import Question, QuestionedTexts
from tersely.text.document import Document
from tersely.text.language import detect_language

# The numbers of this module were set by hand. docs/context.md measures them on questions of HotpotQA, XQuAD, RGB, QMSum
# and SQuALITY; `length_norm` and `meaning_weight` were compared on halves of these questions.

# What tells whether a text answers: fitted on questions with and without an answer by `benchmarks/confidence.py`.
CONFIDENCE = Path(__file__).with_name("confidence.json")

# Where words find most of the question, only this many of the sentences they find first get a vector: a second's work.
_MOST_VECTORS, _MOST_OF_QUESTION = 256, 0.5
# The value of a sentence is relevance^8 * length in a long text, and relevance^4 * length^0.3 in a short one.
_LONG_POWER, _SHORT_POWER, _LENGTH_POWER = 8, 4, 0.3
# A sentence is worth something if its cosine is at least this share of the largest one, or its meaning at least this
# part of the way from the mean to the nearest.
_LEAST_COSINE, _LEAST_MEANING = 0.5, 0.5
# If nothing answers, what is nearest is worth at least this share of the very nearest.
_NEAREST = 0.5
# The cosine of a piece and itself, but for rounding. Where all sentences are alike, none stands out.
_ALIKE, _LEAST_DEVIATION = 0.99, 0.01
# What only fills the room that is left is worth this part of the least that has to do with the question.
_FILLING = 1e-3
# What the place of a sentence adds to its relevance, at most twice: it decides between equals.
_PLACE_BONUS = 0.02
# The most relevant sentences count by this power of their relevance for what they name.
_TRUST_POWER = 4
# The first sentence of a source says what its title stands for, and gains more. A name gains less than a title.
_FIRST_SENTENCE, _NAME_SHARE = 2.0, 0.3


@dataclass(frozen=True)
class Answering:
    """Values sentences by what they say about a question: by words, by meaning, and by links between sources.

    A sentence is relevant by its own words and those of its source's title (as in BM25, with `saturation` for k1 and
    `length_norm` for b). The words of the sentences beside it count `neighbor_weight`, those of the heading above it
    `heading_weight`, those elsewhere in its source `source_weight`. What it means, by vectors of word pieces, counts
    `meaning_weight`, and the cosine of its vector and the question's `vector_weight`, if there is an encoder. In a
    second step, what the `leaders` name, the most relevant sentences, becomes relevant, too, by `link_weight`: sources
    whose titles they name, and sentences of other sources with the same names. If the question asks for a number or a
    date, a sentence with one is more relevant by the share `number_bonus`.

    In one long text, an answer is spread over many sentences: the value is relevance^8 times length, and the knapsack,
    which is exact, fills the budget with what is most relevant. In several sources or a short text, an answer is a fact
    or two, in short sentences as often as in long ones. There, a word counts less in a long sentence, the value is
    relevance^4 times length^0.3, and a long sentence makes room for several that are almost as good.

    A heading or a caption answers nothing. Another sentence is worth nothing if all that speaks for it is less than
    `least_share` of what speaks for the best one, by words and links, and little by meaning and vectors: room stays
    free rather than be filled with what nobody asked for. If nothing in the text answers, only what is nearest to the
    best one is worth something.
    """

    select: ClassVar[str] = "knapsack"  # the selector that suits these values
    encoder: Encoder | None = None
    neighbor_weight: float = 0.2
    heading_weight: float = 0.5
    source_weight: float = 0.2
    meaning_weight: float = 0.3
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
        parts = [*settings, self.select, json.dumps(_constants()), self.encoder.fingerprint if self.encoder else ""]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    def answer(self, document: Document, query: str, fill: bool = False) -> Answer:
        """Return one value per sentence, at least 0, and how sure it is that the text answers.

        With `fill`, what has nothing to do with the question is worth a little, the beginnings of sources most.
        """
        texts = QuestionedTexts(document)
        if not texts.can_answer.any():
            return Answer(np.zeros(len(texts)), 0.0, answers=False)
        question = Question(texts, query)
        nearness = pieces().nearness(query, document.texts, document.chunks)
        relevance, related = self._relevance(texts, question, query, nearness)
        signs = _signs(texts, question, relevance, nearness)
        constants = _constants()["native" if detect_language(query) == document.language else "foreign"]
        confidence = chance(constants, signs)
        answers = confidence >= constants["threshold"]
        if not answers:
            related &= relevance >= _NEAREST * relevance.max()
        # Between equals, the beginnings of sources are better.
        relevance = relevance / (relevance.max() or 1.0) + _PLACE_BONUS * (1 + 1 / (1 + texts.place))
        lengths = np.array([len(text) + 1 for text in document.texts], dtype=np.float64)
        if texts.is_long:
            values: Values = relevance**_LONG_POWER * lengths
        else:
            values = relevance**_SHORT_POWER * lengths**_LENGTH_POWER
        least = values[related].min() if related.any() else 1.0
        filling = _FILLING * least / (1 + texts.place) if fill else 0.0
        values = np.where(related, values, np.where(texts.can_answer, filling, 0.0))
        return Answer(values, confidence, answers)

    def signs(self, document: Document, query: str) -> dict[str, float]:
        """Return what tells whether a text answers a question, by name; nothing if it has no sentence that could."""
        texts = QuestionedTexts(document)
        if not texts.can_answer.any():
            return {}
        question, nearness = Question(texts, query), pieces().nearness(query, document.texts, document.chunks)
        return _signs(texts, question, self._relevance(texts, question, query, nearness)[0], nearness)

    def _relevance(
        self, texts: QuestionedTexts, question: Question, query: str, nearness: Values
    ) -> tuple[Values, NDArray[np.bool_]]:
        """Return how relevant each sentence is, and which have to do with the question."""
        by_words, by_source = self._by_words(texts, question)
        by_meaning = meaning(nearness)
        relevance = by_words + by_source + self.meaning_weight * by_meaning
        # The less of the question the words of the texts find, the more is left to meaning.
        average, least = by_meaning.mean(), _LEAST_MEANING * question.share_in_texts
        related = by_meaning > average + least * (by_meaning.max() - average)
        if self.encoder is not None:
            cosines = self._by_vectors(self.encoder, texts, query, relevance, question)
            relevance += self.vector_weight * cosines
            related |= _at_least(_LEAST_COSINE, cosines)
        relevance *= texts.can_answer
        links = self._by_links(texts, question, relevance) * texts.can_answer
        related |= _at_least(self.least_share, by_words + links)
        relevance += links
        if question.numbers is not None:
            relevance *= np.where(question.numbers, 1 + self.number_bonus, 1.0)
        return relevance, related & texts.can_answer

    def _by_words(self, texts: QuestionedTexts, question: Question) -> tuple[Values, Values]:
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
        prose, beside = present * texts.can_answer[:, None], np.zeros_like(shares)
        beside[1:] += prose[:-1] * texts.follows[:, None]
        beside[:-1] += prose[1:] * texts.follows[:, None]
        shares += self.neighbor_weight * beside
        headed = texts.heading >= 0
        shares[headed] += self.heading_weight * present[texts.heading[headed]]
        weights = question.weights / question.weights.sum()
        return shares @ weights, self.source_weight * (in_source @ weights)[texts.source]

    def _by_vectors(
        self, encoder: Encoder, texts: QuestionedTexts, query: str, relevance: Values, question: Question
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

    def _by_links(self, texts: QuestionedTexts, question: Question, relevance: Values) -> Values:
        """Return what sentences gain because the most relevant ones, or the question, name them."""
        if texts.sources < 2:
            return np.zeros(len(texts))
        leaders = np.argsort(-relevance, kind="stable")[: self.leaders]
        trust = (relevance[leaders] / (relevance[leaders[0]] or 1.0)) ** _TRUST_POWER
        titles = np.zeros(texts.sources)
        names: Counter[str] = Counter()
        for leader, weight in zip(leaders.tolist(), trust.tolist(), strict=True):
            for source in texts.sources_in(set(texts.stems(leader))):
                if source != texts.source[leader]:
                    titles[source] = max(titles[source], weight)
            for name in sorted(texts.names(leader) - question.stems):
                if texts.frequency[name] > 1:
                    names[name] += weight * float(texts.rarity(texts.frequency[name]))
        gain = titles[texts.source] * np.where(texts.place == 0, _FIRST_SENTENCE, 1.0)
        total = sum(names.values())
        if total:
            gain += _NAME_SHARE * texts.sums(names) / total * ~np.isin(texts.source, texts.source[leaders])
        linked: Values = self.link_weight * gain
        return linked


def _at_least(share: float, figures: Values) -> NDArray[np.bool_]:
    """Return which figures are above 0, and at least this share of the largest."""
    enough: NDArray[np.bool_] = (figures > 0) & (figures >= share * figures.max())
    return enough


def meaning(nearness: Values) -> Values:
    """Return how near each sentence comes to a question, from 0 to 1, given how near it comes to each of its pieces.

    As with rare words, a piece counts more if few sentences come near to it.
    """
    weights = nearness.max(axis=0) - nearness.mean(axis=0)
    total = weights.sum()
    shares: Values = (nearness * weights).sum(axis=1) / total if total > 0 else np.zeros(len(nearness))
    return shares.round(6)


def _signs(texts: QuestionedTexts, question: Question, relevance: Values, nearness: Values) -> dict[str, float]:
    """Return what tells whether a text answers a question: how the best sentence stands out, and what it lacks."""
    best = int(np.argmax(relevance))
    beside = [i for i in (best - 1, best, best + 1) if 0 <= i < len(texts) and texts.source[i] == texts.source[best]]
    weights = question.weights / (question.weights.sum() or 1.0)
    titled = question.in_titles[texts.source[best]]
    # A question without a letter or a digit has no pieces.
    nearness = nearness if nearness.shape[1] else np.zeros((len(texts), 1))
    means = nearness.mean(axis=1)
    return {
        "own words": float(np.minimum(question.counts[best] + titled, 1) @ weights),
        "words beside": float(np.minimum(question.counts[beside].sum(axis=0) + titled, 1) @ weights),
        "words anywhere": question.share_in_texts,
        "own meaning": float(means[best]),
        "meaning beside": float(nearness[beside].max(axis=0).mean()),
        "meaning anywhere": float(nearness.max(axis=0).mean()),
        "pieces anywhere": float((nearness.max(axis=0) > _ALIKE).mean()),
        "stands out": float((means.max() - means.mean()) / (means.std() + _LEAST_DEVIATION)),
        "sentences": log(len(texts)),
        "words": log(1 + len(question.words)),
        "number": 0.0 if question.numbers is None else 1.0 if question.numbers[best] else -1.0,
    }


@cache
def _constants() -> dict[str, Any]:
    constants: dict[str, Any] = json.loads(CONFIDENCE.read_text(encoding="utf-8"))
    return constants


def chance(constants: dict[str, Any], signs: dict[str, float]) -> float:
    """Return the chance that a text answers a question, by logistic regression."""
    logit = constants["bias"] + sum(weight * signs[name] for name, weight in constants["signs"].items())
    return round(1 / (1 + exp(-min(max(logit, -50.0), 50.0))), 4)
