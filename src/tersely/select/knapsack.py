"""Selection by the exact knapsack, with bonuses for what is cured."""

from collections.abc import Callable
from dataclasses import dataclass

from tersely.errors import UsageError
from tersely.select._forest import Items
from tersely.select._priced import all_gains, lowest_bound
from tersely.select._problem import Problem, Selection
from tersely.select._table import Table

__all__ = ["Knapsack"]

# A table of more bits than this (1 GiB) is not built.
_LARGEST_TABLE = 2**33
# So many items are left open at first.
_OPEN = 10
# Up to this many items, settling some takes longer than a table of all.
_FEW = 8


@dataclass(frozen=True)
class Knapsack:
    """Sentences with the greatest total value that fits, with the bonuses of those that are cured, solved exactly.

    Of sets with the same total, none with needless sentences is chosen, and earlier sentences are preferred; more
    precisely, the sets are compared as in `_table.Table`, whatever the capacity. So more room never lowers the total,
    and the choice for exactly the length used is the same choice.

    Values are compared as whole numbers (see `_problem.whole`): exact down to 1e-12 of the largest.

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
    gains = all_gains(items, best)
    losses, count, known = sorted(map(abs, gains)), _OPEN, best.worth
    while True:
        # Sets that fall no shorter of the bound differ only in open items. If the best of these is one, it is the best.
        gap = min([bound - known, *losses[count : count + 1]])
        settled = [i for i, gain in enumerate(gains) if gain > gap]
        left = room - sum(map(items.costs.__getitem__, settled))
        open_ = [i for i, gain in enumerate(gains) if -gap <= gain <= gap and items.costs[i] <= left]
        core = items.part(open_, _beside(items, open_, settled))
        chosen = settled + [open_[i] for i in Table(core, left).places(left)]
        known = items.worth(chosen)
        if bound - known <= gap:
            return chosen
        count *= 4


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
