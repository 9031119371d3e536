"""What holds for every selector."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import SETTINGS, fits, problems, selectors
from tersely.errors import UsageError
from tersely.select import SELECTORS, Problem, blocking_trigrams, solver


def test_each_selector_is_one_file() -> None:
    assert SELECTORS.names() == ["coverage", "density", "greedy", "knapsack", "top"]


@pytest.mark.parametrize("spec", SETTINGS)
def test_a_selector_is_chosen_by_name_and_says_what_it_does(spec: str) -> None:
    assert SELECTORS.create(spec) == SELECTORS.create(spec)
    assert SELECTORS.describe(spec.partition(":")[0]).endswith(".")


@given(problems(cured=True))
def test_the_choice_fits_obeys_include_and_exclude_and_is_repeatable(problem: Problem) -> None:
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        answer = selector(problem)
        assert list(answer.chosen) == sorted(set(answer.chosen))
        assert problem.length(answer.chosen) <= answer.stable <= problem.capacity
        assert fits(problem, answer.chosen)
        assert selector(replace(problem)) == answer


@given(problems(cured=True))
def test_from_stable_to_the_capacity_the_choice_is_the_same(problem: Problem) -> None:
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        answer = selector(problem)
        for capacity in range(answer.stable, problem.capacity):
            assert selector(problem.with_capacity(capacity)).chosen == answer.chosen


@given(problems(cured=True), st.integers(-100, 100))
def test_the_scale_of_the_values_does_not_matter(problem: Problem, exponent: int) -> None:
    values = np.clip(problem.values, -1e100, 1e100)
    values[np.abs(values) < 1e-100] = 0
    scaled = np.ldexp(values, exponent)
    for selector in selectors():
        before = replace(problem, values=values, cures=(), bonus=None)
        assert selector(before) == selector(replace(before, values=scaled))


def test_everything_is_chosen_if_everything_fits() -> None:
    problem = Problem(np.array([0.1, 0.2, 0.3]), np.array([10, 20, 30]), capacity=62, separator=1)
    for selector in selectors():
        assert selector(problem).chosen == (0, 1, 2)
        assert selector(problem.with_capacity(61)).chosen != (0, 1, 2)


@given(problems(cured=True))
def test_only_the_knapsack_looks_at_cures(problem: Problem) -> None:
    for selector in map(SELECTORS.create, ["greedy", "top", "density", "coverage"]):
        assert selector(problem) == selector(replace(problem, cures=(), bonus=None))


@given(problems(cured=True))
def test_one_solver_answers_every_smaller_capacity(problem: Problem) -> None:
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        solve = solver(selector, problem)
        for capacity in range(problem.least, problem.capacity + 1):
            assert solve(capacity) == selector(problem.with_capacity(capacity))


def test_the_earlier_of_equal_sentences_are_chosen() -> None:
    problem = Problem(np.ones(5), np.full(5, 10), capacity=20)
    for selector in selectors():
        assert selector(problem).chosen == (0, 1)


@pytest.mark.parametrize("spec", SETTINGS)
def test_no_sentences_or_no_room_gives_an_empty_choice(spec: str) -> None:
    selector = SELECTORS.create(spec)
    assert selector(Problem(np.zeros(0), np.zeros(0, dtype=np.int64), 10)).chosen == ()
    assert selector(Problem(np.ones(2), np.array([1, 2]), 0, separator=1)).chosen == ()


def test_included_sentences_that_do_not_fit_are_an_error_for_every_selector() -> None:
    problem = Problem(np.ones(2), np.array([5, 5]), 10, include=frozenset({0, 1}))
    for selector in selectors():
        assert selector(problem).chosen == (0, 1)
        with pytest.raises(UsageError, match="need 10, but the budget is 9"):
            selector(problem.with_capacity(9))
