"""The exact choice for every room at once: rows of best values, built item by item."""

from math import gcd
from typing import NamedTuple

import numpy as np

from tersely.select._problem import Items, Values

# Up to this many numbers, rows are kept to be compared later: that is faster than to compare them all.
_SMALL = 2**20


class _RowPair(NamedTuple):
    """Rows without an item and with it, of which one is better at each room."""

    without: Values
    with_it: Values

    def prefer(self, row: int, place: int) -> bool:
        """Tell whether the row with the item is better."""
        return bool(self.with_it[row, place] > self.without[row, place])


class _Bits:
    """The same in less memory."""

    def __init__(self, without: Values, with_it: Values) -> None:
        bits = np.packbits(with_it > without, axis=1, bitorder="little")
        self._bits, self._width = bits.tobytes(), bits.shape[1]  # a byte is read faster than a number of an array

    def prefer(self, row: int, place: int) -> bool:
        return bool(self._bits[row * self._width + (place >> 3)] >> (place & 7) & 1)


class Table:
    """The best sets of items, each of which fits alone, for each room up to `room`.

    A row holds the best value at each room. Items come one by one, and each may be left out or places. As long as items
    tied to it are still to come, it is *open*: there are two rows, one without it and one with it, and each tied item
    adds its bonus to the second. Then it is *closed*: the better of the two rows stays. If several are open, there is
    a row for each combination. An item is closed as soon as its last child is opened, so that a path needs only two
    rows, and a forest of n items at most 2n.

    What is decided whenever two rows become one is kept in bits, from which a set is read backward. Ties are decided
    against an item. So of sets with the same value, the best is the one without the last item, in the order of closing,
    that only one of them has: it has no needless items, and without ties between items it prefers earlier ones.

    >>> items = Items([0, 1, 2], [4, 3, 2], [4, 3, 3], [-1, -1, 1], [0, 0, 2], [1, 2, 3])
    >>> table = Table(items, 7)
    >>> table.places(7), table.places(6), table.places(5)
    ([0, 1], [1, 2], [0])
    """

    def __init__(self, items: Items, room: int) -> None:
        self._items = items
        self._unit = gcd(*items.costs) or 1
        self._costs = [cost // self._unit for cost in items.costs]
        self._size = min(room // self._unit, sum(self._costs)) + 1
        self._rows: Values = np.zeros((1, self._size))
        self._compared = _RowPair if self._size * len(items.values) <= _SMALL else _Bits
        # What happened, in order: the item that was opened, or -1; what is compared where an item was closed, if the
        # opened one is out, and if it is in.
        self._steps: list[tuple[int, _RowPair | _Bits | None, _RowPair | _Bits | None]] = []
        open_: list[int] = []
        parents, spans, last = items.parents, items.spans, len(items.values) - 1
        for i, parent in enumerate(parents):
            while open_ and spans[open_[-1]] <= i and open_[-1] != parent:
                open_.pop()
                self._close()
            if open_ and spans[open_[-1]] <= i:
                open_[-1] = i
                self._pass_on(i)
            elif i == last or (spans[i] == i + 1 and parents[i + 1] != i):
                self._decide(i)
            else:
                self._open(i)
                open_.append(i)
        for _ in open_:
            self._close()
        del self._rows

    def places(self, room: int) -> list[int]:
        """Return the places of the best set for a room up to the table's, ascending."""
        left, row = min(room // self._unit, self._size - 1), 0
        places: list[int] = []
        for item, without, with_it in reversed(self._steps):
            inside = 0
            if item >= 0:
                cost = self._costs[item]
                if without is None and with_it is not None:
                    inside = left >= cost and with_it.prefer(row, left - cost)
                else:
                    inside, row = row & 1, row >> 1
                if inside:
                    places.append(item)
                    left -= cost
            if without is not None:
                closed = with_it if inside and with_it is not None else without
                row = 2 * row + closed.prefer(row, left)
        return sorted(places)

    def _gains(self, item: int) -> float | Values:
        """Return what an item adds to each row: more if its parent is open, and in."""
        value = float(self._items.values[item])
        if self._items.parents[item] < 0:
            return value
        return np.array([[value], [value + self._items.bonus[item]]] * (len(self._rows) // 2))

    def _decide(self, item: int) -> None:
        """Open and close an item that no later one is tied to."""
        rows, cost = self._rows, self._costs[item]
        with_it, without = rows[:, : self._size - cost] + self._gains(item), rows[:, cost:]
        self._steps.append((item, None, self._compared(without, with_it)))
        self._rows = rows.copy()
        np.maximum(with_it, without, out=self._rows[:, cost:])

    def _open(self, item: int) -> None:
        rows = self._rows
        self._steps.append((item, None, None))
        self._split(item, rows, rows, self._gains(item))

    def _close(self) -> None:
        without, with_it = self._halves()
        self._steps.append((-1, self._compared(without, with_it), None))
        self._rows = np.maximum(without, with_it)

    def _pass_on(self, item: int) -> None:
        """Open an item and close its parent, the item that was opened last."""
        without, with_it = self._halves()
        cured = with_it + self._items.bonus[item]
        self._steps.append((item, self._compared(without, with_it), self._compared(without, cured)))
        self._split(item, np.maximum(without, with_it), np.maximum(without, cured), self._items.values[item])

    def _halves(self) -> tuple[Values, Values]:
        """Return the rows without the item that was opened last, and those with it."""
        pairs = self._rows.reshape(-1, 2, self._size)
        return pairs[:, 0], pairs[:, 1]

    def _split(self, item: int, out: Values, inside: Values, gains: float | Values) -> None:
        """Make two rows of each: `out` without the item, and `inside` with it, once it adds its gains and its cost."""
        cost = self._costs[item]
        pairs = np.empty((len(out), 2, self._size))
        pairs[:, 0] = out
        pairs[:, 1, :cost] = -np.inf
        np.add(inside[:, : self._size - cost], gains, out=pairs[:, 1, cost:])
        self._rows = pairs.reshape(-1, self._size)
