"""What holds for every selector."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import SETTINGS, is_allowed, problems, random_problem, selectors
from tersely.errors import UsageError
from tersely.select import SELECTORS, Problem, blocking_trigrams


def test_each_selector_is_one_file() -> None:
    assert SELECTORS.names() == ["consensus", "coverage", "density", "greedy", "knapsack", "top"]


@pytest.mark.parametrize("spec", SETTINGS)
def test_a_selector_is_chosen_by_name_and_says_what_it_does(spec: str) -> None:
    assert SELECTORS.create(spec) == SELECTORS.create(spec)
    assert SELECTORS.describe(spec.partition(":")[0]).endswith(".")


@given(problems(needs=True))
def test_the_choice_fits_obeys_include_exclude_and_needs_and_is_repeatable(problem: Problem) -> None:
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        answer = selector(problem)
        assert list(answer.chosen) == sorted(set(answer.chosen))
        assert problem.length(answer.chosen) <= answer.stable <= problem.capacity
        assert is_allowed(problem, answer.chosen)
        assert selector(replace(problem)) == answer


@given(problems(needs=True))
def test_from_stable_to_the_capacity_the_choice_is_the_same(problem: Problem) -> None:
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        answer = selector(problem)
        for capacity in range(answer.stable, problem.capacity):
            assert selector(problem.with_capacity(capacity)).chosen == answer.chosen


@given(problems(needs=True), st.integers(-100, 100))
def test_the_scale_of_the_values_does_not_matter(problem: Problem, exponent: int) -> None:
    values = np.clip(problem.values, -1e100, 1e100)
    values[np.abs(values) < 1e-100] = 0
    scaled = np.ldexp(values, exponent)
    for selector in selectors():
        assert selector(replace(problem, values=values)) == selector(replace(problem, values=scaled))


def test_everything_is_chosen_if_everything_fits() -> None:
    problem = Problem(np.array([0.1, 0.2, 0.3]), np.array([10, 20, 30]), capacity=62, separator=1)
    for selector in selectors():
        assert selector(problem).chosen == (0, 1, 2)
        assert selector(problem.with_capacity(61)).chosen != (0, 1, 2)


@given(problems())
def test_needs_that_are_all_met_change_nothing(problem: Problem) -> None:
    for selector in selectors():
        alone = replace(problem, needs=(-1,) * len(problem.values))
        assert selector(alone) == selector(problem)
        if 0 in problem.include:
            assert selector(replace(alone, needs=(-1, *[0] * (len(problem.values) - 1)))) == selector(problem)


def test_a_long_chain_is_chosen_from_its_beginning() -> None:
    problem = Problem(np.ones(60), np.full(60, 10), capacity=600, needs=tuple(range(-1, 59)))
    for selector in selectors():
        assert selector(problem).chosen == tuple(range(60))
        if selector != SELECTORS.create("top"):
            assert selector(problem.with_capacity(505)).chosen == tuple(range(50))


def test_a_sentence_is_chosen_for_another_that_needs_it() -> None:
    problem = Problem(np.array([-1.0, 5.0, 0.0]), np.full(3, 10), capacity=30, needs=(-1, 0, 0))
    for selector in selectors():
        assert selector(problem).chosen == (0, 1)
        assert selector(problem.with_capacity(19)).chosen == ()
        assert selector(replace(problem, exclude=frozenset({0}))).chosen == ()
        assert selector(replace(problem, exclude=frozenset({0}), include=frozenset({1}))).chosen == (1,)
        assert selector(replace(problem, include=frozenset({0}))).chosen == (0, 1)


@pytest.mark.parametrize("needing", [0.45, 1.0])
def test_ten_thousand_sentences_with_needs_take_no_quadratic_time(needing: float) -> None:
    problem = random_problem(0, 10_000, 100_000, needing=needing)
    for spec in ["greedy", "top", "density"]:
        chosen = set(SELECTORS.create(spec)(problem).chosen)
        assert all(problem.needs[i] == -1 or problem.needs[i] in chosen for i in chosen)
        assert needing < 1 or chosen == set(range(len(chosen)))


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
