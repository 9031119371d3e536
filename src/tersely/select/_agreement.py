"""The choice that agrees best with samples of what might be chosen."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Problem, Values, product

_MOST = 4  # A word that is said more often counts this many times.
_ROW = 2 * _MOST + 1  # numbers for each word: of a choice that says it up to _MOST times, and of _MOST more
_Set = NDArray[np.bool_]


class Bundles:
    """What the sentences of a problem say and cost, each alone and with all that it needs.

    Counts are floats, because those multiply faster.
    """

    def __init__(self, problem: Problem, sentences: Sequence[Sequence[str]]) -> None:
        number: dict[str, int] = {}
        word = [number.setdefault(word, len(number)) for sentence in sentences for word in sentence]
        lengths, count = np.array(list(map(len, sentences))), len(sentences)
        flat = np.repeat(np.arange(count), lengths) * len(number) + np.array(word, dtype=np.intp)
        counts = np.bincount(flat, minlength=count * len(number))
        self.words: Values = counts.reshape(count, len(number)).astype(np.float64)  # [n, V]: how often each is said
        self.amounts = np.column_stack([lengths, problem.costs, np.ones(count)])  # [n, 3]: words, costs and sentences
        self.needs = problem.forest.matrix if problem.has_needs else None
        bundles, amounts = self.words, self.amounts
        if self.needs is not None:
            needs = self.needs.astype(np.float64)
            bundles, amounts = product(needs, bundles), needs @ amounts
        # The first bundle is empty, the others are those of the sentences.
        self.added = np.concatenate([np.zeros((1, 3)), amounts])  # [1 + n, 3]
        self.may = np.concatenate([[True], problem.free])  # [1 + n]: whether it may be added
        # All pairs of a word and a number of times that any bundle has: the word's column, its place in a table that
        # has a row for each word, and which bundles say it so often.
        times = range(min(int(bundles.max(initial=0)), _MOST))
        often = [bundles > before for before in times]
        columns = [np.flatnonzero(one.any(axis=0)) for one in often]
        self.column = np.concatenate([np.zeros(0, np.intp), *columns])
        self.place = _ROW * self.column + np.repeat(np.array(times, dtype=np.intp), list(map(len, columns)))
        self.says = np.zeros((len(self.place), 1 + count))  # [pairs, 1 + n]
        if columns:
            self.says[:, 1:] = np.concatenate([one[:, own] for one, own in zip(often, columns, strict=True)], axis=1).T


class Expected:
    """How well a choice agrees with the samples [K, n] for a problem, each taken as a reference.

    The agreement is multiplied by (length / budget)^fill, and by 1 - each for every chosen sentence.
    """

    def __init__(self, bundles: Bundles, samples: _Set, fill: float, each: float = 0.0) -> None:
        self._bundles, self._samples, self._fill = bundles, samples, fill
        several = Counter(map(bytes, np.packbits(samples, axis=1)))
        times = np.array(list(several.values()), dtype=np.float64)
        packed = np.frombuffer(b"".join(several), np.uint8).reshape(len(several), -1)
        distinct = np.unpackbits(packed, axis=1, count=samples.shape[1])
        said = product(distinct.astype(np.float64), bundles.words)
        self._length = float(times @ said.sum(axis=1))
        # [V, c]: how often, summed over all samples, a choice that says the word c times shares it
        shared = np.zeros((said.shape[1], _ROW))
        for count in range(1, _MOST + 1):
            shared[:, count] = times @ np.minimum(said, count)
        shared[:, _MOST + 1 :] = shared[:, _MOST, None]
        more = np.zeros_like(shared)
        np.subtract(shared[:, 1:], shared[:, :-1], out=more[:, :-1])
        self._shared, self._more = shared.ravel(), more.ravel()
        self._rows = np.arange(len(shared)) * _ROW
        self.price(each)

    def price(self, each: float) -> None:
        """Set what every sentence costs: the price depends on the room, the samples often do not."""
        self._few = (1 - each) ** np.arange(2.0 * self._samples.shape[1] + 1)

    def best(self, problem: Problem, starts: int) -> tuple[int, ...]:
        """Return the best choice found by climbing from the first `starts` samples, ascending."""
        best, chosen = -1.0, self._samples[0]
        climbing = {inside.tobytes(): inside for inside in self._samples[:starts]}
        seen = set(climbing)
        while climbing:
            # Make the addition, swap or removal that helps most, until none does, or another climb was here, too.
            following: dict[bytes, _Set] = {}
            for inside, agreement, changed in self._steps(problem, list(climbing.values())):
                if changed is None:
                    if agreement > best:
                        best, chosen = agreement, inside
                elif changed.tobytes() not in seen:
                    following[changed.tobytes()] = changed
            climbing = following
            seen.update(climbing)
        return tuple(np.flatnonzero(chosen).tolist())

    def _steps(self, problem: Problem, choices: list[_Set]) -> Iterator[tuple[_Set, float, _Set | None]]:
        """Yield each choice, how well it agrees, and what the change that helps most makes of it, if any helps."""
        left = [_after_removals(problem, inside) for inside in choices]
        kept = np.concatenate(left)
        rated = self._changes(problem, kept, np.repeat(np.array(choices), list(map(len, left)), axis=0))
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
                if self._bundles.needs is not None:
                    changed |= self._bundles.needs[new - 1]
            yield inside, agreement, changed

    def _changes(self, problem: Problem, kept: _Set, inside: _Set) -> Values:
        """Return the agreement of what is left after each removal and of that with each bundle added, [r, 1 + n].

        `kept` [r, n] is what is left of `inside` [r, n]. No bundle of a sentence inside is added.
        """
        bundles = self._bundles
        columns = np.flatnonzero(kept.any(axis=0))
        left = kept[:, columns].astype(np.float64)
        said = _capped(product(left, bundles.words[columns]))  # [r, V]
        gained = product(self._more.take(said[:, bundles.column] + bundles.place), bundles.says)
        shared = self._shared_by(said)[:, None] + gained
        has = left @ bundles.amounts[columns]
        length, used, count = (has[:, i, None] + bundles.added[:, i] for i in range(3))
        may = np.repeat(bundles.may[None], len(kept), axis=0)
        may[:, 1:] &= ~inside
        if bundles.needs is not None:
            # A bundle that is partly inside adds less than all of it.
            row, sentence = np.nonzero(may[:, 1:] & (inside @ bundles.needs.T))
            sets = (kept[row] | bundles.needs[sentence]).astype(np.float64)
            at = row, 1 + sentence
            length[at], used[at], count[at] = (sets @ bundles.amounts).T
            shared[at] = self._shared_by(_capped(product(sets, bundles.words)))
        room = problem.capacity + problem.separator
        rouge = shared / np.maximum(len(self._samples) * length + self._length, 1)
        rated = rouge * (used / max(room, 1)) ** self._fill * self._few.take(count.astype(np.intp))
        return np.where(may & (used <= room), rated, -1.0)

    def _shared_by(self, said: Indices) -> Values:
        """Return how many words are shared with the samples, summed over them, given how often each is said, [r, V]."""
        shared: Values = self._shared.take(said + self._rows).sum(axis=1)
        return shared


def _capped(said: Values) -> Indices:
    return np.minimum(said, _MOST).astype(np.intp)


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
