"""What a configuration of a knapsack network says."""

from collections.abc import Collection
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import ClassVar

from tersely.errors import UsageError, unknown_name
from tersely.learn.knapsack.corpus import Documents
from tersely.learn.knapsack.labels import SOLVERS
from tersely.learn.knapsack.network import CompactTransformer, KnapsackTransformer
from tersely.learn.knapsack.simulate import DISTRIBUTIONS, Simulation, Source
from tersely.learn.settings import read_settings


@dataclass(frozen=True)
class Data:
    """The problems: a distribution of the paper, or one fitted to the documents of a corpus, and their labels."""

    distribution: str
    labels: str
    seed: int = 1
    corpus: str = ""
    scorer: str = "coverage"
    documents: int = 2000

    def source(self) -> Source:
        """Return what the problems are drawn from; with a corpus, the distribution only gives the capacities."""
        paper = DISTRIBUTIONS[self.distribution]
        if not self.corpus:
            return paper
        return Documents.read(Path(self.corpus), self.scorer, paper.capacities, self.documents)

    def simulation(self) -> Simulation:
        """Return the stream to train on."""
        return Simulation(self.source(), self.seed)


@dataclass(frozen=True)
class Network:
    """The paper's network (`paper`) or the compact one, and how large it is."""

    kind: str = "compact"
    width: int = 64
    layers: int = 3
    heads: int = 4
    pairs: int = 16


@dataclass(frozen=True)
class Training:
    """AdamW, a warm-up, then a cosine down to a hundredth of the learning rate."""

    steps: int
    batch: int = 1024
    parts: int = 4
    rate: float = 2e-3
    warmup: int = 100
    clip: float = 1.0
    seed: int = 1
    threads: int = 1
    validate_every: int = 250
    validation: int = 4000


@dataclass(frozen=True)
class Config:
    """A knapsack network, where its problems come from and how it is trained."""

    name: str
    data: Data
    training: Training
    kind: str = "knapsack"
    network: Network = field(default_factory=Network)

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
        """Make the network, with fresh weights."""
        network = self.network
        if network.kind == "paper":
            return KnapsackTransformer(network.width, network.layers, network.heads)
        return CompactTransformer(self.data.labels, network.width, network.layers, network.heads, network.pairs)


def read_config(path: Path) -> Config:
    """Read a configuration and check it."""
    return read_settings(path, Config)
