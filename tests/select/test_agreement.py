"""Samples of `coverage`, and the choice that agrees with them."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from problems import problems
from tersely.select import Problem
from tersely.select.consensus import Consensus
from tersely.select.coverage import Coverage
from tersely.text.document import Document


@settings(max_examples=200)
@given(problems(needs=True))
def test_the_first_sample_has_no_noise(problem: Problem) -> None:
    # One sample, and nothing but agreement counts: the best choice is that sample, which is what coverage chooses.
    alone = Consensus(sigma=5.0, samples=1, starts=1, fill=0.0, each=0.0)
    assert alone(problem).chosen == Coverage()(problem).chosen


def test_the_noise_is_the_same_every_time() -> None:
    rng = np.random.default_rng(5)
    words = "rain snow wind storm cloud frost river town bridge mayor school plan money road".split()
    sentences = [" ".join(rng.choice(words, 8)) for _ in range(30)]
    problem = Problem(
        rng.random(30) + 0.1, rng.integers(20, 60, 30), capacity=200, document=Document.from_sentences(sentences, "en")
    )
    # With this much noise, samples drawn anew would agree on another choice.
    noisy = Consensus(sigma=3.0, samples=8)
    assert len({noisy(replace(problem, capacity=c)).chosen for c in (120, 160, 200)}) > 1
    for capacity in range(60, 240, 20):
        assert noisy(problem.with_capacity(capacity)) == noisy(replace(problem, capacity=capacity))
