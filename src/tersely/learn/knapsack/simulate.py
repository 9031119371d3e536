"""Knapsack problems made up like the paper's: a stream that never repeats, and fixed sets to measure on."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


class Batch(NamedTuple):
    """B problems, padded to the n items of the largest one."""

    profits: Floats  # [B, n], of each problem summing to 1
    sizes: Floats  # [B, n], length / capacity
    mask: Bools  # [B, n], True where there is an item
    lengths: Ints  # [B, n]
    capacities: Ints  # [B]

    def part(self, rows: slice) -> "Batch":
        """Return some of the problems, padded to the largest of these."""
        width = int(self.mask[rows].sum(axis=1).max(initial=1))
        return Batch(
            self.profits[rows, :width],
            self.sizes[rows, :width],
            self.mask[rows, :width],
            self.lengths[rows, :width],
            self.capacities[rows],
        )


class Draws(NamedTuple):
    """What a source draws for B problems; past a problem's count, lengths and values mean nothing."""

    counts: NDArray[np.int64]  # [B]
    lengths: NDArray[np.float64]  # [B, n]
    values: NDArray[np.float64]  # [B, n]
    capacities: NDArray[np.int64]  # [B]


class Source(Protocol):
    """A distribution of problems: see `Distribution` and `corpus.Documents`."""

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw that many problems."""


@dataclass(frozen=True)
class Distribution:
    """The paper's: Poisson many sentences, lengths Gamma(2, mean / 2), scores U(0, 1), one of a set of budgets."""

    items: float
    length: float
    capacities: tuple[int, ...]

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw that many problems."""
        counts = np.maximum(rng.poisson(self.items, size), 1)
        shape = size, int(counts.max())
        lengths = rng.gamma(2, self.length / 2, shape)
        values = rng.random(shape)
        return Draws(counts, lengths, values, rng.choice(self.capacities, size))


# Sent-512, the mean length of a sentence in characters and the target lengths of the paper.
CNNDM = Distribution(17.4, 121.1, (300, 350, 400, 450, 500, 550, 600))
CNEWSUM = Distribution(9.3, 69.7, (75, 100, 125, 150, 175, 200, 225))
DISTRIBUTIONS = {"cnndm": CNNDM, "cnewsum": CNEWSUM}


class Space(IntEnum):
    """Streams that share a seed and no sample."""

    TRAIN = 0
    VALIDATION = 1
    TEST = 2


@dataclass(frozen=True)
class Simulation:
    """A stream of batches, each a pure function of the seed and the step: to resume is to go on counting."""

    source: Source
    seed: int = 0
    space: Space = Space.TRAIN

    def batch(self, step: int, size: int) -> Batch:
        """Return the batch of a step, its problems in ascending number of items, so that slices need little padding."""
        drawn = self.source.draw(np.random.default_rng([self.seed, self.space, step]), size)
        order = np.argsort(drawn.counts, kind="stable")
        mask = np.arange(drawn.lengths.shape[1]) < drawn.counts[order, None]
        # A length is a whole number of characters, and a value never 0: an item without value is no item.
        lengths = np.where(mask, np.maximum(np.rint(drawn.lengths[order]), 1), 0).astype(np.int32)
        values = np.where(mask, np.maximum(drawn.values[order], 1e-6), 0)
        profits = (values / values.sum(axis=1, keepdims=True)).astype(np.float32)
        capacities = drawn.capacities[order].astype(np.int32)
        return Batch(profits, (lengths / capacities[:, None]).astype(np.float32), mask, lengths, capacities)

    def fixed(self, size: int) -> Batch:
        """Return the set to validate on, the same for every run with this seed and in no training stream."""
        return Simulation(self.source, self.seed, Space.VALIDATION).batch(0, size)
