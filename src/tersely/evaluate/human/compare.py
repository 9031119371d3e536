"""Do two systems' ratings differ by more than chance?"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import isnan
from statistics import fmean, stdev
from typing import Any

import numpy as np

from tersely.errors import MissingExtraError

_RESAMPLES = 9_999
# (rater, document) -> points, of one system and one question.
Points = Mapping[tuple[int, str], int]


def document_differences(first: Points, second: Points) -> list[float]:
    """Return, for each document, how much higher its raters rated the first system than they rated the second.

    Only a rater who rated both counts. Raters of one document see the same two texts, so that their differences
    are not independent: the document is the unit of the paired test.
    """
    of_document = defaultdict(list)
    for rated in sorted(first.keys() & second.keys()):
        of_document[rated[1]].append(first[rated] - second[rated])
    return [fmean(differences) for differences in of_document.values()]


def permutation_p(differences: Sequence[float], seed: int) -> float | None:
    """Return the two-sided p of a paired permutation test: exact on few documents, sampled with `seed` beyond."""
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
    """Return the two-sided p of Welch's two-sample t-test; None where it is not defined."""
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
