"""Centrality by a random walk over links between sentences that share enough words."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.score import Matrix, Values
from tersely.score._graph import cosines, page_rank
from tersely.text.document import Document

__all__ = ["LexRank"]


@dataclass(frozen=True)
class LexRank:
    """PageRank over links between sentences whose tf-idf cosine exceeds a threshold (Erkan and Radev, 2004)."""

    threshold: float = 0.1
    damping: float = 0.85

    encoder: ClassVar[str | None] = "tfidf"
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the stationary weights, which sum to one."""
        links = cosines(vectors)
        np.greater(links, self.threshold, out=links, casting="unsafe")
        return page_rank(links, self.damping)
