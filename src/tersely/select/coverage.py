"""By what is new."""

from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import ceil, floor, log2

import numpy as np

from tersely.select._problem import Lengths, Problem, Selection, whole
from tersely.select.density import Density, better
from tersely.text.document import Document
from tersely.text.words import term_weights

__all__ = ["Coverage"]


@dataclass(frozen=True)
class Coverage:
    """One by one, the sentence that adds most for its length: its value times the share of it that is new.

    That share is of the weight of its terms; a sentence without terms is all new. The gain is divided by
    length^power. A sentence that adds nothing is not chosen. If the best single sentence is worth more than all
    that were chosen so, it is the choice.

    What is said again is new no more, unless the text says it so often that a summary of this length would, too: of a
    term in df sentences, a summary with the share r of the text says about df * r. Each time it is said its weight
    falls to 1 - 1 / (keep * df * r) of what it was, or to nothing; keep = 0 is nothing always. Then, where values are
    the weights of the sentences' terms and power is 1, the choice covers at least (1 - 1/e)/2 of the best possible
    (Khuller, Moss and Naor 1999; Lin and Bilmes 2010 advise a smaller power).

    Without a document nothing is known of the terms: the choice is that of `density`.
    """

    power: float = 0.7
    once: float = 0.1
    keep: float = 1.5

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity.

        With less capacity, but enough for the chosen and of the same share, the best that fits is the same each time,
        as in `greedy`.
        """
        if problem.document is None:
            return Density(self.power)(problem)
        if not len(problem.candidates):
            return problem.selection(())
        share, lowest = share_of(problem) if self.keep else (0.0, 0)
        new = _New(problem.document, self.once, self.keep * share)
        for sentence in problem.include:
            new.cover(sentence)
        candidates = problem.candidates.tolist()
        values = whole(problem.values).tolist()
        costs = problem.costs.tolist()
        one = max(candidates, key=lambda i: values[i] * new.share(i))
        one_worth = values[one] * new.share(one)

        # What a sentence adds only ever grows less. So the first in the heap is the best if it still adds as much
        # as when it was put there (lazy greedy, Minoux 1978).
        density = (whole(problem.values) / np.maximum(sizes_of(problem, problem.document), 1) ** self.power).tolist()
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
        answer = better(problem, many, worth, one, one_worth)
        return replace(answer, stable=max(answer.stable, lowest))


def sizes_of(problem: Problem, document: Document) -> Lengths:
    """Return what the gains are divided by: the costs, or where all cost the same, as by the sentence, characters."""
    if problem.costs.min() < problem.costs.max():
        return problem.costs
    return np.array([len(text) for text in document.texts], dtype=np.int64)


def share_of(problem: Problem) -> tuple[float, int]:
    """Return the share of the text that the capacity is, and the smallest capacity of the same share.

    Shares are rounded down to powers of the fourth root of 2, so that many budgets have the same.
    """
    total = max(int(problem.costs.sum()), 1)

    def level(capacity: int) -> int:
        return floor(4 * log2(min(max(capacity + problem.separator, 1) / total, 1.0)))

    own = level(problem.capacity)
    lowest = max(ceil(total * 2 ** (own / 4)) - problem.separator, 0)
    while level(lowest) < own:  # rounding may be one off
        lowest += 1
    return 2 ** (own / 4), min(lowest, problem.capacity)


class _New:
    """How much of each sentence is not covered yet."""

    def __init__(self, document: Document, once: float, keep: float) -> None:
        self._weights: list[float] = term_weights(document.terms, once=once).tolist()  # less with each time it is said
        self._terms = [row.tolist() for row in document.terms.sentences]
        often = np.bincount(np.concatenate(document.terms.sentences), minlength=len(self._weights)) * keep
        self._left: list[float] = (1 - 1 / np.maximum(often, 1)).tolist()
        self._totals = [self._weight(i) for i in range(len(self._terms))]

    def share(self, sentence: int) -> float:
        """Return the share of the weight of a sentence's terms that is not covered; 1 if they weigh nothing."""
        total = self._totals[sentence]
        return self._weight(sentence) / total if total else 1.0

    def cover(self, sentence: int) -> None:
        """Cover the terms of a sentence."""
        for term in self._terms[sentence]:
            self._weights[term] *= self._left[term]

    def _weight(self, sentence: int) -> float:
        return sum(map(self._weights.__getitem__, self._terms[sentence]))
