"""Labels are what the package's solvers choose; measures and repair do what they promise."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tersely.errors import UsageError
from tersely.paper.knapsack_measure import feasible, measure, repaired, rounded, worth
from tersely.paper.knapsack_problems import CNEWSUM, CNNDM, Problems, Simulation, density, dp, labels, solve
from tersely.select import Problem
from tersely.select.knapsack import Knapsack

profits_and_lengths = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        # Few different numbers, so that ties are common.
        st.lists(st.integers(1, 6), min_size=n, max_size=n),
        st.lists(st.integers(1, 9), min_size=n, max_size=n),
        st.integers(1, 20),
    )
)


def batch_of(values: list[int], lengths: list[int], capacity: int) -> Problems:
    profits = np.array([values], dtype=np.float32)
    sizes = np.array([lengths], dtype=np.int32)
    mask = np.ones_like(profits, dtype=bool)
    return Problems(profits, (sizes / capacity).astype(np.float32), mask, sizes, np.array([capacity], dtype=np.int32))


@given(profits_and_lengths)
def test_dp_finds_the_best_of_all_sets(problem: tuple[list[int], list[int], int]) -> None:
    batch = batch_of(*problem)
    values, lengths, capacity = problem
    sets = np.array(list(product([0, 1], repeat=len(values))))
    best = (sets @ values)[sets @ lengths <= capacity].max()
    chosen = dp(batch)
    assert feasible(chosen, batch).all()
    assert worth(chosen, batch) == best


@pytest.mark.parametrize("paper", [CNNDM, CNEWSUM])
def test_dp_chooses_the_same_as_the_exact_selector(paper: object) -> None:
    batch = Simulation(paper, seed=9).batch(0, 200)  # type: ignore[arg-type]
    chosen = dp(batch)
    for row in range(200):
        problem = Problem(
            batch.profits[row, batch.mask[row]], batch.lengths[row, batch.mask[row]], batch.capacities[row]
        )
        assert tuple(np.flatnonzero(chosen[row])) == Knapsack()(problem).chosen


def test_items_without_a_positive_profit_are_never_chosen() -> None:
    chosen = solve(
        np.array([[-1.0, 0.0, 0.5]], dtype=np.float32), np.array([[1, 1, 1]]), np.ones((1, 3), bool), np.array([9])
    )
    assert chosen.tolist() == [[False, False, True]]


@given(profits_and_lengths)
def test_density_greedy_takes_in_order_whatever_still_fits(problem: tuple[list[int], list[int], int]) -> None:
    values, lengths, left = problem
    expected = [False] * len(values)
    ratio = (np.array(values, dtype=np.float32) / np.array(lengths)).tolist()
    for item in sorted(range(len(values)), key=lambda i: -ratio[i]):
        if lengths[item] <= left:
            expected[item], left = True, left - lengths[item]
    assert density(batch_of(*problem)).tolist() == [expected]


def test_an_unknown_kind_of_labels_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'density'"):
        labels("densty", Simulation(CNNDM).batch(0, 1))


def test_a_solution_of_equal_worth_matches_only_if_ties_count() -> None:
    batch = batch_of([2, 2, 1], [3, 3, 9], 3)
    label, other = np.array([[True, False, False]]), np.array([[False, True, False]])
    assert measure(other, label, batch, ties=True).matched_rate == 1
    assert measure(other, label, batch, ties=False).matched_rate == 0
    assert measure(other, label, batch).error_rate == pytest.approx(2 / 3)


def test_a_choice_that_does_not_fit_neither_matches_nor_is_worth_anything() -> None:
    batch = batch_of([2, 2], [3, 3], 3)
    found = measure(np.array([[True, True]]), np.array([[True, False]]), batch)
    assert (found.matched_rate, found.feasible_rate, found.value_ratio) == (0, 0, 0)


@given(arrays(np.float32, (50, 64), elements=st.floats(0, 1, width=32)), st.integers(0, 9))
def test_a_repaired_choice_always_fits_and_leaves_no_room_for_another_item(numbers: np.ndarray, step: int) -> None:
    batch = Simulation(CNNDM, seed=2).batch(step, 50)
    found = numbers[:, : batch.mask.shape[1]]
    chosen = repaired(found, batch)
    assert feasible(chosen, batch).all()
    left = batch.capacities - (chosen * batch.lengths).sum(1)
    assert not (batch.mask & ~chosen & (batch.lengths <= left[:, None])).any()


def test_repair_keeps_an_exact_solution() -> None:
    batch = Simulation(CNNDM, seed=2).batch(0, 300)
    label = dp(batch)
    assert np.array_equal(repaired(label.astype(np.float32), batch), label)
    assert np.array_equal(rounded(label.astype(np.float32), batch.mask), label)
