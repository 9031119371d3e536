"""Training of a knapsack network on an endless stream of simulated problems."""

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tersely.encode import torch_device
from tersely.learn.training import Figures, Loop, Report, RunFiles, TrainingState, check_resume, start_or_resume
from tersely.paper.knapsack_measure import Evaluation, device_of, evaluate
from tersely.paper.knapsack_network import KnapsackConfig, KnapsackTraining
from tersely.paper.knapsack_problems import Problems, labels

# Leaves the gradients of a batch in the network; returns its figures from before the step.
Learn = Callable[[TrainingState[Any], Problems, KnapsackConfig], Figures]


def learn_labels(state: TrainingState[Any], batch: Problems, config: KnapsackConfig) -> Figures:
    """Learn from the labels of a batch, one part of it at a time."""
    label, size = labels(config.data.labels, batch), config.training.batch // config.training.parts
    device = device_of(state.network)
    items, loss_sum, wrong, matched = int(batch.mask.sum()), 0.0, 0, 0
    for first in range(0, config.training.batch, size):
        part = batch.part(slice(first, first + size))
        profits, sizes, mask = tensors(part, device)
        target = torch.from_numpy(label[first : first + size, : mask.shape[1]]).to(device)
        logits = state.network(profits, sizes, mask)
        loss = F.binary_cross_entropy_with_logits(logits[mask], target[mask].float(), reduction="sum") / items
        loss.backward()
        loss_sum += loss.item()
        errors = ((logits > 0) != target) & mask
        wrong, matched = wrong + int(errors.sum()), matched + int((~errors.any(1)).sum())
    return {"loss": loss_sum, "error_rate": wrong / items, "matched_rate": matched / config.training.batch}


def train_knapsack(
    config: KnapsackConfig,
    out: Path,
    resume: bool,
    report: Report,
    learn: Learn = learn_labels,
    device: str = "cpu",
) -> TrainingState[Any]:
    """Train to the last step of the configuration, or raise KeyboardInterrupt after saving.

    The folder `out` gets checkpoint and logs; `resume` continues the run in it. `report` gets the progress, and
    `learn` computes the gradients of a batch. Problems are drawn and labeled on the CPU; the network is trained on
    `device`, and is on the CPU when it is returned.
    """
    check_resume(out / "checkpoint.safetensors", out, resume)
    training, stream = config.training, config.data.simulation()
    torch.set_num_threads(training.threads)
    state = start(config, out / "checkpoint.safetensors", torch_device(device))
    held_out = Evaluation.of(stream.fixed(training.validation), config.data.labels)
    means = Means(state.notes)

    def step() -> Figures:
        return means.add(take_step(state, stream.batch(state.step, training.batch), config, learn))

    def validate(last: Figures) -> Figures:
        means.clear()
        return last | asdict(evaluate(state.network, held_out).rounded)

    files = RunFiles(out, out / "log.jsonl", state.step)
    counts = ("samples", training.batch)
    Loop(state, training.steps, training.validate_every, step, validate, files, report, counts=counts).run()
    state.network.cpu()
    return state


def start(config: KnapsackConfig, checkpoint: Path, device: torch.device | None = None) -> TrainingState[Any]:
    """Create a fresh network, or restore it from the checkpoint."""
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        network = config.build().to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.training.rate, betas=(0.9, 0.98))
    return start_or_resume(network, optimizer, config, checkpoint)


def take_step(state: TrainingState[Any], batch: Problems, config: KnapsackConfig, learn: Learn) -> Figures:
    """Take one step on a batch, with the gradients of `learn`; return its figures."""
    for group in state.optimizer.param_groups:
        group["lr"] = config.training.rate * schedule(state.step, config.training)
    state.optimizer.zero_grad()
    figures = learn(state, batch, config)
    nn.utils.clip_grad_norm_(state.network.parameters(), config.training.clip)
    state.optimizer.step()
    return figures


def schedule(step: int, settings: KnapsackTraining) -> float:
    """Return the factor of the learning rate."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / settings.steps))
    return min(1.0, (step + 1) / settings.warmup) * (0.01 + 0.99 * cosine)


def tensors(batch: Problems, device: torch.device | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Return profits, sizes and mask as a network takes them, [B, n] each."""
    profits, sizes, mask = (torch.from_numpy(part).to(device) for part in (batch.profits, batch.sizes, batch.mask))
    return profits, sizes, mask


class Means:
    """Running means since the last validation, kept in the notes so that a resumed run has the same ones."""

    def __init__(self, notes: dict[str, Any]) -> None:
        self._sums: dict[str, float] = notes.setdefault("sums", {})

    def add(self, figures: Figures) -> Figures:
        """Add a step's figures, and return the means."""
        for name, value in {**figures, "steps": 1}.items():
            self._sums[name] = self._sums.get(name, 0) + value
        return {name: self._sums[name] / self._sums["steps"] for name in figures}

    def clear(self) -> None:
        """Begin new means."""
        self._sums.clear()
