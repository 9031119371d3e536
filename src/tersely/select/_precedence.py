"""The exact knapsack of items that need others.

The items stand in depth-first order: each is followed by its family, all that need it, directly or not. To skip an
item is to skip its family. So, as in the plain knapsack, the best value of an item and all after it follows from
those of later places: the next place if the item is taken, the end of its family if it is not.

An item may be there only because others need it. It must not be taken alone: if it is, one of its children must be.
For these children, a second table holds the best value under the condition that one of them is still to be taken.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._forest import Forest
from tersely.select._problem import Lengths, Values

# Down to this depth, items that need the same one are in order; below, the largest family is last. So the number of
# rows needed at once grows with the logarithm of the number of items, whatever the shape of the forest.
_DEEP = 16


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
