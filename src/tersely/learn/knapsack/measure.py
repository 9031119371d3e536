"""From a network's probabilities to a choice of items, and how close it comes to a solver's: Table 1 and more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray

from tersely.learn.knapsack.labels import Bools, Floats, Ints, Problems, dp, labels

# Profits sum to 1 and are float32: sums in float64 are exact far below this.
_SAME = 1e-9


def rounded(probabilities: Floats, mask: Bools) -> Bools:
    """Choose the items that are more likely in than out, [B, n], as the paper does."""
    chosen: Bools = (probabilities > 0.5) & mask
    return chosen


def repaired(probabilities: Floats, batch: Problems) -> Bools:
    """Round, drop the least likely items until the rest fits, then add the likeliest that still fit, [B, n]."""
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


@dataclass(frozen=True)
class Measures:
    """Rates from 0 to 1."""

    error_rate: float  # items whose decision differs from the label
    matched_rate: float  # problems whose whole choice is the label's or, for DP, fits and is worth as much
    feasible_rate: float  # problems whose choice fits
    value_ratio: float  # mean worth relative to the optimum; a choice that does not fit is worth 0


def measure(chosen: Bools, label: Bools, batch: Problems, ties: bool = True, best: Bools | None = None) -> Measures:
    """Compare choices [B, n] with labels; `ties` accepts a choice that fits and is worth as much as the label.

    `best` are the exact solutions, if they are known.
    """
    chosen = chosen & batch.mask
    wrong = (chosen != label) & batch.mask
    fits = feasible(chosen, batch)
    value, wanted = worth(chosen, batch), worth(label, batch)
    matched = ~wrong.any(axis=1)
    if ties:
        matched |= fits & (np.abs(value - wanted) <= _SAME)
    optimum = worth(dp(batch) if best is None else best, batch)
    solvable = optimum > 0
    ratio = np.where(solvable, fits * value / np.where(solvable, optimum, 1), 1)
    return Measures(
        error_rate=float(wrong.sum() / batch.mask.sum()),
        matched_rate=float(matched.mean()),
        feasible_rate=float(fits.mean()),
        value_ratio=float(ratio.mean()),
    )


def feasible(chosen: Bools, batch: Problems) -> Bools:
    """Tell which choices fit, in whole characters, [B]."""
    fits: Bools = (chosen * batch.lengths).sum(axis=1) <= batch.capacities
    return fits


def worth(chosen: Bools, batch: Problems) -> NDArray[np.float64]:
    """Return the total profit of each choice, [B]."""
    total: NDArray[np.float64] = (chosen * batch.profits.astype(np.float64)).sum(axis=1)
    return total


class Evaluation(NamedTuple):
    """Problems to measure on, with their labels and exact solutions."""

    batch: Problems
    label: Bools
    best: Bools
    ties: bool

    @classmethod
    def of(cls, batch: Problems, kind: str) -> "Evaluation":
        """Label the problems; ties count only for DP, as density greedy has one outcome."""
        return cls(batch, labels(kind, batch), dp(batch), ties=kind == "dp")

    def measure(self, chosen: Bools) -> Measures:
        """Measure a choice."""
        return measure(chosen, self.label, self.batch, self.ties, self.best)


class Evaluated(NamedTuple):
    """The measures of a network's choice, rounded and repaired."""

    rounded: Measures
    repaired: Measures


def evaluate(network: Callable[..., torch.Tensor], problems: Evaluation) -> Evaluated:
    """Measure a network with both ways of choosing."""
    found = probabilities(network, problems.batch)
    return Evaluated(
        problems.measure(rounded(found, problems.batch.mask)),
        problems.measure(repaired(found, problems.batch)),
    )


def probabilities(network: Callable[..., torch.Tensor], batch: Problems, size: int = 500) -> Floats:
    """Return a network's probabilities [B, n], 0 where there is no item; `size` problems are computed at a time."""
    found, device = np.zeros(batch.mask.shape, dtype=np.float32), device_of(network)
    for first in range(0, len(batch.mask), size):
        rows = slice(first, first + size)
        part = batch.part(rows)
        with torch.no_grad():
            logits = network(*(torch.from_numpy(each).to(device) for each in part[:3])).cpu()
        found[rows, : part.mask.shape[1]] = torch.sigmoid(logits).numpy() * part.mask
    return found


def device_of(network: Callable[..., torch.Tensor]) -> torch.device:
    """Return where a network computes."""
    weights = network.parameters() if isinstance(network, torch.nn.Module) else iter(())
    return next((weight.device for weight in weights), torch.device("cpu"))
