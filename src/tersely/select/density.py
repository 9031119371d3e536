"""Selection by value for length."""

from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Problem, Selection, to_whole_numbers
from tersely.select.greedy import descending, fill

__all__ = ["Density"]


@dataclass(frozen=True)
class Density:
    """Sentences in order of value / length^power, or the single best sentence if it is worth more.

    With power 1, the choice is worth at least half of the best possible (the textbook bound of the knapsack).

    >>> Density()(Problem(np.array([0.3, 0.9]), np.array([10, 100]), capacity=100))
    Selection(chosen=(1,), stable=100)
    """

    power: float = 1.0

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        candidates = problem.candidates
        if not len(candidates):
            return problem.selection(())
        values = to_whole_numbers(problem.values)
        density = values / np.maximum(problem.costs, 1) ** self.power
        many = list(fill(problem, descending(density, candidates)))
        single = int(candidates[np.argmax(values[candidates])])
        return better(problem, many, float(values[many].sum()), single, float(values[single]))


def better(problem: Problem, many: list[int], many_worth: float, single: int, single_worth: float) -> Selection:
    """Return `many` as the selection, unless the sentence `single` is worth more.

    At a smaller capacity, no single sentence is worth more than before. But nothing is known of `many` once it has
    to change, so `single` is certain only down to the length of the longer of the two.
    """
    answer = problem.selection(many)
    if many_worth >= single_worth:
        return answer
    alone = problem.selection([single])
    return Selection(alone.chosen, max(alone.stable, answer.stable))
