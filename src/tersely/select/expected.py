"""The set of sentences of highest expected ROUGE-1 against samples."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from tersely.select.problem import Problem
from tersely.text import Document

_MOST = 4  # What is said more often than this counts as said so often.
_Whole = NDArray[np.int64]


class Words:
    """How often each sentence of a document says each of its words."""

    def __init__(self, document: Document) -> None:
        said = [Counter(words) for words in document.stems]
        number = {word: n for n, word in enumerate(dict.fromkeys(word for one in said for word in one))}
        self.word: _Whole = np.array([number[word] for one in said for word in one], dtype=np.int64)  # [w]
        self.count: _Whole = np.array([times for one in said for times in one.values()], dtype=np.int64)  # [w]
        self.ends: _Whole = np.cumsum([0, *map(len, said)])  # [n + 1], where each sentence's begin and end
        self.matrix: _Whole = np.zeros((len(said), len(number)), dtype=np.int64)  # [n, V]
        self.matrix[np.repeat(np.arange(len(said)), [len(one) for one in said]), self.word] = self.count
        self.totals: _Whole = self.matrix.sum(axis=1)  # [n]


class Expected:
    """Samples [K, n] of a document, as if each were a reference: how much a choice would agree with them."""

    def __init__(self, words: Words, samples: NDArray[np.bool_]) -> None:
        self._words, self._samples = words, samples
        several, times = np.unique(samples, axis=0, return_counts=True)
        said = several.astype(np.int64) @ words.matrix  # [distinct, V]
        # [V, c]: how many words all samples together share with a choice that says the word c times
        shared = np.stack([times @ np.minimum(said, c) for c in range(_MOST + 1)], axis=1)
        self._shared: _Whole = shared.ravel()
        self._length = int(times @ said.sum(axis=1))
        # What no sample says is shared with none: only the rest is looked at.
        any_says = shared[:, 1] > 0
        kept = any_says[words.word]
        self._word, self._count = words.word[kept], words.count[kept]
        self._ends: _Whole = np.concatenate([[0], np.cumsum(kept)])[words.ends]
        self._columns = np.flatnonzero(any_says)

    def best(self, problem: Problem, starts: int, fill: float) -> tuple[int, ...]:
        """Return the best choice that is found from the first few samples, ascending."""
        begun = dict.fromkeys(tuple(np.flatnonzero(sample).tolist()) for sample in self._samples[:starts])
        found = [self._climb(problem, list(chosen), fill) for chosen in begun]
        return max(found, key=lambda one: one[0])[1]

    def _climb(self, problem: Problem, chosen: list[int], fill: float) -> tuple[float, tuple[int, ...]]:
        """Add or exchange what helps most, until nothing does."""
        agreement = self._agreement(problem, chosen, fill)
        while True:
            removable = [i for i in chosen if i not in problem.include]
            outside, changed = self._changes(problem, chosen, removable, fill)
            at = int(np.argmax(changed)) if changed.size else -1
            if at < 0 or changed.flat[at] <= agreement * (1 + 1e-12):
                return agreement, tuple(sorted(chosen))
            out, new = divmod(at, len(outside))
            agreement = float(changed.flat[at])
            chosen = [i for i in chosen if out == 0 or i != removable[out - 1]] + [int(outside[new])]

    def _changes(
        self, problem: Problem, chosen: list[int], removable: list[int], fill: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the sentences outside, and the agreement with each of them in, [1 + removable, outside].

        The first row is without any taken out, the others each without one of the removable.
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
        shared = self._at(self._columns, said[:, self._columns]).sum(axis=1)[:, None] + gained
        length = said.sum(axis=1)[:, None] + words.totals[outside]
        used = np.full(len(said), problem.costs[chosen].sum())
        used[1:] -= problem.costs[removable]
        return outside, self._rated(problem, shared, length, used[:, None] + problem.costs[outside], fill)

    def _agreement(self, problem: Problem, chosen: list[int], fill: float) -> float:
        said = self._words.matrix[chosen].sum(axis=0)
        shared = self._at(np.arange(len(said)), said).sum()
        return float(self._rated(problem, shared, said.sum(), problem.costs[chosen].sum(), fill))

    def _rated(
        self, problem: Problem, shared: _Whole, length: _Whole, used: _Whole, fill: float
    ) -> NDArray[np.float64]:
        """Return half the expected ROUGE-1, times (used / room)^fill; less than nothing for what does not fit."""
        room = problem.capacity + problem.separator
        rouge = shared / np.maximum(len(self._samples) * length + self._length, 1)
        return np.where(used <= room, rouge * (used / max(room, 1)) ** fill, -1.0)

    def _at(self, words: _Whole, counts: _Whole) -> _Whole:
        return self._shared[words * (_MOST + 1) + np.minimum(counts, _MOST)]
