"""Random values, the floor of every comparison."""

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from tersely.errors import UsageError
from tersely.score import Matrix, Values
from tersely.text.document import Document

__all__ = ["Random"]


@dataclass(frozen=True)
class Random:
    """Random values, always the same for the same text and seed."""

    seed: int = 42

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "knapsack"

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise UsageError(f"seed must be 0 or more, not {self.seed}")

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return uniform values in [0, 1)."""
        key = crc32(document.text.encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key]).random(len(document))
