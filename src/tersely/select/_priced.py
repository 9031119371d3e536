"""Settles most of many items by a price for room, so that a table has to decide only the rest.

At a price, a set is worth its value less the price of its cost. Without a limit, the best set is then found item by
item along the forest, and with the price of all room added, no set that fits is worth more: this is the bound. An item
that cannot be taken, or left out, without falling below the value of a known set is settled.
"""

from typing import NamedTuple

from tersely.select._forest import Items

# A better price is looked for at most this many times; any price gives a true bound.
_ROUNDS = 60


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
