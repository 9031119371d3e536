"""Selection by value for length."""

from dataclasses import dataclass

import numpy as np

from tersely.select._problem import Problem, Selection, Values, whole
from tersely.select.greedy import descending, fill, fill_by_bundles

__all__ = ["Density"]


@dataclass(frozen=True)
class Density:
    """Sentences in order of value / length^power, or the single best sentence if it is worth more.

    With power 1, the choice is worth at least half of the best possible (the textbook bound of the knapsack). A
    sentence that needs others comes with them, at the sum of their values and lengths; then nothing is guaranteed.

    >>> Density()(Problem(np.array([0.3, 0.9]), np.array([10, 100]), capacity=100))
    Selection(chosen=(1,), stable=100)
    """

    power: float = 1.0

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        if not len(problem.candidates):
            return problem.selection(())
        values = whole(problem.values)
        if problem.has_needs:
            return self._by_bundles(problem, values)
        density = values / np.maximum(problem.costs, 1) ** self.power
        many = list(fill(problem, descending(density, problem.candidates)))
        one = int(problem.candidates[np.argmax(values[problem.candidates])])
        return better(problem, many, float(values[many].sum()), [one], float(values[one]))

    def _by_bundles(self, problem: Problem, values: Values) -> Selection:
        many = fill_by_bundles(problem, self.power)
        worth = problem.forest.sums(values.tolist())
        one = max(problem.candidates.tolist(), key=worth.__getitem__)
        return better(problem, many, float(values[many].sum()), problem.forest.bundle(one, ()), worth[one])


def better(problem: Problem, many: list[int], many_worth: float, one: list[int], one_worth: float) -> Selection:
    """Return `many` as the selection, unless `one`, a single sentence with what it needs, is worth more.

    At a smaller capacity, no single sentence is worth more than before. But nothing is known of `many` once it has
    to change, so `one` is certain only down to the length of the longer of the two.
    """
    answer = problem.selection(many)
    if many_worth >= one_worth:
        return answer
    single = problem.selection(one)
    return Selection(single.chosen, max(single.stable, answer.stable))
