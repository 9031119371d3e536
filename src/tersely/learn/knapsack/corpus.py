"""Knapsack problems like those of real documents: at use, values grow with length, as in no uniform distribution."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.learn.knapsack.simulate import Draws
from tersely.learn.texts import read_texts
from tersely.score import SCORERS
from tersely.text import Document

# About as many sentences as the paper's 512 tokens, and some to spare.
_LONGEST = 40


@dataclass(frozen=True, eq=False)
class Documents:
    """Lengths and values of real sentences, resampled so that no problem comes twice.

    A problem is a document with a random part of its sentences; values and lengths are multiplied by noise of about
    20 % and 10 %, which keeps how they go together.
    """

    lengths: tuple[NDArray[np.float64], ...]
    values: tuple[NDArray[np.float64], ...]
    capacities: tuple[int, ...]

    @classmethod
    def read(cls, path: Path, scorer: str, capacities: tuple[int, ...], limit: int) -> "Documents":
        """Split and score the first `limit` documents."""
        score = SCORERS.create(scorer)
        if score.encoder is not None:
            raise InputError(f"the scorer '{scorer}' needs vectors: choose one that works on the words")
        lengths, values = [], []
        for text in islice(read_texts(path, {}), limit):
            document = Document.from_text(text)
            if len(document):
                scores = score.score(document, np.empty((len(document), 0), dtype=np.float32))[:_LONGEST]
                lengths.append(np.array([len(sentence) for sentence in document.texts[:_LONGEST]], dtype=float))
                values.append(scores)
        if not lengths:
            raise InputError(f"{path} has no documents")
        return cls(tuple(lengths), tuple(values), capacities)

    def draw(self, rng: np.random.Generator, size: int) -> Draws:
        """Draw that many problems."""
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
