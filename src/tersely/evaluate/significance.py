"""Whether one system is really better than another on the same documents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLES = 10_000
_AT_ONCE = 500


class Difference(NamedTuple):
    """The mean difference, its 95 % interval, and the two-sided p-value of no difference."""

    mean: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    one: NDArray[np.float64], two: NDArray[np.float64], samples: int = SAMPLES, seed: int = 42
) -> Difference:
    """Compare `one` with `two`, scores of the same documents, by drawing documents again (Efron and Tibshirani).

    >>> paired_bootstrap(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0])).mean
    1.0
    """
    means = bootstrap_means(one - two, samples, seed)
    mean = float((one - two).mean())
    low, high = np.percentile(means, (2.5, 97.5))
    # The share of draws on the far side of zero, doubled; one draw is added so that p is never 0.
    tail = min((means <= 0).sum(), (means >= 0).sum())
    return Difference(mean, float(low), float(high), min(1.0, 2 * (int(tail) + 1) / (samples + 1)))


def interval(scores: NDArray[np.float64], samples: int = SAMPLES, seed: int = 42) -> tuple[float, float]:
    """Return the 95 % interval of the mean."""
    low, high = np.percentile(bootstrap_means(scores, samples, seed), (2.5, 97.5))
    return float(low), float(high)


def bootstrap_means(scores: NDArray[np.float64], samples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of as many draws with replacement, the same for the same seed."""
    rng = np.random.default_rng(seed)
    means = np.empty(samples)
    for start in range(0, samples, _AT_ONCE):
        size = min(_AT_ONCE, samples - start)
        means[start : start + size] = scores[rng.integers(len(scores), size=(size, len(scores)))].mean(axis=1)
    return means
