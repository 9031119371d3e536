import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import brute_force, is_allowed, problems, random_problem
from tersely.errors import UsageError
from tersely.select._problem import Problem, whole
from tersely.select.knapsack import Knapsack


@settings(max_examples=300)
@given(problems(largest=12))
def test_the_choice_is_the_best_and_ties_prefer_earlier_sentences(problem: Problem) -> None:
    assert Knapsack()(problem).chosen == brute_force(problem)


@settings(max_examples=300)
@given(problems(largest=9, needs=True))
def test_the_choice_is_the_best_with_what_its_sentences_need(problem: Problem) -> None:
    assert Knapsack()(problem).chosen == brute_force(problem)


@pytest.mark.parametrize("shape", ["chain", "comb", "brush"])
def test_a_deep_forest_is_solved_exactly_in_little_memory(shape: str) -> None:
    count = 400
    needs = {
        "chain": range(-1, count - 1),
        "comb": [-1, *(i - 1 - i % 2 for i in range(1, count))],  # two sentences need every other one
        "brush": [-1, *(i // 2 - 1 + i % 2 for i in range(1, count))],
    }[shape]
    problem = replace(random_problem(0, count, 20_000), needs=tuple(needs))
    tracemalloc.start()
    try:
        chosen = Knapsack()(problem).chosen
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert is_allowed(problem, chosen)
    assert peak < 60 * 20_000 * 8
    if shape == "chain":
        assert chosen == tuple(range(np.searchsorted(np.cumsum(problem.costs), problem.room, side="right")))


@given(problems(largest=10, needs=True))
def test_one_table_answers_every_budget_as_a_fresh_solution_does(problem: Problem) -> None:
    answer = Knapsack().table(problem)
    lowest = problem.length(tuple(problem.include))
    for capacity in range(lowest, problem.capacity + 1):
        assert answer(capacity) == Knapsack()(problem.with_capacity(capacity))


@pytest.mark.parametrize("kind", ["uniform", "by length", "few", "equal", "decaying"])
@pytest.mark.parametrize("needing", [0.0, 0.45])
def test_one_table_answers_every_budget_for_a_news_article(kind: str, needing: float) -> None:
    problem = random_problem(1, 30, 2000, kind, needing)
    answer = Knapsack().table(problem)
    for capacity in range(0, 2001, 37):
        assert answer(capacity) == Knapsack()(problem.with_capacity(capacity))


def test_a_table_that_would_be_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(1, 30, 1000)
    with_table = [Knapsack().table(problem)(capacity) for capacity in range(0, 1000, 100)]
    monkeypatch.setattr("tersely.select.knapsack._LARGEST_TABLE", 0)
    monkeypatch.delattr("tersely.select.knapsack.Table")
    assert [Knapsack().table(problem)(capacity) for capacity in range(0, 1000, 100)] == with_table


def test_a_table_says_which_budgets_it_covers() -> None:
    answer = Knapsack().table(Problem(np.ones(2), np.array([5, 6]), 20, include=frozenset({1})))
    for capacity in (5, 21):
        with pytest.raises(UsageError, match=f"from 6 to 20, not {capacity}"):
            answer(capacity)


@given(problems(needs=True))
def test_a_larger_budget_is_never_worth_less(problem: Problem) -> None:
    values = whole(problem.values)
    answer = Knapsack().table(problem)
    worth = [
        sum(values[i] for i in answer(capacity).chosen if i not in problem.include)
        for capacity in range(problem.length(tuple(problem.include)), problem.capacity + 1)
    ]
    assert worth == sorted(worth)


@given(st.integers(0, 1000), st.permutations(range(12)))
def test_the_order_of_sentences_does_not_change_the_value(seed: int, order: list[int]) -> None:
    problem = random_problem(seed, 12, 500)
    shuffled = Problem(problem.values[order], problem.lengths[order], 500, 1)
    chosen = {order[i] for i in Knapsack()(shuffled).chosen}
    assert chosen == set(Knapsack()(problem).chosen)


@pytest.mark.parametrize("kind", ["uniform", "length"])
def test_ten_thousand_sentences_fit_into_memory(kind: str) -> None:
    problem = random_problem(0, 10_000, 100_000, kind)
    tracemalloc.start()
    try:
        chosen = Knapsack()(problem).chosen
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.99 * problem.capacity < problem.length(chosen) <= problem.capacity
    assert peak < 2**30
