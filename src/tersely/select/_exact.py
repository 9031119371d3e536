"""The exact 0-1 knapsack: a bound settles most of many items, a search or a table decides the rest.

The search is plain Python, because for a few items NumPy takes longer to start than this takes to finish. Fill by
density until an item does not fit. That item's density is the price of room: no set is worth more than
the filling plus its free room at that price (Dantzig's bound). A set that differs from the filling falls short of
the bound by |value - cost x price| for each item that differs, and by the price of its own free room. Few sets of
differences fall no shorter than the best known set; the search goes through them, small ones first.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from tersely.select._problem import Indices, Lengths, Values

# Up to this many items, settling some takes longer than searching all.
FEW = 250
# Beyond this many, the search would hardly ever finish.
_MANY = 400
# If more than this many are left undecided, it pays to look for a better set to compare with,
_TOO_MANY = 50
# among this many items on either side of where the filling ends: one of their sets is almost the best.
_NEAR = 10

# Adding an item to the filling or removing it: the loss, the room it frees, and the gain. The gain is the item's
# value and, in lower bits, the item's own bit, higher for earlier items; it is negative if the item is removed. So a
# whole set is one number, and the greatest number is the best set; ties prefer earlier items.
_Change = tuple[float, int, int]


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
    if len(values) <= FEW:
        return decide(values.tolist(), costs.tolist(), capacity)
    settled, undecided, room = reduce(values, costs, capacity)
    taken = undecided[decide(values[undecided].tolist(), costs[undecided].tolist(), room)]
    return sorted([*settled.tolist(), *taken.tolist()])


def decide(values: list[float], costs: list[int], capacity: int) -> list[int]:
    """Search, or use the table if too many sets are as good as the best, or nearly so."""
    count = len(values)
    if count <= _MANY:
        # A node takes about a microsecond, so the search stops after about as long as the table would take.
        limit = count * (10 + capacity // 1000)
        _, found = search(values, costs, capacity, limit)
        if found is not None:
            return found
    return Table(np.array(values), np.array(costs, dtype=np.int64), capacity).items(capacity)


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


def search(values: list[float], costs: list[int], capacity: int, limit: int) -> tuple[float, list[int] | None]:
    """Return the value of the best set and its items, ascending; ties prefer earlier items.

    After `limit` nodes the search gives up: it returns the value of the best set so far, and None for the items.
    Values must be positive whole numbers.

    >>> search([4.0, 3.0, 3.0, 2.0, 1.0], [4, 3, 3, 2, 1], 6, limit=100)
    (6.0, [0, 3])
    """
    count = len(values)
    density = [value / cost if cost else inf for value, cost in zip(values, costs, strict=True)]
    order = sorted(range(count), key=density.__getitem__, reverse=True)
    worth, room = 0.0, capacity
    for full, item in enumerate(order):  # noqa: B007
        if costs[item] > room:
            break
        room -= costs[item]
        worth += values[item]
    else:
        return worth, list(range(count))
    price = density[item]
    more, left = 0.0, room  # a first known set: whatever else fits
    for item in order[full + 1 :]:
        if costs[item] <= left:
            left -= costs[item]
            more += values[item]

    # Sums are exact and products are accurate to far less than 1/2, so no set that may tie with the best is dropped.
    bound = room * price + 0.5
    slack = bound - more
    losses = [value - cost * price for value, cost in zip(values, costs, strict=True)]
    undecided = [i for i, loss in enumerate(losses) if -slack <= loss <= slack]
    inside = set(order[:full])
    width = len(undecided)
    filling = 0
    changes: list[_Change] = []
    for place, i in enumerate(undecided, start=1):
        bit = 1 << (width - place)
        gain = (int(values[i]) << width) + bit
        if i in inside:
            filling += bit
            changes.append((losses[i], costs[i], -gain))
        else:
            changes.append((-losses[i], -costs[i], gain))
    changes.sort()
    best, found = _best(changes, room, bound, filling, (int(more) << width) - 1, width, limit)
    worth += best >> width
    if not found:
        return worth, None
    inside.difference_update(undecided)
    return worth, sorted(inside.union(i for place, i in enumerate(undecided, 1) if best >> (width - place) & 1))


def _best(
    changes: list[_Change], room: int, bound: float, filling: int, known: int, width: int, limit: int
) -> tuple[int, bool]:
    """Return the greatest sum of changes (ascending in loss) that fits, and whether the search finished."""
    best = max(known, filling)
    slack = bound - (best >> width)
    following = [loss for loss, _, _ in changes[1:]] + [inf]
    nodes = [(0, 0.0, room, filling)]
    for first, lost, free, worth in nodes:
        for i in range(first, len(changes)):
            loss, freed, gain = changes[i]
            loss += lost
            if loss > slack:
                break
            now, left = worth + gain, free + freed
            if left >= 0 and now > best:
                best = now
                slack = bound - (best >> width)
            if loss + following[i] <= slack:
                nodes.append((i + 1, loss, left, now))
        if len(nodes) > limit:
            return best, False
    return best, True


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
