"""Training a baseline: by the knapsack transformer's loop, except that deep Q-learning plays and reads no labels."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

from tersely.learn.files import replace_file
from tersely.learn.interrupt import Interrupt
from tersely.learn.knapsack.baselines.config import BaselineConfig
from tersely.learn.knapsack.baselines.dqn import Dqn
from tersely.learn.knapsack.folder import measure_network
from tersely.learn.knapsack.measure import Evaluation, Measures, evaluate
from tersely.learn.knapsack.simulate import Batch
from tersely.learn.knapsack.train import Meter, Progress, State, note, save, schedule, start, tensors, train

Report = Callable[[Progress], None]


def train_baseline(
    config: BaselineConfig, out: Path, resume: bool, report: Report, samples: int = 20_000
) -> dict[str, Any]:
    """Train to the end, measure on fresh problems, and write the figures beside the checkpoint; return them."""
    state = (play if config.network.kind == "dqn" else train)(config, out, resume, report)
    figures = measure_network(state.network, config, samples) | {
        "kind": config.network.kind,
        "seen": config.training.steps * config.training.batch,
        "parameters": sum(p.numel() for p in state.network.parameters() if p.requires_grad),
        "minutes": round(state.notes["seconds"] / 60, 1),
    }
    replace_file(out / "measures.json", json.dumps(figures, indent=2).encode())
    return figures


def play(config: BaselineConfig, out: Path, resume: bool, report: Report) -> State:
    """Train a deep Q-network, with the checkpoints and the stream of problems of the other networks."""
    torch.set_num_threads(config.training.threads)
    state, stream = start(config, out / "checkpoint.safetensors", resume), config.data.simulation()
    held_out = Evaluation.of(stream.fixed(config.training.validation), config.data.labels)
    writer, meter = (
        SummaryWriter(out / "tensorboard", purge_step=state.notes["step"]),
        Meter(state.notes, config.training),
    )
    last: Measures = evaluate(state.network, held_out).rounded
    with Interrupt() as interrupt:
        while (step := state.notes["step"]) < config.training.steps:
            loss = learn(state, stream.batch(step, config.training.batch), config)
            # There are no labels to compare a step with, so the rates shown are the last validation's.
            meter.add(loss, last.error_rate, last.matched_rate)
            state.notes["step"] += 1
            if (step + 1) % config.training.validate_every == 0 or step + 1 == config.training.steps:
                last = evaluate(state.network, held_out).rounded
                point = {"loss": meter.loss} | asdict(last)
                note(state.notes, point, meter, config.training.batch, writer)
                save(state, out)
                report(meter.progress(point))
                meter.restart()
            elif interrupt.asked:
                meter.clock(state.notes)
                save(state, out)
                raise KeyboardInterrupt
            else:
                report(meter.progress())
    writer.close()
    return state


def learn(state: State, batch: Batch, config: BaselineConfig) -> float:
    """Play a batch of games and take one step; return the loss."""
    settings, step = config.training, state.notes["step"]
    for group in state.optimizer.param_groups:
        group["lr"] = settings.rate * schedule(step, settings)
    # Explore half of the time at first, and from the middle of the training on a twentieth.
    explore = max(0.05, 0.5 - step / settings.steps)
    # A pure function of the step, so that a resumed training plays the same games.
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + step)
    state.optimizer.zero_grad()
    network = cast(Dqn, state.network)
    network.follow()
    size, total = settings.batch // settings.parts, 0.0
    for first in range(0, settings.batch, size):
        loss: Any = network.loss(*tensors(batch.part(slice(first, first + size))), explore, generator) / settings.parts
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(state.network.parameters(), settings.clip)
    state.optimizer.step()
    return total
