"""The beginning of the text."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.score import Matrix, Values
from tersely.text.document import Document

__all__ = ["Lead"]


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
