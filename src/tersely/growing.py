"""Summaries that only grow: whatever a budget takes, every larger one takes, too."""

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from tersely.select import Problem

# What to add next is judged by the free choices for budgets up to so many times the present length. All are tried.
_AHEAD = (1.2, 1.5, 2.0, 3.0)
# With more sentences than this, only the second one is tried, and the order is left as it is.
_MANY = 60
_ROUNDS = 3
# With more than this, a sentence comes before those that fewer budgets have, and a step grows by 5% at least.
_LONG = 120
_GROWTH = 1.05

_Sets = NDArray[np.bool_]
_Bundle = tuple[int, ...]


class Growth:
    """The best order in which to add sentences, each with what it needs, given the free choice for each budget.

    `free` are budgets, ascending, and what is chosen from each of them on without regard to other budgets. A set agrees
    with a free choice by twice the length of what they share, divided by the sum of their lengths. The best order is
    that of the highest agreement, averaged over the logarithms of budgets. A good one is found by adding what agrees
    best with the free choices a little ahead, and by exchanging neighbors while that helps.
    """

    def __init__(self, problem: Problem, free: Sequence[tuple[int, tuple[int, ...]]], capacity: int) -> None:
        self._problem, self._capacity = problem, capacity
        self._sets = np.zeros((len(free), len(problem.values)), dtype=bool)  # [J, n]
        for row, (_, chosen) in zip(self._sets, free, strict=True):
            row[list(chosen)] = True
        self._costs = problem.costs.astype(np.float64)
        self._lengths = self._sets @ self._costs
        self._borders = np.log([*(max(budget, 1) for budget, _ in free), max(capacity, 1) + 1.0])

    def order(self, allowed: Callable[[set[int]], bool]) -> list[_Bundle]:
        """Return what is added, step by step, to the included sentences; every sum of steps is `allowed`."""
        if len(self._costs) > _LONG:
            return self._by_presence(allowed)
        many = len(self._costs) > _MANY
        orders = [self._grown(ahead, allowed) for ahead in (_AHEAD[1:2] if many else _AHEAD)]
        best = max(orders, key=self._worth)
        return best if many else self._exchanged(best, allowed)

    def _grown(self, ahead: float, allowed: Callable[[set[int]], bool]) -> list[_Bundle]:
        """Add, one by one, the bundle that agrees best with the free choices for lengths up to `ahead` times more."""
        inside, order = set(self._problem.include), list[_Bundle]()
        refused: set[_Bundle] = set()
        while options := [one for one in self._bundles(inside) if one not in refused]:
            lengths = [self._length(inside.union(one)) for one in options]
            now = max(self._length(inside), min(lengths), 1)
            until = max(ahead * now, min(lengths) + 1)
            worth = [
                -inf if length > min(until, self._capacity) else self._between([inside, {*inside, *one}], now, until)
                for one, length in zip(options, lengths, strict=True)
            ]
            at = int(np.argmax(worth))
            if worth[at] == -inf:
                break
            if not allowed({*inside, *options[at]}):
                refused.add(options[at])
                continue
            order.append(options[at])
            inside.update(options[at])
        return order

    def _by_presence(self, allowed: Callable[[set[int]], bool]) -> list[_Bundle]:
        """Add first what the free choices for most budgets have, by their logarithms; several sentences at a time."""
        mass = np.diff(self._borders) @ self._sets
        inside, order = set(self._problem.include), list[_Bundle]()
        step, length, before = list[int](), 0.0, 0.0
        for i in np.argsort(-mass, kind="stable").tolist():
            if not (mass[i] > 0 and self._problem.free[i]) or i in inside:
                continue
            bundle = self._problem.forest.bundle(i, inside)
            inside.update(bundle)
            if not allowed(inside):
                inside.difference_update(bundle)
                continue
            step += bundle
            length += self._costs[bundle].sum()
            if length >= _GROWTH * before:
                order.append(tuple(step))
                step, before = [], length
        return [*order, tuple(step)] if step else order

    def _bundles(self, inside: set[int]) -> list[_Bundle]:
        """Return the bundles of sentences that any free choice has, or that some bundle of these needs."""
        forest = self._problem.forest
        wanted = np.flatnonzero(self._sets.any(axis=0) & self._problem.free).tolist()
        return [tuple(forest.bundle(i, inside)) for i in wanted if i not in inside]

    def _exchanged(self, order: list[_Bundle], allowed: Callable[[set[int]], bool]) -> list[_Bundle]:
        """Exchange neighbors while that helps."""
        best = self._worth(order)
        for _ in range(_ROUNDS):
            before = best
            for i in range(len(order) - 1):
                tried = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
                ahead = {*self._problem.include, *(s for one in order[:i] for s in one)}
                needs = self._problem.forest.bundle(order[i + 1][0], ahead)
                if len(needs) > len(order[i + 1]) or not allowed({*ahead, *order[i + 1]}):
                    continue
                if (now := self._worth(tried)) > best + 1e-12:
                    order, best = tried, now
            if best == before:
                break
        return order

    def _worth(self, order: list[_Bundle]) -> float:
        sets = [set(self._problem.include)]
        for bundle in order:
            sets.append({*sets[-1], *bundle})
        return self._between(sets, 1.0, self._capacity + 1.0)

    def _between(self, sets: list[set[int]], low: float, high: float) -> float:
        """Return the agreement of sets, each of which lasts until the next one fits, summed from `low` to `high`."""
        rows = np.zeros((len(sets), len(self._costs)))
        for row, inside in zip(rows, sets, strict=True):
            row[list(inside)] = 1.0
        costs = rows @ self._costs
        begins = np.log(np.clip([max(self._length(inside), 1) for inside in sets], low, high))
        ends = np.append(begins[1:], np.log(high))
        begins[0] = np.log(low)
        shared = (rows * self._costs) @ self._sets.T
        agreement = 2 * shared / np.maximum(costs[:, None] + self._lengths, 1)
        lasts = np.minimum(ends[:, None], self._borders[1:]) - np.maximum(begins[:, None], self._borders[:-1])
        return float((agreement * np.maximum(lasts, 0)).sum())

    def _length(self, inside: set[int]) -> int:
        return self._problem.length(tuple(inside))
