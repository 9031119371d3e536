"""Sentences as the nodes of a graph: their similarities, and the stationary weights of a random walk."""

import numpy as np
from numpy.typing import NDArray

from tersely.encode import unit_rows
from tersely.encode.use import blas_on_one_thread
from tersely.errors import InputError
from tersely.score import Matrix, Values

Graph = NDArray[np.float32]

# Every sentence is compared with every other: this many need 1.6 GB.
MOST_SENTENCES = 20_000


def cosines(vectors: Matrix) -> Graph:
    """Return the cosine of every pair of rows."""
    return products(unit_rows(vectors))


def products(vectors: Matrix) -> Graph:
    """Return the inner product of every pair of rows."""
    if len(vectors) > MOST_SENTENCES:
        raise InputError(
            f"the text has {len(vectors):,} sentences, and this scorer compares each with every other one: it takes "
            f"at most {MOST_SENTENCES:,}; split the text, or choose another scorer, such as coverage"
        )
    with blas_on_one_thread():
        return vectors @ vectors.T


def rounded(values: Values) -> Values:
    """Round to a millionth of the largest value.

    Sums in single precision differ in the last digits from one processor to another.
    What is nearly the same then is the same, and ties keep the order of the text.
    """
    unit = float(np.abs(values).max(initial=0.0)) * 1e-6
    return np.round(values / unit) * unit if unit > 0 else values


def page_rank(weights: Graph, damping: float, tolerance: float = 1e-7, rounds: int = 100) -> Values:
    """Return the stationary weight of each node; a node without edges leads to all nodes equally."""
    with blas_on_one_thread():
        return _page_rank(weights, damping, tolerance, rounds)


def _page_rank(weights: Graph, damping: float, tolerance: float, rounds: int) -> Values:
    n = len(weights)
    degrees = weights.sum(axis=1, dtype=np.float64)
    outgoing = np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0)
    rank: Values = np.full(n, 1.0 / n)
    for _ in range(rounds):
        flow = (rank * outgoing).astype(np.float32) @ weights
        stranded = rank[degrees <= 0].sum()
        new: Values = (1 - damping) / n + damping * (flow.astype(np.float64) + stranded / n)
        if np.abs(new - rank).sum() < tolerance:
            return rounded(new)
        rank = new
    return rounded(rank)


def directed_centrality(similarity: Graph, beta: float) -> tuple[Values, Values]:
    """Sum each sentence's similarities to the earlier and to the later sentences, as PACSUM does.

    Only the excess over the threshold min + beta * (max - min) counts.
    """
    lowest, highest = float(similarity.min()), float(similarity.max())
    threshold, n = np.float32(lowest + beta * (highest - lowest)), len(similarity)
    earlier, later = np.zeros(n), np.zeros(n)
    for i, row in enumerate(similarity):  # one at a time: another matrix of this size might not fit into memory
        excess = np.maximum(row - threshold, 0)
        earlier[i], later[i] = excess[:i].sum(dtype=np.float64), excess[i + 1 :].sum(dtype=np.float64)
    return rounded(earlier), rounded(later)
