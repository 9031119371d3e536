"""Centrality that tells later sentences from earlier ones."""

from dataclasses import dataclass
from typing import ClassVar

from tersely.encode import DEFAULT_ENCODER
from tersely.score import Matrix, Values
from tersely.score._graph import directed_centrality, products
from tersely.text.document import Document

__all__ = ["PacSum"]


@dataclass(frozen=True)
class PacSum:
    """Directed centrality: similarity to later sentences minus that to earlier ones (Zheng and Lapata, 2019).

    Similarity to earlier sentences has the weight `lambda1`, to later ones `lambda2 = 1 - lambda1`; the paper's -2
    and 1 are about 0.7 and 0.3 here. Values are shifted so that the lowest is zero, since a knapsack never takes a
    sentence of negative value.
    """

    beta: float = 0.0
    lambda1: float = 0.7

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the directed centralities, all zero or more."""
        earlier, later = directed_centrality(products(vectors), self.beta)
        centrality: Values = (1 - self.lambda1) * later - self.lambda1 * earlier
        values: Values = centrality - centrality.min()
        return values
