"""Samples of what `coverage` might choose, and the choice that agrees best with them."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Problem, Values
from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.text.document import Document
from tersely.text.words import term_weights

_MOST = 4  # A word that is said more often counts this many times.
_Whole = NDArray[np.int64]
_ONE = 2.0**20  # Stands for a weight of 1. Sums of whole numbers do not depend on the order, so ties stay ties.


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The choices of `coverage` for each row of values, [K, n]."""

    coverage: Coverage
    document: Document
    values: Values

    def choose(self, problem: Problem) -> NDArray[np.bool_]:
        """Return the choices for the problem's capacity, [K, n], with the included sentences."""
        terms, weights, alone = self._terms
        share, _ = share_of(problem)
        left = 1 - 1 / np.maximum(terms.sum(axis=0) * self.coverage.keep * share, 1)
        open_ = np.zeros(self.values.shape, dtype=bool)
        open_[:, problem.candidates] = True
        chosen = np.zeros_like(open_)
        room = np.full(len(open_), problem.room)
        current = np.tile(weights, (len(open_), 1))  # [K, V]
        for sentence in problem.include:
            chosen[:, sentence] = True
            current = np.rint(current * np.where(terms[sentence] > 0, left, 1.0))
        totals = alone + np.einsum("nv,v->n", terms, weights)  # [n]
        density = self.values / np.maximum(sizes_of(problem, self.document), 1) ** self.coverage.power
        worth, single, first = np.zeros(len(open_)), np.zeros(len(open_)), True
        rows = np.arange(len(open_))
        while len(rows):
            # Not BLAS: its threads cost more than they save on matrices this small.
            weight = np.einsum("kv,nv->kn", current[rows], terms) + alone
            new = np.where(totals > 0, weight / np.where(totals > 0, totals, 1), 1.0)
            if first:
                value = np.where(open_, self.values * new, 0.0)
                ones, single, first = value.argmax(axis=1), value.max(axis=1), False
            gains = np.where(open_[rows], density[rows] * new, 0.0)  # [rows, n]
            best = gains.argmax(axis=1)
            going = gains[np.arange(len(rows)), best] > 0
            rows, best, new = rows[going], best[going], new[going]
            worth[rows] += self.values[rows, best] * new[np.arange(len(rows)), best]
            chosen[rows, best], open_[rows, best] = True, False
            room[rows] -= problem.costs[best]
            open_[rows] &= problem.costs <= room[rows, None]
            current[rows] = np.rint(current[rows] * np.where(terms[best] > 0, left, 1.0))
        alone_better = single > worth
        chosen[alone_better] = False
        chosen[alone_better, ones[alone_better]] = True
        chosen[:, list(problem.include)] = True
        return chosen

    @cached_property
    def _terms(self) -> tuple[Values, Values, Values]:
        """The repeated terms in each sentence [n, V], their weights [V], and the weight of all others in each [n]."""
        rows = self.document.terms.sentences
        weights = term_weights(self.document.terms, once=self.coverage.once)
        weights = np.rint(weights * _ONE)
        has = np.zeros((len(rows), len(weights)))
        for i, row in enumerate(rows):
            has[i, row] = 1.0
        repeated = has.sum(axis=0) > 1
        return has[:, repeated], weights[repeated], np.einsum("nv,v->n", has[:, ~repeated], weights[~repeated])


class Words:
    """How often each word occurs in each sentence of a document."""

    def __init__(self, document: Document) -> None:
        said = [Counter(words) for words in document.stems]
        number = {word: n for n, word in enumerate(dict.fromkeys(word for one in said for word in one))}
        self.word: _Whole = np.array([number[word] for one in said for word in one], dtype=np.int64)  # [w]
        self.count: _Whole = np.array([times for one in said for times in one.values()], dtype=np.int64)  # [w]
        self.ends: _Whole = np.cumsum([0, *map(len, said)])  # [n + 1], where the words of each sentence begin and end
        self.matrix: _Whole = np.zeros((len(said), len(number)), dtype=np.int64)  # [n, V]
        self.matrix[np.repeat(np.arange(len(said)), [len(one) for one in said]), self.word] = self.count
        self.totals: _Whole = self.matrix.sum(axis=1)  # [n]


class Expected:
    """How well a choice agrees with the samples [K, n] of a document, each taken as a reference.

    The agreement is multiplied by (length / budget)^fill, and by 1 - each for every chosen sentence.
    """

    def __init__(self, words: Words, samples: NDArray[np.bool_], fill: float, each: float) -> None:
        self._words, self._samples, self._fill, self._each = words, samples, fill, each
        several, times = np.unique(samples, axis=0, return_counts=True)
        said = several.astype(np.int64) @ words.matrix  # [distinct, V]
        # [V, c]: how often, summed over all samples, a choice that says the word c times shares it
        shared = np.stack([times @ np.minimum(said, c) for c in range(_MOST + 1)], axis=1)
        self._shared: _Whole = shared.ravel()
        self._length = int(times @ said.sum(axis=1))
        # A word that is in no sample is never shared, so drop it.
        any_says = shared[:, 1] > 0
        kept = any_says[words.word]
        self._word, self._count = words.word[kept], words.count[kept]
        self._ends: _Whole = np.concatenate([[0], np.cumsum(kept)])[words.ends]
        self._columns = np.flatnonzero(any_says)

    def best(self, problem: Problem, starts: int) -> tuple[int, ...]:
        """Return the best choice found by climbing from the first `starts` samples, ascending."""
        begun = dict.fromkeys(tuple(np.flatnonzero(sample).tolist()) for sample in self._samples[:starts])
        found = [self._climb(problem, list(chosen)) for chosen in begun]
        return max(found, key=lambda one: one[0])[1]

    def _climb(self, problem: Problem, chosen: list[int]) -> tuple[float, tuple[int, ...]]:
        """Make the addition, swap or removal that helps most, until none does."""
        while True:
            removable = [i for i in chosen if i not in problem.include]
            outside, changed = self._changes(problem, chosen, removable)
            agreement = float(changed[0, 0])  # without a change
            at = int(np.argmax(changed))
            if changed.flat[at] <= agreement * (1 + 1e-12):
                return agreement, tuple(sorted(chosen))
            out, new = divmod(at, 1 + len(outside))
            chosen = [i for i in chosen if out == 0 or i != removable[out - 1]]
            chosen += [] if new == 0 else [int(outside[new - 1])]

    def _changes(
        self, problem: Problem, chosen: list[int], removable: list[int]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the sentences outside, and the agreement after each change, [1 + removable, 1 + outside].

        The first row removes nothing, every other row one sentence; likewise, the first column adds nothing.
        """
        words = self._words
        inside = np.zeros(len(words.totals), dtype=bool)
        inside[chosen] = True
        outside = problem.candidates[~inside[problem.candidates]]
        said = np.tile(words.matrix[chosen].sum(axis=0), (1 + len(removable), 1))  # [r, V]
        said[1:] -= words.matrix[removable]
        before = said[:, self._word]  # [r, w]
        gain = self._at(self._word, before + self._count) - self._at(self._word, before)
        upto = np.zeros((len(said), len(self._word) + 1), dtype=np.int64)
        np.cumsum(gain, axis=1, out=upto[:, 1:])
        gained = upto[:, self._ends[outside + 1]] - upto[:, self._ends[outside]]  # [r, outside]
        shared = self._at(self._columns, said[:, self._columns]).sum(axis=1)
        used = np.full(len(said), problem.costs[chosen].sum())
        used[1:] -= problem.costs[removable]
        count = np.full(len(said), len(chosen))
        count[1:] -= 1
        return outside, self._rated(
            problem,
            _with_none(shared, gained),
            _with_none(said.sum(axis=1), words.totals[outside]),
            _with_none(used, problem.costs[outside]),
            _with_none(count, np.ones(len(outside), dtype=np.int64)),
        )

    def _rated(
        self, problem: Problem, shared: _Whole, length: _Whole, used: _Whole, count: _Whole
    ) -> NDArray[np.float64]:
        """Return half the expected ROUGE-1, adjusted by `fill` and `each`; -1 for what does not fit."""
        room = problem.capacity + problem.separator
        rouge = shared / np.maximum(len(self._samples) * length + self._length, 1)
        rated = rouge * (used / max(room, 1)) ** self._fill * (1 - self._each) ** count
        return np.where(used <= room, rated, -1.0)

    def _at(self, words: _Whole, counts: _Whole) -> _Whole:
        return self._shared[words * (_MOST + 1) + np.minimum(counts, _MOST)]


def _with_none(before: _Whole, added: _Whole) -> _Whole:
    """Return [r, 1 + outside]: the amount before, then the amount with each sentence added."""
    before = before[:, None]
    return np.concatenate([before, before + added], axis=1)
