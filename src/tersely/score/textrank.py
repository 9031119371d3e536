"""Centrality by a random walk over similar sentences."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.score import Matrix, Values
from tersely.score._graph import cosines, page_rank
from tersely.text.document import Document

__all__ = ["TextRank"]


@dataclass(frozen=True)
class TextRank:
    """PageRank over the cosine similarities between all sentences (Mihalcea and Tarau, 2004)."""

    damping: float = 0.85

    encoder: ClassVar[str | None] = "use"
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the stationary weights, which sum to one."""
        weights = cosines(vectors)
        np.maximum(weights, 0, out=weights)
        np.fill_diagonal(weights, 0)
        return page_rank(weights, self.damping)
