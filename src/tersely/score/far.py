"""Directed centrality, weighted by similarity to the whole document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.encode import DEFAULT_ENCODER, unit_rows
from tersely.score import Matrix, Values
from tersely.score._graph import directed_centrality, products
from tersely.text.document import Document

__all__ = ["Far"]


@dataclass(frozen=True)
class Far:
    """Facet-aware ranking: similarity to the document^alpha times directed centrality^delta (Liang et al., 2021).

    The document's vector is the maximum over its sentence vectors. The centrality is PACSUM's, scaled to the range
    from 0 to 1 in each document, so that the two factors can be multiplied whatever the document's length. The
    authors' settings are not published: `lambda1` and `beta` are PACSUM's, and `alpha` was chosen on dev data, where
    the similarity to the document hurts more the more weight it has.
    """

    alpha: float = 0.1
    beta: float = 0.0
    delta: float = 1.0
    lambda1: float = 0.7

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values of zero or more."""
        unit = unit_rows(vectors)
        whole = vectors.max(axis=0)
        similarity = unit @ (whole / (np.linalg.norm(whole) or 1.0))
        earlier, later = directed_centrality(products(unit), self.beta)
        centrality = (1 - self.lambda1) * later - self.lambda1 * earlier
        centrality -= centrality.min()
        centrality /= centrality.max() or 1.0
        values: Values = np.maximum(similarity, 0).astype(np.float64) ** self.alpha * centrality**self.delta
        return values
