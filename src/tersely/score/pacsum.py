"""Centrality that knows the direction of reading."""

from dataclasses import dataclass
from typing import ClassVar

from tersely.score import Matrix, Values
from tersely.score._graph import directed_centrality
from tersely.text.document import Document

__all__ = ["PacSum"]


@dataclass(frozen=True)
class PacSum:
    """Similarity to later sentences counts for, to earlier ones against (Zheng and Lapata, 2019).

    `lambda1` weighs the earlier sentences and is subtracted, `lambda2 = 1 - lambda1` the later ones; the paper's
    -2 and 1 are about 0.7 and 0.3 here. Values are shifted so that the lowest is zero, since a
    knapsack never takes a sentence of negative value.
    """

    beta: float = 0.0
    lambda1: float = 0.7

    encoder: ClassVar[str | None] = "use"
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the directed centralities, from zero up."""
        earlier, later = directed_centrality(vectors @ vectors.T, self.beta)
        centrality: Values = (1 - self.lambda1) * later - self.lambda1 * earlier
        values: Values = centrality - centrality.min()
        return values
