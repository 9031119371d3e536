from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import UsageError
from tersely.select._problem import Problem, to_whole_numbers
from tersely.text import Document

VALUES, LENGTHS = np.array([1.0, 2.0, 0.0]), np.array([10, 20, 30])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"include": frozenset({0, 2})}, "the included sentences need 41, but the budget is 30"),
        ({"include": frozenset({3})}, "there is no sentence 3: the document has 3"),
        ({"exclude": frozenset({-1})}, "there is no sentence -1"),
        ({"include": frozenset({1}), "exclude": frozenset({1})}, "sentence 1 is both included and excluded"),
        ({"values": np.array([1.0, np.nan, 0.0])}, "sentence 1 has no finite value"),
        ({"values": np.array([1.0, 2.0, -np.inf])}, "sentence 2 has no finite value"),
        ({"values": np.array([1.0])}, "there are 1 values but 3 lengths"),
        ({"lengths": np.array([1, -2, 3])}, "must not be negative"),
        ({"capacity": -1}, "must not be negative"),
        ({"cures": (-1, 0)}, "3 values but 3 bonuses and 2 cures"),
        ({"bonus": np.ones(2)}, "3 values but 2 bonuses"),
        ({"bonus": np.array([0.0, -1.0, 0.0])}, "a bonus must be finite and not negative"),
        ({"cures": (-1, 1, 0)}, "sentence 1 is cured by 1, which is neither -1 nor another sentence"),
        ({"cures": (-1, -2, 0)}, "sentence 1 is cured by -2, which"),
        ({"cures": (-1, 3, 0)}, "sentence 1 is cured by 3, which"),
        ({"cures": (1, 2, 0)}, "the cures of sentence 2 lead back to it"),
        ({"document": Document.from_sentences(["One."], "en")}, "3 values but 1 sentences"),
    ],
)
def test_an_invalid_problem_is_refused_with_the_reason(settings: dict[str, object], message: str) -> None:
    good = {"values": VALUES, "lengths": LENGTHS, "capacity": 30, "separator": 1}
    with pytest.raises(UsageError, match=message):
        Problem(**{**good, **settings})  # type: ignore[arg-type]


def test_included_sentences_may_fill_the_budget_exactly() -> None:
    problem = Problem(VALUES, LENGTHS, capacity=41, separator=1, include=frozenset({0, 2}))
    assert problem.room == 0
    assert problem.candidates.tolist() == []


def test_separators_count_only_between_sentences() -> None:
    problem = Problem(VALUES, LENGTHS, capacity=100, separator=2)
    assert [problem.length(chosen) for chosen in [(), (0,), (0, 1, 2)]] == [0, 10, 64]


def test_candidates_are_free_positive_and_short_enough() -> None:
    problem = Problem(np.ones(5), np.array([1, 2, 3, 4, 9]), 5, exclude=frozenset({0}), include=frozenset({1}))
    assert problem.candidates.tolist() == [2]


def test_worth_counts_the_bonus_of_what_is_cured() -> None:
    problem = Problem(VALUES, LENGTHS, 100, cures=(2, -1, -1), bonus=np.array([5.0, 9.0, 9.0]))
    assert [problem.worth(chosen) for chosen in [(), (0,), (0, 1), (0, 2), (0, 1, 2)]] == [0, 1, 3, 6, 8]


def test_other_values_and_capacities_are_those_of_a_new_problem() -> None:
    problem = Problem(VALUES, LENGTHS, 30, 1, cures=(1, -1, -1), bonus=np.ones(3))
    assert problem.items.values
    assert problem.candidates.tolist() == [0, 1]
    assert problem.room == 31
    other = problem.with_capacity(15).revised(values=np.array([1.0, -9.0, 7.0]), bonus=np.zeros(3))
    assert other.items.sentences == [0, 2]
    assert other.candidates.tolist() == [0]
    assert other.room == 16
    assert problem.revised(values=-VALUES).bonus is problem.bonus


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40))
def test_whole_numbers_keep_the_order_and_the_sign_and_sum_exactly(numbers: list[float]) -> None:
    scaled = to_whole_numbers(np.array(numbers)).tolist()
    assert all(number == int(number) for number in scaled)
    assert np.array_equal(np.sign(scaled), np.sign(numbers))
    assert sum(abs(int(number)) for number in scaled) < 2**53
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert all(scaled[a] <= scaled[b] for a, b in pairwise(order))


@given(st.lists(st.integers(1, 2**30), min_size=1, max_size=40), st.integers(-900, 900))
def test_whole_numbers_keep_the_ratios_of_integers(numbers: list[int], exponent: int) -> None:
    scaled = to_whole_numbers(np.ldexp(np.array(numbers, dtype=np.float64), exponent))
    assert np.array_equal(scaled / scaled[0], np.array(numbers) / numbers[0])


def test_whole_numbers_of_a_long_document_still_sum_exactly() -> None:
    assert to_whole_numbers(np.ones(100_000)).sum() < 2**53
