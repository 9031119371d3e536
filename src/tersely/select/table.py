"""The table of the 0-1 knapsack: one dynamic program that answers every capacity."""

import numpy as np

from tersely.select.problem import Lengths, Values


class Table:
    """For every item and capacity, whether the best set of this item and the later ones takes it: one bit.

    Of several best sets the one that prefers earlier items is kept: the rows are made from the last item
    to the first, and an item is taken whenever a best set has it. Values must be positive whole numbers.

    >>> table = Table(np.array([4.0, 3.0, 3.0]), np.array([4, 3, 3]), 7)
    >>> table.items(7), table.items(6), table.items(5)
    ([0, 1], [1, 2], [0])
    """

    def __init__(self, values: Values, costs: Lengths, capacity: int) -> None:
        self._unit = int(np.gcd.reduce(costs)) or 1
        self._costs: list[int] = (costs // self._unit).tolist()
        size = min(capacity // self._unit, sum(self._costs)) + 1
        best = np.zeros(size)  # of the items so far, at each capacity
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
