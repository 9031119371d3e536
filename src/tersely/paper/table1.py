"""The other methods of Table 1, which `tersely train knapsack` trains and measures, and their rows."""

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import nn

from tersely.errors import InputError
from tersely.io.files import write_whole
from tersely.learn.training import Figures, Report, TrainingState
from tersely.paper.knapsack_measure import Evaluation, measure_network
from tersely.paper.knapsack_network import KnapsackConfig, KnapsackNetwork
from tersely.paper.knapsack_problems import DISTRIBUTIONS, Problems, Simulation, Space, density
from tersely.paper.neural_knapsacks import DeepQ, FptasNetwork, NeuralKnapsack
from tersely.paper.train_knapsack import learn_labels, tensors, train_knapsack
from tersely.settings import read_settings

_NAMES = {
    "fptas": "FPTAS-NN + transformer",
    "neural": "Neural Knapsack",
    "dqn": "Reinforcement learning (DQN)",
    "density": "Density greedy",
}
_RATES = ("error_rate", "matched_rate", "feasible_rate", "value_ratio")


@dataclass(frozen=True)
class Table1Network(KnapsackNetwork):
    """Which baseline, and its size; each uses the settings that apply to it."""

    kind: str = "fptas"
    granules: int = 64  # for fptas: how finely profits are rounded
    refresh: float = 0.02  # for dqn: how far the target network moves in a step


NETWORKS: dict[str, Callable[[Table1Network], nn.Module]] = {
    "fptas": lambda to: FptasNetwork(to.width, to.layers, to.heads, to.granules),
    "neural": lambda to: NeuralKnapsack(to.width),
    "dqn": lambda to: DeepQ(to.width, to.layers, to.heads, to.refresh),
}


@dataclass(frozen=True)
class Table1Config(KnapsackConfig):
    """A baseline, where its problems come from and how it is trained."""

    network: Table1Network = field(default_factory=Table1Network)

    kinds: ClassVar[Collection[str]] = NETWORKS

    def build(self) -> Any:
        """Create the network with fresh weights."""
        return NETWORKS[self.network.kind](self.network)


def read_table1_config(path: Path) -> Table1Config:
    """Read a configuration and check it."""
    return read_settings(path, Table1Config)


def train_baseline(
    config: Table1Config, out: Path, resume: bool, report: Report, samples: int = 20_000, device: str = "auto"
) -> dict[str, Any]:
    """Train the method of `config` to the last step, measure it on `samples` fresh problems, and return the figures.

    The folder `out` gets checkpoint, log and figures; `resume` continues the run in it. `report` gets the progress,
    and `device` is auto, cpu, cuda or mps; games are played on the CPU.
    """
    if config.network.kind == "dqn":
        state = train_knapsack(config, out, resume, report, play)
    else:
        state = train_knapsack(config, out, resume, report, learn_labels, device)
    figures = measure_network(state.network, config, samples) | {
        "kind": config.network.kind,
        "seen": config.training.steps * config.training.batch,
        "parameters": sum(p.numel() for p in state.network.parameters() if p.requires_grad),
        "minutes": round(state.notes["seconds"] / 60, 1),
    }
    write_whole(out / "measures.json", json.dumps(figures, indent=2).encode())
    return figures


def play(state: TrainingState[Any], batch: Problems, config: KnapsackConfig) -> Figures:
    """Learn from a batch of games; without labels to compare with there is a loss, but no rates."""
    settings, step = config.training, state.step
    # Explore half of the time at first, and a twentieth of the time from the middle of the run on.
    explore = max(0.05, 0.5 - step / settings.steps)
    # A pure function of the step, so that a resumed run plays the same games.
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + step)
    network = cast(DeepQ, state.network)
    network.follow()
    size, total = settings.batch // settings.parts, 0.0
    for first in range(0, settings.batch, size):
        loss: Any = network.loss(*tensors(batch.part(slice(first, first + size))), explore, generator) / settings.parts
        loss.backward()
        total += loss.item()
    return {"loss": total}


def read_figures(folder: Path) -> dict[str, Any]:
    """Return the figures of a finished training run."""
    try:
        figures: dict[str, Any] = json.loads((folder / "measures.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{folder} holds no finished training run of a baseline") from None
    return figures


def greedy_figures(distribution: str, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Measure density greedy against the exact solution; it sees no samples, has no weights, and always fits."""
    problems = Evaluation.of(Simulation(DISTRIBUTIONS[distribution], seed, Space.TEST).batch(0, samples), "dp")
    rates = asdict(problems.measure(density(problems.batch)))
    about = {"kind": "density", "distribution": distribution, "samples": samples, "seen": 0, "parameters": 0}
    return about | {"rounded": rates, "repaired": rates}


def render_rows(rows: Iterable[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table, with both ways of choosing."""
    lines = [
        "| method | distribution | error rate | matched rate | feasible | value | matched, repaired | value, repaired "
        "| samples seen | parameters |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rates = [row["rounded"][rate] for rate in _RATES]
        rates += [row["repaired"][rate] for rate in ("matched_rate", "value_ratio")]
        cells = " | ".join(f"{100 * rate:.1f} %" for rate in rates)
        size = f"{row['seen']:,} | {row['parameters']:,}"
        lines.append(f"| {_NAMES[row['kind']]} | {row['distribution']} | {cells} | {size} |")
    return "\n".join(lines)
