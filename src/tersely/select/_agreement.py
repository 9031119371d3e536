"""The choice that agrees best with samples of what might be chosen."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Problem
from tersely.text.document import Document

_MOST = 4  # A word that is said more often counts this many times.
_Whole = NDArray[np.int64]
_Set = NDArray[np.bool_]


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
        self._any_says = any_says
        self._bundles: dict[tuple[int, ...], tuple[_Whole, _Whole]] = {}

    def best(self, problem: Problem, starts: int) -> tuple[int, ...]:
        """Return the best choice found by climbing from the first `starts` samples, ascending."""
        begun = dict.fromkeys(tuple(np.flatnonzero(sample).tolist()) for sample in self._samples[:starts])
        found = [self._climb(problem, list(chosen)) for chosen in begun]
        return max(found, key=lambda one: one[0])[1]

    def _climb(self, problem: Problem, chosen: list[int]) -> tuple[float, tuple[int, ...]]:
        """Make the addition, swap or removal that helps most, until none does."""
        if problem.has_needs:
            return self._climb_by_bundles(problem, chosen)
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

    def _climb_by_bundles(self, problem: Problem, chosen: list[int]) -> tuple[float, tuple[int, ...]]:
        """Climb where sentences need others: they are added with what they need, and removed with what needs them."""
        inside = np.zeros(len(problem.values), dtype=bool)
        inside[chosen] = True
        while True:
            kept = _after_removals(problem, inside)
            outside, changed = self._changes_by_bundles(problem, kept)
            agreement = float(changed[0, 0])  # without a change
            at = int(np.argmax(changed))
            if changed.flat[at] <= agreement * (1 + 1e-12):
                return agreement, tuple(np.flatnonzero(inside).tolist())
            out, new = divmod(at, 1 + len(outside))
            inside = kept[out]
            if new:
                inside = inside | problem.forest.matrix[outside[new - 1]]

    def _changes_by_bundles(self, problem: Problem, kept: _Set) -> tuple[list[int], NDArray[np.float64]]:
        """Return what `_changes` returns, given what each removal leaves, [r, n]; but only sentences that may fit."""
        words, forest = self._words, problem.forest
        costs = problem.costs.tolist()
        totals = words.totals.tolist()
        chosen = np.flatnonzero(kept[0])
        left = kept[:, chosen].astype(np.int64)  # [r, chosen]
        used = left @ problem.costs[chosen]
        room = problem.capacity + problem.separator - int(used.min())
        inside = set(chosen.tolist())
        every = [forest.bundle(i, inside) for i in problem.candidates.tolist()]
        bundles = [bundle for bundle in every if bundle and sum(map(costs.__getitem__, bundle)) <= room]
        outside = [bundle[0] for bundle in bundles]
        said = left @ words.matrix[chosen]  # [r, V]
        shared = self._at(self._columns, said[:, self._columns]).sum(axis=1)
        amounts = np.empty((4, len(kept), 1 + len(outside)), dtype=np.int64)
        amounts[:] = np.stack([shared, left @ words.totals[chosen], used, left.sum(axis=1)])[:, :, None]
        if bundles:
            said_by = [self._said_by(bundle) for bundle in bundles]
            word = np.concatenate([one for one, _ in said_by])
            before = said[:, word]  # [r, w]
            after = before + np.concatenate([count for _, count in said_by])
            upto = np.zeros((len(said), len(word) + 1), dtype=np.int64)
            np.cumsum(self._at(word, after) - self._at(word, before), axis=1, out=upto[:, 1:])
            ends = np.cumsum([0, *(len(one) for one, _ in said_by)])
            amounts[0, :, 1:] += upto[:, ends[1:]] - upto[:, ends[:-1]]
            amounts[1:, :, 1:] += np.array(
                [
                    (sum(map(totals.__getitem__, bundle)), sum(map(costs.__getitem__, bundle)), len(bundle))
                    for bundle in bundles
                ]
            ).T[:, None, :]
        # If what is removed is needed by what is added, it comes back.
        again = (left == 0) @ forest.matrix[outside][:, chosen].T  # [r, outside]
        for row, column in np.argwhere(again).tolist():
            bundle = forest.bundle(outside[column], set(np.flatnonzero(kept[row]).tolist()))
            one, count = self._said_by(bundle)
            before = said[row, one]
            gained = (self._at(one, before + count) - self._at(one, before)).sum()
            more = [gained, words.totals[bundle].sum(), problem.costs[bundle].sum(), len(bundle)]
            amounts[:, row, 1 + column] = amounts[:, row, 0] + more
        return outside, self._rated(problem, *amounts)

    def _said_by(self, bundle: list[int]) -> tuple[_Whole, _Whole]:
        """Return the words of a bundle that any sample says, and how often the bundle says them."""
        key = tuple(bundle)
        if key not in self._bundles:
            if len(bundle) == 1:
                part = slice(self._ends[bundle[0]], self._ends[bundle[0] + 1])
                self._bundles[key] = self._word[part], self._count[part]
            else:
                said = self._words.matrix[bundle].sum(axis=0)
                word = np.flatnonzero(self._any_says & (said > 0))
                self._bundles[key] = word, said[word]
        return self._bundles[key]

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


def _after_removals(problem: Problem, inside: _Set) -> _Set:
    """Return what is left after no removal and after the removal of each sentence that need not be in, [r, n].

    With a sentence go those that need it, and those that were there only because it, or they, needed them.
    """
    matrix = problem.forest.matrix
    included = np.zeros(len(inside), dtype=bool)
    included[list(problem.include)] = True
    removable = np.flatnonzero(inside & ~included)
    wanted = np.flatnonzero(inside & problem.free)
    stay = ~matrix[wanted][:, removable].T  # [removable, wanted]
    return np.concatenate([inside[None], (stay @ matrix[wanted]) | included])
