"""Every choice on the way from the smallest budget to the largest."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum

from tersely.errors import UsageError
from tersely.select.problem import Problem, Selection, Selector


@dataclass(frozen=True)
class Step:
    """A choice, its length and value, and the smallest budget known to give it."""

    budget: int
    length: int
    value: float
    chosen: tuple[int, ...]


def solver(selector: Selector, problem: Problem) -> Callable[[int], Selection]:
    """Return what answers the problem for any capacity up to its own; by one table, if the selector has such."""
    table: Callable[[Problem], Callable[[int], Selection]] | None = getattr(selector, "table", None)
    if table is not None:
        return table(problem)
    return lambda capacity: selector(problem.with_capacity(capacity))


def ladder(selector: Selector, problem: Problem, points: int | None = None) -> list[Step]:
    """Return the choices for all budgets up to the problem's capacity, ascending.

    A step holds from its budget up to the next step's. For a long document, `points` asks for no more than so many
    budgets, evenly spread, the largest among them.

    >>> import numpy as np
    >>> from tersely.select.greedy import Greedy
    >>> for step in ladder(Greedy(), Problem(np.array([0.9, 0.8]), np.array([60, 50]), capacity=100)):
    ...     print(step.budget, step.chosen)
    0 ()
    50 (1,)
    60 (0,)
    """
    values = problem.values.tolist()
    steps: list[Step] = []
    for answer in _descending(selector, problem, points):
        chosen = answer.chosen
        if steps and steps[-1].chosen == chosen:
            steps.pop()
        value = fsum(values[i] for i in chosen)
        steps.append(Step(answer.stable, problem.length(chosen), value, chosen))
    return steps[::-1]


def _descending(selector: Selector, problem: Problem, points: int | None) -> Iterator[Selection]:
    lowest = problem.length(tuple(problem.include))  # with less than that there is no answer
    if points is not None:
        if points < 1:
            raise UsageError(f"points must be at least 1, not {points}")
        for point in range(points, 0, -1):
            yield selector(problem.with_capacity(lowest + (problem.capacity - lowest) * point // points))
        return
    solve = solver(selector, problem)
    capacity = problem.capacity
    while capacity >= lowest:
        answer = solve(capacity)
        yield answer
        capacity = answer.stable - 1
