"""Centrality among similar sentences, by a random walk or by their number."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tersely.encode import DEFAULT_ENCODER
from tersely.score import Matrix, Values
from tersely.score._graph import cosines, page_rank, rounded
from tersely.text.document import Document

__all__ = ["TextRank"]


@dataclass(frozen=True)
class TextRank:
    """PageRank over the cosine similarities between all sentences (Mihalcea and Tarau, 2004).

    With `centrality=degree` the value of a sentence is the sum of its similarities to all others, shifted
    if the lowest sum is negative.
    """

    damping: float = 0.85
    centrality: Literal["pagerank", "degree"] = "pagerank"

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the stationary weights, which sum to one, or the degrees."""
        weights = cosines(vectors)
        np.fill_diagonal(weights, 0)
        if self.centrality == "degree":
            degrees: Values = weights.sum(axis=1, dtype=np.float64)
            return rounded(degrees - min(degrees.min(initial=0.0), 0.0))
        np.maximum(weights, 0, out=weights)
        return page_rank(weights, self.damping)
