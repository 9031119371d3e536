"""Selection by how much each sentence adds."""

from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import ceil, floor, log2
from typing import TYPE_CHECKING

import numpy as np

from tersely.select._problem import Lengths, Problem, Selection, to_whole_numbers
from tersely.select.ranked import Density, better

if TYPE_CHECKING:
    from tersely.text.document import Document
from tersely.text.words import term_weights

_SCALE = 2.0**20  # stands for a weight of 1


@dataclass(frozen=True)
class GreedyCoverage:
    """One by one, the sentence that adds most for its length: its value times the share of its content that is new.

    The share is measured by the weight of terms; a sentence without terms is all new. The gain is divided by
    length^power. A sentence that adds nothing is not chosen. If the best single sentence is worth more than all that
    were chosen this way, it is chosen instead.

    A term that has been said is no longer new, unless the text repeats it so often that a summary of this length
    would, too: a summary with the share r of the text says a term of df sentences about df * r times. Each time a
    term is said, its weight falls to 1 - 1 / (keep * df * r) of what it was, but not below zero; with keep = 0, it
    always falls to zero. In that case, if values are the weights of the sentences' terms and power is 1, the choice
    covers at least (1 - 1/e)/2 of the best possible (Khuller, Moss and Naor 1999; Lin and Bilmes 2010 advise a
    smaller power).

    Without a document, the terms are unknown, and `density` chooses.
    """

    power: float = 0.7
    single: float = 0.1  # the weight of a term that only one sentence has
    keep: float = 1.5

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        At a smaller capacity that has the same share and still holds the choice, the best sentence that fits is the
        same at each step, as in `greedy`.
        """
        if problem.document is None:
            return Density(self.power)(problem)
        if not len(problem.candidates):
            return problem.selection(())
        share, lowest = _share(problem) if self.keep else (0.0, 0)
        new = _New(problem.document, to_whole_numbers(problem.values).tolist(), self.single, self.keep * share)
        for sentence in problem.include:
            new.cover(sentence)
        candidates = problem.candidates.tolist()
        costs = problem.costs.tolist()
        single = max(candidates, key=new.adds)
        single_worth = new.adds(single)

        # What a sentence adds never increases. So the first in the heap is the best if it still adds as much as when
        # it was pushed (lazy greedy, Minoux 1978).
        scale = (np.maximum(_sizes(problem, problem.document), 1.0) ** self.power).tolist()
        heap = [(-new.adds(i) / scale[i], i) for i in candidates]
        heapify(heap)
        room, worth, many = problem.room, 0.0, []
        while heap:
            best, i = heappop(heap)
            now = -new.adds(i) / scale[i]
            if costs[i] > room or now == 0:
                continue
            if now > best:
                heappush(heap, (now, i))
                continue
            many.append(i)
            worth += new.adds(i)
            room -= costs[i]
            new.cover(i)
        answer = better(problem, many, worth, single, single_worth)
        return replace(answer, stable=max(answer.stable, lowest))


def _sizes(problem: Problem, document: "Document") -> Lengths:
    """Return what gains are divided by: costs, or characters if all cost the same, as in a budget of sentences."""
    if problem.costs.min() < problem.costs.max():
        return problem.costs
    return np.array([len(text) for text in document.texts], dtype=np.int64)


def _share(problem: Problem) -> tuple[float, int]:
    """Return the capacity as a share of the text, and the smallest capacity with the same share.

    Shares are rounded down to powers of the fourth root of 2, so that many budgets have the same share.
    """
    total = max(int(problem.costs.sum()), 1)

    def level(capacity: int) -> int:
        return floor(4 * log2(min(max(capacity + problem.separator, 1) / total, 1.0)))

    level_now = level(problem.capacity)
    lowest = max(ceil(total * 2 ** (level_now / 4)) - problem.separator, 0)
    while level(lowest) < level_now:  # rounding may be off by one
        lowest += 1
    return 2 ** (level_now / 4), min(lowest, problem.capacity)


class _New:
    """What each sentence adds: its value, times how much of it is not covered yet.

    All are to_whole_numbers numbers, whose sums do not depend on the order: so ties stay ties.
    """

    def __init__(self, document: "Document", values: list[float], single: float, keep: float) -> None:
        terms = document.terms
        self._values, self._terms = values, [row.tolist() for row in terms.sentences]
        weights = np.rint(term_weights(terms, single=single) * _SCALE)
        self._left: list[float] = (1 - 1 / np.maximum(terms.often * keep, 1)).tolist()
        self._weights: list[float] = weights.tolist()  # fall as terms are said
        self._totals = [self._weight(i) for i in range(len(self._terms))]

    def adds(self, sentence: int) -> float:
        """Return the value times the uncovered share of the weight of the terms; all of it if they weigh nothing."""
        total = self._totals[sentence]
        return (
            float(ceil(self._values[sentence] * (self._weight(sentence) / total))) if total else self._values[sentence]
        )

    def cover(self, sentence: int) -> None:
        """Mark the terms of a sentence as said once more."""
        for term in self._terms[sentence]:
            self._weights[term] = float(round(self._weights[term] * self._left[term]))

    def _weight(self, sentence: int) -> float:
        return sum(map(self._weights.__getitem__, self._terms[sentence]))
