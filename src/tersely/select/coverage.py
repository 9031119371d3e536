"""By what is new."""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from tersely.select.density import Density, better
from tersely.select.problem import Lengths, Problem, Selection, whole
from tersely.text.document import Document
from tersely.text.weights import term_weights

__all__ = ["Coverage"]


@dataclass(frozen=True)
class Coverage:
    """One by one, the sentence that adds most for its length: its value times the share of it that is new.

    That share is of the weight of its terms; a sentence without terms is all new. The gain is divided by
    length^power. A sentence that adds nothing is not chosen. If the best single sentence is worth more than all
    that were chosen so, it is the choice. Where values are the weights of the sentences' terms and power is 1, the
    choice covers at least (1 - 1/e)/2 of the best possible (Khuller, Moss and Naor 1999; Lin and Bilmes 2010
    advise a smaller power).

    Without a document nothing is known of the terms: the choice is that of `density`.
    """

    power: float = 0.7
    decay: float = 0.97
    once: float = 0.1

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        With less capacity, but enough for the chosen, the best that fits is the same each time, as in `greedy`.
        """
        if problem.document is None:
            return Density(self.power)(problem)
        if not len(problem.candidates):
            return problem.selection(())
        new = _New(problem.document, self.decay, self.once)
        for sentence in problem.include:
            new.cover(sentence)
        candidates = problem.candidates.tolist()
        values = whole(problem.values).tolist()
        costs = problem.costs.tolist()
        one = max(candidates, key=lambda i: values[i] * new.share(i))
        one_worth = values[one] * new.share(one)

        # What a sentence adds only ever grows less. So the first in the heap is the best if it still adds as much
        # as when it was put there (lazy greedy, Minoux 1978).
        density = (whole(problem.values) / np.maximum(_sizes(problem, problem.document), 1) ** self.power).tolist()
        heap = [(-density[i] * new.share(i), i) for i in candidates]
        heapify(heap)
        room, worth, many = problem.room, 0.0, []
        while heap:
            known, i = heappop(heap)
            now = -density[i] * new.share(i)
            if costs[i] > room or now == 0:
                continue
            if now > known:
                heappush(heap, (now, i))
                continue
            many.append(i)
            worth += values[i] * new.share(i)
            room -= costs[i]
            new.cover(i)
        return better(problem, many, worth, one, one_worth)


def _sizes(problem: Problem, document: Document) -> Lengths:
    """Return what the gains are divided by: the costs, or where all cost the same, as by the sentence, characters."""
    if problem.costs.min() < problem.costs.max():
        return problem.costs
    return np.array([len(text) for text in document.texts], dtype=np.int64)


class _New:
    """How much of each sentence is not covered yet."""

    def __init__(self, document: Document, decay: float, once: float) -> None:
        self._weights: list[float] = term_weights(document, decay, once).tolist()  # 0 for what is covered
        self._terms = [row.tolist() for row in document.terms.sentences]
        self._totals = [self._weight(i) for i in range(len(self._terms))]

    def share(self, sentence: int) -> float:
        """Return the share of the weight of a sentence's terms that is not covered; 1 if they weigh nothing."""
        total = self._totals[sentence]
        return self._weight(sentence) / total if total else 1.0

    def cover(self, sentence: int) -> None:
        """Cover the terms of a sentence."""
        for term in self._terms[sentence]:
            self._weights[term] = 0.0

    def _weight(self, sentence: int) -> float:
        return sum(map(self._weights.__getitem__, self._terms[sentence]))
