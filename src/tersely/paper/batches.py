"""Documents as batches of tensors, with the choices of the teacher that a scorer can learn from without labels.

Each batch is a pure function of the seed and the step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.encode import Encoder, Matrix
from tersely.errors import UsageError
from tersely.learn.bias import bias_of
from tersely.paper.config import ScorerConfig
from tersely.paper.perturbed import SharedRows
from tersely.score import SCORERS, Scorer, Values
from tersely.score.classic import Coverage
from tersely.score.learned import features
from tersely.select import SELECTORS, Problem, Selector
from tersely.text import Document
from tersely.text.language import separator


@dataclass(frozen=True)
class Teacher:
    """A scorer on words and a selector."""

    scorer: Scorer
    selector: Selector

    @classmethod
    def load(cls, scorer: str, selector: str) -> "Teacher":
        """Create both by name."""
        part = SCORERS.create(scorer)
        if part.encoder is not None:
            raise UsageError(f"the teacher '{scorer}' needs vectors: choose one that works on words")
        return cls(part, SELECTORS.create(selector))

    @property
    def specs(self) -> tuple[str, str]:
        """The specs that create both again."""
        return SCORERS.spec(self.scorer), SELECTORS.spec(self.selector)

    def values(self, document: Document) -> Values:
        """Return its values of the sentences."""
        return self.scorer.score(document, np.empty((len(document), 0), np.float32))

    def choose(self, document: Document, values: Values, capacity: int) -> tuple[int, ...]:
        """Return the sentences that it selects within a budget in characters."""
        chars = np.array([len(text) for text in document.texts], dtype=np.int64)
        return self.selector(Problem(values, chars, capacity, _separator(document), document=document)).chosen

    def tuned(self, documents: Sequence[Document], share: float) -> "Teacher":
        """Give coverage the position bias of the documents, for summaries that keep this share of a text."""
        if not isinstance(self.scorer, Coverage):
            raise UsageError("only the teacher 'coverage' can be tuned to the corpus: set teacher_tuned to false")
        return replace(self, scorer=Coverage(bias_of(documents, share)))


def make_teacher(config: ScorerConfig, documents: Sequence[Document], budgets: Sequence[int]) -> Teacher | None:
    """Return the teacher, tuned to the documents and the budgets of their summaries; None if none is needed."""
    settings = config.objective
    if not (settings.imitation or settings.words):
        return None
    teacher = Teacher.load(settings.teacher_scorer, settings.teacher_select)
    if not settings.teacher_tuned:
        return teacher
    shares = [min(budget / len(document.text), 1.0) for document, budget in zip(documents, budgets, strict=True)]
    return teacher.tuned(documents, sum(shares) / len(shares))


def make_words(config: ScorerConfig, teacher: Teacher | None) -> Coverage | None:
    """Return the scorer that weighs the words of a document; None if the objective `words` is not used."""
    if teacher is None or not config.objective.words:
        return None
    if not isinstance(teacher.scorer, Coverage):
        raise UsageError("the objective 'words' counts as coverage does: set teacher_scorer to 'coverage'")
    return teacher.scorer


def _separator(document: Document) -> int:
    return len(separator(document.language))


class DocumentBatch(NamedTuple):
    """B documents, padded to the n sentences of the longest one."""

    vectors: Tensor  # float [B, n, d], first level
    features: Tensor  # float [B, n, f]
    chars: Tensor  # float [B, n], at least 1
    lengths: Tensor  # int [B, n], with the separator
    capacities: Tensor  # int [B], with one separator
    mask: Tensor  # bool [B, n], True where there is a sentence
    target: Tensor  # bool [B, n], the choice of the teacher or the labels; empty without either
    says: Tensor  # float [B, n, t], how much a sentence counts for a term that it says, by its place; otherwise 0
    weights: Tensor  # float [B, t], how much the terms matter; t is 0 unless the objective `words` is used
    rows: SharedRows | None = None  # of a batch that several processes share


class _DocumentFacts(NamedTuple):
    """The parts of a batch that are computed once per document."""

    order: NDArray[np.intp]  # of its sentences
    features: Matrix
    chars: NDArray[np.int64]
    values: Values | None  # the teacher's, in the text's own order


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents, the encoder of their vectors, and everything else that a configuration needs of them.

    `orders` has a new order of sentences for the documents that are shuffled. Their features are those of the shuffled
    text. The choice of the teacher and the weights of words are those of the original text, so the network can learn
    them from the words only.
    """

    documents: Sequence[Document]
    encoder: Encoder
    features: tuple[str, ...] = ()
    teacher: Teacher | None = None
    labels: Sequence[tuple[int, ...]] = ()
    words: Coverage | None = None
    orders: Mapping[int, NDArray[np.intp]] = field(default_factory=dict)
    _facts: dict[int, _DocumentFacts] = field(default_factory=dict, init=False, repr=False)

    def batch(self, numbers: Sequence[int], capacities: Sequence[int]) -> DocumentBatch:
        """Return some of the documents, each with a budget in characters."""
        facts = [self._look(number) for number in numbers]
        size, longest = len(numbers), max(len(fact.chars) for fact in facts)
        # Not kept: they are large, and quick to compute.
        words = [_words(self.documents[number], self.words) for number in numbers]
        terms = max(len(weights) for _, weights in words)
        vectors = [self.encoder.encode(self.documents[number].texts) for number in numbers]
        batch = DocumentBatch(
            torch.zeros(size, longest, vectors[0].shape[1]),
            torch.zeros(size, longest, facts[0].features.shape[1]),
            torch.ones(size, longest),
            torch.zeros(size, longest, dtype=torch.int64),
            torch.tensor(capacities, dtype=torch.int64),
            torch.zeros(size, longest, dtype=torch.bool),
            torch.zeros(size, longest, dtype=torch.bool),
            torch.zeros(size, longest, terms),
            torch.zeros(size, terms),
        )
        for row, (number, fact, (says, weights)) in enumerate(zip(numbers, facts, words, strict=True)):
            document, count, order = self.documents[number], len(fact.chars), fact.order
            batch.vectors[row, :count] = torch.from_numpy(vectors[row][order])
            batch.features[row, :count] = torch.from_numpy(fact.features)
            batch.chars[row, :count] = torch.from_numpy(np.maximum(fact.chars, 1)).float()
            batch.lengths[row, :count] = torch.from_numpy(fact.chars + _separator(document))
            batch.capacities[row] += _separator(document)
            batch.mask[row, :count] = True
            batch.says[row, :count, : len(weights)] = torch.from_numpy(says[order])
            batch.weights[row, : len(weights)] = torch.from_numpy(weights)
            chosen: Sequence[int] = ()
            if self.labels:
                chosen = self.labels[number]
            elif self.teacher is not None and fact.values is not None:
                chosen = self.teacher.choose(document, fact.values, capacities[row])
            batch.target[row, :count] = torch.from_numpy(np.isin(order, chosen))
        return batch

    def _look(self, number: int) -> _DocumentFacts:
        if number not in self._facts:
            document = self.documents[number]
            values = self.teacher.values(document) if self.teacher else None
            order = self.orders.get(number, np.arange(len(document)))
            if number in self.orders:
                document = Document.from_sentences([document.texts[i] for i in order], document.language)
            chars = np.array([len(text) for text in document.texts], dtype=np.int64)
            self._facts[number] = _DocumentFacts(order, features(document, self.features), chars, values)
        return self._facts[number]


def _words(document: Document, coverage: Coverage | None) -> tuple[Matrix, Values]:
    """Return how much each sentence counts for each term that it says, [n, t], and how much the terms matter, [t]."""
    if coverage is None:
        return np.zeros((len(document), 0), np.float32), np.zeros(0)
    weights = coverage.weights(document)
    says = np.zeros((len(document), len(weights)), np.float32)
    for row, place, terms in zip(says, coverage.places(len(document)), document.terms.sentences, strict=True):
        row[terms] = place
    return says, weights


@dataclass(frozen=True)
class Order:
    """The order of the documents in training: each of them once per round, in a new order every round."""

    numbers: Sequence[int]
    batch: int
    seed: int
    shortest: int
    longest: int

    @classmethod
    def of(cls, numbers: Sequence[int], config: ScorerConfig) -> "Order":
        """Take the batch size, the seed and the range of budgets from a configuration."""
        training, selection = config.training, config.selection
        return cls(numbers, training.batch, training.seed, selection.shortest, selection.longest)

    def at(self, step: int) -> tuple[list[int], list[int]]:
        """Return the documents of a step and their budgets."""
        places = range(step * self.batch, (step + 1) * self.batch)
        count = len(self.numbers)
        rounds = range(places[0] // count, places[-1] // count + 1)
        orders = {r: np.random.default_rng([self.seed, 0, r]).permutation(count) for r in rounds}
        chosen = [self.numbers[orders[place // count][place % count]] for place in places]
        return chosen, self._budgets(1, step, self.batch)

    def documents_of(self, steps: int) -> Sequence[int]:
        """Return the documents of the first `steps` steps: a short run need not encode a whole corpus."""
        if steps * self.batch >= len(self.numbers):
            return self.numbers
        return [number for step in range(steps) for number in self.at(step)[0]]

    def fixed(self) -> list[tuple[list[int], list[int]]]:
        """Return all documents in batches, with the same budgets every time."""
        budgets = self._budgets(2, 0, len(self.numbers))
        cuts = [slice(first, first + self.batch) for first in range(0, len(self.numbers), self.batch)]
        return [(list(self.numbers[cut]), budgets[cut]) for cut in cuts]

    def _budgets(self, stream: int, step: int, count: int) -> list[int]:
        drawn = np.random.default_rng([self.seed, stream, step]).integers(self.shortest, self.longest + 1, count)
        return [int(budget) for budget in drawn]
