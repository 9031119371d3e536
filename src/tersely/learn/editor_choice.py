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
    coherence: float = 1.2
    price: float = 0.5


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
    shares: Sequence[Tensor],
    lessons: Sequence[Lesson],
    priced: Sequence[Priced],
    training: ChoiceTraining,
    chance: np.random.Generator,
) -> Tensor:
    """Return the loss of the values of some lessons' sentences, [n] each, which are shares of worth."""
    losses = []
    for share, lesson, problem in zip(shares, lessons, priced, strict=True):
        values = share.detach().numpy().astype(np.float64)
        mean = np.zeros(len(values))
        for _ in range(training.samples):
            factor = np.exp(training.noise * chance.standard_normal(len(values)) - training.noise**2 / 2)
            mean += factor * problem.counted(problem.chosen(values * factor)) / training.samples
        wanted = problem.counted(editors_choice(lesson, problem))
        losses.append((share * torch.tensor(mean - wanted, dtype=torch.float32)).sum())
    return torch.stack(losses).mean()


def editors_choice(lesson: Lesson, problem: Priced) -> tuple[int, ...]:
    """Return what the editor would take within a length: of the ranked choice, the greatest weight that fits."""
    values = lesson.choice.astype(np.float64)
    return Knapsack()(Problem(values, problem.lengths, problem.capacity, problem.separator)).chosen


def random_capacity(lesson: Lesson, training: ChoiceTraining, chance: np.random.Generator) -> int:
    """Return a random length, the logarithm of which is spread evenly."""
    drawn = np.exp(chance.uniform(np.log(training.shortest), np.log(training.longest)))
    return round(float(drawn) / (1 if separator(lesson.document.language) else _DENSE))
