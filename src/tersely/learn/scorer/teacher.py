"""Whom a scorer may learn from without labels: a scorer on words and a selector, tuned to the corpus by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Matrix
from tersely.errors import UsageError
from tersely.score import SCORERS, Scorer, Values
from tersely.select import SELECTORS, Problem, Selector
from tersely.text import Document
from tersely.text.weights import term_weights

# Beyond this place in the text, later is no worse any more: as in the coverage scorer.
_FAR = 15
# So many documents tell a corpus's bias well enough.
_ENOUGH = 1000


@dataclass(frozen=True)
class Repeated:
    """How much a sentence says of what is said more than once, times exp(-lead x position); no other bias of position.

    The coverage scorer also weighs words by where they stand, which is a bias before anything was learned.
    """

    lead: float = 0.0

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "coverage:decay=1,once=0"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values."""
        weights = term_weights(document, decay=1.0, once=0.0)
        content = np.array([weights[ids].sum() for ids in document.terms.sentences])
        values: Values = (content + 1e-3) * np.exp(-self.lead * np.minimum(np.arange(len(document)), _FAR))
        return values


@dataclass(frozen=True)
class Teacher:
    """A scorer on words and a selector."""

    scorer: Scorer
    selector: Selector

    @classmethod
    def load(cls, scorer: str, selector: str) -> "Teacher":
        """Make both by their names; the scorer may be `repeated`, too."""
        part = Repeated() if scorer == "repeated" else SCORERS.create(scorer)
        if part.encoder is not None:
            raise UsageError(f"the teacher '{scorer}' needs vectors: choose one that works on the words")
        return cls(part, SELECTORS.create(selector))

    def values(self, document: Document) -> Values:
        """Return its values of the sentences."""
        return self.scorer.score(document, np.empty((len(document), 0), np.float32))

    def choose(self, document: Document, values: Values, capacity: int) -> tuple[int, ...]:
        """Return what it selects within a budget in characters."""
        chars = np.array([len(text) for text in document.texts], dtype=np.int64)
        return self.selector(Problem(values, chars, capacity, separator(document), document=document)).chosen

    def tuned(self, documents: Sequence[Document], budgets: Sequence[int], rounds: int) -> "Teacher":
        """Let the scorer find the corpus's bias of position: `lead`, its one smooth parameter.

        It begins without a bias. In each round it selects, the decay that makes these selections likeliest is found,
        and it selects again with that. News gets a bias to its beginning so, and other texts another or none; a free
        choice of positions would run away instead.
        """
        if not hasattr(self.scorer, "lead"):
            raise UsageError("only a teacher with a setting 'lead', such as coverage, can be tuned to the corpus")
        few = slice(0, None, max(1, len(documents) // _ENOUGH))
        teacher, lead = self, 0.0
        for _ in range(rounds):
            teacher = replace(self, scorer=cast(Scorer, replace(cast(Any, self.scorer), lead=lead)))
            chosen = [
                teacher.choose(document, teacher.values(document), budget)
                for document, budget in zip(documents[few], budgets[few], strict=True)
            ]
            lead = likeliest_decay([len(document) for document in documents[few]], chosen)
        return replace(self, scorer=cast(Scorer, replace(cast(Any, self.scorer), lead=round(lead, 4))))


def likeliest_decay(counts: Sequence[int], chosen: Sequence[Sequence[int]]) -> float:
    """Return the a that makes the choices likeliest, where P(sentence j) is proportional to exp(-a min(j, 15)).

    The likelihood is concave, so Newton's method finds the one maximum; a stays within bounds where all choose alike.
    """
    place = np.minimum(np.arange(max(counts, default=1)), _FAR).astype(np.float64)  # [n]
    there = np.arange(len(place)) < np.array(counts)[:, None]  # [D, n]
    weights = np.array([len(one) for one in chosen], dtype=np.float64)  # [D]
    observed = sum(float(place[list(one)].sum()) for one in chosen)
    decay = 0.0
    for _ in range(50):
        likely: NDArray[np.float64] = np.exp(-decay * place) * there
        likely /= likely.sum(axis=1, keepdims=True)
        mean = likely @ place  # [D]
        spread = weights @ (likely @ place**2 - mean**2)
        if spread <= 1e-9:
            break
        step = (weights @ mean - observed) / spread
        decay = float(np.clip(decay + np.clip(step, -0.2, 0.2), -1.0, 2.0))
        if abs(step) < 1e-6:
            break
    return decay


def separator(document: Document) -> int:
    """Return how long what stands between two sentences is."""
    return 0 if document.language == "zh" else 1
