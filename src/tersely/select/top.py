"""Selection of the sentences of highest value."""

from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Problem, Selection
from tersely.select.greedy import descending

__all__ = ["Top"]


@dataclass(frozen=True)
class Top:
    """Sentences in order of value, up to the first that does not fit.

    If the budget counts sentences, this is top-k.

    >>> Top()(Problem(np.array([0.9, 0.8, 0.7]), np.array([60, 50, 40]), capacity=100))
    Selection(chosen=(0,), stable=60)
    """

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        At a smaller capacity that still holds the choice, the first sentence that did not fit still does not: the
        choice is stable down to its length.
        """
        order = descending(problem.values, np.flatnonzero(problem.free))
        fitting = np.searchsorted(np.cumsum(problem.costs[order]), problem.room, side="right")
        return problem.selection(order[:fitting].tolist())
