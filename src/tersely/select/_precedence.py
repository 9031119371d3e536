"""The exact knapsack of items that need others.

The items stand in depth-first order: each is followed by its family, all that need it, directly or not. To skip an
item is to skip its family. So, as in the plain knapsack, the best value of an item and all after it follows from
those of later places: the next place if the item is taken, the end of its family if it is not.

An item may be there only because others need it. It must not be taken alone: if it is, one of its children must be.
For these children, a second table holds the best value under the condition that one of them is still to be taken.

Of many items, most are settled by a bound first. Let room have a price: a set is worth its value less the price of its
cost. The best set at a price is found item by item, without a table, and with the price of all room added, no set that
fits is worth more. An item that cannot be added or removed without falling below a known set is settled.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._forest import Forest
from tersely.select._problem import Lengths, Values

# Down to this depth, items that need the same one are in order; below, the largest family is last. So the number of
# rows needed at once grows with the logarithm of the number of items, whatever the shape of the forest.
_DEEP = 16
# Up to this many items, the table of all takes little longer than settling some.
_FEW = 250


class Items(NamedTuple):
    """Sentences in depth-first order: their numbers, and where the family of each ends.

    `parents` are places in this order, or -1. `wanted` is false for those that may only be taken for others.
    """

    sentences: list[int]
    parents: list[int]
    ends: list[int]
    wanted: list[bool]


def depth_first(forest: Forest, candidates: Iterable[int]) -> Items:
    """Return the candidates and all that they need, each followed by its family."""
    wanted = set(candidates)
    nodes = forest.closed(wanted)
    size = dict.fromkeys(nodes, 1)
    children: dict[int, list[int]] = {node: [] for node in nodes}
    for node in reversed(nodes):
        if (parent := forest.parents[node]) >= 0:
            size[parent] += size[node]
            children[parent].append(node)  # descending
    items = Items([], [], [], [])
    waiting = [(node, -1) for node in reversed(nodes) if forest.parents[node] < 0]
    while waiting:
        node, parent = waiting.pop()
        place = len(items.sentences)
        items.sentences.append(node)
        items.parents.append(parent)
        items.ends.append(place + size[node])
        items.wanted.append(node in wanted)
        family = children[node]
        if forest.depth[node] >= _DEEP and family:
            largest = max(family, key=size.__getitem__)
            family = [largest, *(child for child in family if child != largest)]
        waiting += [(child, place) for child in family]
    return items


def best_places(items: Items, values: Values, costs: Lengths, capacity: int) -> list[int]:
    """Return the places of the set of greatest value that fits, ascending; ties prefer earlier places.

    Values must be positive whole numbers (see `_problem.whole`).
    """
    if len(values) <= _FEW:
        return FamilyTable(items, values, costs, capacity).places(capacity)
    priced = Priced(items, [int(value) for value in values.tolist()], costs.tolist(), capacity)
    gap = priced.price * int(costs.mean()) // 8  # a guess, which the set that is found proves or corrects
    while True:
        settled, open_ = priced.core(gap)
        room = capacity - int(costs[settled].sum())
        table = FamilyTable(_part(items, open_), values[open_], costs[open_], room)
        chosen = settled + [open_[place] for place in table.places(room)]
        true = priced.bound - int(values[chosen].sum())
        if true <= gap:
            return sorted(chosen)
        gap = true


def _part(items: Items, places: list[int]) -> Items:
    """Return the items at some places. The items they need are among them, or settled."""
    where = {place: i for i, place in enumerate(places)}
    return Items(
        [items.sentences[place] for place in places],
        [where.get(items.parents[place], -1) for place in places],
        [bisect_left(places, items.ends[place]) for place in places],
        [items.wanted[place] for place in places],
    )


class Priced:
    """The best set if room has a price, and how much worse each item makes it if decided otherwise.

    All numbers are whole, so nothing is rounded.
    """

    def __init__(self, items: Items, values: list[int], costs: list[int], capacity: int) -> None:
        self._items, self._values, self._costs, self._capacity = items, values, costs, capacity
        low, high = -1, max(sum(values) // max(sum(costs), 1), 1)
        while not self._fits(high):
            low, high = high, 2 * high
        if self._fits(0):
            low, high = -1, 0
        while high - low > 1 + (high >> 14):
            middle = (low + high) // 2
            if self._fits(middle):
                high = middle
            else:
                low = middle
        self.price = high
        self._worth = self._of_families(high)
        roots = (max(worth, 0) for worth, parent in zip(self._worth, items.parents, strict=True) if parent < 0)
        self.bound = high * capacity + sum(roots)

    def core(self, gap: int) -> tuple[list[int], list[int]]:
        """Return the items in every set that falls short of the bound by at most `gap`, and those in some.

        No item that is only there for others is settled unless one of those that need it is.
        """
        loss_in: list[int] = []  # of the best set with the item
        loss_out: list[int] = []  # of the best set without it
        for worth, parent in zip(self._worth, self._items.parents, strict=True):
            loss_in.append(max(-worth, 0) + (loss_in[parent] if parent >= 0 else 0))
            loss_out.append(min(max(worth, 0), loss_out[parent]) if parent >= 0 else max(worth, 0))
        settled, open_ = [], []
        useful: set[int] = set()  # what is needed by settled or by open items
        settles: set[int] = set()
        for place in reversed(range(len(loss_in))):
            if loss_in[place] > gap:
                continue
            wanted, parent = self._items.wanted[place], self._items.parents[place]
            if loss_out[place] > gap and (wanted or place in settles):
                settled.append(place)
                settles.add(parent)
            elif wanted or place in useful:
                open_.append(place)
                useful.add(parent)
        return settled[::-1], open_[::-1]

    def _of_families(self, price: int) -> list[int]:
        """Return what each item is worth with the best of its family, at a price."""
        worth = [value - price * cost for value, cost in zip(self._values, self._costs, strict=True)]
        parents = self._items.parents
        for place in range(len(worth) - 1, -1, -1):
            if worth[place] > 0 and parents[place] >= 0:
                worth[parents[place]] += worth[place]
        return worth

    def _fits(self, price: int) -> bool:
        """Return whether the best set at a price fits; of several, the smallest."""
        inside: list[bool] = []
        used = 0
        for worth, parent, cost in zip(self._of_families(price), self._items.parents, self._costs, strict=True):
            inside.append(worth > 0 and (parent < 0 or inside[parent]))
            used += cost if inside[-1] else 0
        return used <= self._capacity


class FamilyTable:
    """For every item and capacity, whether the best set of it and the later ones takes it, as in `_exact.Table`.

    Ties prefer items that are earlier in depth-first order. Values must be positive whole numbers.
    """

    def __init__(self, items: Items, values: Values, costs: Lengths, capacity: int) -> None:
        self._items = items
        self._unit = int(np.gcd.reduce(costs)) or 1
        self._costs: list[int] = (costs // self._unit).tolist()
        size = min(capacity // self._unit, sum(self._costs)) + 1
        self._largest = size - 1
        self._rows: list[bytes] = [b""] * len(values)
        self._rows_of_children: dict[int, bytes] = {}  # if a sibling or the item itself must be taken

        row = np.zeros(size)  # the best value from here on, at each capacity
        saved = {len(values): row}  # the rows at the ends of families, as long as a family in front of them is open
        first = {end: place for place, end in reversed(list(enumerate(items.ends)))}
        must: dict[int, Values] = {}  # the best value from here on, if a child must still be taken
        take = np.empty(size, dtype=bool)
        for place in reversed(range(len(values))):
            cost, end = self._costs[place], items.ends[place]
            after = row if items.wanted[place] else must.pop(place + 1)
            skipped = saved.pop(end) if first[end] == place else saved[end]
            with_it = np.full(size, -np.inf)
            np.add(after[: max(size - cost, 0)], values[place], out=with_it[cost:])
            self._rows[place] = _bits(with_it, skipped, cost, take)
            row = np.maximum(with_it, skipped)
            if place in first:
                saved[place] = row
            parent = items.parents[place]
            if parent >= 0 and not items.wanted[parent]:
                if end < items.ends[parent]:  # or one of the later children
                    others = must.pop(end)
                    self._rows_of_children[place] = _bits(with_it, others, cost, take)
                    np.maximum(with_it, others, out=with_it)
                else:
                    take[:] = True
                    self._rows_of_children[place] = np.packbits(take, bitorder="little").tobytes()
                must[place] = with_it

    def places(self, capacity: int) -> list[int]:
        """Return the places of the items in the best set for a capacity up to the table's, ascending."""
        left = min(capacity // self._unit, self._largest)
        taken = []
        place, must = 0, False
        while place < len(self._rows):
            row = self._rows_of_children[place] if must else self._rows[place]
            if row[left >> 3] >> (left & 7) & 1:
                taken.append(place)
                left -= self._costs[place]
                must = not self._items.wanted[place]
                place += 1
            else:
                place = self._items.ends[place]
        return taken


def _bits(with_it: Values, without: Values, cost: int, take: NDArray[np.bool_]) -> bytes:
    """Return the packed bits of where taking an item is at least as good."""
    np.greater_equal(with_it, without, out=take)
    take[:cost] = False
    return np.packbits(take, bitorder="little").tobytes()
