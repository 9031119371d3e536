"""The knapsack transformer, the paper's and a compact one that starts from bounds; and their configuration."""

from collections.abc import Collection
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn

from tersely.errors import UsageError, unknown_name
from tersely.learn.attention import Block, hidden
from tersely.learn.knapsack.bounds import CORES, ITEM_FEATURES, PAIR_FEATURES, pair_features, view
from tersely.learn.knapsack.labels import SOLVERS
from tersely.learn.knapsack.simulate import DISTRIBUTIONS, Resampled, Simulation, Source
from tersely.settings import read_settings

# Problems are decided in this many groups, from few to many open items, to keep padding small.
GROUPS = 4


class KnapsackTransformer(nn.Module):
    """The paper's: profit and size of each item, a transformer encoder without positions, one logit per item."""

    def __init__(self, width: int = 768, layers: int = 8, heads: int = 8) -> None:
        super().__init__()
        self.embed = nn.Linear(2, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.decide = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return logits [B, n] for profits [B, n] that sum to 1, sizes [B, n] over the capacity and a mask [B, n]."""
        x = self.embed(torch.stack([profits, sizes], dim=-1))  # [B, n, d]
        x = self.encoder(x, src_key_padding_mask=~mask)  # [B, n, d]
        logits: Tensor = self.decide(x).squeeze(-1)  # [B, n]
        return logits


class CompactTransformer(nn.Module):
    """A knapsack transformer on the core: bounds settle most items, and a small transformer decides the rest.

    The features of an item are its bounds, its reduced cost and its place in density order; the attention between two
    open items has a bias that depends on whether they fit together and what exchanging them would gain. No solution is
    among the inputs, only worths and sums. `labels` names the solver to learn, as each settles different items.
    """

    def __init__(self, labels: str, width: int = 64, layers: int = 3, heads: int = 4, pairs: int = 16) -> None:
        super().__init__()
        if labels not in CORES:
            raise unknown_name("kind of labels", labels, CORES)
        self.labels = labels
        self.embed = nn.Linear(ITEM_FEATURES[labels], width)
        self.pair = nn.Sequential(nn.Linear(PAIR_FEATURES, pairs), nn.ReLU(), nn.Linear(pairs, heads * layers))
        self.blocks = nn.ModuleList(Block(width, heads, 4 * width, nn.ReLU()) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.decide = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return logits [B, n] for profits [B, n] that sum to 1, sizes [B, n] over the capacity and a mask [B, n]."""
        seen = view(profits, sizes, mask)
        core, pairs = CORES[self.labels](seen), pair_features(seen)
        decide = self._decide if torch.compiler.is_exporting() else self._decide_open
        return torch.where(core.open, decide(core.items, pairs, core.open), core.logits)

    def _decide_open(self, items: Tensor, pairs: Tensor, is_open: Tensor) -> Tensor:
        """Decide like `_decide`, but only the few open items, grouped by how many a problem has."""
        order = is_open.sum(1).argsort()
        logits = torch.zeros_like(items[:, :, 0])
        for rows in order.chunk(GROUPS):
            count = max(int(is_open[rows].sum(1).max()), 1)
            which = is_open[rows].float().topk(count, dim=1).indices  # [b, m]
            row, mine, other = rows[:, None], which[:, :, None], which[:, None, :]
            decided = self._decide(items[row, which], pairs[row[:, :, None], mine, other], is_open[row, which])
            logits = logits.index_put((row, which), decided)
        return logits

    def _decide(self, items: Tensor, pairs: Tensor, is_open: Tensor) -> Tensor:
        bias = self.pair(pairs).unflatten(3, (len(self.blocks), -1)).permute(3, 0, 4, 1, 2)  # [L, B, heads, n, n]
        closed = hidden(is_open)  # [B, 1, 1, n]
        x = self.embed(items)  # [B, n, d]
        for number, block in enumerate(self.blocks):
            x = block(x, bias[number] + closed)
        logits: Tensor = self.decide(self.norm(x)).squeeze(-1)
        return logits


@dataclass(frozen=True)
class ProblemData:
    """The problems, drawn from a distribution of the paper or from the documents of a corpus, and their labels."""

    distribution: str
    labels: str
    seed: int = 1
    corpus: str = ""
    scorer: str = "coverage"
    documents: int = 2000

    def source(self) -> Source:
        """Return what the problems are drawn from; with a corpus, the distribution gives only the capacities."""
        paper = DISTRIBUTIONS[self.distribution]
        if not self.corpus:
            return paper
        return Resampled.read(Path(self.corpus), self.scorer, paper.capacities, self.documents)

    def simulation(self) -> Simulation:
        """Return the stream to train on."""
        return Simulation(self.source(), self.seed)


@dataclass(frozen=True)
class KnapsackNetwork:
    """The paper's network (`paper`) or the compact one, and its size."""

    kind: str = "compact"
    width: int = 64
    layers: int = 3
    heads: int = 4
    pairs: int = 16


@dataclass(frozen=True)
class KnapsackTraining:
    """AdamW with a warm-up, then a cosine down to a hundredth of the learning rate."""

    steps: int
    batch: int = 1024
    parts: int = 4  # into which a batch is split to save memory
    rate: float = 2e-3
    warmup: int = 100
    clip: float = 1.0
    seed: int = 1
    threads: int = 1
    validate_every: int = 250
    validation: int = 4000


@dataclass(frozen=True)
class KnapsackConfig:
    """A knapsack network, where its problems come from and how it is trained."""

    name: str
    data: ProblemData
    training: KnapsackTraining
    kind: str = "knapsack"
    network: KnapsackNetwork = field(default_factory=KnapsackNetwork)

    kinds: ClassVar[Collection[str]] = ("compact", "paper")  # of networks

    def __post_init__(self) -> None:
        for what, name, known in (
            ("kind of configuration", self.kind, ("knapsack",)),
            ("distribution", self.data.distribution, DISTRIBUTIONS),
            ("kind of labels", self.data.labels, SOLVERS),
            ("kind of network", self.network.kind, self.kinds),
        ):
            if name not in known:
                raise unknown_name(what, name, known)
        for table in (self.network, self.training):
            for key, value in vars(table).items():
                if isinstance(value, int | float) and not 0 < value < inf:
                    raise UsageError(f"'{key}' must be positive, not {value}")
        if self.network.width % self.network.heads:
            raise UsageError(f"the width {self.network.width} is not a multiple of {self.network.heads} heads")
        if self.training.batch % self.training.parts:
            raise UsageError(f"the batch of {self.training.batch} is not a multiple of {self.training.parts} parts")

    def build(self) -> CompactTransformer | KnapsackTransformer:
        """Create the network with fresh weights."""
        network = self.network
        if network.kind == "paper":
            return KnapsackTransformer(network.width, network.layers, network.heads)
        return CompactTransformer(self.data.labels, network.width, network.layers, network.heads, network.pairs)


def read_knapsack(path: Path) -> KnapsackConfig:
    """Read a configuration and check it."""
    return read_settings(path, KnapsackConfig)
