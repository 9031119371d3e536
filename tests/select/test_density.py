import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from problems import brute_force, bundles, problems
from tersely.select import Problem
from tersely.select._problem import Selection, whole
from tersely.select.density import Density


@given(problems(forced=False))
def test_the_choice_is_worth_at_least_half_of_the_best(problem: Problem) -> None:
    values = whole(problem.values)
    assert 2 * values[list(Density()(problem).chosen)].sum() >= values[list(brute_force(problem))].sum()


@given(problems(needs=True), st.sampled_from([0.0, 0.5, 1.0]))
def test_bundles_are_chosen_by_their_value_for_their_length(problem: Problem, power: float) -> None:
    values = whole(problem.values)
    chosen = set(problem.include)

    def fitting() -> dict[int, list[int]]:
        found = bundles(problem, chosen).items()
        return {i: one for i, one in found if problem.length((*chosen, *one)) <= problem.capacity}

    single = max(fitting().values(), key=lambda one: values[one].sum(), default=[])
    while found := fitting():
        best = max(found, key=lambda i: values[found[i]].sum() / max(problem.costs[found[i]].sum(), 1) ** power)
        chosen.update(found[best])
    if values[single].sum() > values[list(chosen - problem.include)].sum():
        chosen = {*problem.include, *single}
    assert Density(power)(problem).chosen == tuple(sorted(chosen))


def test_a_single_sentence_is_chosen_only_if_the_others_are_worth_less() -> None:
    problem = Problem(np.array([3.0, 1.0, 2.5]), np.array([10, 1, 9]), 10)
    assert Density()(problem) == Selection((1, 2), stable=10)
    problem = Problem(np.array([3.0, 1.0, 1.5]), np.array([10, 1, 9]), 10)
    assert Density()(problem) == Selection((0,), stable=10)


def test_power_zero_chooses_by_value_alone() -> None:
    problem = Problem(np.array([3.0, 2.0, 2.5]), np.array([10, 1, 2]), 10)
    assert Density(power=0)(problem).chosen == (0,)
    assert Density(power=1)(problem).chosen == (1, 2)
