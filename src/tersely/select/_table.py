"""The exact choice for every room at once: rows of best values, built item by item."""

from math import gcd

import numpy as np
from numpy.typing import NDArray

from tersely.select._forest import Items
from tersely.select._problem import Values

_Bits = NDArray[np.uint8]


class Table:
    """The best sets of items for each room up to `room`.

    A row holds the best value at each room. Items come one by one, and each may be left out or taken. As long as items
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
        # What happened, in order: the item that was opened, or -1; the one that was closed, or -1; the bits.
        self._steps: list[tuple[int, int, _Bits | None, _Bits | None]] = []
        open_: list[int] = []
        parents, spans, last = items.parents, items.spans, len(items.values) - 1
        for i, parent in enumerate(parents):
            while open_ and spans[open_[-1]] <= i and open_[-1] != parent:
                self._close(open_.pop())
            if open_ and spans[open_[-1]] <= i:
                self._pass_on(open_.pop(), i)
                open_.append(i)
            elif i == last or (spans[i] == i + 1 and parents[i + 1] != i):
                self._decide(i)
            else:
                self._open(i)
                open_.append(i)
        while open_:
            self._close(open_.pop())
        del self._rows

    def places(self, room: int) -> list[int]:
        """Return the places of the best set for a room up to the table's, ascending."""
        left, row = min(room // self._unit, self._size - 1), 0
        taken: list[int] = []
        for opened, closed, without, with_it in reversed(self._steps):
            if opened < 0:
                row = 2 * row + _bit(without, row, left)
                continue
            cost = self._costs[opened]
            if closed < 0 and with_it is not None:
                inside = left >= cost and _bit(with_it, row, left - cost)
            else:
                inside, row = row & 1, row >> 1
            if inside:
                taken.append(opened)
                left -= cost
            if closed >= 0:
                row = 2 * row + _bit(with_it if inside else without, row, left)
        return sorted(taken)

    def _gains(self, item: int) -> float | Values:
        """Return what an item adds to each row: more if its parent is open, and in."""
        value = float(self._items.values[item])
        if self._items.parents[item] < 0:
            return value
        return np.array([[value], [value + self._items.bonus[item]]] * (len(self._rows) // 2))

    def _decide(self, item: int) -> None:
        """Open and close an item that no later one is tied to."""
        rows, cost = self._rows, self._costs[item]
        with_it, without = rows[:, : max(self._size - cost, 0)] + self._gains(item), rows[:, cost:]
        self._steps.append((item, -1, None, _bits(with_it > without)))
        np.maximum(with_it, without, out=without)

    def _open(self, item: int) -> None:
        rows = self._rows
        both = self._two(item, len(rows))
        both[:, 0] = rows
        self._shift(item, rows + self._gains(item), both)
        self._steps.append((item, -1, None, None))

    def _close(self, item: int) -> None:
        without, with_it = self._halves()
        self._steps.append((-1, item, _bits(with_it > without), None))
        self._rows = np.maximum(without, with_it)

    def _pass_on(self, parent: int, item: int) -> None:
        """Open an item and close its parent."""
        without, with_it = self._halves()
        both = self._two(item, len(without))
        np.maximum(without, with_it, out=both[:, 0])
        out = _bits(with_it > without)
        cured = with_it + float(self._items.bonus[item])
        self._steps.append((item, parent, out, _bits(cured > without)))
        np.maximum(cured, without, out=cured)
        cured += float(self._items.values[item])
        self._shift(item, cured, both)

    def _halves(self) -> tuple[Values, Values]:
        """Return the rows without the item that was opened last, and those with it."""
        pairs = self._rows.reshape(-1, 2, self._size)
        return pairs[:, 0], pairs[:, 1]

    def _two(self, item: int, count: int) -> Values:
        both = np.empty((count, 2, self._size))
        both[:, 1, : self._costs[item]] = -np.inf
        return both

    def _shift(self, item: int, rows: Values, both: Values) -> None:
        """Make `rows`, which are worth what they are before an item takes its room, those with the item."""
        cost = self._costs[item]
        both[:, 1, cost:] = rows[:, : max(self._size - cost, 0)]
        self._rows = both.reshape(-1, self._size)


def _bits(flags: NDArray[np.bool_]) -> _Bits:
    return np.packbits(flags, axis=1, bitorder="little")


def _bit(bits: _Bits | None, row: int, place: int) -> int:
    return 0 if bits is None else int(bits[row, place >> 3]) >> (place & 7) & 1
