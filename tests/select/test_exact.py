"""Reduction, search and table give the same answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import random_problem
from tersely.select import _exact
from tersely.select._exact import Table, best_items, reduce, search
from tersely.select._problem import Lengths, Values, whole

KINDS = ["uniform", "by length", "nearly by length", "length", "few", "equal", "decaying"]


def knapsack(seed: int, count: int, capacity: int, kind: str) -> tuple[Values, Lengths, int]:
    problem = random_problem(seed, count, capacity, kind)
    return whole(problem.values), problem.costs, problem.room


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("count", "capacity"), [(30, 500), (90, 3000), (300, 2000), (600, 9000)])
def test_the_reduced_knapsack_gives_the_same_answer_as_the_full_table(kind: str, count: int, capacity: int) -> None:
    for seed in range(3):
        values, costs, room = knapsack(seed, count, capacity, kind)
        assert best_items(values, costs, room) == Table(values, costs, room).items(room)


@given(st.data())
def test_a_reduction_keeps_every_tie_open(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 40))
    numbers = st.lists(st.integers(1, 6), min_size=count, max_size=count)
    values = np.array(data.draw(numbers), dtype=np.float64)
    costs = np.array(data.draw(numbers)) * data.draw(st.integers(1, 3)) - data.draw(st.integers(0, 1))
    capacity = data.draw(st.integers(0, int(costs.sum())))
    expected = Table(values, costs, capacity).items(capacity)
    settled, undecided, room = reduce(values, costs, capacity)
    left = undecided[Table(values[undecided], costs[undecided], room).items(room)]
    assert sorted([*settled, *left]) == expected
    _, found = search(values.tolist(), costs.tolist(), capacity, limit=10**5)
    assert found in (expected, None)


def test_nearly_all_sentences_of_a_long_document_are_settled() -> None:
    values, costs, room = knapsack(0, 5000, 50_000, "uniform")
    assert len(reduce(values, costs, room).undecided) < 100


def test_a_search_that_gives_up_leaves_the_answer_to_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    values, costs, room = knapsack(0, 60, 2000, "few")
    expected = best_items(values, costs, room)
    monkeypatch.setattr(_exact, "search", lambda *_, **__: (0.0, None))
    assert best_items(values, costs, room) == expected


def test_a_search_that_gives_up_returns_the_value_of_a_set_that_fits() -> None:
    values, costs, room = knapsack(0, 60, 2000, "equal")
    worth, found = search(values.tolist(), costs.tolist(), room, limit=1)
    best = values[Table(values, costs, room).items(room)].sum()
    assert found is None
    assert 0 < worth <= best


def test_items_that_cost_nothing_are_always_taken() -> None:
    values, costs = np.array([1.0, 5.0, 1.0, 9.0] * 100), np.array([0, 2, 0, 3] * 100)
    for capacity in (0, 1, 2, 100):
        expected = Table(values, costs, capacity).items(capacity)
        assert set(range(0, 400, 2)) <= set(expected)
        assert best_items(values, costs, capacity) == expected
    assert best_items(np.ones(3), np.zeros(3, dtype=np.int64), 0) == [0, 1, 2]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=8), st.integers(0, 40))
def test_a_common_divisor_of_the_costs_changes_nothing(items: list[tuple[int, int]], capacity: int) -> None:
    values, costs = (np.array(column) for column in zip(*items, strict=True))
    small, large = (
        Table(values.astype(float), costs, capacity),
        Table(values.astype(float), costs * 7, capacity * 7 + 6),
    )
    for c in range(capacity + 1):
        assert small.items(c) == large.items(7 * c) == large.items(7 * c + 6)


def test_a_table_is_no_larger_than_all_items_need() -> None:
    table = Table(np.ones(3), np.array([2, 3, 5]), 10**12)
    assert table.items(10**12) == [0, 1, 2]
    assert table.items(9) == [0, 1]
