"""Trains worth through the exact knapsack: what it chooses at random lengths should be what the editor chooses there.

The loss is that of Fenchel and Young for a perturbed optimum. Its gradient is the difference between what the knapsack
chooses on average, with values multiplied by random noise, and what the editor chooses within the same length. Values
are multiplied and not shifted, so they stay positive.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.learn.editor_labels import Lesson
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
    losses, done = [worth.sum() * 0.0], 0
    noise, needs = roles.detach().softmax(1)[:, -1], need.detach().sigmoid().numpy().astype(np.float64)
    chances = pointer.detach().softmax(1).numpy().astype(np.float64)
    for lesson in lessons:
        count = len(lesson.document)
        part = slice(done, done + count)
        done += count
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
    wanted = problem.counted(editors_choice(lesson, problem))
    return (share * torch.tensor(mean - wanted, dtype=torch.float32)).sum()


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
