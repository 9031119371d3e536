"""How far raters agree, and whether two systems' ratings differ by more than chance.

Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, https://repository.upenn.edu/asc_papers/43
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import isnan
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

from tersely.errors import MissingExtraError

_RESAMPLES = 9_999

Level = Literal["nominal", "ordinal", "interval"]
# (rater, document) -> points, for one system and one question.
Points = Mapping[tuple[int, str], int]


def krippendorff_alpha(units: Sequence[Sequence[int]], level: Level) -> float | None:
    """Return alpha over units, each a list of ratings; None if the ratings do not differ or no unit has two.

    1 is perfect agreement, 0 is agreement by chance. Units with fewer than two ratings are ignored.

    >>> krippendorff_alpha([[1, 1], [5, 5], [3]], "ordinal")
    1.0
    """
    shared = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in shared for value in unit})
    if len(values) < 2:
        return None
    counts = np.array([[unit.count(value) for value in values] for unit in map(list, shared)], float)  # units × values
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    # How often two raters of one unit gave these two values; a rating is not paired with itself.
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))  # values × values
    totals = coincidences.sum(axis=0)
    distances = _distances(np.array(values, float), totals, level)
    observed = float((coincidences * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum()) / (float(totals.sum()) - 1)
    return 1 - observed / expected


def _distances(values: np.ndarray, totals: np.ndarray, level: Level) -> np.ndarray:
    if level == "nominal":
        return 1 - np.eye(len(values))
    # An ordinal value stands at the middle of its ranks, so that only order and frequency count.
    places = values if level == "interval" else np.cumsum(totals) - totals / 2
    result: np.ndarray = np.subtract.outer(places, places) ** 2
    return result


def document_differences(first: Points, second: Points) -> list[float]:
    """Return, per document, how much higher the raters rated the first system than the second.

    Only raters who rated both count. The raters of a document see the same two texts, so their differences are not
    independent: the document is the unit of the paired test.
    """
    of_document = defaultdict(list)
    for rated in sorted(first.keys() & second.keys()):
        of_document[rated[1]].append(first[rated] - second[rated])
    return [fmean(differences) for differences in of_document.values()]


def permutation_p(differences: Sequence[float], seed: int) -> float | None:
    """Return the two-sided p of a paired permutation test: exact for few documents, otherwise sampled with `seed`."""
    if len(differences) < 2:
        return None
    result = _stats().permutation_test(
        (np.array(differences),),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(seed),
        vectorized=True,
    )
    return float(result.pvalue)


def welch_p(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Return the two-sided p of Welch's two-sample t-test, or None where it is not defined."""
    if min(len(first), len(second)) < 2:
        return None
    spread = stdev(first), stdev(second)
    if not any(spread):
        return None
    result = _stats().ttest_ind_from_stats(
        fmean(first), spread[0], len(first), fmean(second), spread[1], len(second), equal_var=False
    )
    return None if isnan(result.pvalue) else float(result.pvalue)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError("comparing systems", "eval") from None
    return stats
