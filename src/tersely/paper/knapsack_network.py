"""The knapsack transformer of Fig. 2, a compact one that starts from bounds, and their configuration.

The compact network sees what a branch-and-bound solver knows about a problem before it searches. These bounds settle
most items. They need no search, no sorting and no solver: sums in density order are products with the matrix that says
which item comes before which. So everything is equivariant to permutations, and differentiable in the profits almost
everywhere.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from tersely.errors import UsageError, unknown_name
from tersely.paper.knapsack_problems import DISTRIBUTIONS, SOLVERS, ProblemSource, Resampled, Simulation
from tersely.paper.transformer import AttentionBlock, hidden
from tersely.settings import read_settings

# Sizes are whole lengths over a capacity: up to a capacity of 100,000 two different sizes differ by more than this.
EPSILON = 1e-5
ITEM_FEATURES = {"dp": 38, "density": 20}
PAIR_FEATURES = 11


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


class View(NamedTuple):
    """B problems of n items, relative to the filling: items in density order as long as they fit."""

    profits: Tensor  # [B, n], times the number of items, so that their mean is 1
    sizes: Tensor  # [B, n]
    mask: Tensor  # [B, n], items that exist and fit on their own
    before: Tensor  # [B, n, n], True at (i, k) where k comes before i in density order
    density: Tensor  # [B, n]
    inside: Tensor  # [B, n], the filling
    end: Tensor  # [B, n], the sum of the sizes up to and including the item, in density order
    slack: Tensor  # [B, 1], the room that the filling leaves
    price: Tensor  # [B, 1], the density of the critical item, the first that does not fit

    @property
    def reduced(self) -> Tensor:
        """The reduced cost of the linear program, [B, n]: positive inside, negative outside."""
        return self.profits - self.price * self.sizes


def view(profits: Tensor, sizes: Tensor, mask: Tensor) -> View:
    """Look at problems [B, n] in density order."""
    profits = profits * mask.sum(1, keepdim=True)
    mask = mask & (sizes <= 1 + EPSILON)
    profits, sizes = profits * mask, sizes * mask
    density = profits / sizes.clamp(min=EPSILON)
    index = torch.arange(density.shape[1], device=density.device)
    mine, theirs = density[:, :, None], density[:, None, :]
    before = (theirs > mine) | ((theirs == mine) & (index[None, :] < index[:, None]))
    end = sizes + (before * sizes[:, None, :]).sum(2)
    inside = (end <= 1 + EPSILON) & mask
    slack = 1 - (sizes * inside).sum(1, keepdim=True)
    price = (density * (mask & ~inside)).amax(1, keepdim=True)
    return View(profits, sizes, mask, before, density, inside, end, slack, price)


class Bounds(NamedTuple):
    """Bounds on the worth of the best set with (or without) each item, [B, n]."""

    upper: Tensor
    lower: Tensor


def bounds(problem: View, include: bool) -> Bounds:
    """Bound the worth of the best set with the item, or without it, for every item at once.

    The remaining room is filled in density order. The solution of the linear program (Dantzig) is the upper bound; the
    filling plus the best single item that still fits is the lower bound. Below, j is the item and i any other.
    """
    profits, sizes = problem.profits, problem.sizes
    room = 1 - sizes if include else torch.ones_like(sizes)  # [B, j]
    index = torch.arange(sizes.shape[1], device=sizes.device)
    rivals = (index[:, None] != index[None, :]) & problem.mask[:, None, :]
    rivals = rivals & (sizes[:, None, :] <= room[:, :, None] + EPSILON)  # [B, j, i]
    costs = rivals * sizes[:, None, :]
    end = costs + costs @ problem.before.transpose(1, 2).to(costs.dtype)  # [B, j, i]
    filled = (end <= room[:, :, None] + EPSILON) & rivals
    worth = (filled * profits[:, None, :]).sum(2) + (profits if include else 0)  # [B, j]
    slack = (room - (filled * sizes[:, None, :]).sum(2)).clamp(min=0)
    rest = rivals & ~filled
    next_density = (rest * problem.density[:, None, :]).amax(2)
    next_item = (rest * (costs <= slack[:, :, None] + EPSILON) * profits[:, None, :]).amax(2)
    return Bounds(worth + slack * next_density, worth + next_item)


class KnapsackCore(NamedTuple):
    """The open items, the choice among the settled ones, and its margin in profits, [B, n] each."""

    open: Tensor
    chosen: Tensor
    margin: Tensor
    items: Tensor  # [B, n, ITEM_FEATURES]

    @property
    def logits(self) -> Tensor:
        """The logits of settled items: nearly certain, and growing with the margin, so that profits get a gradient."""
        sure = 4 + self.margin.clamp(min=0)
        return torch.where(self.chosen, sure, -sure)


def dp_core(problem: View) -> KnapsackCore:
    """Settle an item if every set that decides it otherwise is worth less than a known set."""
    with_it, without_it = bounds(problem, include=True), bounds(problem, include=False)
    best = (torch.maximum(with_it.lower, without_it.lower) * problem.mask).amax(1, keepdim=True)  # [B, 1]
    must, must_not = best - without_it.upper, best - with_it.upper
    chosen = problem.mask & (must > EPSILON)
    refused = ~problem.mask | (must_not > EPSILON)
    margins = (
        with_it.lower - without_it.lower,
        with_it.upper - without_it.upper,
        best - with_it.lower,
        best - without_it.lower,
        with_it.upper - best,
        without_it.upper - best,
    )
    items = [scaled for margin in margins for scaled in (margin.clamp(-2, 2), *_tanh(margin, 5, 50))]
    return KnapsackCore(~chosen & ~refused, chosen, torch.where(chosen, must, must_not), _stack(problem, items))


def density_core(problem: View) -> KnapsackCore:
    """Settle the filling, which is certainly in, and items larger than the slack, which are certainly out."""
    is_open = problem.mask & ~problem.inside & (problem.sizes <= problem.slack + EPSILON)
    return KnapsackCore(is_open, problem.inside, _ratio(problem).abs(), _stack(problem, []))


CORES = {"dp": dp_core, "density": density_core}


def _stack(problem: View, more: list[Tensor]) -> Tensor:
    wide = torch.ones_like(problem.sizes)
    fits = problem.mask & ~problem.inside & (problem.sizes <= problem.slack + EPSILON)
    ahead = (problem.before * (fits * problem.sizes)[:, None, :]).sum(2)  # other items that may go into the slack first
    place = (problem.before & problem.mask[:, None, :]).sum(2) - problem.inside.sum(1, keepdim=True)
    features = [
        problem.profits,
        problem.sizes,
        problem.inside * wide,
        fits * wide,
        problem.reduced.clamp(-4, 4),
        _ratio(problem),
        (place / 4).clamp(-4, 4),
        problem.price.clamp(max=20) / 4 * wide,
        *_sharp(problem.slack * wide),
        *_sharp(problem.slack - problem.sizes),
        *_sharp(problem.slack - problem.sizes - ahead),
        *_sharp(1 - problem.end),
        *more,
    ]
    return torch.stack(features, dim=-1)


def pair_features(problem: View) -> Tensor:
    """Describe the effect of deciding both items of a pair against the filling, [B, n, n, f]."""
    sign = torch.where(problem.inside, 1.0, -1.0)  # [B, n]
    freed, lost = sign * problem.sizes, sign * problem.profits
    slack = problem.slack[:, :, None] + freed[:, :, None] + freed[:, None, :]
    gain = -lost[:, :, None] - lost[:, None, :]
    reduced = problem.reduced[:, :, None] - problem.reduced[:, None, :]
    wide = torch.ones_like(gain)
    index = torch.arange(gain.shape[1], device=gain.device)
    features = [
        *_sharp(slack),
        gain.clamp(-4, 4),
        *_tanh(gain, 5, 50),
        reduced.clamp(-4, 4),
        sign[:, :, None] * wide,
        sign[:, None, :] * wide,
        problem.before * wide,
        (index[:, None] == index[None, :]) * wide,
    ]
    return torch.stack(features, dim=-1)


def _ratio(problem: View) -> Tensor:
    """Compare the density of an item with the density of the critical item."""
    return torch.log((problem.density + EPSILON) / (problem.price + EPSILON)).clamp(-4, 4)


def _sharp(margin: Tensor) -> list[Tensor]:
    """Give a margin in sizes at three scales, because one character can decide whether an item fits."""
    return [margin.clamp(-2, 2), *_tanh(margin, 10, 200)]


def _tanh(margin: Tensor, *scales: float) -> list[Tensor]:
    return [torch.tanh(scale * margin) for scale in scales]


# Problems are decided in this many groups, from few to many open items, to keep padding small.
GROUPS = 4


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
        self.blocks = nn.ModuleList(AttentionBlock(width, heads, 4 * width, nn.ReLU()) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.decide = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return logits [B, n] for profits [B, n] that sum to 1, sizes [B, n] over the capacity and a mask [B, n]."""
        problem = view(profits, sizes, mask)
        core, pairs = CORES[self.labels](problem), pair_features(problem)
        decide = self._decide if torch.compiler.is_exporting() else self._decide_open
        return torch.where(core.open, decide(core.items, pairs, core.open), core.logits)

    def _decide_open(self, items: Tensor, pairs: Tensor, is_open: Tensor) -> Tensor:
        """Decide like `_decide`, but only the few open items, grouped by how many a problem has."""
        order = is_open.sum(1).argsort()
        logits = torch.zeros_like(items[:, :, 0])
        for rows in order.chunk(GROUPS):
            count = max(int(is_open[rows].sum(1).max()), 1)
            places = is_open[rows].float().topk(count, dim=1).indices  # [b, m]
            row, mine, theirs = rows[:, None], places[:, :, None], places[:, None, :]
            decided = self._decide(items[row, places], pairs[row[:, :, None], mine, theirs], is_open[row, places])
            logits = logits.index_put((row, places), decided)
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

    def source(self) -> ProblemSource:
        """Return the source of the problems; with a corpus, the distribution gives only the capacities."""
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
        for setting, name, choices in (
            ("kind of configuration", self.kind, ("knapsack",)),
            ("distribution", self.data.distribution, DISTRIBUTIONS),
            ("kind of labels", self.data.labels, SOLVERS),
            ("kind of network", self.network.kind, self.kinds),
        ):
            if name not in choices:
                raise unknown_name(setting, name, choices)
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
