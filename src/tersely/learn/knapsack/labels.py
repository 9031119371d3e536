"""Knapsack problems, and what the networks learn from: the exact solution or density greedy's, in whole batches."""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from tersely.errors import unknown_name

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


class Problems(NamedTuple):
    """B problems, padded to the n items of the largest one."""

    profits: Floats  # [B, n], summing to 1 in each problem
    sizes: Floats  # [B, n], length / capacity
    mask: Bools  # [B, n], True where there is an item
    lengths: Ints  # [B, n]
    capacities: Ints  # [B]

    def part(self, rows: slice) -> "Problems":
        """Return some of the problems, padded to the largest of them."""
        width = int(self.mask[rows].sum(axis=1).max(initial=1))
        return Problems(
            self.profits[rows, :width],
            self.sizes[rows, :width],
            self.mask[rows, :width],
            self.lengths[rows, :width],
            self.capacities[rows],
        )


def labels(kind: str, batch: Problems) -> Bools:
    """Return the items that the solver named `kind` chooses, [B, n]."""
    if kind not in SOLVERS:
        raise unknown_name("kind of labels", kind, SOLVERS)
    return SOLVERS[kind](batch)


def dp(batch: Problems) -> Bools:
    """Choose the items of greatest total profit, exactly; of several best sets, the one with the earlier items."""
    return solve(batch.profits, batch.lengths, batch.mask, batch.capacities)


def density(batch: Problems) -> Bools:
    """Go through the items by profit / length, highest first, and take each that still fits."""
    ratio = np.where(batch.mask, batch.profits / np.maximum(batch.lengths, 1), -1.0)
    order = np.argsort(-ratio, axis=1, kind="stable")
    return _fill(order, batch.lengths, batch.mask, batch.capacities)


def solve(profits: Floats, lengths: Ints, mask: Bools, capacities: Ints, needs: Ints | None = None) -> Bools:
    """Solve B exact knapsacks, [B, n]. Any profits are allowed: an item without a positive one is left out.

    `needs` [B, n] says which earlier item each needs, or -1: an item is chosen only together with the one it needs,
    even if that has a negative profit. Of several best sets, the earlier is the one with the earlier items if each
    item is followed by all that need it.
    """
    problems = (
        np.ascontiguousarray(profits, dtype=np.float64),
        np.ascontiguousarray(lengths, dtype=np.int32),
        np.ascontiguousarray(mask),
        np.ascontiguousarray(capacities, dtype=np.int32),
    )
    found: Bools = (
        _dp(*problems) if needs is None else _dp_of_families(*problems, np.ascontiguousarray(needs, dtype=np.int32))
    )
    return found


SOLVERS = {"dp": dp, "density": density}


@numba.njit(cache=True, nogil=True)
def _dp(profits: NDArray[np.float64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    rows, count = profits.shape
    chosen = np.zeros((rows, count), dtype=np.bool_)
    items = np.empty(count, dtype=np.int64)
    best = np.zeros((count + 1, capacities.max() + 1), dtype=np.float64)  # [after k items, at each capacity]
    for row in range(rows):
        capacity, size = capacities[row], 0
        # From the last item to the first, so that backtracking meets the earliest item first and prefers it.
        for item in range(count - 1, -1, -1):
            cost = lengths[row, item]
            if mask[row, item] and cost <= capacity and profits[row, item] > 0:
                _add_item(best[size, : capacity + 1], best[size + 1, : capacity + 1], cost, profits[row, item])
                items[size] = item
                size += 1
        for k in range(size - 1, -1, -1):
            cost = lengths[row, items[k]]
            if cost <= capacity and best[k, capacity - cost] + profits[row, items[k]] >= best[k, capacity]:
                chosen[row, items[k]] = True
                capacity -= cost
    return chosen


@numba.njit(cache=True, nogil=True)
def _dp_of_families(profits: NDArray[np.float64], lengths: Ints, mask: Bools, capacities: Ints, needs: Ints) -> Bools:
    """Solve problems whose items need others. To skip an item is to skip its family, all that need it."""
    rows, count = profits.shape
    chosen = np.zeros((rows, count), dtype=np.bool_)
    best = np.zeros((count + 1, capacities.max() + 1), dtype=np.float64)  # [from a place on, at each capacity]
    size, place, item = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    for row in range(rows):
        capacity = capacities[row]
        size[:] = 1
        for i in range(count - 1, -1, -1):
            if needs[row, i] >= 0:
                size[needs[row, i]] += size[i]
        # Each item is followed by its family: `free` is the next free place among those that need the same item.
        free = np.zeros(count + 1, dtype=np.int64)
        for i in range(count):
            above = needs[row, i] if needs[row, i] >= 0 else count
            place[i] = free[above]
            item[place[i]] = i
            free[above] += size[i]
            free[i] = place[i] + 1
        for at in range(count - 1, -1, -1):
            i = item[at]
            cost, skipped = lengths[row, i], best[at + size[i], : capacity + 1]
            best[at, : capacity + 1] = skipped
            if mask[row, i] and cost <= capacity:
                taken = best[at + 1, : capacity + 1 - cost] + profits[row, i]
                best[at, cost : capacity + 1] = np.maximum(taken, skipped[cost:])
        at = 0
        while at < count:
            i = item[at]
            cost, skipped_worth = lengths[row, i], best[at + size[i], capacity]
            if mask[row, i] and cost <= capacity:
                worth = best[at + 1, capacity - cost] + profits[row, i]
                if worth > skipped_worth or (worth == skipped_worth and profits[row, i] > 0):
                    chosen[row, i] = True
                    capacity -= cost
                    at += 1
                    continue
            at += size[i]
    return chosen


@numba.njit(cache=True, nogil=True)
def _add_item(old: NDArray[np.float64], new: NDArray[np.float64], cost: int, profit: float) -> None:
    """Update the best worth at each capacity with one more item; a plain maximum of two arrays compiles to SIMD."""
    new[:cost] = old[:cost]
    without_it, with_it, out = old[cost:], old[: len(old) - cost], new[cost:]
    for left in range(len(out)):
        out[left] = max(with_it[left] + profit, without_it[left])


@numba.njit(cache=True, nogil=True)
def _fill(order: NDArray[np.int64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    chosen = np.zeros(mask.shape, dtype=np.bool_)
    for row in range(len(order)):
        left = capacities[row]
        for item in order[row]:
            if mask[row, item] and lengths[row, item] <= left:
                chosen[row, item] = True
                left -= lengths[row, item]
    return chosen
