"""How much of what the text keeps coming back to a sentence says."""

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
    """The weight of a sentence's content words, those said often weighing most, times (1 + place)^-|bias|.

    The place is counted from the beginning, or from the end where the bias is negative; a word weighs the less the
    further from there it is said. Without a bias, places do not matter. Values grow with content, so that a knapsack
    does not prefer many short sentences.
    """

    bias: float = 0.4

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "coverage"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values, a sentence without a content word close to zero."""
        weights = self.weights(document)
        content = np.array([weights[ids].sum() for ids in document.terms.sentences])
        values: Values = (content + 1e-3) * self.places(len(document))
        return values

    def weights(self, document: Document) -> Values:
        """Return how much each term of the document matters."""
        return term_weights(document.terms, _DECAY if self.bias else 1.0, from_end=self.bias < 0)

    def places(self, count: int) -> Values:
        """Return how much the place of each of so many sentences counts, at most 1."""
        place = np.arange(count, dtype=np.float64)
        counts: Values = (1 + (place if self.bias >= 0 else place[::-1])) ** -abs(self.bias)
        return counts
