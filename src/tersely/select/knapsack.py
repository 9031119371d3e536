"""Selection by the exact 0-1 knapsack."""

from collections.abc import Callable
from dataclasses import dataclass

from tersely.errors import UsageError
from tersely.select._exact import FEW, Table, best_items, decide
from tersely.select._precedence import FamilyTable, best_places, depth_first
from tersely.select._problem import Problem, Selection, compiled, whole

__all__ = ["Knapsack"]

# A table of more bits than this (1 GiB) is not built.
_LARGEST_TABLE = 2**33


@dataclass(frozen=True)
class Knapsack:
    """Sentences with the greatest total value that fits, solved exactly; ties prefer earlier sentences.

    A sentence that needs others is chosen only together with them; then ties prefer what comes earlier if each sentence
    is followed by all that need it.

    Values are compared as whole numbers (see `_problem.whole`): exact down to 1e-12 of the largest.

    >>> import numpy as np
    >>> Knapsack()(Problem(np.array([0.5, 0.4, 0.4]), np.array([50, 30, 30]), capacity=61, separator=1))
    Selection(chosen=(1, 2), stable=61)
    """

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        if not problem.needs and len(problem.values) <= FEW:
            return problem.selection(_of_few(problem))
        candidates = problem.candidates
        if problem.has_needs:
            items = depth_first(problem.forest, candidates.tolist())
            numbers = items.sentences
            places = best_places(items, whole(problem.values)[numbers], problem.costs[numbers], problem.room)
            return problem.selection([numbers[i] for i in places])
        values, costs = whole(problem.values)[candidates], problem.costs[candidates]
        numbers = candidates.tolist()
        return problem.selection([numbers[i] for i in best_items(values, costs, problem.room)])

    def table(self, problem: Problem) -> Callable[[int], Selection]:
        """Return a function that chooses for any capacity up to the problem's own, exactly as a fresh call would.

        One table serves all capacities, unless it would be too large.
        """
        candidates = problem.candidates
        if len(candidates) * problem.room > _LARGEST_TABLE:
            return lambda capacity: self(problem.with_capacity(capacity))
        choose = self._family_table(problem) if problem.has_needs else self._plain_table(problem)
        lowest = problem.least

        def select(capacity: int) -> Selection:
            if not lowest <= capacity <= problem.capacity:
                raise UsageError(f"this table covers budgets from {lowest} to {problem.capacity}, not {capacity}")
            room = problem.room - problem.capacity + capacity
            return choose(room)

        return select

    def _plain_table(self, problem: Problem) -> Callable[[int], Selection]:
        candidates = problem.candidates
        table = Table(whole(problem.values)[candidates], problem.costs[candidates], problem.room)
        numbers = candidates.tolist()
        return lambda room: problem.selection(numbers[i] for i in table.items(room))

    def _family_table(self, problem: Problem) -> Callable[[int], Selection]:
        items = depth_first(problem.forest, problem.candidates.tolist())
        numbers = items.sentences
        table = FamilyTable(items, whole(problem.values)[numbers], problem.costs[numbers], problem.room)
        return lambda room: problem.selection(numbers[i] for i in table.places(room))


def _of_few(problem: Problem) -> list[int]:
    """Return the best sentences: compiled, or in lists, since arrays of so few take longer to make than to search."""
    pinned = problem.include | problem.exclude
    if compiled is not None:
        marks = bytes(i in pinned for i in range(len(problem.values))) if pinned else b""
        found: list[int] | None = compiled.knapsack(
            problem.values, problem.lengths, marks, problem.separator, problem.room
        )
        if found is not None:
            return found
    worth, values = problem.values.tolist(), whole(problem.values).tolist()
    costs, room = (problem.lengths + problem.separator).tolist(), problem.room
    numbers = [i for i, cost in enumerate(costs) if cost <= room and worth[i] > 0 and i not in pinned]
    found = decide([values[i] for i in numbers], [costs[i] for i in numbers], room)
    return [numbers[i] for i in found]
