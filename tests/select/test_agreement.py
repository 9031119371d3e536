"""Samples of `coverage`, and the choice that agrees with them."""

import numpy as np
from hypothesis import given, settings

from problems import problems
from tersely.select import Problem
from tersely.select.consensus import Consensus, _factors
from tersely.select.coverage import Coverage
from tersely.text.document import Document


@settings(max_examples=200)
@given(problems(needs=True))
def test_the_first_sample_has_no_noise(problem: Problem) -> None:
    # One sample, and nothing but agreement counts: the best choice is that sample, which is what coverage chooses.
    alone = Consensus(sigma=5.0, samples=1, starts=1, fill=0.0, each=0.0)
    assert alone(problem).chosen == Coverage()(problem).chosen


def text_of_thirty_sentences() -> Problem:
    rng = np.random.default_rng(5)
    words = "rain snow wind storm cloud frost river town bridge mayor school plan money road".split()
    document = Document.from_sentences([" ".join(rng.choice(words, 8)) for _ in range(30)], "en")
    return Problem(rng.random(30) + 0.1, rng.integers(20, 60, 30), capacity=240, document=document)


def test_the_first_sample_of_a_text_has_no_noise() -> None:
    problem = text_of_thirty_sentences()
    alone = Consensus(sigma=5.0, samples=1, starts=1, fill=0.0, each=0.0)
    for capacity in range(60, 128):
        assert alone(problem.with_capacity(capacity)).chosen == Coverage()(problem.with_capacity(capacity)).chosen


def test_the_noise_is_the_same_every_time() -> None:
    problem = text_of_thirty_sentences()
    # With this much noise, samples drawn anew would agree on another choice.
    noisy = Consensus(sigma=3.0, samples=8)
    for capacity in range(60, 240, 20):
        answer = noisy(problem.with_capacity(capacity))
        _factors.cache_clear()
        assert noisy(problem.with_capacity(capacity)) == answer


def test_samples_stay_from_one_budget_to_the_next_only_if_they_fit() -> None:
    problem = text_of_thirty_sentences()
    consensus = Consensus(samples=8)
    table = consensus.table(problem)
    for capacity in [*range(240, 60, -3), 200]:
        assert table(capacity).chosen == consensus(problem.with_capacity(capacity)).chosen
