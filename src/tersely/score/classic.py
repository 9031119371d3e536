"""The classic scorers: repeated words, the beginning of the text, chance, and graphs of similar sentences."""

from dataclasses import dataclass
from typing import ClassVar, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tersely.encode import DEFAULT_ENCODER, unit_rows
from tersely.encode.use import blas_on_one_thread
from tersely.errors import InputError, UsageError
from tersely.score import Matrix, Values
from tersely.text.document import Document
from tersely.text.words import term_weights

Graph = NDArray[np.float32]

# Every sentence is compared with every other: this many need 1.6 GB.
MOST_SENTENCES = 20_000
# What the next sentence counts beside the one before it, for the weight of a repeated word.
_DECAY = 0.97


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
    linked = degrees >= np.finfo(np.float32).tiny  # the inverse of anything smaller is too large for single precision
    outgoing = np.divide(1.0, degrees, out=np.zeros(n), where=linked)
    rank: Values = np.full(n, 1.0 / n)
    for _ in range(rounds):
        flow = (rank * outgoing).astype(np.float32) @ weights
        stranded = rank[~linked].sum()
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


@dataclass(frozen=True)
class Centroid:
    """Similarity of a sentence to the mean of all sentences, by cosine (Radev et al., 2004)."""

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return cosines; a negative one means that the sentence points away from the rest."""
        unit = unit_rows(vectors)
        centroid = unit.mean(axis=0)
        return np.asarray(unit @ (centroid / (np.linalg.norm(centroid) or 1.0)), dtype=np.float64)


@dataclass(frozen=True)
class LexRank:
    """PageRank over links between sentences whose tf-idf cosine exceeds a threshold (Erkan and Radev, 2004)."""

    threshold: float = 0.1
    damping: float = 0.85

    encoder: ClassVar[str | None] = "tfidf"
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the stationary weights, which sum to one."""
        links = cosines(vectors)
        np.greater(links, self.threshold, out=links, casting="unsafe")
        return page_rank(links, self.damping)


@dataclass(frozen=True)
class TextRank:
    """PageRank over the cosine similarities between all sentences (Mihalcea and Tarau, 2004).

    With `centrality=degree` the value of a sentence is the sum of its similarities to all others, shifted
    if the lowest sum is negative.
    """

    damping: float = 0.85
    centrality: Literal["pagerank", "degree"] = "pagerank"

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "knapsack"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the stationary weights, which sum to one, or the degrees."""
        weights = cosines(vectors)
        np.fill_diagonal(weights, 0)
        if self.centrality == "degree":
            degrees: Values = weights.sum(axis=1, dtype=np.float64)
            return rounded(degrees - min(degrees.min(initial=0.0), 0.0))
        np.maximum(weights, 0, out=weights)
        return page_rank(weights, self.damping)


@dataclass(frozen=True)
class PacSum:
    """Directed centrality: similarity to later sentences minus that to earlier ones (Zheng and Lapata, 2019).

    Similarity to earlier sentences has the weight `lambda1`, to later ones `lambda2 = 1 - lambda1`; the paper's -2
    and 1 are about 0.7 and 0.3 here. Values are shifted so that the lowest is zero, since a knapsack never takes a
    sentence of negative value.
    """

    beta: float = 0.0
    lambda1: float = 0.7

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the directed centralities, all zero or more."""
        earlier, later = directed_centrality(products(vectors), self.beta)
        centrality: Values = (1 - self.lambda1) * later - self.lambda1 * earlier
        values: Values = centrality - centrality.min()
        return values


@dataclass(frozen=True)
class Far:
    """Facet-aware ranking: similarity to the document^alpha times directed centrality^delta (Liang et al., 2021).

    The document's vector is the maximum over its sentence vectors. The centrality is PACSUM's, scaled to the range
    from 0 to 1 in each document, so that the two factors can be multiplied whatever the document's length. The
    authors' settings are not published: `lambda1` and `beta` are PACSUM's, and `alpha` was chosen on dev data, where
    the similarity to the document hurts more the more weight it has.
    """

    alpha: float = 0.1
    beta: float = 0.0
    delta: float = 1.0
    lambda1: float = 0.7

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values of zero or more."""
        unit = unit_rows(vectors)
        document_vector = vectors.max(axis=0)
        similarity = unit @ (document_vector / (np.linalg.norm(document_vector) or 1.0))
        earlier, later = directed_centrality(products(unit), self.beta)
        centrality = (1 - self.lambda1) * later - self.lambda1 * earlier
        centrality -= centrality.min()
        centrality /= centrality.max() or 1.0
        values: Values = np.maximum(similarity, 0).astype(np.float64) ** self.alpha * centrality**self.delta
        return values


@dataclass(frozen=True)
class Coverage:
    """Total weight of a sentence's content words, highest for words the text repeats, times (1 + place)^-|bias|.

    The place is counted from the beginning, or from the end if the bias is negative, and words weigh less the further
    from there they occur. Without a bias, places do not matter. Values grow with content, so that a knapsack does not
    prefer many short sentences.
    """

    bias: float = 0.4

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "coverage"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values, close to zero for a sentence without content words."""
        return self.values(document)

    def values(self, document: Document) -> Values:
        """Return what `score` returns: vectors do not matter."""
        weights = self.weights(document)
        values: Values = (document.terms.sums(weights) + 1e-3) * self.places(len(document))
        return values

    def weights(self, document: Document) -> Values:
        """Return the weight of each term of the document."""
        return term_weights(document.terms, _DECAY if self.bias else 1.0, from_end=self.bias < 0)

    def places(self, count: int) -> Values:
        """Return the factor for the place of each of `count` sentences, at most 1."""
        place = np.arange(count, dtype=np.float64)
        counts: Values = (1 + (place if self.bias >= 0 else place[::-1])) ** -abs(self.bias)
        return counts


@dataclass(frozen=True)
class Lead:
    """Earlier sentences first: the baseline that is hard to beat on news."""

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "greedy"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values that fall so steeply that even a knapsack fills from the beginning."""
        position = np.arange(len(document), dtype=np.float64)
        # The second term keeps late sentences distinct where the first underflows.
        return np.exp(-2 * position / 3) + 1e-9 / (1 + position)


@dataclass(frozen=True)
class Random:
    """Random values, always the same for the same text and seed."""

    seed: int = 42

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "knapsack"

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise UsageError(f"seed must be 0 or more, not {self.seed}")

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return uniform values in [0, 1)."""
        key = crc32(document.text.encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key]).random(len(document))
