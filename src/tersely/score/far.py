"""Directed centrality, weighted by how near a sentence is to the whole document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.encode import Matrix
from tersely.score.graph import directed_centrality, unit_rows
from tersely.score.scorer import Values
from tersely.text import Document

__all__ = ["Far"]


@dataclass(frozen=True)
class Far:
    """Facet-aware ranking: sim(s, d)^alpha * (lambda1 * f + lambda2 * b)^delta (Liang et al., 2021).

    The document d is the maximum over the sentence vectors; b is the mean similarity to later sentences and f one
    minus that to earlier ones, both over the threshold `beta`. The means, not sums, keep f from becoming negative.
    """

    alpha: float = 1.0
    beta: float = 0.0
    delta: float = 1.0
    lambda1: float = 0.5

    encoder: ClassVar[str | None] = "use"
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values from zero up."""
        unit = unit_rows(vectors)
        whole = vectors.max(axis=0)
        similarity = unit @ (whole / (np.linalg.norm(whole) or 1.0))
        earlier, later = directed_centrality(unit @ unit.T, self.beta)
        others = max(1, len(vectors) - 1)
        centrality = self.lambda1 * (1 - earlier / others) + (1 - self.lambda1) * later / others
        relevance = np.maximum(similarity, 0).astype(np.float64)
        values: Values = relevance**self.alpha * np.maximum(centrality, 0) ** self.delta
        return values
