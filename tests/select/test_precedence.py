"""Settling items by a price of room gives the same answer as the table of all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from problems import bundle, in_families, parents, problems, random_problem
from tersely.select import Problem, _precedence
from tersely.select._precedence import FamilyTable, Priced, best_places, depth_first
from tersely.select._problem import whole
from tersely.select.knapsack import Knapsack

KINDS = ["uniform", "by length", "nearly by length", "length", "few", "equal", "decaying"]


@given(problems(largest=12, needs=True))
def test_items_stand_before_those_that_need_them(problem: Problem) -> None:
    items = depth_first(problem.forest, problem.candidates.tolist())
    needed = {j for i in problem.candidates.tolist() for j in bundle(problem, i, ())}
    assert items.sentences == [i for i in in_families(problem) if i in needed]
    for place, sentence in enumerate(items.sentences):
        above = parents(problem)[sentence]
        assert items.parents[place] == (items.sentences.index(above) if above >= 0 else -1)
        family = [i for i in items.sentences if sentence in bundle(problem, i, ())]
        assert items.sentences[place : items.ends[place]] == family
        assert items.wanted[place] == (sentence in problem.candidates)


@pytest.fixture
def always_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_precedence, "_FEW", 0)


@pytest.mark.usefixtures("always_settled")
def test_few_settled_items_change_nothing() -> None:
    @settings(max_examples=400)
    @given(problems(largest=14, needs=True))
    def run(problem: Problem) -> None:
        assert Knapsack()(problem) == Knapsack().table(problem)(problem.capacity)

    run()


@pytest.mark.usefixtures("always_settled")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("needing", [0.45, 0.9])
def test_settled_items_change_nothing(kind: str, needing: float) -> None:
    for seed in range(3):
        for count, capacity in [(40, 700), (300, 3000)]:
            problem = random_problem(seed, count, capacity, kind, needing)
            # A third is of no value, so it is chosen only for others.
            values = np.where(np.random.default_rng(seed).random(count) < 0.33, -1.0, problem.values)
            for one in (problem, replace(problem, values=values)):
                assert Knapsack()(one) == Knapsack().table(one)(capacity)


def test_nearly_all_sentences_of_a_long_document_are_settled() -> None:
    problem = random_problem(0, 5000, 50_000, needing=0.45)
    items = depth_first(problem.forest, problem.candidates.tolist())
    values, costs = whole(problem.values)[items.sentences], problem.costs[items.sentences]
    priced = Priced(items, [int(value) for value in values], costs.tolist(), problem.room)
    best = best_places(items, values, costs, problem.room)
    gap = priced.bound - int(values[best].sum())
    settled, open_ = priced.core(gap)
    assert gap >= 0
    assert set(settled) <= set(best) <= {*settled, *open_}
    assert len(open_) < 250
    assert FamilyTable(items, values, costs, problem.room).places(problem.room) == best


@pytest.mark.usefixtures("always_settled")
def test_what_is_worth_nothing_is_not_settled_without_one_that_needs_it() -> None:
    # The first costs nothing, so at any price it seems worth taking; but the second, which needs it, does not fit.
    problem = Problem(np.array([-1.0, 1e-13, 1.0]), np.array([0, 5, 5]), capacity=5, needs=(-1, 0, -1))
    assert Knapsack()(problem).chosen == (2,)
