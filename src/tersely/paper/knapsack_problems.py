"""Knapsack problems in batches: simulated as in the paper, or resampled from documents; and their solutions.

The networks learn the exact solution or the choice of density greedy. A simulation is a stream that never repeats a
problem, with fixed sets to validate and test on.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError, unknown_name
from tersely.learn.corpus import read_texts
from tersely.score import SCORERS
from tersely.text import Document

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


class Problems(NamedTuple):
    """B problems, padded to the n items of the largest one."""

    profits: Floats  # [B, n], summing to 1 in each problem
    sizes: Floats  # [B, n], length / capacity
    mask: Bools  # [B, n], True where there is an item
    lengths: Ints  # [B, n]
    capacities: Ints  # [B]

    def part(self, rows: slice) -> "Problems":
        """Return some of the problems, padded to the largest of them."""
        width = int(self.mask[rows].sum(axis=1).max(initial=1))
        return Problems(
            self.profits[rows, :width],
            self.sizes[rows, :width],
            self.mask[rows, :width],
            self.lengths[rows, :width],
            self.capacities[rows],
        )


def labels(kind: str, batch: Problems) -> Bools:
    """Return the items that the solver named `kind` chooses, [B, n]."""
    if kind not in SOLVERS:
        raise unknown_name("kind of labels", kind, SOLVERS)
    return SOLVERS[kind](batch)


def dp(batch: Problems) -> Bools:
    """Choose the items of greatest total profit, exactly; of several best sets, the one with the earlier items."""
    return solve(batch.profits, batch.lengths, batch.mask, batch.capacities)


def density(batch: Problems) -> Bools:
    """Go through the items by profit / length, highest first, and take each that still fits."""
    ratio = np.where(batch.mask, batch.profits / np.maximum(batch.lengths, 1), -1.0)
    order = np.argsort(-ratio, axis=1, kind="stable")
    return _fill(order, batch.lengths, batch.mask, batch.capacities)


def solve(profits: Floats, lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    """Solve B exact knapsacks (Eq. 2), [B, n]: the set of items of greatest profit within each capacity.

    `profits`, `lengths` and `mask` are [B, n], and `capacities` [B]. Any profits are allowed: an item without a
    positive one is left out. Of several best sets, the one with the earlier items is chosen.
    """
    chosen: Bools = _dp(
        np.ascontiguousarray(profits, dtype=np.float64),
        np.ascontiguousarray(lengths, dtype=np.int32),
        np.ascontiguousarray(mask),
        np.ascontiguousarray(capacities, dtype=np.int32),
    )
    return chosen


SOLVERS = {"dp": dp, "density": density}


@numba.njit(cache=True, nogil=True)
def _dp(profits: NDArray[np.float64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    rows, count = profits.shape
    chosen = np.zeros((rows, count), dtype=np.bool_)
    items = np.empty(count, dtype=np.int64)
    best = np.zeros((count + 1, capacities.max() + 1), dtype=np.float64)  # [after k items, at each capacity]
    for row in range(rows):
        capacity, size = capacities[row], 0
        # From the last item to the first, so that backtracking meets the earliest item first and prefers it.
        for item in range(count - 1, -1, -1):
            cost = lengths[row, item]
            if mask[row, item] and cost <= capacity and profits[row, item] > 0:
                _add_item(best[size, : capacity + 1], best[size + 1, : capacity + 1], cost, profits[row, item])
                items[size] = item
                size += 1
        for k in range(size - 1, -1, -1):
            cost = lengths[row, items[k]]
            if cost <= capacity and best[k, capacity - cost] + profits[row, items[k]] >= best[k, capacity]:
                chosen[row, items[k]] = True
                capacity -= cost
    return chosen


@numba.njit(cache=True, nogil=True)
def _add_item(old: NDArray[np.float64], new: NDArray[np.float64], cost: int, profit: float) -> None:
    """Update the best worth at each capacity with one more item; a plain maximum of two arrays compiles to SIMD."""
    new[:cost] = old[:cost]
    without_it, with_it, out = old[cost:], old[: len(old) - cost], new[cost:]
    for room in range(len(out)):
        out[room] = max(with_it[room] + profit, without_it[room])


@numba.njit(cache=True, nogil=True)
def _fill(order: NDArray[np.int64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    chosen = np.zeros(mask.shape, dtype=np.bool_)
    for row in range(len(order)):
        room = capacities[row]
        for item in order[row]:
            if mask[row, item] and lengths[row, item] <= room:
                chosen[row, item] = True
                room -= lengths[row, item]
    return chosen


# About as many sentences as the paper's 512 tokens hold, and some to spare.
_LONGEST = 40


class Draws(NamedTuple):
    """The draws of a source for B problems; beyond a problem's count, lengths and values have no meaning."""

    counts: NDArray[np.int64]  # [B]
    lengths: NDArray[np.float64]  # [B, n]
    values: NDArray[np.float64]  # [B, n]
    capacities: NDArray[np.int64]  # [B]


class ProblemSource(Protocol):
    """A source of problems: `Distribution` or `Resampled`."""

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw `size` problems."""


@dataclass(frozen=True)
class Distribution:
    """The paper's: Poisson numbers of sentences, lengths Gamma(2, mean / 2), values U(0, 1), one of several budgets."""

    items: float
    length: float
    capacities: tuple[int, ...]

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw `size` problems."""
        counts = np.maximum(rng.poisson(self.items, size), 1)
        shape = size, int(counts.max())
        lengths = rng.gamma(2, self.length / 2, shape)
        values = rng.random(shape)
        return Draws(counts, lengths, values, rng.choice(self.capacities, size))


# From the paper: sentences within 512 tokens, their mean length in characters, and the target lengths.
CNNDM = Distribution(17.4, 121.1, (300, 350, 400, 450, 500, 550, 600))
CNEWSUM = Distribution(9.3, 69.7, (75, 100, 125, 150, 175, 200, 225))
DISTRIBUTIONS = {"cnndm": CNNDM, "cnewsum": CNEWSUM}


@dataclass(frozen=True, eq=False)
class Resampled:
    """Lengths and values of real sentences, resampled so that no problem repeats.

    In real documents values grow with length, as in no uniform distribution. A problem is a random part of a document's
    sentences; values and lengths are multiplied by noise of about 20 % and 10 %, which preserves how they correlate.
    """

    lengths: tuple[NDArray[np.float64], ...]
    values: tuple[NDArray[np.float64], ...]
    capacities: tuple[int, ...]

    @classmethod
    def read(cls, path: Path, scorer: str, capacities: tuple[int, ...], limit: int) -> "Resampled":
        """Split the first `limit` documents of the file `path`, and score them with the scorer named `scorer`.

        `capacities` are the budgets to draw from.
        """
        score = SCORERS.create(scorer)
        if score.encoder is not None:
            raise InputError(f"the scorer '{scorer}' needs vectors: choose one that works on words")
        lengths, values = [], []
        for text in islice(read_texts(path), limit):
            document = Document.from_text(text)
            if len(document):
                scores = score.score(document, np.empty((len(document), 0), dtype=np.float32))[:_LONGEST]
                lengths.append(np.array([len(sentence) for sentence in document.texts[:_LONGEST]], dtype=float))
                values.append(scores)
        if not lengths:
            raise InputError(f"{path} has no documents")
        return cls(tuple(lengths), tuple(values), capacities)

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw `size` problems."""
        documents = rng.integers(len(self.lengths), size=size)
        sentence_counts = np.array([len(self.lengths[i]) for i in documents])
        counts = np.ceil(sentence_counts * rng.uniform(0.5, 1, size)).astype(np.int64)
        shape = size, int(counts.max())
        lengths, values = np.ones(shape), np.zeros(shape)
        for row, (document, count) in enumerate(zip(documents, counts, strict=True)):
            chosen = rng.permutation(sentence_counts[row])[:count]
            lengths[row, :count] = self.lengths[document][chosen]
            values[row, :count] = self.values[document][chosen]
        lengths *= np.exp(rng.normal(0, 0.1, shape))
        values *= np.exp(rng.normal(0, 0.2, shape))
        return Draws(counts, lengths, values, rng.choice(self.capacities, size))


class Space(IntEnum):
    """Streams of one seed that have no sample in common."""

    TRAIN = 0
    VALIDATION = 1
    TEST = 2


@dataclass(frozen=True)
class Simulation:
    """A stream of batches, each a pure function of the seed and the step, so that a resumed run sees the same ones."""

    source: ProblemSource
    seed: int = 0
    space: Space = Space.TRAIN

    def batch(self, step: int, size: int) -> Problems:
        """Return the batch of a step, sorted by the number of items, so that slices need little padding."""
        drawn = self.source.draw(np.random.default_rng([self.seed, self.space, step]), size)
        order = np.argsort(drawn.counts, kind="stable")
        mask = np.arange(drawn.lengths.shape[1]) < drawn.counts[order, None]
        # Lengths are whole numbers of characters, and no value is 0, as that would be no item.
        lengths = np.where(mask, np.maximum(np.rint(drawn.lengths[order]), 1), 0).astype(np.int32)
        values = np.where(mask, np.maximum(drawn.values[order], 1e-6), 0)
        profits = (values / values.sum(axis=1, keepdims=True)).astype(np.float32)
        capacities = drawn.capacities[order].astype(np.int32)
        return Problems(profits, (lengths / capacities[:, None]).astype(np.float32), mask, lengths, capacities)

    def fixed(self, size: int) -> Problems:
        """Return the validation set: the same for every run with this seed, and disjoint from its training stream."""
        return Simulation(self.source, self.seed, Space.VALIDATION).batch(0, size)
