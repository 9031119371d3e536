"""Every budget from one solution."""

from collections.abc import Callable

from tersely.select.problem import Problem, Selection, Selector


def solver(selector: Selector, problem: Problem) -> Callable[[int], Selection]:
    """Return what answers the problem for any capacity up to its own; by one table, if the selector has such.

    >>> import numpy as np
    >>> from tersely.select.greedy import Greedy
    >>> solve = solver(Greedy(), Problem(np.array([0.9, 0.8]), np.array([60, 50]), capacity=100))
    >>> solve(100).chosen, solve(55).chosen
    ((0,), (1,))
    """
    table: Callable[[Problem], Callable[[int], Selection]] | None = getattr(selector, "table", None)
    if table is not None:
        return table(problem)
    return lambda capacity: selector(problem.with_capacity(capacity))
