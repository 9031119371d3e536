"""How close a choice of items comes to a solver's: the measures of the paper's Table 1, and three more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from tersely.learn.knapsack.choose import repaired, rounded
from tersely.learn.knapsack.labels import dp, labels
from tersely.learn.knapsack.simulate import Batch, Bools, Floats

# Profits sum to 1 and are float32: sums in float64 are exact far below this.
_SAME = 1e-9


@dataclass(frozen=True)
class Measures:
    """Rates from 0 to 1."""

    error_rate: float  # items decided otherwise than the label
    matched_rate: float  # problems whose whole choice is the label's, or (DP) fits and is worth as much
    feasible_rate: float  # problems whose choice fits
    value_ratio: float  # mean worth relative to the best that fits; a choice that does not fit is worth 0


def measure(chosen: Bools, label: Bools, batch: Batch, ties: bool = True, best: Bools | None = None) -> Measures:
    """Compare choices [B, n] with labels; `ties` accepts a choice that fits and is worth as much as the label.

    `best` are the exact solutions, where they are known already.
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


def feasible(chosen: Bools, batch: Batch) -> Bools:
    """Tell which choices fit, in whole characters, [B]."""
    fits: Bools = (chosen * batch.lengths).sum(axis=1) <= batch.capacities
    return fits


def worth(chosen: Bools, batch: Batch) -> NDArray[np.float64]:
    """Return the sums of profits, [B]."""
    total: NDArray[np.float64] = (chosen * batch.profits.astype(np.float64)).sum(axis=1)
    return total


class Evaluation(NamedTuple):
    """Problems to measure on, with their labels and exact solutions."""

    batch: Batch
    label: Bools
    best: Bools
    ties: bool

    @classmethod
    def of(cls, batch: Batch, kind: str) -> "Evaluation":
        """Label the problems; only DP has ties, as density greedy is a procedure with one outcome."""
        return cls(batch, labels(kind, batch), dp(batch), ties=kind == "dp")

    def measure(self, chosen: Bools) -> Measures:
        """Measure a choice."""
        return measure(chosen, self.label, self.batch, self.ties, self.best)


class Evaluated(NamedTuple):
    """The measures of a network's choice, rounded only and repaired."""

    rounded: Measures
    repaired: Measures


def evaluate(network: Callable[..., torch.Tensor], problems: Evaluation) -> Evaluated:
    """Measure a network, both ways of choosing."""
    found = probabilities(network, problems.batch)
    return Evaluated(
        problems.measure(rounded(found, problems.batch.mask)),
        problems.measure(repaired(found, problems.batch)),
    )


def probabilities(network: Callable[..., torch.Tensor], batch: Batch, size: int = 500) -> Floats:
    """Return the network's probabilities [B, n], 0 where there is no item, `size` problems at a time."""
    found = np.zeros(batch.mask.shape, dtype=np.float32)
    for first in range(0, len(batch.mask), size):
        rows = slice(first, first + size)
        part = batch.part(rows)
        with torch.no_grad():
            logits = network(*map(torch.from_numpy, part[:3]))
        found[rows, : part.mask.shape[1]] = torch.sigmoid(logits).numpy() * part.mask
    return found
