"""The exact 0-1 knapsack for many items: a bound settles nearly all, and few are left to decide."""

from typing import NamedTuple

import numpy as np

from tersely.select._problem import Indices, Lengths, Values
from tersely.select._search import search

# Up to this many items, settling some takes longer than searching all.
_FEW = 250
# Beyond this many, the search would hardly ever finish.
_MANY = 400
# If more than this many are left undecided, it pays to look for a better set to compare with,
_TOO_MANY = 50
# among this many items on either side of where the filling ends: one of their sets is almost the best.
_NEAR = 10


class Core(NamedTuple):
    """What is left of a knapsack: items certain to be in, undecided items, and the room for the latter."""

    settled: Indices
    undecided: Indices
    room: int


def best_items(values: Values, costs: Lengths, capacity: int) -> list[int]:
    """Return the set of greatest value that fits, ascending; ties prefer earlier items.

    Values must be positive whole numbers (see `_problem.whole`).

    >>> best_items(np.array([4.0, 3.0, 3.0, 2.0]), np.array([4, 3, 3, 2]), 6)
    [0, 3]
    """
    if len(values) <= _FEW:
        return _decide(values, costs, capacity)
    settled, undecided, room = reduce(values, costs, capacity)
    taken = undecided[_decide(values[undecided], costs[undecided], room)]
    return sorted([*settled.tolist(), *taken.tolist()])


def _decide(values: Values, costs: Lengths, capacity: int) -> list[int]:
    """Search, or use the table if too many sets are as good as the best, or nearly so."""
    count = len(values)
    if count <= _MANY:
        # A node takes about a microsecond, so the search stops after about as long as the table would take.
        limit = count * (10 + capacity // 1000)
        _, found = search(values.tolist(), costs.tolist(), capacity, limit)
        if found is not None:
            return found
    return Table(values, costs, capacity).items(capacity)


def reduce(values: Values, costs: Lengths, capacity: int) -> Core:
    """Settle items that are in every best set or in none.

    Deciding an item against the filling by density loses at least |value - cost x price| from the bound (see
    `search`). If that is more than a known set loses, no best set does so, not even one of several.
    """
    density = values / np.maximum(costs, 1e-100)  # items that cost nothing come first
    order = np.argsort(-density)
    filled = np.cumsum(costs[order])
    full = int(np.searchsorted(filled, capacity, side="right"))
    if full == len(values):
        return Core(np.arange(full), np.arange(0), 0)
    room = capacity - int(filled[full - 1]) if full else capacity
    price = float(density[order[full]])

    losses = np.abs(values - costs * price)
    undecided = losses <= room * price - _next_fitting(values, costs, order[full + 1 :], room) + 0.5
    if np.count_nonzero(undecided) > _TOO_MANY:
        start = max(0, full - _NEAR)
        near = order[start : full + _NEAR]
        near_room = room + int(costs[order[start:full]].sum())
        known, _ = search(values[near].tolist(), costs[near].tolist(), near_room, limit=3000)
        known -= float(values[order[start:full]].sum())
        undecided &= losses <= room * price - known + 0.5
    inside = np.zeros(len(values), dtype=bool)
    inside[order[:full]] = True
    settled = np.flatnonzero(inside & ~undecided)
    return Core(settled, np.flatnonzero(undecided), capacity - int(costs[settled].sum()))


def _next_fitting(values: Values, costs: Lengths, order: Indices, room: int) -> float:
    """Return the value of those among the next few items that still fit."""
    order = order[:_TOO_MANY]
    worth = 0.0
    for value, cost in zip(values[order].tolist(), costs[order].tolist(), strict=True):
        if cost <= room:
            room -= cost
            worth += value
    return worth


class Table:
    """For every item and capacity, one bit: whether the best set of this item and the later ones takes it.

    Ties prefer earlier items: the rows are built from the last item to the first, and an item is taken whenever
    a best set has it. Values must be positive whole numbers.

    >>> table = Table(np.array([4.0, 3.0, 3.0]), np.array([4, 3, 3]), 7)
    >>> table.items(7), table.items(6), table.items(5)
    ([0, 1], [1, 2], [0])
    """

    def __init__(self, values: Values, costs: Lengths, capacity: int) -> None:
        self._unit = int(np.gcd.reduce(costs)) or 1
        self._costs: list[int] = (costs // self._unit).tolist()
        size = min(capacity // self._unit, sum(self._costs)) + 1
        best = np.zeros(size)  # the best value of the items so far, at each capacity
        with_item = np.empty(size)
        take = np.empty(size, dtype=bool)
        rows: list[bytes] = []
        for value, cost in zip(values[::-1].tolist(), self._costs[::-1], strict=True):
            with_it, without_it = with_item[cost:], best[cost:]
            np.add(best[: max(size - cost, 0)], value, out=with_it)
            take[:cost] = False
            np.greater_equal(with_it, without_it, out=take[cost:])
            np.maximum(with_it, without_it, out=without_it)
            rows.append(np.packbits(take, bitorder="little").tobytes())
        self._largest = size - 1
        self._rows = rows[::-1]

    def items(self, capacity: int) -> list[int]:
        """Return the best set for a capacity up to the table's, ascending."""
        left = min(capacity // self._unit, self._largest)
        taken = []
        for item, row in enumerate(self._rows):
            if row[left >> 3] >> (left & 7) & 1:
                taken.append(item)
                left -= self._costs[item]
        return taken
