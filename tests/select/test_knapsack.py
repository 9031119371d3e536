import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from problems import brute_force, fits, problems, random_problem, worth
from tersely.errors import UsageError
from tersely.select import knapsack
from tersely.select._problem import Items, Problem, Values
from tersely.select._table import Table
from tersely.select.knapsack import Knapsack, best_places

KINDS = ["uniform", "by length", "nearly by length", "length", "few", "equal", "decaying"]


def small(values: list[float], cures: tuple[int, ...], bonus: list[float], capacity: int) -> Problem:
    return Problem(np.array(values), np.full(len(values), 10), capacity, cures=cures, bonus=np.array(bonus))


@given(problems(largest=9, cured=True), st.sampled_from([0, 1000]))
def test_the_choice_is_the_best_and_of_several_always_the_same(problem: Problem, few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knapsack, "_FEW", few)  # settle some by a price, or put all into a table
        assert Knapsack()(problem).chosen == brute_force(problem)


@given(problems(largest=10, cured=True))
def test_no_sentence_is_chosen_that_does_not_raise_the_total(problem: Problem) -> None:
    chosen = Knapsack()(problem).chosen
    for i in set(chosen) - problem.include:
        assert worth(problem, tuple(j for j in chosen if j != i)) < worth(problem, chosen)


def test_of_equal_sentences_the_earlier_ones_are_chosen() -> None:
    assert Knapsack()(Problem(np.ones(40), np.full(40, 10), 100)).chosen == tuple(range(10))
    assert Knapsack()(Problem(np.array([1.0, 2.0, 1.0]), np.array([1, 2, 1]), 2)).chosen == (1,)


def test_a_sentence_is_chosen_with_its_cure_if_both_are_worth_it() -> None:
    for cures, bonus in [((1, -1, -1), [3.0, 0.0, 0.0]), ((-1, 0, -1), [0.0, 3.0, 0.0])]:
        problem = small([-1.0, 1.0, 2.0], cures, bonus, 20)
        assert Knapsack()(problem).chosen == (0, 1)  # 3 and nothing for the third, or 3 without the first: a tie
        assert Knapsack()(problem.with_capacity(30)).chosen == (0, 1, 2)
        assert Knapsack()(problem.with_capacity(10)).chosen == (2,)


def test_a_cure_of_no_value_is_chosen_for_many() -> None:
    problem = small([-5.0, 0.0, 0.0, 0.0], (-1, 0, 0, 0), [0.0, 2.0, 2.0, 2.0], 40)
    assert Knapsack()(problem).chosen == (0, 1, 2, 3)
    assert Knapsack()(problem.with_capacity(30)).chosen == ()


def test_two_sentences_may_cure_each_other() -> None:
    problem = small([-1.0, -1.0, 1.0], (1, 0, -1), [2.0, 2.0, 0.0], 20)
    assert Knapsack()(problem).chosen == (0, 1)


@given(problems(largest=10, cured=True))
def test_one_table_answers_every_budget_as_a_fresh_solution_does(problem: Problem) -> None:
    answer = Knapsack().table(problem)
    for capacity in range(problem.least, problem.capacity + 1):
        assert answer(capacity) == Knapsack()(problem.with_capacity(capacity))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cured", [0.0, 0.7])
def test_one_table_answers_every_budget_for_a_news_article(kind: str, cured: float) -> None:
    problem = random_problem(1, 30, 2000, kind, cured)
    answer = Knapsack().table(problem)
    for capacity in range(0, 2001, 37):
        assert answer(capacity) == Knapsack()(problem.with_capacity(capacity))


@given(problems(cured=True))
def test_more_room_never_lowers_the_total_and_the_length_used_is_enough(problem: Problem) -> None:
    answer = Knapsack().table(problem)
    answers = [answer(capacity) for capacity in range(problem.least, problem.capacity + 1)]
    totals = [worth(problem, one.chosen) for one in answers]
    assert totals == sorted(totals)
    for one in answers:
        assert one.stable == problem.length(one.chosen)
        assert answer(one.stable) == one


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("cured", "shape"), [(0.0, "near"), (0.7, "near"), (1.0, "path"), (1.0, "star"), (1.0, "binary")]
)
def test_settled_items_are_those_of_the_full_table(kind: str, cured: float, shape: str) -> None:
    for seed, (count, capacity) in enumerate([(40, 600), (90, 3000), (200, 2000)]):
        problem = random_problem(seed, count, capacity, kind, cured, shape)
        assert max(problem.items.costs) <= problem.room
        places = best_places(problem.items, problem.room)
        assert sorted(places) == Table(problem.items, problem.room).places(problem.room)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=8), st.integers(0, 40))
def test_a_common_divisor_of_the_lengths_changes_nothing(items: list[tuple[int, int]], capacity: int) -> None:
    values, lengths = (np.array(column) for column in zip(*items, strict=True))
    answer = Knapsack().table(Problem(values, lengths, capacity))
    large = Knapsack().table(Problem(values, lengths * 7, capacity * 7 + 6))
    for room in range(capacity + 1):
        assert answer(room).chosen == large(7 * room).chosen == large(7 * room + 6).chosen


@given(problems(largest=10, cured=True))
def test_rows_kept_as_bits_give_the_same_answers(problem: Problem) -> None:
    answer = Knapsack().table(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tersely.select._table._SMALL", 0)
        packed = Knapsack().table(problem)
    for capacity in range(problem.least, problem.capacity + 1):
        assert packed(capacity) == answer(capacity)


def test_a_table_that_would_be_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(1, 30, 1000, cured=0.5)
    with_table = [Knapsack().table(problem)(capacity) for capacity in range(0, 1000, 100)]
    monkeypatch.setattr(knapsack, "_LARGEST_TABLE", 0)
    assert [Knapsack().table(problem)(capacity) for capacity in range(0, 1000, 100)] == with_table
    huge = Problem(np.ones(3), np.array([2, 3, 5]), 10**12)
    assert Knapsack().table(huge)(10**12).chosen == (0, 1, 2)


def test_a_table_says_which_budgets_it_covers() -> None:
    answer = Knapsack().table(Problem(np.ones(2), np.array([5, 6]), 20, include=frozenset({1})))
    for capacity in (5, 21):
        with pytest.raises(UsageError, match=f"from 6 to 20, not {capacity}"):
            answer(capacity)


@given(st.integers(0, 1000), st.permutations(range(12)))
def test_the_order_of_sentences_does_not_change_the_choice(seed: int, order: list[int]) -> None:
    problem = random_problem(seed, 12, 500, cured=0.6)
    place = {sentence: i for i, sentence in enumerate(order)} | {-1: -1}
    assert problem.bonus is not None
    bonus: Values = problem.bonus[order] * (1 + 1e-6 * np.sqrt(np.array(order)))  # no ties
    values: Values = problem.values[order] * (1 + 1e-6 * np.sqrt(np.array(order)))
    cures = tuple(place[problem.cures[i]] for i in order)
    back = [place[i] for i in range(12)]
    shuffled = Problem(values, problem.lengths[order], 500, 1, cures=cures, bonus=bonus)
    straight = Problem(values[back], problem.lengths, 500, 1, cures=problem.cures, bonus=bonus[back])
    assert {order[i] for i in Knapsack()(shuffled).chosen} == set(Knapsack()(straight).chosen)


@pytest.mark.parametrize(
    ("kind", "cured", "shape"),
    [("uniform", 0.0, "near"), ("length", 0.0, "near"), ("uniform", 0.7, "near"), ("few", 1.0, "binary")],
)
def test_ten_thousand_sentences_fit_into_memory(kind: str, cured: float, shape: str) -> None:
    problem = random_problem(0, 10_000, 100_000, kind, cured, shape)
    tracemalloc.start()
    try:
        chosen = Knapsack()(problem).chosen
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert fits(problem, chosen)
    assert problem.length(chosen) > 0.99 * problem.capacity
    assert peak < 2**30


@pytest.mark.parametrize("shape", ["near", "path", "star", "binary"])
@pytest.mark.soak
def test_the_work_grows_linearly_whatever_the_forest(shape: str) -> None:
    assert_linear(Knapsack(), lambda count: random_problem(0, count, 10 * count, cured=1.0, shape=shape), 2500)


@st.composite
def alike(draw: st.DrawFn) -> Problem:
    """Make a problem of many sentences of few kinds, some of them tied."""
    kinds = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=4))
    items = draw(st.lists(st.sampled_from(kinds), min_size=9, max_size=40))
    cures = [draw(st.sampled_from([-1, -1, -1, i - 1])) for i in range(len(items))]
    values, lengths = zip(*items, strict=True)
    capacity = draw(st.integers(0, sum(lengths) + len(lengths)))
    bonus = np.where(np.array(cures) >= 0, 2.0, 0.0)
    return Problem(np.array(values), np.array(lengths), capacity, separator=1, cures=tuple(cures), bonus=bonus)


@given(alike())
def test_sentences_that_are_alike_are_settled_as_by_the_full_table(problem: Problem) -> None:
    assert Knapsack()(problem) == Knapsack().table(problem)(problem.capacity)


@pytest.mark.parametrize("lengths", [(4,), (3, 5, 8, 9), (6, 7)])
@pytest.mark.parametrize("difference", [0.0, 1e-4])
def test_the_table_of_many_sentences_that_are_alike_stays_small(
    lengths: tuple[int, ...], difference: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cells(count: int) -> int:
        sizes: list[int] = []

        def table(items: Items, room: int) -> Table:
            sizes.append(len(items.values) * room)
            return Table(items, room)

        monkeypatch.setattr(knapsack, "Table", table)
        kinds = np.array(lengths)[np.arange(count) % len(lengths)]
        values = np.sqrt(kinds) * (1 + difference * np.sin(np.arange(count)))
        Knapsack()(Problem(values, kinds, capacity=2 * count + 1, separator=1))
        return sum(sizes)

    assert cells(4000) < 2 * cells(1000) + 10_000
