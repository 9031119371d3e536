"""The exact 0-1 knapsack for a few items, in plain Python: NumPy takes longer to start than this takes to finish.

Fill by density until an item does not fit. That item's density is the price of room: no set is worth more than
the filling plus its free room at that price (Dantzig's bound). A set that differs from the filling falls short of
the bound by |value - cost x price| for each item that differs, and by the price of its own free room. Few sets of
differences fall no shorter than the best known set; the search goes through them, small ones first.
"""

from math import inf

# Adding an item to the filling or removing it: the loss, the room it frees, and the gain. The gain is the item's
# value and, in lower bits, the item's own bit, higher for earlier items; it is negative if the item is removed. So a
# whole set is one number, and the greatest number is the best set; ties prefer earlier items.
_Change = tuple[float, int, int]


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
