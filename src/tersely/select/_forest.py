"""What may be chosen of a problem: items in an order in which a forest of bonuses can be solved row by row."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple


class Items(NamedTuple):
    """The sentences that may be chosen, each followed by its family: all that are tied to it, directly or not.

    `parents` are places in this order, or -1, and `bonus` is what an item and its parent are worth together beyond
    what they are worth alone. The largest family among the children of an item comes last: it begins at its `span`.
    Values, costs and bonuses are whole numbers.
    """

    sentences: list[int]
    values: list[int]
    costs: list[int]
    parents: list[int]
    bonus: list[int]
    spans: list[int]

    def part(self, places: list[int], values: list[int]) -> "Items":
        """Return the items at some places, ascending, with other values. A tie to any other item is cut."""
        where = {place: i for i, place in enumerate(places)}
        parents = [where.get(self.parents[place], -1) for place in places]
        return Items(
            [self.sentences[place] for place in places],
            values,
            [self.costs[place] for place in places],
            parents,
            [self.bonus[place] if parent >= 0 else 0 for place, parent in zip(places, parents, strict=True)],
            [bisect_left(places, self.spans[place]) for place in places],
        )

    def worth(self, chosen: Sequence[int]) -> int:
        """Return the total value of the items at some places."""
        inside = set(chosen)
        pairs = sum(self.bonus[i] for i in inside if self.parents[i] in inside)
        return sum(map(self.values.__getitem__, inside)) + pairs


def depth_first(nodes: Sequence[int], cures: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Return nodes of a forest in depth-first order, the places of their parents, and their spans (see `Items`).

    `cures[i]` is the parent of node i, or -1. Roots and children are in the order of `nodes`, but for the child with
    the largest family, which is last: so few items are open at once, whatever the shape of the forest.
    """
    children: dict[int, list[int]] = {}
    for node in nodes:
        if cures[node] >= 0:
            children.setdefault(cures[node], []).append(node)
    if not children:
        return list(nodes), [-1] * len(nodes), list(range(1, len(nodes) + 1))
    roots = [node for node in nodes if cures[node] < 0]
    above = list(roots)
    for node in above:
        above += children.get(node, ())
    size = dict.fromkeys(above, 1)
    for node in reversed(above):
        if cures[node] >= 0:
            size[cures[node]] += size[node]
    order: list[int] = []
    parents: list[int] = []
    spans: list[int] = []
    waiting = [(node, -1) for node in reversed(roots)]
    while waiting:
        node, parent = waiting.pop()
        place = len(order)
        order.append(node)
        parents.append(parent)
        family = children.get(node)
        if family is None:
            spans.append(place + 1)
            continue
        largest = max(family, key=size.__getitem__)
        spans.append(place + size[node] - size[largest])
        waiting.append((largest, place))
        waiting += [(child, place) for child in reversed(family) if child != largest]
    return order, parents, spans


def without_circles(cures: Sequence[int]) -> list[int]:
    """Return the cures without those that close a circle. Two sentences may cure each other.

    >>> without_circles([1, 2, 0, 4, 3])
    [1, 2, -1, 4, 3]
    """
    open_, seen = list(cures), [-1] * len(cures)
    for start in range(len(open_)):
        last, node = -1, start
        while node >= 0 and seen[node] < 0:
            seen[node] = start
            last, node = node, open_[node]
        if node >= 0 and seen[node] == start and open_[node] != last:
            open_[last] = -1
    return open_
