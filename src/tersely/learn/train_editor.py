"""Trains the network that reads sentences as an editor would: worth, role, noise, needs and what cures them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as f

from tersely.learn.editor_choice import ChoiceTraining, choice_loss
from tersely.learn.editor_labels import UNKNOWN, Lesson
from tersely.learn.editor_network import HEADS, Batch, EditorNetwork, batch_of
from tersely.learn.editor_teachers import taught_loss


@dataclass(frozen=True)
class EditorTraining:
    """How the network learns."""

    epochs: int = 6
    repeat: int = 3  # how often an epoch has the labels of the first annotators, beside those of others
    batch: int = 16
    rate: float = 2e-3
    fast: float = 8.0  # how much faster what depends on distances and shared words learns
    decay: float = 0.02
    average: float = 0.99  # the share of a moving average of the weights that stays at each step
    dropout: float = 0.45
    drop_tokens: float = 0.6
    drop_documents: float = 0.3  # documents of which no token is seen, so that unknown languages are read by features
    pointer: float = 0.5  # weights of the losses beside those of role, worth and need
    cause: float = 0.3
    noise: float = 0.3
    taught: float = 1.0  # of what teachers say, if there are any


def loss_of(
    network: EditorNetwork, lessons: Sequence[Lesson], training: EditorTraining, choice: ChoiceTraining
) -> Tensor:
    """Return the sum of the losses of all heads, for some lessons."""
    batch = batch_of(lessons, network.shape)
    heads, pointer = network(batch, training.drop_tokens, training.drop_documents)
    roles, worth, need, causes, noises, _ = heads.split(HEADS, 1)
    labels = {
        name: torch.tensor(np.concatenate([getattr(lesson, name) for lesson in lessons]))
        for name in ("roles", "needs", "noises")
    }
    loss = _cross_entropy(roles, labels["roles"]) + training.noise * _cross_entropy(noises, labels["noises"])
    known = labels["needs"] >= 0
    if known.any():
        foreign = torch.tensor([lesson.foreign for lesson in lessons]).float()[batch.document]
        logits = need[:, 0] + network.foreign * foreign
        loss = loss + f.binary_cross_entropy_with_logits(logits[known], labels["needs"][known])
    loss = loss + _worth_loss(worth[:, 0], lessons)
    targets, sentences, reasons = _cures(lessons, batch, pointer.shape[1])
    if sentences:
        loss = loss - training.pointer * (pointer[sentences].log_softmax(1).clamp(min=-30) * targets).sum(1).mean()
        loss = loss + training.cause * f.cross_entropy(causes[sentences], torch.tensor(reasons))
    if choice.weight:
        loss = loss + choice.weight * choice_loss(roles, worth[:, 0], need[:, 0], pointer, lessons, choice)
    if all(lesson.taught is not None for lesson in lessons):
        loss = loss + training.taught * taught_loss(roles, worth[:, 0], need[:, 0], lessons)
    return loss


def _cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    known = labels != UNKNOWN
    return f.cross_entropy(logits[known], labels[known]) if known.any() else logits.sum() * 0.0


def _worth_loss(worth: Tensor, lessons: Sequence[Lesson]) -> Tensor:
    """Return how far the shares of worth within each document are from the editor's."""
    losses = []
    for part, lesson in zip(worth.split([len(lesson.document) for lesson in lessons]), lessons, strict=True):
        wanted = torch.tensor(lesson.worth)
        if wanted.sum() > 0:
            losses.append(-(part.log_softmax(0) * wanted).sum() / wanted.sum())
    return torch.stack(losses).mean() if losses else worth.sum() * 0.0


def _cures(lessons: Sequence[Lesson], batch: Batch, columns: int) -> tuple[Tensor, list[int], list[int]]:
    """Return what pointers should say, [needs, columns], for which sentences, and the causes of their needs."""
    targets, sentences, causes = [], [], []
    row, place = batch.row.tolist(), batch.place.tolist()
    done = 0
    for lesson in lessons:
        for i, cures in enumerate(lesson.cures):
            if not cures:
                continue
            target = torch.zeros(columns)
            for cure, _ in cures:
                near = cure >= 0 and row[done + cure] == row[done + i]
                target[place[done + cure] if near else columns - 1] += 1 / len(cures)
            targets.append(target)
            sentences.append(done + i)
            causes.append(cures[0][1])
        done += len(lesson.document)
    return torch.stack(targets) if targets else torch.empty(0), sentences, causes


def optimizer_of(network: EditorNetwork, training: EditorTraining) -> torch.optim.Optimizer:
    """Return what moves the weights."""
    return torch.optim.AdamW(network.parameter_groups(training.rate, training.fast, training.decay))


def epochs(
    network: EditorNetwork,
    optimizer: torch.optim.Optimizer,
    phases: Sequence[Sequence[Lesson]],
    training: EditorTraining,
    choice: ChoiceTraining,
    chance: np.random.Generator,
    done: int = 0,
) -> Iterator[float]:
    """Train a network epoch by epoch, after those that are `done`, and yield the mean loss of each.

    `phases` has the lessons of each epoch.
    """
    rates = [group["lr"] for group in optimizer.param_groups]
    counts = [-(-len(lessons) // training.batch) for lessons in phases]
    steps, step = sum(counts), sum(counts[:done])
    for lessons in phases[done:]:
        network.train()
        total = 0.0
        batches = list(_batches(lessons, training.batch, chance))
        for part in batches:
            pace = min(1.0, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * step / steps))
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * pace
            value = loss_of(network, part, training, choice)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            network.update_averages(step, training.average)
            step, total = step + 1, total + float(value.detach())
        network.eval()
        yield total / len(batches)


def _batches(lessons: Sequence[Lesson], size: int, chance: np.random.Generator) -> Iterator[list[Lesson]]:
    """Yield all lessons in batches of about the same length, in random order."""
    lengths = np.array([len(lesson.document) for lesson in lessons]) * chance.uniform(0.8, 1.25, len(lessons))
    order = np.argsort(lengths)
    parts = [order[first : first + size] for first in range(0, len(order), size)]
    for number in chance.permutation(len(parts)):
        yield [lessons[i] for i in parts[number]]


def standardize(network: EditorNetwork, lessons: Sequence[Lesson]) -> None:
    """Let the network see features with mean 0 and deviation 1, as they are in these lessons."""
    features = np.concatenate([lesson.features for lesson in lessons])
    network.mean.copy_(torch.tensor(features.mean(0)))
    network.deviation.copy_(torch.tensor(np.maximum(features.std(0), 0.05)))
