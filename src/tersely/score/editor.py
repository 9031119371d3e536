"""What an editor would take, as a small network has learned it."""

from dataclasses import dataclass
from typing import ClassVar

from tersely.read import read
from tersely.score import Matrix, Values
from tersely.text.document import Document

__all__ = ["Editor"]


@dataclass(frozen=True)
class Editor:
    """The share of a text's worth that each sentence has, by the network that also reads needs and noise."""

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values that sum to 1."""
        return read(document).worth
