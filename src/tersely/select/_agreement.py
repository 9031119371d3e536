"""The choice that agrees best with samples of what might be chosen."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Problem, Values, product

_MOST = 4  # A word that is said more often counts this many times.
_ROW = 2 * _MOST + 1  # numbers for each word: of a choice that says it up to _MOST times, and of _MOST more
_Set = NDArray[np.bool_]


class Words:
    """How often each word occurs in each of some sentences. Counts are floats, because those multiply faster."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        number: dict[str, int] = {}
        word = [number.setdefault(word, len(number)) for sentence in sentences for word in sentence]
        counts = list(map(len, sentences))
        flat = np.repeat(np.arange(len(sentences)), counts) * len(number) + np.array(word, dtype=np.intp)
        matrix = np.bincount(flat, minlength=len(sentences) * len(number))
        self.matrix: Values = matrix.reshape(len(sentences), len(number)).astype(np.float64)  # [n, V]
        self.totals: Values = np.array(counts, dtype=np.float64)  # [n]


class Expected:
    """How well a choice agrees with the samples [K, n] for a problem, each taken as a reference.

    The agreement is multiplied by (length / budget)^fill, and by 1 - each for every chosen sentence.
    """

    def __init__(self, problem: Problem, words: Words, samples: _Set, fill: float, each: float) -> None:
        self._problem, self._samples, self._fill = problem, samples, fill
        self._needs = problem.forest.matrix if problem.has_needs else None
        several = Counter(map(bytes, np.packbits(samples, axis=1)))
        times = np.array(list(several.values()), dtype=np.float64)
        packed = np.frombuffer(b"".join(several), np.uint8).reshape(len(several), -1)
        distinct = np.unpackbits(packed, axis=1, count=samples.shape[1])
        said = product(distinct.astype(np.float64), words.matrix)
        self._length = float(times @ said.sum(axis=1))
        any_says = np.flatnonzero(said.any(axis=0))  # A word that is in no sample is never shared, so drop it.
        said = said[:, any_says]
        self._words = words.matrix[:, any_says]  # [n, V]
        # [V, c]: how often, summed over all samples, a choice that says the word c times shares it
        shared = np.zeros((len(any_says), _ROW))
        for count in range(1, _MOST + 1):
            shared[:, count] = times @ np.minimum(said, count)
        shared[:, _MOST + 1 :] = shared[:, _MOST, None]
        self._shared, self._more = shared.ravel(), np.diff(shared, axis=1, append=shared[:, -1:]).ravel()
        # What each sentence has: words, costs and itself, [n, 3]
        self._each_has = np.column_stack([words.totals, problem.costs, np.ones(len(samples[0]))])
        bundles, bundle_has = self._words, self._each_has
        if self._needs is not None:
            needs = self._needs.astype(np.float64)
            bundles, bundle_has = product(needs, self._words), needs @ self._each_has
        # The first bundle is empty, the others are those of the sentences.
        self._bundle_has = np.concatenate([np.zeros((1, 3)), bundle_has])  # [1 + n, 3]
        # Pairs of a word and a count, all that any bundle has: where they are in `_more`, and which bundles have them.
        counts = range(1, min(int(bundles.max(initial=0)), _MOST) + 1)
        often = [bundles >= count for count in counts]
        columns = [np.flatnonzero(one.any(axis=0)) for one in often]
        self._column = np.concatenate([np.zeros(0, np.intp), *columns])
        self._at = np.concatenate([np.zeros(0), *(_ROW * one + i for i, one in enumerate(columns))]).astype(np.intp)
        self._has = np.zeros((len(self._at), 1 + len(bundles)))  # [pairs, 1 + n]
        if columns:
            self._has[:, 1:] = np.concatenate([one[:, own] for one, own in zip(often, columns, strict=True)], axis=1).T
        self._few = (1 - each) ** np.arange(2.0 * len(bundles) + 1)
        self._may = np.zeros(1 + len(bundles), dtype=bool)
        self._may[0] = True
        self._may[1 + problem.candidates] = True

    def best(self, starts: int) -> tuple[int, ...]:
        """Return the best choice found by climbing from the first `starts` samples, ascending."""
        best, chosen = -1.0, self._samples[0]
        climbing = {inside.tobytes(): inside for inside in self._samples[:starts]}
        seen = set(climbing)
        while climbing:
            # Make the addition, swap or removal that helps most, until none does, or another climb was here, too.
            following: dict[bytes, _Set] = {}
            for inside, agreement, changed in self._steps(list(climbing.values())):
                if changed is None:
                    if agreement > best:
                        best, chosen = agreement, inside
                elif changed.tobytes() not in seen:
                    following[changed.tobytes()] = changed
            climbing = following
            seen.update(climbing)
        return tuple(np.flatnonzero(chosen).tolist())

    def _steps(self, choices: list[_Set]) -> Iterator[tuple[_Set, float, _Set | None]]:
        """Yield each choice, how well it agrees, and what the change that helps most makes of it, if any helps."""
        left = [_after_removals(self._problem, inside) for inside in choices]
        kept = np.concatenate(left)
        rated = self._changes(kept, np.repeat(np.array(choices), list(map(len, left)), axis=0))
        first = 0
        for inside, own in zip(choices, left, strict=True):
            part = rated[first : first + len(own)]
            first += len(own)
            agreement = float(part[0, 0])  # without a change
            at = int(part.argmax())
            if part.flat[at] <= agreement * (1 + 1e-12):
                yield inside, agreement, None
                continue
            out, new = divmod(at, part.shape[1])
            changed: _Set = own[out].copy()
            if new:
                changed[new - 1] = True
                if self._needs is not None:
                    changed |= self._needs[new - 1]
            yield inside, agreement, changed

    def _changes(self, kept: _Set, inside: _Set) -> Values:
        """Return the agreement of what is left after each removal and of that with each bundle added, [r, 1 + n].

        `kept` [r, n] is what is left of `inside` [r, n]. No bundle of a sentence inside is added.
        """
        columns = np.flatnonzero(kept.any(axis=0))
        left = kept[:, columns].astype(np.float64)
        said = np.minimum(product(left, self._words[columns]), _MOST).astype(np.intp)  # [r, V]
        shared = self._shared_by(said)[:, None] + self._more.take(said[:, self._column] + self._at) @ self._has
        has = left @ self._each_has[columns]
        length, used, count = (has[:, i, None] + self._bundle_has[:, i] for i in range(3))
        may = np.repeat(self._may[None], len(kept), axis=0)
        may[:, 1:] &= ~inside
        if self._needs is not None:
            # A bundle that is partly inside adds less than all of it.
            row, sentence = np.nonzero(may[:, 1:] & ((inside @ self._needs.T) > 0))
            sets = (kept[row] | self._needs[sentence]).astype(np.float64)
            at = row, 1 + sentence
            length[at], used[at], count[at] = (sets @ self._each_has).T
            shared[at] = self._shared_by(np.minimum(product(sets, self._words), _MOST).astype(np.intp))
        room = self._problem.capacity + self._problem.separator
        rouge = shared / np.maximum(len(self._samples) * length + self._length, 1)
        rated = rouge * (used / max(room, 1)) ** self._fill * self._few.take(count.astype(np.intp))
        return np.where(may & (used <= room), rated, -1.0)

    def _shared_by(self, said: Indices) -> Values:
        """Return how many words are shared with the samples, summed over them, given how often each is said, [r, V]."""
        shared: Values = self._shared.take(said + np.arange(said.shape[1]) * _ROW).sum(axis=1)
        return shared


def _after_removals(problem: Problem, inside: _Set) -> _Set:
    """Return what is left after no removal and after the removal of each sentence that need not be in, [r, n].

    With a sentence go those that need it, and those that were there only because it, or they, needed them.
    """
    included = list(problem.include)
    removable = np.flatnonzero(inside)
    if included:
        removable = np.setdiff1d(removable, included)
    kept = np.repeat(inside[None], 1 + len(removable), axis=0)
    if not problem.has_needs:
        kept[np.arange(1, len(kept)), removable] = False
        return kept
    matrix = problem.forest.matrix
    wanted = np.flatnonzero(inside & problem.free)
    kept[1:] = ~matrix[wanted][:, removable].T @ matrix[wanted]
    kept[1:, included] = True
    return kept
