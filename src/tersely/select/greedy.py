"""Selection by value, one by one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Indices, Problem, Selection, Values

__all__ = ["Greedy"]


@dataclass(frozen=True)
class Greedy:
    """Sentences in order of value, skipping those that do not fit.

    >>> Greedy()(Problem(np.array([0.9, 0.8, 0.7]), np.array([60, 50, 40]), capacity=100))
    Selection(chosen=(0, 2), stable=100)
    """

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        At a smaller capacity that still holds the choice, every chosen sentence still fits in turn and every skipped
        one still does not: the choice is stable down to its length.
        """
        return problem.selection(fill(problem, descending(problem.values, problem.candidates)))


def descending(keys: Values, candidates: Indices) -> Indices:
    """Return the candidates with the greatest key first, ties by position."""
    return candidates[np.argsort(-keys[candidates], kind="stable")]


def fill(problem: Problem, order: Indices) -> Iterator[int]:
    """Yield the sentences, in order, that fit in the room left by those before them."""
    room = problem.room
    for sentence, cost in zip(order.tolist(), problem.costs[order].tolist(), strict=True):
        if cost <= room:
            room -= cost
            yield sentence
