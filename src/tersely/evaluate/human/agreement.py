"""How far raters agree, beyond what chance gives: Krippendorff's alpha.

Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, https://repository.upenn.edu/asc_papers/43
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(units: Sequence[Sequence[int]], level: Level) -> float | None:
    """Return alpha over units, each given by its ratings; None where ratings do not differ or none is shared.

    1 is perfect agreement, 0 is that of chance. A unit with fewer than two ratings says nothing and is left out.

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
    # Ordinal values stand at the middle of their ranks, so that only their order and frequency count.
    places = values if level == "interval" else np.cumsum(totals) - totals / 2
    result: np.ndarray = np.subtract.outer(places, places) ** 2
    return result
