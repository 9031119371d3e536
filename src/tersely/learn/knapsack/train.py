"""Training a knapsack network on an endless stream of problems, so that it can be killed at any time and go on."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.tensorboard import SummaryWriter

from tersely.errors import UsageError
from tersely.learn.checkpoint import check_settings, load_checkpoint, save_checkpoint
from tersely.learn.files import json_lines, replace_file
from tersely.learn.interrupt import Interrupt
from tersely.learn.knapsack.config import Config, Training
from tersely.learn.knapsack.labels import labels
from tersely.learn.knapsack.measure import Evaluation, evaluate
from tersely.learn.knapsack.simulate import Batch


class Progress(NamedTuple):
    """Where a training is: running means of loss and rates since the last validation, and the last validation's."""

    step: int
    steps: int
    loss: float
    error_rate: float
    matched_rate: float
    speed: float  # samples a second
    left: float  # seconds
    validated: bool


Report = Callable[[Progress], None]


class State(NamedTuple):
    """What a checkpoint is made of."""

    network: nn.Module
    optimizer: torch.optim.Optimizer
    notes: dict[str, Any]  # step, seconds, curve, config


# Leaves the gradients of a batch in the network; returns its loss, error rate and matched rate before the step.
Learn = Callable[[State, Batch, Config], tuple[float, float, float]]


def learn(state: State, batch: Batch, config: Config) -> tuple[float, float, float]:
    """Learn from the labels of a batch, a part of it at a time."""
    label, size = labels(config.data.labels, batch), config.training.batch // config.training.parts
    items, loss_sum, wrong, matched = int(batch.mask.sum()), 0.0, 0, 0
    for first in range(0, config.training.batch, size):
        part = batch.part(slice(first, first + size))
        profits, sizes, mask = tensors(part)
        target = torch.from_numpy(label[first : first + size, : mask.shape[1]])
        logits = state.network(profits, sizes, mask)
        loss = F.binary_cross_entropy_with_logits(logits[mask], target[mask].float(), reduction="sum") / items
        loss.backward()
        loss_sum += loss.item()
        errors = ((logits > 0) != target) & mask
        wrong, matched = wrong + int(errors.sum()), matched + int((~errors.any(1)).sum())
    return loss_sum, wrong / items, matched / config.training.batch


def train(config: Config, out: Path, resume: bool, report: Report, learn: Learn = learn) -> State:
    """Train to the end of the configuration, or raise KeyboardInterrupt after saving where it is."""
    torch.set_num_threads(config.training.threads)
    state, stream = start(config, out / "checkpoint.safetensors", resume), config.data.simulation()
    held_out = Evaluation.of(stream.fixed(config.training.validation), config.data.labels)
    writer = SummaryWriter(out / "tensorboard", purge_step=state.notes["step"])
    meter = Meter(state.notes, config.training)
    with Interrupt() as interrupt:
        while state.notes["step"] < config.training.steps:
            batch = stream.batch(state.notes["step"], config.training.batch)
            meter.add(*take_step(state, batch, config, learn))
            state.notes["step"] += 1
            validating = state.notes["step"] % config.training.validate_every == 0
            if validating or state.notes["step"] == config.training.steps:
                point = {"loss": meter.loss} | asdict(evaluate(state.network, held_out).rounded)
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


def start(config: Config, checkpoint: Path, resume: bool) -> State:
    """Make a fresh network, or take up the one of the checkpoint."""
    if checkpoint.exists() and not resume:
        raise UsageError(f"{checkpoint.parent} holds a training already: pass --resume, or choose another folder")
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        network = config.build()
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.training.rate, betas=(0.9, 0.98))
    notes: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "config": asdict(config)}
    if checkpoint.exists():
        notes = load_checkpoint(checkpoint, network, optimizer)
        check_settings(checkpoint, notes["config"], asdict(config))
    return State(network, optimizer, notes)


def take_step(state: State, batch: Batch, config: Config, learn: Learn) -> tuple[float, float, float]:
    """Take one step; return its figures."""
    for group in state.optimizer.param_groups:
        group["lr"] = config.training.rate * schedule(state.notes["step"], config.training)
    state.optimizer.zero_grad()
    figures = learn(state, batch, config)
    nn.utils.clip_grad_norm_(state.network.parameters(), config.training.clip)
    state.optimizer.step()
    return figures


def schedule(step: int, settings: Training) -> float:
    """Return what the learning rate is multiplied by."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / settings.steps))
    return min(1.0, (step + 1) / settings.warmup) * (0.01 + 0.99 * cosine)


def tensors(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Return a batch as a network takes it."""
    return torch.from_numpy(batch.profits), torch.from_numpy(batch.sizes), torch.from_numpy(batch.mask)


class Meter:
    """Means since the last validation, and the time that the training itself took."""

    def __init__(self, notes: dict[str, Any], settings: Training) -> None:
        self._notes, self._settings, self._started, self._sums = notes, settings, time.monotonic(), np.zeros(4)

    def add(self, loss: float, error_rate: float, matched_rate: float) -> None:
        """Take a step's figures in."""
        self._sums += (loss, error_rate, matched_rate, 1)

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self._sums[0] / max(self._sums[3], 1))

    def clock(self, notes: dict[str, Any]) -> None:
        """Move the time since the start into the notes."""
        now = time.monotonic()
        notes["seconds"] += now - self._started
        self._started = now

    def restart(self) -> None:
        """Begin new means."""
        self._sums = np.zeros(4)

    def progress(self, validation: dict[str, float] | None = None) -> Progress:
        """Return where the training is."""
        step, steps = self._notes["step"], self._settings.steps
        seconds = self._notes["seconds"] + time.monotonic() - self._started
        means = dict(zip(("loss", "error_rate", "matched_rate"), self._sums[:3] / self._sums[3], strict=True))
        shown = means | (validation or {})
        return Progress(
            step=step,
            steps=steps,
            loss=float(shown["loss"]),
            error_rate=float(shown["error_rate"]),
            matched_rate=float(shown["matched_rate"]),
            speed=step * self._settings.batch / seconds,
            left=seconds / step * (steps - step),
            validated=validation is not None,
        )


def note(notes: dict[str, Any], point: dict[str, float], meter: Meter, batch: int, writer: Any) -> None:
    """Add a point to the curve and to TensorBoard's."""
    meter.clock(notes)
    notes["curve"].append({"samples": notes["step"] * batch, "seconds": round(notes["seconds"], 1)} | point)
    for name, value in point.items():
        writer.add_scalar(name, value, notes["step"])
    writer.flush()


def save(state: State, out: Path) -> None:
    """Write the checkpoint, and the curve as lines of JSON."""
    save_checkpoint(out / "checkpoint.safetensors", state.network, state.optimizer, state.notes)
    replace_file(out / "log.jsonl", json_lines(state.notes["curve"]))
