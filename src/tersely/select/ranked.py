"""Selectors that go through the sentences once: by value, or by value for length."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Indices, Problem, Selection, Values, to_whole_numbers


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


@dataclass(frozen=True)
class Density:
    """Sentences in order of value / length^power, or the single best sentence if it is worth more.

    With power 1, the choice is worth at least half of the best possible (the textbook bound of the knapsack).

    >>> Density()(Problem(np.array([0.3, 0.9]), np.array([10, 100]), capacity=100))
    Selection(chosen=(1,), stable=100)
    """

    power: float = 1.0

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        candidates = problem.candidates
        if not len(candidates):
            return problem.selection(())
        values = to_whole_numbers(problem.values)
        density = values / np.maximum(problem.costs, 1) ** self.power
        many = list(fill(problem, descending(density, candidates)))
        single = int(candidates[np.argmax(values[candidates])])
        return better(problem, many, float(values[many].sum()), single, float(values[single]))


def better(problem: Problem, many: list[int], many_worth: float, single: int, single_worth: float) -> Selection:
    """Return `many` as the selection, unless the sentence `single` is worth more.

    At a smaller capacity, no single sentence is worth more than before. But nothing is known of `many` once it has
    to change, so `single` is certain only down to the length of the longer of the two.
    """
    answer = problem.selection(many)
    if many_worth >= single_worth:
        return answer
    alone = problem.selection([single])
    return Selection(alone.chosen, max(alone.stable, answer.stable))
