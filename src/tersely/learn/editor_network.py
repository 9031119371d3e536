"""The network of `tersely.read.reader` for training, and batches of lessons for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as f

from tersely.learn.editor_labels import Lesson
from tersely.read.reader import (
    BODY,
    CAUSES,
    FARTHEST,
    NOISES,
    OPENING,
    POINTER,
    ROLES,
    buckets,
    distances,
    openings,
    windows,
)

HEADS = (len(ROLES), 1, 1, len(CAUSES), len(NOISES), 1)  # roles, worth, need, causes, kinds of noise, no cure


@dataclass(frozen=True)
class EditorShape:
    """The sizes of the network."""

    width: int = 96
    heads: int = 4
    layers: int = 2
    vector: int = 16  # of a token
    opening: int = 8  # of an opening token
    table_bits: int = 14
    opening_bits: int = 13


class EditorNetwork(nn.Module):
    """The network of `tersely.read.reader` with the same names and shapes of weights, for training.

    Beside each weight there is its moving average. That is what is measured and kept.
    """

    def __init__(self, shape: EditorShape, features: int, dropout: float) -> None:
        super().__init__()
        self.shape, self.dropout = shape, nn.Dropout(dropout)
        width, vector, opening = shape.width, shape.vector, shape.opening
        inputs = features + 2 * vector + (OPENING + 1) * opening
        heads = sum(HEADS)
        sizes: dict[str, tuple[int, ...]] = {
            "table": (2**shape.table_bits, vector),
            "openings": (2**shape.opening_bits, opening),
            "input": (inputs, width),
            "input_overlap": (2, width),
            "input_bias": (width,),
            "norm": (width,),
            "norm_bias": (width,),
            "heads": (width, heads),
            "heads_bias": (heads,),
            "pointer_query": (width, POINTER),
            "pointer_key": (width, POINTER),
            "pointer_distance": (2 * FARTHEST + 1,),
            "pointer_overlap": (4,),
        }
        for layer in range(shape.layers):
            sizes |= {f"layer{layer}.{name}": size for name, size in _layer_sizes(width, shape.heads).items()}
        self.weights = nn.ParameterDict(
            {_escaped(name): nn.Parameter(_initial(name, size)) for name, size in sizes.items()}
        )
        for name, weight in self.weights.items():
            self.register_buffer(f"average/{name}", weight.detach().clone())
        self.foreign = nn.Parameter(torch.zeros(()))  # how much more other annotators see needs
        self.mean: Tensor
        self.deviation: Tensor
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("deviation", torch.ones(features))

    def weight(self, name: str) -> Tensor:
        """Return the weights of this name, as `reader.Network` has them; their averages, unless it is training."""
        weight: Tensor = self.weights[_escaped(name)] if self.training else self._average(_escaped(name))
        return weight

    def _average(self, name: str) -> Tensor:
        return self.get_buffer(f"average/{name}")

    def update_averages(self, step: int, most: float) -> None:
        """Move the averages toward the weights after a step, counted from 0; `most` is the share that stays."""
        share = min(most, (step + 1) / (step + 11))
        for name, weight in self.weights.items():
            self._average(name).lerp_(weight.detach(), 1 - share)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all weights as `reader.Network` reads them."""
        arrays = {name.replace("/", "."): self._average(name).numpy() for name in self.weights}
        return {**arrays, "mean": self.mean.numpy(), "deviation": self.deviation.numpy()}

    def parameter_groups(self, rate: float, fast: float, decay: float) -> list[dict[str, Any]]:
        """Return two groups of weights: what depends on distances and shared words learns `fast` times faster."""
        quick = [
            w for name, w in self.weights.items() if name.endswith(("distance", "overlap")) and "input" not in name
        ]
        quick_ids = {id(weight) for weight in quick}
        slow = [weight for weight in self.parameters() if id(weight) not in quick_ids]
        return [
            {"params": slow, "lr": rate, "weight_decay": decay},
            {"params": quick, "lr": rate * fast, "weight_decay": 0.0},
        ]

    def forward(self, batch: "Batch", drop_tokens: float = 0.0, drop_documents: float = 0.0) -> tuple[Tensor, Tensor]:
        """Return the logits of the heads, [n, heads], and of the pointers, [n, longest + 1]; the last is none."""
        hidden = self._inputs(batch, drop_tokens, drop_documents)
        rows, longest = len(batch.padding), batch.padding.shape[1]
        states = hidden.new_zeros(rows, longest, hidden.shape[1])
        states[batch.row, batch.place] = hidden
        apart = torch.tensor(distances(longest))
        shared = torch.stack([batch.overlap, batch.overlap**2], -1)  # [rows, n, n, 2]
        for layer in range(self.shape.layers):
            states = self._attend(f"layer{layer}.", states, apart, shared, batch.padding)
        states = _normal(states, self.weight("norm"), self.weight("norm_bias"))
        words = self.weight("pointer_overlap")
        pointer = (states @ self.weight("pointer_query")) @ (states @ self.weight("pointer_key")).transpose(1, 2)
        pointer = pointer + self.weight("pointer_distance")[apart] + shared @ words[:2]
        pointer = pointer + (words[2] + words[3] * batch.overlap) * batch.opening[:, None, :]
        hidden_from = batch.padding[:, None, :] | torch.eye(longest, dtype=torch.bool)
        pointer = pointer.masked_fill(hidden_from, -1e9)
        heads = states @ self.weight("heads") + self.weight("heads_bias")
        pointer = torch.cat([pointer, heads[..., -1:]], -1)
        return heads[batch.row, batch.place], pointer[batch.row, batch.place]

    def _inputs(self, batch: "Batch", drop_tokens: float, drop_documents: float) -> Tensor:
        count = len(batch.features)
        visible = torch.rand(2, len(batch.tokens), 1) >= drop_tokens if self.training else torch.ones(2, 1, 1)
        scale = 1 / batch.counts.sqrt()[:, None]
        bags = [
            torch.zeros(count, self.shape.vector).index_add_(0, batch.sentence, self.weight("table")[rows] * keep)
            * scale
            for rows, keep in zip((batch.tokens, batch.pairs), visible, strict=True)
        ]
        begins = self.weight("openings")[batch.openings]
        if self.training:
            begins = begins * (torch.rand(*begins.shape[:2], 1) >= 0.7 * drop_tokens)
        words = torch.cat([*bags, begins.flatten(1)], 1)
        if self.training:
            words = words * (torch.rand(batch.documents) >= drop_documents)[batch.document][:, None]
        inputs = self.dropout(torch.cat([(batch.features - self.mean) / self.deviation, words], 1))
        hidden = inputs @ self.weight("input") + batch.most @ self.weight("input_overlap") + self.weight("input_bias")
        return f.gelu(hidden, approximate="tanh")

    def _attend(self, layer: str, states: Tensor, apart: Tensor, shared: Tensor, padding: Tensor) -> Tensor:
        rows, longest, width = states.shape
        heads = self.shape.heads

        def weight(name: str) -> Tensor:
            return self.weight(layer + name)

        joined = _normal(states, weight("norm"), weight("norm_bias")) @ weight("query_key_value") + weight("qkv_bias")
        query, key, value = joined.view(rows, longest, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2)
        scores = scores + weight("distance")[apart].permute(2, 0, 1) + (shared @ weight("overlap")).permute(0, 3, 1, 2)
        scores = scores.masked_fill(padding[:, None, None, :], -1e9).softmax(-1)
        mixed = (scores @ value).transpose(1, 2).reshape(rows, longest, width)
        states = states + self.dropout(mixed @ weight("output") + weight("output_bias"))
        inner = _normal(states, weight("norm2"), weight("norm2_bias")) @ weight("wide") + weight("wide_bias")
        inner = f.gelu(inner, approximate="tanh")
        after: Tensor = states + self.dropout(inner @ weight("narrow") + weight("narrow_bias"))
        return after


def _escaped(name: str) -> str:
    return name.replace(".", "/")  # PyTorch allows no dots in names


def _layer_sizes(width: int, heads: int) -> dict[str, tuple[int, ...]]:
    return {
        "norm": (width,),
        "norm_bias": (width,),
        "query_key_value": (width, 3 * width),
        "qkv_bias": (3 * width,),
        "distance": (2 * FARTHEST + 1, heads),
        "overlap": (2, heads),
        "output": (width, width),
        "output_bias": (width,),
        "norm2": (width,),
        "norm2_bias": (width,),
        "wide": (width, 2 * width),
        "wide_bias": (2 * width,),
        "narrow": (2 * width, width),
        "narrow_bias": (width,),
    }


def _initial(name: str, size: tuple[int, ...]) -> Tensor:
    """Return the weights to begin with."""
    if name.endswith(("norm", "norm2")):
        return torch.ones(size)
    if name in ("table", "openings"):
        return torch.randn(size) * 0.05
    if name.endswith(("query_key_value", "pointer_query")):
        # Scores are divided by the root of the size of a head, once and for all.
        return (torch.rand(size) * 2 - 1) / float(size[0] ** 0.5) / 2
    if len(size) == 2 and not name.endswith(("distance", "overlap")):
        return (torch.rand(size) * 2 - 1) / float(size[0] ** 0.5)
    return torch.zeros(size)


def _normal(states: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    return f.layer_norm(states, states.shape[-1:], scale, shift)


@dataclass(frozen=True, eq=False)
class Batch:
    """Some lessons as tensors: their n sentences one after another, and their windows as rows of a table."""

    tokens: Tensor  # [t], rows of the table
    pairs: Tensor  # [t]
    sentence: Tensor  # [t]
    counts: Tensor  # [n], of tokens
    openings: Tensor  # [n, 4]
    features: Tensor  # [n, f]
    most: Tensor  # [n, 2], the largest overlap with an earlier and with a later sentence
    document: Tensor  # [n]
    documents: int
    row: Tensor  # [n], the window of each sentence
    place: Tensor  # [n], in its window
    padding: Tensor  # [rows, longest]
    overlap: Tensor  # [rows, longest, longest]
    opening: Tensor  # [rows, longest], 1 for the first sentence of a window that is no noise by its block


def batch_of(lessons: Sequence[Lesson], shape: EditorShape) -> Batch:
    """Put lessons together."""
    parts: dict[str, list[Any]] = {
        name: [] for name in "tokens pairs sentence counts openings features document".split()
    }
    tables: list[tuple[np.ndarray, int]] = []
    row: list[int] = []
    place: list[int] = []
    offset = 0
    for number, lesson in enumerate(lessons):
        tokens, pairs = buckets(lesson.tokens, shape.table_bits)
        count = len(lesson.document)
        for name, value in (
            ("tokens", tokens),
            ("pairs", pairs),
            ("sentence", lesson.tokens.sentence + offset),
            ("counts", lesson.tokens.counts),
            ("openings", openings(lesson.tokens, shape.opening_bits)),
            ("features", lesson.features),
            ("document", np.full(count, number)),
        ):
            parts[name].append(value)
        offset += count
        for (first, end), overlap in zip(windows(count), lesson.overlaps, strict=True):
            row += [len(tables)] * (end - first)
            place += range(end - first)
            tables.append((overlap, int(np.argmax(lesson.features[first:end, BODY]))))
    longest = max(len(overlap) for overlap, _ in tables)
    padding = torch.ones(len(tables), longest, dtype=torch.bool)
    shared, opening = torch.zeros(len(tables), longest, longest), torch.zeros(len(tables), longest)
    most: list[np.ndarray] = []
    for number, (overlap, first) in enumerate(tables):
        size = len(overlap)
        padding[number, :size] = False
        shared[number, :size, :size] = torch.tensor(overlap)
        opening[number, first] = 1.0
        others_only = overlap - np.diag(np.diag(overlap))
        most.append(np.stack([np.tril(others_only).max(1), np.triu(others_only).max(1)], 1))
    together = {name: torch.tensor(np.concatenate(values)) for name, values in parts.items()}
    together["counts"] = together["counts"].float()
    return Batch(
        **together,
        most=torch.tensor(np.concatenate(most)),
        documents=len(lessons),
        row=torch.tensor(row),
        place=torch.tensor(place),
        padding=padding,
        overlap=shared,
        opening=opening,
    )
