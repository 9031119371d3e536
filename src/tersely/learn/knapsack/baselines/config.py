"""What a configuration of a baseline says: a knapsack network's, with other kinds of network."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from tersely.learn.knapsack.baselines.dqn import Dqn
from tersely.learn.knapsack.baselines.fptas import Fptas
from tersely.learn.knapsack.baselines.neural import Neural
from tersely.learn.knapsack.config import Config, Network
from tersely.learn.settings import read_settings


@dataclass(frozen=True)
class BaselineNetwork(Network):
    """Which baseline, and how large; each takes what it has a use for."""

    kind: str = "fptas"
    granules: int = 64  # fptas: how finely profits are rounded
    refresh: float = 0.02  # dqn: how far the target network moves at a step


NETWORKS: dict[str, Callable[[BaselineNetwork], nn.Module]] = {
    "fptas": lambda to: Fptas(to.width, to.layers, to.heads, to.granules),
    "neural": lambda to: Neural(to.width),
    "dqn": lambda to: Dqn(to.width, to.layers, to.heads, to.refresh),
}


@dataclass(frozen=True)
class BaselineConfig(Config):
    """A baseline, where its problems come from and how it is trained."""

    network: BaselineNetwork = field(default_factory=BaselineNetwork)

    kinds: ClassVar[Collection[str]] = NETWORKS

    def build(self) -> Any:
        """Make the network, with fresh weights."""
        return NETWORKS[self.network.kind](self.network)


def read_baseline(path: Path) -> BaselineConfig:
    """Read a configuration and check it."""
    return read_settings(path, BaselineConfig)
