"""From probabilities to a choice: rounding, and a repair after which it surely fits."""

import numba
import numpy as np
from numpy.typing import NDArray

from tersely.learn.knapsack.simulate import Batch, Bools, Floats, Ints


def rounded(probabilities: Floats, mask: Bools) -> Bools:
    """Choose what is more likely in than out, [B, n], as the paper does."""
    chosen: Bools = (probabilities > 0.5) & mask
    return chosen


def repaired(probabilities: Floats, batch: Batch) -> Bools:
    """Round; drop the least likely items until the rest fits; then add the likeliest that still fit, [B, n]."""
    order = np.argsort(np.where(batch.mask, -probabilities, np.inf), axis=1, kind="stable")
    chosen = rounded(probabilities, batch.mask)
    repaired: Bools = _repair(chosen, order, batch.lengths, batch.mask, batch.capacities)
    return repaired


@numba.njit(cache=True, nogil=True)
def _repair(chosen: Bools, order: NDArray[np.int64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    for row in range(len(order)):
        left = capacities[row]
        for item in order[row]:
            if chosen[row, item]:
                left -= lengths[row, item]
        for item in order[row, ::-1]:
            if left < 0 and chosen[row, item]:
                chosen[row, item] = False
                left += lengths[row, item]
        for item in order[row]:
            if mask[row, item] and not chosen[row, item] and lengths[row, item] <= left:
                chosen[row, item] = True
                left -= lengths[row, item]
    return chosen
