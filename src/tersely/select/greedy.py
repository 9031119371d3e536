"""By value, one by one."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Indices, Problem, Selection, Values

__all__ = ["Greedy"]


@dataclass(frozen=True)
class Greedy:
    """The sentences in the order of their values; what does not fit is skipped.

    >>> Greedy()(Problem(np.array([0.9, 0.8, 0.7]), np.array([60, 50, 40]), capacity=100))
    Selection(chosen=(0, 2), stable=100)
    """

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        With less capacity, but enough for the chosen, all of these still fit in turn and what was skipped still
        does not: the answer is stable down to its length.
        """
        return problem.selection(fill(problem, descending(problem.values, problem.candidates)))


def descending(keys: Values, candidates: Indices) -> Indices:
    """Return the candidates, the greatest key first, ties by position."""
    return candidates[np.argsort(-keys[candidates], kind="stable")]


def fill(problem: Problem, order: Indices) -> Iterable[int]:
    """Yield the sentences that fit, each after those before it."""
    room = problem.room
    for sentence, cost in zip(order.tolist(), problem.costs[order].tolist(), strict=True):
        if cost <= room:
            room -= cost
            yield sentence
