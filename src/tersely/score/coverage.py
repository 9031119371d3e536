"""How much of what the text keeps coming back to a sentence says."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.encode import Matrix
from tersely.score.scorer import Values
from tersely.text import Document
from tersely.text.weights import term_weights

__all__ = ["Coverage"]

# Beyond this place in the text, later is no worse any more.
_FAR = 15


@dataclass(frozen=True)
class Coverage:
    """The weight of a sentence's content words, those said early and often weighing most; earlier is better.

    Values grow with content, so that a knapsack does not prefer many short sentences. `lead` is the decay of the
    position's factor, exp(-lead * position).
    """

    lead: float = 0.15

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "coverage"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values, a sentence without a content word close to zero."""
        weights = term_weights(document)
        content = np.array([weights[ids].sum() for ids in document.terms.sentences])
        position = np.minimum(np.arange(len(document)), _FAR)
        return (content + 1e-3) * np.exp(-self.lead * position)
