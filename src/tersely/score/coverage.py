"""How much of what the text repeats is in a sentence."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.score import Matrix, Values
from tersely.text.document import Document
from tersely.text.words import term_weights

__all__ = ["Coverage"]

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
