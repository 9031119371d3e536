"""Trains the network that reads sentences as an editor would: worth, role, noise, needs and what cures them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as f

from tersely.learn.editor_labels import UNKNOWN, Lesson
from tersely.learn.editor_network import HEADS, Batch, EditorNetwork, batch_of
from tersely.read import forest
from tersely.read.reader import WINDOW
from tersely.select import Problem
from tersely.select.knapsack import Knapsack
from tersely.text.language import separator

Values = NDArray[np.float64]

_DENSE = 3  # characters of other languages that say as much as a Chinese one


@dataclass(frozen=True)
class ChoiceTraining:
    """How worth learns from choices: `weight` is that of the loss, and the other settings are those of the choice."""

    weight: float = 0.0
    samples: int = 4
    noise: float = 0.5
    shortest: int = 150  # characters of the random lengths
    longest: int = 700
    coherence: float = 1.2  # as at inference
    price: float = 0.3


@dataclass(frozen=True, eq=False)
class Priced:
    """A lesson's problem at one length, as far as worth does not decide it."""

    lengths: NDArray[np.int64]
    separator: int
    capacity: int
    needs: Values
    cures: tuple[int, ...]
    certainty: Values
    coherence: float
    price: float

    def chosen(self, values: Values) -> tuple[int, ...]:
        """Return what the knapsack chooses for these values."""
        lost = self.coherence * self.needs * values
        problem = Problem(
            values - lost - self.price,
            self.lengths,
            self.capacity,
            self.separator,
            cures=self.cures,
            bonus=np.where(np.array(self.cures) >= 0, lost * self.certainty, 0.0),
        )
        return Knapsack()(problem).chosen

    def counted(self, chosen: tuple[int, ...]) -> Values:
        """Return how much of its worth each sentence counts: less if it needs what is not chosen."""
        inside = np.zeros(len(self.needs))
        inside[list(chosen)] = 1.0
        cured = np.where(np.array(self.cures) >= 0, inside[list(self.cures)], 0.0) * self.certainty
        counted: Values = inside * (1 - self.coherence * self.needs * (1 - cured))
        return counted


def choice_loss(
    roles: Tensor, worth: Tensor, need: Tensor, pointer: Tensor, lessons: Sequence[Lesson], training: ChoiceTraining
) -> Tensor:
    """Return the loss of the worth of some lessons' sentences, given the logits of the network's heads, [n, ...] each.

    Only worth learns from it: noise, needs and cures are taken as they are.
    """
    losses, offset = [worth.sum() * 0.0], 0
    noise, needs = roles.detach().softmax(1)[:, -1], need.detach().sigmoid().numpy().astype(np.float64)
    chances = pointer.detach().softmax(1).numpy().astype(np.float64)
    for lesson in lessons:
        count = len(lesson.document)
        part = slice(offset, offset + count)
        offset += count
        if count > WINDOW or not lesson.choice.any():
            continue
        problem = _priced(lesson, needs[part], chances[part, :count], training)
        share = worth[part].softmax(0) * (1 - noise[part])
        losses.append(_difference(share, lesson, problem, training))
    return torch.stack(losses).sum() / max(len(losses) - 1, 1)


def _difference(share: Tensor, lesson: Lesson, problem: Priced, training: ChoiceTraining) -> Tensor:
    values = share.detach().numpy().astype(np.float64)
    mean = np.zeros(len(values))
    for _ in range(training.samples):
        drawn = torch.randn(len(values)).numpy().astype(np.float64)
        factor = np.exp(training.noise * drawn - training.noise**2 / 2)
        mean += factor * problem.counted(problem.chosen(values * factor)) / training.samples
    target = problem.counted(editors_choice(lesson, problem))
    return (share * torch.tensor(mean - target, dtype=torch.float32)).sum()


def _priced(lesson: Lesson, needs: Values, chances: Values, training: ChoiceTraining) -> Priced:
    cure = chances.argmax(1)
    certainty = chances[np.arange(len(cure)), cure]
    between = separator(lesson.document.language)
    low, high = np.log(training.shortest), np.log(training.longest)
    drawn = float(np.exp(low + (high - low) * torch.rand(()).item()))
    return Priced(
        np.array([len(text) for text in lesson.document.display_texts], np.int64),
        len(between),
        round(drawn if between else drawn / _DENSE),
        needs,
        forest(cure.tolist(), (needs * certainty).tolist()),
        certainty,
        training.coherence,
        training.price / len(cure),
    )


def editors_choice(lesson: Lesson, problem: Priced) -> tuple[int, ...]:
    """Return what the editor would take within a length: of the ranked choice, the greatest weight that fits."""
    values = lesson.choice.astype(np.float64)
    return Knapsack()(Problem(values, problem.lengths, problem.capacity, problem.separator)).chosen


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
    labeled = labels["needs"] >= 0
    if labeled.any():
        foreign = torch.tensor([lesson.foreign for lesson in lessons]).float()[batch.document]
        logits = need[:, 0] + network.foreign * foreign
        loss = loss + f.binary_cross_entropy_with_logits(logits[labeled], labels["needs"][labeled])
    loss = loss + _worth_loss(worth[:, 0], lessons)
    targets, sentences, reasons = _cures(lessons, batch, pointer.shape[1])
    if sentences:
        loss = loss - training.pointer * (pointer[sentences].log_softmax(1).clamp(min=-30) * targets).sum(1).mean()
        loss = loss + training.cause * f.cross_entropy(causes[sentences], torch.tensor(reasons))
    if choice.weight:
        loss = loss + choice.weight * choice_loss(roles, worth[:, 0], need[:, 0], pointer, lessons, choice)
    return loss


def _cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    labeled = labels != UNKNOWN
    return f.cross_entropy(logits[labeled], labels[labeled]) if labeled.any() else logits.sum() * 0.0


def _worth_loss(worth: Tensor, lessons: Sequence[Lesson]) -> Tensor:
    """Return how far the shares of worth within each document are from the editor's."""
    losses = []
    for part, lesson in zip(worth.split([len(lesson.document) for lesson in lessons]), lessons, strict=True):
        target = torch.tensor(lesson.worth)
        if target.sum() > 0:
            losses.append(-(part.log_softmax(0) * target).sum() / target.sum())
    return torch.stack(losses).mean() if losses else worth.sum() * 0.0


def _cures(lessons: Sequence[Lesson], batch: Batch, columns: int) -> tuple[Tensor, list[int], list[int]]:
    """Return what pointers should say, [needs, columns], for which sentences, and the causes of their needs."""
    targets, sentences, causes = [], [], []
    row, place = batch.row.tolist(), batch.place.tolist()
    offset = 0
    for lesson in lessons:
        for i, cures in enumerate(lesson.cures):
            if not cures:
                continue
            target = torch.zeros(columns)
            for cure, _ in cures:
                in_window = cure >= 0 and row[offset + cure] == row[offset + i]
                target[place[offset + cure] if in_window else columns - 1] += 1 / len(cures)
            targets.append(target)
            sentences.append(offset + i)
            causes.append(cures[0][1])
        offset += len(lesson.document)
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
    finished: int = 0,
) -> Iterator[float]:
    """Train a network epoch by epoch, after those that are `finished`, and yield the mean loss of each.

    `phases` has the lessons of each epoch.
    """
    rates = [group["lr"] for group in optimizer.param_groups]
    counts = [-(-len(lessons) // training.batch) for lessons in phases]
    steps, step = sum(counts), sum(counts[:finished])
    for lessons in phases[finished:]:
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
