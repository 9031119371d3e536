from itertools import pairwise
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import problems, random_problem, selectors
from tersely.errors import UsageError
from tersely.select import Problem, blocking_trigrams, ladder, solver
from tersely.select.greedy import Greedy
from tersely.select.knapsack import Knapsack


@settings(max_examples=60)
@given(problems())
def test_the_ladder_has_the_choice_of_every_budget(problem: Problem) -> None:
    lowest = problem.length(tuple(problem.include))
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        steps = ladder(selector, problem)
        assert steps[0].budget == lowest
        assert all(a.budget < b.budget and a.chosen != b.chosen for a, b in pairwise(steps))
        solve = solver(selector, problem)
        for capacity in range(lowest, problem.capacity + 1):
            step = [s for s in steps if s.budget <= capacity][-1]
            assert step.chosen == selector(problem.with_capacity(capacity)).chosen == solve(capacity).chosen
        for step in steps:
            assert step.length == problem.length(step.chosen) <= step.budget
            assert step.value == fsum(problem.values[list(step.chosen)])


@given(problems(), st.integers(1, 9))
def test_points_are_solved_evenly_up_to_the_capacity(problem: Problem, points: int) -> None:
    for selector in selectors():
        steps = ladder(selector, problem, points)
        assert 1 <= len(steps) <= points
        assert steps[-1].chosen == selector(problem).chosen
        for step in steps:
            assert selector(problem.with_capacity(step.budget)).chosen == step.chosen


def test_the_knapsack_ladder_of_an_article_ascends_in_value() -> None:
    problem = random_problem(0, 25, 3000, "by length")
    steps = ladder(Knapsack(), problem)
    values = [step.value for step in steps]
    assert values == sorted(values)
    assert all(step.budget == step.length for step in steps)
    for step in steps[:: len(steps) // 20]:
        assert Knapsack()(problem.with_capacity(step.budget)).chosen == step.chosen


def test_no_points_are_an_error() -> None:
    with pytest.raises(UsageError, match="points must be at least 1, not 0"):
        ladder(Greedy(), Problem(np.ones(1), np.ones(1, dtype=np.int64), 5), points=0)
