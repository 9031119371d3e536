"""Simulated knapsack problems: the paper's distributions, or real documents resampled.

Each is a stream that never repeats a problem, with fixed sets to validate and test on.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.learn.corpus import read_texts
from tersely.learn.knapsack.labels import Problems
from tersely.score import SCORERS
from tersely.text import Document

# About as many sentences as the paper's 512 tokens hold, and some to spare.
_LONGEST = 40


class Draws(NamedTuple):
    """What a source draws for B problems; beyond a problem's count, lengths and values have no meaning."""

    counts: NDArray[np.int64]  # [B]
    lengths: NDArray[np.float64]  # [B, n]
    values: NDArray[np.float64]  # [B, n]
    capacities: NDArray[np.int64]  # [B]


class Source(Protocol):
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
        """Split and score the first `limit` documents."""
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
        which = rng.integers(len(self.lengths), size=size)
        whole = np.array([len(self.lengths[i]) for i in which])
        counts = np.ceil(whole * rng.uniform(0.5, 1, size)).astype(np.int64)
        shape = size, int(counts.max())
        lengths, values = np.ones(shape), np.zeros(shape)
        for row, (document, count) in enumerate(zip(which, counts, strict=True)):
            chosen = rng.permutation(whole[row])[:count]
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

    source: Source
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
