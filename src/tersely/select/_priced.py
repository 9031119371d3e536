"""Settles most of many items by a price for room, so that a table has to decide only the rest.

At a price, a set is worth its value less the price of its cost. Without a limit, the best set is then found item by
item along the forest, and with the price of all room added, no set that fits is worth more: this is the bound. An item
that cannot be taken, or left out, without falling below the value of a known set is settled.
"""

from tersely.select._forest import Items

# A better price is looked for at most this many times; any price gives a true bound.
_ROUNDS = 40


class Priced:
    """Items at the price of room at which the bound is lowest, or nearly so. All numbers are whole: nothing is rounded.

    `bound` is what no set in the room is worth more than, and `worth` the value of a set that fits.
    """

    def __init__(self, items: Items, room: int) -> None:
        self._items = items
        price, low_worth, low_cost = 0, *self._best(0)
        if low_cost > room:
            # The best set at price 0 does not fit; at this price, the best set costs nothing.
            price = 1 + max(
                top // cost for top, cost in zip(_most(items), items.costs, strict=True) if cost
            )
            worth, cost = self._best(price)
            for _ in range(_ROUNDS):
                between = -((worth - low_worth) // (low_cost - cost))  # at which both sets are worth the same
                if between >= price:
                    break
                middle_worth, middle_cost = self._best(between)
                if middle_cost > room:
                    if middle_worth - between * middle_cost <= low_worth - between * low_cost:
                        break
                    low_worth, low_cost = middle_worth, middle_cost
                else:
                    price, worth, cost = between, middle_worth, middle_cost
        self.price = price
        self.worth, used = self._best(price)
        self.bound = self.worth + price * (room - used)
        self._gains = self._all_gains()

    def core(self, gap: int) -> tuple[list[int], list[int]]:
        """Return the items in every set that falls short of the bound by at most `gap`, and those in some."""
        settled = [i for i, gain in enumerate(self._gains) if gain > gap]
        return settled, [i for i, gain in enumerate(self._gains) if -gap <= gain <= gap]

    def _best(self, price: int) -> tuple[int, int]:
        """Return the value and the cost of the best set at a price; of several, the smallest."""
        items = self._items
        self._below = below = _below(items, price)
        chosen: list[bool] = []
        worth = cost = 0
        for i, parent in enumerate(items.parents):
            bonus = items.bonus[i] if parent >= 0 and chosen[parent] else 0
            inside = below[i] + bonus > 0
            chosen.append(inside)
            if inside:
                worth += items.values[i] + bonus
                cost += items.costs[i]
        return worth, cost

    def _all_gains(self) -> list[int]:
        """Return how much better the best set with each item is than the best without it, at the price found last."""
        gains: list[int] = []
        for below, parent, bonus in zip(self._below, self._items.parents, self._items.bonus, strict=True):
            if parent >= 0:
                # what the parent gains without this item tells what this item gains from the parent
                rest = gains[parent] - _pull(below, bonus)
                below += _pull(rest, bonus)
            gains.append(below)
        return gains


def _below(items: Items, price: int) -> list[int]:
    """Return how much better the best set of each item's family with the item is than the best without it."""
    below = [value - price * cost for value, cost in zip(items.values, items.costs, strict=True)]
    parents, bonus = items.parents, items.bonus
    for i in range(len(below) - 1, -1, -1):
        parent = parents[i]
        if parent >= 0:
            gain, more = below[i], bonus[i]
            if gain >= 0:
                below[parent] += more
            elif gain + more > 0:
                below[parent] += gain + more
    return below


def _pull(gain: int, bonus: int) -> int:
    """Return what an item adds to the gain of a tied one, given its gain without it."""
    return max(gain + bonus, 0) - max(gain, 0)


def _most(items: Items) -> list[int]:
    """Return the most that each item can add to any set."""
    most = items.values.copy()
    for i, parent in enumerate(items.parents):
        if parent >= 0:
            most[i] += items.bonus[i]
            most[parent] += items.bonus[i]
    return most
