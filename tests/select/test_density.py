import numpy as np
from hypothesis import given

from problems import brute_force, problems
from tersely.select import Problem
from tersely.select._problem import Selection, to_whole_numbers
from tersely.select.ranked import Density


@given(problems(forced=False))
def test_the_choice_is_worth_at_least_half_of_the_best(problem: Problem) -> None:
    values = to_whole_numbers(problem.values)
    assert 2 * values[list(Density()(problem).chosen)].sum() >= values[list(brute_force(problem))].sum()


def test_a_single_sentence_is_chosen_only_if_the_others_are_worth_less() -> None:
    problem = Problem(np.array([3.0, 1.0, 2.5]), np.array([10, 1, 9]), 10)
    assert Density()(problem) == Selection((1, 2), stable=10)
    problem = Problem(np.array([3.0, 1.0, 1.5]), np.array([10, 1, 9]), 10)
    assert Density()(problem) == Selection((0,), stable=10)


def test_power_zero_chooses_by_value_alone() -> None:
    problem = Problem(np.array([3.0, 2.0, 2.5]), np.array([10, 1, 2]), 10)
    assert Density(power=0)(problem).chosen == (0,)
    assert Density(power=1)(problem).chosen == (1, 2)
