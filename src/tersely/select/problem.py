"""What a selector is asked, and what it answers."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.text import Document

Values = NDArray[np.float64]
Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """Choose sentences of high value that fit: the sum of (length + separator) is at most capacity + separator.

    The separator stands between sentences, never after the last one, which is why the capacity has one more.
    `include` are sentences that must be in, `exclude` those that must not. Values may be of any sign;
    a sentence of value 0 or less is never chosen unless it is included.
    """

    values: Values
    lengths: Lengths
    capacity: int
    separator: int = 0
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    document: Document | None = None

    def with_capacity(self, capacity: int) -> "Problem":
        """Return the same question for another budget."""
        return replace(self, capacity=capacity)

    def length(self, chosen: tuple[int, ...]) -> int:
        """Return the length of the chosen sentences, joined."""
        if not chosen:
            return 0
        return int(self.lengths[list(chosen)].sum()) + self.separator * (len(chosen) - 1)


@dataclass(frozen=True)
class Selection:
    """The chosen sentences, ascending, and the smallest capacity known to give the same choice."""

    chosen: tuple[int, ...]
    stable: int


Selector = Callable[[Problem], Selection]
