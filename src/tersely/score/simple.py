"""Scorers that need no vectors: repeated words, the beginning of the text, and chance."""

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from tersely.errors import UsageError
from tersely.score import Matrix, Values
from tersely.text.document import Document
from tersely.text.words import term_weights

_DECAY = 0.97


@dataclass(frozen=True)
class Coverage:
    """Total weight of a sentence's content words, highest for words the text repeats, times (1 + place)^-|bias|.

    The place is counted from the beginning, or from the end if the bias is negative, and words weigh less the further
    from there they occur. Without a bias, places do not matter. Values grow with content, so that a knapsack does not
    prefer many short sentences.
    """

    bias: float = 0.4

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "coverage"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values, close to zero for a sentence without content words."""
        return self.values(document)

    def values(self, document: Document) -> Values:
        """Return what `score` returns: vectors do not matter."""
        weights = self.weights(document)
        values: Values = (document.terms.sums(weights) + 1e-3) * self.places(len(document))
        return values

    def weights(self, document: Document) -> Values:
        """Return the weight of each term of the document."""
        return term_weights(document.terms, _DECAY if self.bias else 1.0, from_end=self.bias < 0)

    def places(self, count: int) -> Values:
        """Return the factor for the place of each of `count` sentences, at most 1."""
        place = np.arange(count, dtype=np.float64)
        counts: Values = (1 + (place if self.bias >= 0 else place[::-1])) ** -abs(self.bias)
        return counts


@dataclass(frozen=True)
class Lead:
    """Earlier sentences first: the baseline that is hard to beat on news."""

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values that fall so steeply that even a knapsack fills from the beginning."""
        position = np.arange(len(document), dtype=np.float64)
        # The second term keeps late sentences distinct where the first underflows.
        return np.exp(-2 * position / 3) + 1e-9 / (1 + position)


@dataclass(frozen=True)
class Random:
    """Random values, always the same for the same text and seed."""

    seed: int = 42

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "knapsack"

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise UsageError(f"seed must be 0 or more, not {self.seed}")

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return uniform values in [0, 1)."""
        key = crc32(document.text.encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key]).random(len(document))
