"""Training a baseline: by the knapsack transformer's loop, except that deep Q-learning plays and reads no labels."""

import json
from math import nan
from pathlib import Path
from typing import Any, cast

import torch

from tersely.learn.files import replace_file
from tersely.learn.knapsack.baselines.config import BaselineConfig
from tersely.learn.knapsack.baselines.dqn import Dqn
from tersely.learn.knapsack.config import Config
from tersely.learn.knapsack.folder import measure_network
from tersely.learn.knapsack.simulate import Batch
from tersely.learn.knapsack.train import Report, State, learn, tensors, train


def train_baseline(
    config: BaselineConfig, out: Path, resume: bool, report: Report, samples: int = 20_000
) -> dict[str, Any]:
    """Train to the end, measure on fresh problems, and write the figures beside the checkpoint; return them."""
    state = train(config, out, resume, report, play if config.network.kind == "dqn" else learn)
    figures = measure_network(state.network, config, samples) | {
        "kind": config.network.kind,
        "seen": config.training.steps * config.training.batch,
        "parameters": sum(p.numel() for p in state.network.parameters() if p.requires_grad),
        "minutes": round(state.notes["seconds"] / 60, 1),
    }
    replace_file(out / "measures.json", json.dumps(figures, indent=2).encode())
    return figures


def play(state: State, batch: Batch, config: Config) -> tuple[float, float, float]:
    """Learn from a batch of games; there are no labels to compare it with, so it has no rates."""
    settings, step = config.training, state.notes["step"]
    # Explore half of the time at first, and from the middle of the training on a twentieth.
    explore = max(0.05, 0.5 - step / settings.steps)
    # A pure function of the step, so that a resumed training plays the same games.
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + step)
    network = cast(Dqn, state.network)
    network.follow()
    size, total = settings.batch // settings.parts, 0.0
    for first in range(0, settings.batch, size):
        loss: Any = network.loss(*tensors(batch.part(slice(first, first + size))), explore, generator) / settings.parts
        loss.backward()
        total += loss.item()
    return total, nan, nan
