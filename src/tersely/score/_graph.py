"""Sentences as the nodes of a graph: their similarities, and the stationary weights of a random walk."""

import numpy as np
from numpy.typing import NDArray

from tersely.encode import unit_rows
from tersely.score import Matrix, Values

Graph = NDArray[np.float32]


def cosines(vectors: Matrix) -> Graph:
    """Return the cosine of every pair of rows."""
    unit = unit_rows(vectors)
    return unit @ unit.T


def page_rank(weights: Graph, damping: float, tolerance: float = 1e-7, rounds: int = 100) -> Values:
    """Return the stationary weight of each node; a node without edges leads to all nodes equally."""
    n = len(weights)
    degrees = weights.sum(axis=1, dtype=np.float64)
    outgoing = np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0)
    rank: Values = np.full(n, 1.0 / n)
    for _ in range(rounds):
        flow = (rank * outgoing).astype(np.float32) @ weights
        stranded = rank[degrees <= 0].sum()
        new: Values = (1 - damping) / n + damping * (flow.astype(np.float64) + stranded / n)
        if np.abs(new - rank).sum() < tolerance:
            return new
        rank = new
    return rank


def directed_centrality(similarity: Graph, beta: float) -> tuple[Values, Values]:
    """Sum each sentence's similarities to the earlier and to the later sentences, as PACSUM does.

    Only the excess over the threshold min + beta * (max - min) counts.
    """
    lowest, highest = float(similarity.min()), float(similarity.max())
    excess = np.maximum(similarity - np.float32(lowest + beta * (highest - lowest)), 0)
    earlier = np.tril(excess, -1).sum(axis=1, dtype=np.float64)
    later = np.triu(excess, 1).sum(axis=1, dtype=np.float64)
    return earlier, later
