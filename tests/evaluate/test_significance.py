"""The paired bootstrap."""

import numpy as np
from scipy.stats import ttest_rel

from tersely.evaluate.significance import interval, paired_bootstrap


def test_a_clear_difference_is_found_and_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    hard = rng.normal(40, 10, 300)  # documents differ much more than systems do
    better, same = hard + rng.normal(1, 2, 300), hard + rng.normal(0, 2, 300)
    found = paired_bootstrap(better, hard)
    assert found.low > 0
    assert found.p < 0.01
    assert paired_bootstrap(same, hard).p > 0.05


def test_p_is_near_the_paired_t_tests() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.15, 1, 200), np.zeros(200)
    assert abs(paired_bootstrap(one, two).p - ttest_rel(one, two).pvalue) < 0.02


def test_equal_scores_are_not_different() -> None:
    scores = np.arange(5.0)
    assert paired_bootstrap(scores, scores) == (0, 0, 0, 1)


def test_the_seed_decides() -> None:
    scores = np.random.default_rng(2).random(50)
    assert interval(scores) == interval(scores)
    assert interval(scores) != interval(scores, seed=1)
    low, high = interval(scores)
    assert low < scores.mean() < high
