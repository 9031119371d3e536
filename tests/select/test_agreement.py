"""Samples of `coverage`, and the choice that agrees with them."""

from hypothesis import given, settings

from problems import problems
from tersely.select import Problem
from tersely.select.consensus import Consensus
from tersely.select.coverage import Coverage


@settings(max_examples=200)
@given(problems(needs=True))
def test_the_first_sample_has_no_noise(problem: Problem) -> None:
    # One sample, and nothing but agreement counts: the best choice is that sample, which is what coverage chooses.
    alone = Consensus(sigma=5.0, samples=1, starts=1, fill=0.0, each=0.0)
    assert alone(problem).chosen == Coverage()(problem).chosen
