"""Selection by the exact knapsack, with bonuses for what is cured.

A table over all items would be large. So a price for room settles most of them first, and the table decides the rest:
at a price, a set is worth its value minus the price of its cost. Without a limit, the best set at that price is found
item by item along the forest. Its worth plus the price of the unused room is an upper bound on every set that fits. An
item is settled if forcing it in, or out, would push that bound below the value of a set that is already known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tersely.errors import UsageError
from tersely.select._problem import Items, Problem, Selection
from tersely.select._table import Table

__all__ = ["Knapsack"]

# A table of more bits than this (1 GiB) is not built.
_LARGEST_TABLE = 2**33
# The number of items that are left open at first; it grows until the result is proved best.
_OPEN = 10
# Up to this many items, settling some takes longer than a table of all.
_FEW = 8
# A better price is looked for at most this many times; any price gives a true bound.
_ROUNDS = 60


@dataclass(frozen=True)
class Knapsack:
    """Sentences with the greatest total value that fits, with the bonuses of those that are cured, solved exactly.

    Of sets with the same total, none with needless sentences is chosen, and earlier sentences are preferred; more
    precisely, the sets are compared as in `_table.Table`, whatever the capacity. So more room never lowers the total,
    and the choice for exactly the length used is the same choice.

    Values are compared as whole numbers (see `_problem.to_whole_numbers`): exact down to 1e-12 of the largest.

    >>> import numpy as np
    >>> Knapsack()(Problem(np.array([0.5, 0.4, 0.4]), np.array([50, 30, 30]), capacity=61, separator=1))
    Selection(chosen=(1, 2), stable=61)
    """

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        items, room = _fitting(problem.items, problem.room), problem.room
        return problem.selection(items.sentences[i] for i in best_places(items, room))

    def table(self, problem: Problem) -> Callable[[int], Selection]:
        """Return a function that chooses for any capacity up to the problem's own, exactly as a fresh call would.

        One table serves all capacities, unless it would be too large.
        """
        items, lowest = _fitting(problem.items, problem.room), problem.least
        if len(items.values) * problem.room > _LARGEST_TABLE:
            return lambda capacity: self(problem.with_capacity(capacity))
        table = Table(items, problem.room)

        def select(capacity: int) -> Selection:
            if not lowest <= capacity <= problem.capacity:
                raise UsageError(f"this table covers budgets from {lowest} to {problem.capacity}, not {capacity}")
            room = problem.room - problem.capacity + capacity
            return problem.selection(items.sentences[i] for i in table.places(room))

        return select


def best_places(items: Items, room: int) -> list[int]:
    """Return the places of the best items, none of which costs more than the room."""
    if len(items.values) <= _FEW:
        return Table(items, room).places(room)
    best = lowest_bound(items, room)
    bound = best.worth + best.price * (room - best.cost)
    rivals, gains = _rivals(items), all_gains(items, best)
    floor = best.worth + _filled(items, rivals, gains, room - best.cost)
    _add_up(rivals, gains)
    losses, count = sorted(map(abs, gains)), _OPEN
    while True:
        # Sets that fall no shorter of the bound differ only in open items. If the best of these is one, it is the best.
        gap = min([bound - floor, *losses[count : count + 1]])
        settled = [i for i, gain in enumerate(gains) if gain > gap]
        left = room - sum(map(items.costs.__getitem__, settled))
        open_ = [i for i, gain in enumerate(gains) if -gap <= gain <= gap and items.costs[i] <= left]
        if rivals:
            sure, open_ = _settle_rivals(items, rivals, open_, left)
            settled += sure
            left -= sum(map(items.costs.__getitem__, sure))
        core = items.part(open_, _beside(items, open_, settled))
        chosen = settled + [open_[i] for i in Table(core, left).places(left)]
        worth = items.worth(chosen)
        if bound - worth <= gap:
            return chosen
        floor, count = max(floor, worth), 4 * count


def _rivals(items: Items) -> list[list[int]]:
    """Return the groups of items that cost the same, are worth something and have no ties, each the best first.

    Of such a group, the best set has the first ones: of two equal sets, the one without the later item is better.
    """
    groups: dict[int, list[int]] = {}
    tied = set(items.parents)
    for i, (value, cost, parent) in enumerate(zip(items.values, items.costs, items.parents, strict=True)):
        if parent < 0 < value and cost and i not in tied:
            groups.setdefault(cost, []).append(i)
    return [sorted(group, key=lambda i: -items.values[i]) for group in groups.values() if len(group) > 1]


def _filled(items: Items, rivals: list[list[int]], gains: list[int], room: int) -> int:
    """Return what rivals that are not in the best set at a price add to it, if they fill the room that it leaves."""
    worth = 0
    for i in sorted((i for group in rivals for i in group if gains[i] <= 0), key=lambda i: -gains[i]):
        if items.costs[i] <= room:
            worth += items.values[i]
            room -= items.costs[i]
    return worth


def _add_up(rivals: list[list[int]], gains: list[int]) -> None:
    """Add to the gains of rivals those of the others that come in before them, or go out after them."""
    for group in rivals:
        for order, sign in ((group, -1), (reversed(group), 1)):
            total = 0
            for i in order:
                if gains[i] * sign > 0:
                    gains[i] = total = total + gains[i]


def _settle_rivals(items: Items, rivals: list[list[int]], open_: list[int], room: int) -> tuple[list[int], list[int]]:
    """Return the open rivals that are in the best set for a room, and the open items without them and useless ones.

    The best set has no room for another of them. So all other open items together leave room for some at least.
    """
    inside, sure, useless = set(open_), list[int](), set[int]()
    total = sum(map(items.costs.__getitem__, open_))
    for group in rivals:
        among, cost = [i for i in group if i in inside], items.costs[group[0]]
        if among:
            least = min(max(room - total + cost * len(among), 0) // cost, len(among))
            most = room // cost
            sure += among[:least]
            useless.update(among[:least], among[most:])
            room -= cost * least
            total -= cost * (least + len(among[most:]))
    return sure, [i for i in open_ if i not in useless]


def _beside(items: Items, open_: list[int], settled: list[int]) -> list[int]:
    """Return the values of open items, with the bonuses that settled ones add."""
    values = {i: items.values[i] for i in open_}
    inside = set(settled)
    for i in open_:
        if items.parents[i] in inside:
            values[i] += items.bonus[i]
    for i in settled:
        if items.parents[i] in values:
            values[items.parents[i]] += items.bonus[i]
    return list(values.values())


def _fitting(items: Items, room: int) -> Items:
    """Return the items that fit alone."""
    if not items.costs or max(items.costs) <= room:
        return items
    places = [i for i, cost in enumerate(items.costs) if cost <= room]
    return items.part(places, [items.values[i] for i in places])


class Best(NamedTuple):
    """The best set at a price; of several, the smallest.

    `gains` says by how much the best set of each item's family with the item is better than the best without it.
    """

    price: int
    worth: int
    cost: int
    gains: list[int]


def best_at(items: Items, price: int) -> Best:
    """Return the best set at a price, without a limit."""
    gains = [value - price * cost for value, cost in zip(items.values, items.costs, strict=True)]
    parents, bonus = items.parents, items.bonus
    for i in range(len(gains) - 1, -1, -1):
        if (parent := parents[i]) >= 0 and (more := gains[i] + bonus[i]) > 0:
            gains[parent] += more if gains[i] < 0 else bonus[i]
    inside: list[bool] = []
    worth = cost = 0
    for gain, parent, more, value, room in zip(gains, parents, bonus, items.values, items.costs, strict=True):
        more = more if parent >= 0 and inside[parent] else 0
        if gain + more > 0:
            inside.append(True)
            worth += value + more
            cost += room
        else:
            inside.append(False)
    return Best(price, worth, cost, gains)


def lowest_bound(items: Items, room: int) -> Best:
    """Return the best set that fits at the price of room at which the bound is lowest, or nearly so."""
    low, high = _around(items, room)
    for _ in range(_ROUNDS if high.price else 0):
        # where both sets are worth the same, rounded up
        price = -((high.worth - low.worth) // (low.cost - high.cost))
        if price >= high.price:
            break
        best = best_at(items, price)
        if best.cost <= room:
            high = best
        elif best.worth - low.worth > price * (best.cost - low.cost):
            low = best
        else:
            break
    return high


def _around(items: Items, room: int) -> tuple[Best, Best]:
    """Return the best sets at two prices, the first too large for the room and the second not, unless all fits."""
    best = best_at(items, _guess(items, room))
    if best.cost <= room:
        for price in (best.price * 4 // 5, 0):
            low = best_at(items, price)
            if low.cost > room:
                return low, best
            best = low
        return best, best
    while best.cost > room:
        low, best = best, best_at(items, 1 + best.price * 5 // 4)
    return low, best


def _guess(items: Items, room: int) -> int:
    """Return the price at which the densest items fill the room, each with its bonus."""
    worths = zip(items.values, items.bonus, items.costs, strict=True)
    dense = sorted((((value + bonus) // cost, cost) for value, bonus, cost in worths if cost), reverse=True)
    for price, cost in dense:
        room -= cost
        if room < 0:
            return max(price, 0)
    return 0


def all_gains(items: Items, best: Best) -> list[int]:
    """Return by how much the best set with each item is better than the best without it, at the same price."""
    gains: list[int] = []
    for gain, parent, bonus in zip(best.gains, items.parents, items.bonus, strict=True):
        if parent >= 0:
            # what the parent gains without this item decides what it adds
            rest = gains[parent] - _pull(gain, bonus)
            gain += _pull(rest, bonus)
        gains.append(gain)
    return gains


def _pull(gain: int, bonus: int) -> int:
    """Return what an item adds to the gain of a tied one, if it gains so much without it."""
    return max(gain + bonus, 0) - max(gain, 0)
