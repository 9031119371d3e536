"""Similarity to the centroid of the document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.encode import DEFAULT_ENCODER, unit_rows
from tersely.score import Matrix, Values
from tersely.text.document import Document

__all__ = ["Centroid"]


@dataclass(frozen=True)
class Centroid:
    """Similarity of a sentence to the mean of all sentences, by cosine (Radev et al., 2004)."""

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return cosines; a negative one means that the sentence points away from the rest."""
        unit = unit_rows(vectors)
        centroid = unit.mean(axis=0)
        return np.asarray(unit @ (centroid / (np.linalg.norm(centroid) or 1.0)), dtype=np.float64)
