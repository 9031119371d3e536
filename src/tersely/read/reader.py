"""The reader's network in NumPy: a small transformer over the sentences of a document.

The input of a sentence is its features, the sum of the vectors of its tokens and of pairs of tokens, and the vectors of
its first and last tokens. Sentences attend to each other, by content, distance and shared words. Then the network gives
each sentence a role, its worth, and whether it needs another sentence, why, and which one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, pairwise, starmap
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812

import numpy as np
from numpy.typing import NDArray

from tersely.errors import ModelError
from tersely.read.tokens import FEATURES, Extents, Floats, Numbers, Tokens, TokenTerms, distinct

BODY = 8  # the column of the feature that says whether a sentence is part of the body (`features.py`)
ROLES = ("main", "support", "background", "quotation", "procedure", "noise")
CAUSES = (
    "pronoun definite demonstrative name acronym connective quotation speaker answer question list time ellipsis scope "
    "other"
).split()
NOISES = (
    "caption credit heading dateline greeting signature boilerplate link row fragment glued repetition other"
).split()
# Sentences attend to each other within windows of at most this many, so that long texts take time in proportion.
WINDOW = 64
OPENING = 3  # first tokens that have vectors of their own, and after them the last one
_STEPS = np.array([*range(OPENING), 2**62])  # from the first token to each of these
# What NumPy raises for files that are no weights, or broken.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, ZlibError)
# Up to this many multiplications, BLAS starts no threads.
_SMALL = 2**18
# For each two sentences of a window, whether the second one comes before the first, and whether it comes after it.
_EARLIER = np.tril(np.ones((WINDOW, WINDOW), np.float32), -1)
_SIDES = np.array([_EARLIER, _EARLIER.T])
# The columns of the heads: roles, worth, need, causes, kinds of noise, no cure, and the two sides of a pointer.
POINTER = 32
_SIZES = (len(ROLES), 1, 1, len(CAUSES), len(NOISES), 1, POINTER, POINTER)
_PARTS = tuple(starmap(slice, pairwise(accumulate(_SIZES, initial=0))))
FARTHEST = 16  # distances are told apart up to this number of steps: the first eight one by one


class Outputs(NamedTuple):
    """What the network says of each of n sentences. All numbers are probabilities, but `worth` has logits."""

    roles: Floats  # [n, roles]
    worth: Floats  # [n]
    need: Floats  # [n]
    causes: Floats  # [n, causes]
    noises: Floats  # [n, kinds of noise]
    cure: Numbers  # [n], the most probable sentence that supplies what a sentence needs
    certainty: Floats  # [n], the probability of that one

    def part(self, first: int, end: int) -> "Outputs":
        """Return what it says of the sentences of one document, which are numbered from 0."""
        part = Outputs._make(column[first:end] for column in self)
        return part._replace(cure=part.cure - first)


def windows(count: int) -> list[tuple[int, int]]:
    """Return the first sentence of each window and the one after its last, all of about the same size.

    >>> windows(100)
    [(0, 50), (50, 100)]
    """
    parts = -(-count // WINDOW)
    cuts = [round(count * part / parts) for part in range(parts + 1)]
    return list(pairwise(cuts))


def shared_windows(extents: Extents) -> list[list[tuple[int, int]]]:
    """Return windows that documents share, as the spans of their sentences: small documents are read together.

    >>> shared_windows(Extents.of([40, 20, 100, 9]))
    [[(0, 40), (40, 60)], [(60, 110)], [(110, 160), (160, 169)]]
    """
    shared: list[list[tuple[int, int]]] = []
    for start, size in zip(extents.starts.tolist(), extents.sizes.tolist(), strict=True):
        for first, end in windows(size):
            if not shared or start + end - shared[-1][0][0] > WINDOW:
                shared.append([])
            shared[-1].append((start + first, start + end))
    return shared


def buckets(tokens: Tokens, bits: int) -> tuple[Numbers, Numbers]:
    """Return the rows of a table of 2^bits vectors for each token and for its pair with the one before it."""
    hashes = tokens.hashes.astype(np.int64)
    pairs = hashes * 131 + 5
    inside = tokens.sentence[1:] == tokens.sentence[:-1]
    pairs[1:] = np.where(inside, hashes[:-1] * 31 + hashes[1:] * 17 + 7, pairs[1:])
    mask = (1 << bits) - 1
    return _mixed(hashes) & mask, _mixed(pairs) & mask


def openings(tokens: Tokens, bits: int) -> Numbers:
    """Return the rows of a table of 2^bits vectors for the first tokens of each sentence and its last, [n, 4]."""
    places = tokens.starts[:, None] + np.minimum(_STEPS, tokens.counts[:, None] - 1)
    return _mixed(tokens.hashes[places] * 7 + np.arange(OPENING + 1)) & ((1 << bits) - 1)


def _mixed(numbers: Numbers) -> Numbers:
    """Spread numbers over all bits, so that the lowest ones depend on all."""
    return (numbers * 2654435761 & 0xFFFFFFFF) >> 9


def overlaps(terms: TokenTerms, count: int, spans: Sequence[tuple[int, int]] | None = None) -> Iterator[Floats]:
    """Yield for each window the cosine of the content words of each two sentences, [n, n]; frequent words count less.

    `count` is the number of all sentences. The `spans` of the windows are those of one document if they are left out.
    """
    weights = 1 / np.sqrt(np.bincount(terms.term, minlength=terms.size)[terms.term])
    lengths = np.sqrt(np.bincount(terms.sentence, weights * weights, minlength=count))
    weights /= lengths[terms.sentence]
    return (_overlap(terms, weights, first, end) for first, end in spans or windows(count))


def _overlap(terms: TokenTerms, weights: NDArray[np.float64], first: int, end: int) -> Floats:
    low, high = terms.sentence.searchsorted((first, end)).tolist()
    columns, column = terms.size, terms.term[low:high]
    if high - low < len(terms.term):  # only the words of this window, so that long texts take time in proportion
        present, _, column = distinct(column)
        columns = len(present)
    matrix = np.zeros((end - first, columns), np.float32)
    matrix[terms.sentence[low:high] - first, column] = weights[low:high]
    return _product(matrix, matrix.T)


def _product(rows: Floats, matrix: Floats, bias: Floats | float = 0.0) -> Floats:
    """Return the product of two matrices, in parts so small that no threads are started, which would cost more.

    A bias is added to each row.
    """
    step = max(_SMALL // max(matrix.size, 1), 1)
    product: Floats = np.empty((len(rows), matrix.shape[1]), np.float32)
    for first in range(0, len(rows), step):
        np.matmul(rows[first : first + step], matrix, out=product[first : first + step])
    product += bias
    return product


def distances(count: int) -> Numbers:
    """Return a number from 0 to 32 for the distance from each sentence to each other, [n, n]; later ones are above 16.

    >>> distances(3).tolist()
    [[16, 17, 18], [15, 16, 17], [14, 15, 16]]
    """
    steps = np.arange(count)[None, :] - np.arange(count)[:, None]
    size = np.abs(steps)
    far = np.floor(8 + 2.6 * np.log2(np.maximum(size / 8, 1))).astype(np.int64)
    numbers: Numbers = np.clip(np.sign(steps) * np.minimum(size, far), -FARTHEST, FARTHEST)
    return numbers + FARTHEST


@dataclass(frozen=True, eq=False)
class Network:
    """The weights by name, each [inputs, outputs] for a linear layer."""

    weights: dict[str, Floats]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the weights."""
        digest = sha256()
        for name, weight in sorted(self.weights.items()):
            digest.update(f"{name} {weight.shape}".encode())
            digest.update(weight.astype("<f4").tobytes())
        return digest.hexdigest()

    @classmethod
    def load(cls, file: Path) -> "Network":
        """Read the weights that `tersely train editor` wrote."""
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                weights = {name: stored[name].astype(np.float32) for name in stored.files}
            network = cls(weights)
            fits = len(weights["mean"]) == FEATURES and len(network._layers) > 0
            if not all(np.isfinite(weight).all() for weight in weights.values()):
                raise ValueError
        except FileNotFoundError:
            raise ModelError(f"{file.parent} is not the model folder of an editor: it has no {file.name}") from None
        except _UNREADABLE as error:
            reason = getattr(error, "strerror", None) or "it is broken, or something else"
            raise ModelError(f"{file} cannot be read as the weights of an editor: {reason}") from None
        if not fits:
            raise ModelError(f"{file} was made for other features than this version has: train the editor again")
        return network

    @cached_property
    def _layers(self) -> list[dict[str, Floats]]:
        """The weights of each layer of attention, made ready; those of distances for each two sentences of a window.

        What a layer adds to the hidden states has the mean 0 (see `_normal`), and the scales and shifts of norms are
        part of the weights that come after them.
        """
        count = sum(name.endswith(".query_key_value") for name in self.weights)
        layers = []
        for number in range(count):
            prefix = f"layer{number}."
            layer = {name.removeprefix(prefix): w for name, w in self.weights.items() if name.startswith(prefix)}
            qkv, qkv_bias = _after_norm(layer["norm"], layer["norm_bias"], layer["query_key_value"], layer["qkv_bias"])
            wide, wide_bias = _after_norm(layer["norm2"], layer["norm2_bias"], layer["wide"], layer["wide_bias"])
            layer |= {"query_key_value": qkv, "qkv_bias": qkv_bias, "wide": wide, "wide_bias": wide_bias}
            layer |= {name: _centered(layer[name]) for name in ("output", "output_bias", "narrow", "narrow_bias")}
            layer["apart"] = np.ascontiguousarray(layer["distance"][distances(WINDOW)].transpose(2, 0, 1))
            layers.append(layer)
        return layers

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """The weights of all heads, of the pointers' queries and of their keys, side by side, and their bias."""
        names = ("heads", "pointer_query", "pointer_key")
        heads = np.concatenate([self.weights[name] for name in names], axis=1)
        bias = np.zeros(heads.shape[1], np.float32)
        bias[: len(self.weights["heads_bias"])] = self.weights["heads_bias"]
        return _after_norm(self.weights["norm"], self.weights["norm_bias"], heads, bias)

    @cached_property
    def _first(self) -> tuple[Floats, Floats]:
        """The weights and the bias of the first layer, for features as they are."""
        weights, count = self.weights["input"].copy(), len(self.weights["mean"])
        weights[:count] /= self.weights["deviation"][:, None]
        return weights, self.weights["input_bias"] - self.weights["mean"] @ weights[:count]

    @cached_property
    def _pointer_apart(self) -> Floats:
        """What distances say about pointers, for each two sentences of a window."""
        return self.weights["pointer_distance"][distances(WINDOW)]

    def __call__(self, tokens: Tokens, terms: TokenTerms, features: Floats) -> Outputs:
        """Read documents with at least one sentence each."""
        shared, parts = shared_windows(tokens.extents), []
        bounds = [(spans[0][0], spans[-1][1]) for spans in shared]
        for (first, end), spans, overlap in zip(bounds, shared, overlaps(terms, len(features), bounds), strict=True):
            inputs = self._inputs(tokens.part(first, end), features[first:end])
            parts.append(self._read(inputs, overlap, features[first:end], spans))
        return parts[0] if len(parts) == 1 else Outputs(*map(np.concatenate, zip(*parts, strict=True)))

    def _inputs(self, tokens: Tokens, features: Floats) -> Floats:
        """Return what is known of each sentence by itself, [n, features + vectors]."""
        table, opens, count = self.weights["table"], self.weights["openings"], len(features)
        ends = tuple(accumulate((FEATURES, 2 * table.shape[1], opens.shape[1] * (OPENING + 1))))
        inputs: Floats = np.zeros((count, ends[-1]), np.float32)
        inputs[:, :FEATURES] = features
        if tokens.learned:
            rows = np.array(buckets(tokens, len(table).bit_length() - 1))
            vectors = table.take(rows.T, axis=0).reshape(len(tokens.hashes), -1)
            bags = np.add.reduceat(vectors, tokens.starts, axis=0)
            np.multiply(bags, 1 / np.sqrt(tokens.counts).astype(np.float32)[:, None], out=inputs[:, FEATURES : ends[1]])
            inputs[:, ends[1] :] = opens.take(openings(tokens, len(opens).bit_length() - 1), axis=0).reshape(count, -1)
        return inputs

    def _read(self, inputs: Floats, overlap: Floats, features: Floats, spans: Sequence[tuple[int, int]]) -> Outputs:
        """Read one window, given where the sentences of its documents begin and end."""
        weights, count, first = self.weights, len(inputs), spans[0][0]
        starts = np.repeat(*np.array([(start - first, end - start) for start, end in spans]).T)
        # Who sees whom: a sentence only those of its own document.
        among = np.where(starts == starts[:, None], np.float32(0), np.float32(-np.inf)) if len(spans) > 1 else None
        most = np.maximum.reduce(overlap * _SIDES[:, :count, :count], axis=2).T
        hidden = _gelu(_product(inputs, *self._first) + most @ weights["input_overlap"])
        hidden -= np.add.reduce(hidden, axis=1, keepdims=True) / hidden.shape[1]
        shared = np.array([overlap, overlap * overlap])
        for layer in self._layers:
            _attend(layer, hidden, shared, among)
        ends = _product(_normal(hidden), *self._ends)
        roles, worth, need, causes, noises, no_cure, query, key = (ends[:, part] for part in _PARTS)
        pointer: Floats = query @ key.T
        opening = np.zeros(count, np.float32)
        for start, end in spans:
            opening[start - first + int(features[start - first : end - first, BODY].argmax())] = 1.0
        by_words = weights["pointer_overlap"]
        pointer += self._pointer_apart[:count, :count] + by_words[0] * shared[0] + by_words[1] * shared[1]
        pointer += (by_words[2] + by_words[3] * shared[0]) * opening
        if among is not None:
            pointer += among
        pointer.reshape(-1)[:: count + 1] = -np.inf
        chances = _softmax(np.concatenate([pointer, no_cure], axis=1))
        cure = chances[:, :-1].argmax(axis=1)
        cure = np.where(starts[cure] == starts, cure, starts)  # without a chance, still in the same document
        return Outputs(
            _softmax(roles),
            worth[:, 0].copy(),  # not all that it is a column of
            _sigmoid(need[:, 0]),
            _softmax(causes),
            _softmax(noises),
            cure + first,
            chances[np.arange(count), cure],
        )


def _attend(layer: dict[str, Floats], hidden: Floats, shared: Floats, among: Floats | None) -> None:
    """Turn the hidden states, [n, d], into the next ones, by attention and two linear layers."""
    count, size = hidden.shape
    heads = layer["distance"].shape[1]
    joined = _product(_normal(hidden), layer["query_key_value"], layer["qkv_bias"])
    query, key, value = joined.reshape(count, 3, heads, size // heads).transpose(1, 2, 0, 3)  # [heads, n, d / heads]
    scores = query @ key.transpose(0, 2, 1)
    scores += layer["apart"][:, :count, :count]
    if among is not None:
        scores += among
    scores += (layer["overlap"].T @ shared.reshape(2, -1)).reshape(heads, count, count)
    mixed: Floats = (_softmax(scores) @ value).transpose(1, 0, 2).reshape(count, size)
    hidden += _product(mixed, layer["output"], layer["output_bias"])
    inner = _product(_normal(hidden), layer["wide"], layer["wide_bias"])
    hidden += _product(_gelu(inner), layer["narrow"], layer["narrow_bias"])


def _after_norm(scale: Floats, shift: Floats, matrix: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """Return the weights and the bias of a linear layer after a norm with this scale and shift."""
    return scale[:, None] * matrix, bias + shift @ matrix


def _centered(weights: Floats) -> Floats:
    """Return weights whose outputs have the mean 0."""
    centered: Floats = weights - weights.mean(axis=-1, keepdims=True)
    return centered


def _normal(rows: Floats) -> Floats:
    """Return rows of variance 1. Their mean is 0 already: a norm takes it away, so nothing is lost without it."""
    scale = np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + 1e-5)
    normal: Floats = rows / scale[:, None]
    return normal


def _gelu(rows: Floats) -> Floats:
    """Return the activation, by its usual approximation."""
    bent: Floats = rows * rows
    bent *= 0.7978845608 * 0.044715
    bent += 0.7978845608
    bent *= rows
    np.tanh(bent, out=bent)
    bent += 1
    bent *= rows
    bent *= 0.5
    return bent


def _softmax(rows: Floats) -> Floats:
    shares: Floats = rows - np.maximum.reduce(rows, axis=-1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= np.add.reduce(shares, axis=-1, keepdims=True)
    return shares


def _sigmoid(numbers: Floats) -> Floats:
    chances: Floats = np.divide(1, 1 + np.exp(-numbers))
    return chances


__all__ = ["CAUSES", "FEATURES", "NOISES", "ROLES", "Network", "Outputs"]
