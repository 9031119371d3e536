"""The choice that agrees best with samples of what might be chosen."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Floats, Indices, Problem, Values, product
from tersely.text.words import Numbered

_MOST = 4  # A word that is said more often counts this many times.
_ROW = 2 * _MOST + 1  # numbers for each word: of a choice that says it up to _MOST times, and of _MOST more
_AT_ONCE = 2**20  # so many numbers are looked up at once
_Sets = NDArray[np.bool_]


class Bundles:
    """What the sentences of a problem say and cost, each alone and with all that it needs.

    Counts are floats, because those multiply faster.
    """

    def __init__(self, problem: Problem, said: Numbered, samples: int) -> None:
        count, size = len(problem.values), len(said.vocabulary)
        lengths = np.bincount(said.sentence, minlength=count)
        counts = np.bincount(said.sentence * size + said.words, minlength=count * size).reshape(count, size)
        # Whole numbers below 2^24 are exact in single precision.
        self.kind: type[np.floating[Any]] = np.float32 if len(said.words) * samples < 2**24 else np.float64
        several = np.count_nonzero(counts, axis=0) > 1
        self.words: Floats = counts[:, several].astype(self.kind)  # [n, V]: how often each word of several is said
        self.own = np.minimum(counts[:, ~several], _MOST).sum(axis=1)  # [n]: how many words no other sentence says
        self.amounts = np.column_stack([lengths, problem.costs, np.ones(count)])  # [n, 3]: words, costs and sentences
        self.included, self.free = sorted(problem.include), problem.free
        self.matrix, self.has_needs = problem.forest.matrix, problem.has_needs  # [n, n]
        self._above = np.array(problem.forest.depth)  # how many sentences each needs
        self._levels = int(self._above.max(initial=0)) + 1
        matrix: Floats = self.matrix.astype(self.kind)
        bundles = product(matrix, self.words) if self.has_needs else self.words
        # All pairs of a word and a number of times that any bundle has, less one: how often it was said before.
        times = range(min(int(bundles.max(initial=0)), _MOST))
        columns = [np.flatnonzero((bundles > before).any(axis=0)) for before in times]
        self.column = np.concatenate([np.zeros(0, np.intp), *columns])
        self.before = np.repeat(np.array(times, dtype=np.intp), list(map(len, columns)))

    def added(self, kept: _Sets) -> tuple[Indices, _Sets, Floats]:
        """Return what of each bundle is not in each of some sets: the number, [r, n], of one of the parts, [p, n].

        Also return whether that part says each pair of a word and a number of times, [pairs, p].
        """
        count = len(self.amounts)
        if not self.has_needs:
            parts = np.eye(count, dtype=bool)
            return np.arange(count)[None], parts, self._says(parts)
        # Of a bundle, those are inside that the others need: it is enough to know how many.
        inside = product(kept.astype(self.kind), self.matrix.T.astype(self.kind)).astype(np.intp)
        key = np.minimum(inside, self._above) + self._levels * np.arange(count)
        present = np.zeros(self._levels * count, dtype=bool)
        present[key] = True
        column = np.cumsum(present) - 1
        sentence, inside = np.divmod(np.flatnonzero(present), self._levels)
        parts = self.matrix[sentence] & (self._above >= inside[:, None])
        return column[key], parts, self._says(parts)

    def _says(self, parts: _Sets) -> Floats:
        said = product(parts.astype(self.kind), self.words) if self.has_needs else self.words
        says: Floats = (said.take(self.column, axis=1) > self.before).T.astype(self.kind)
        return says

    def after_removals(self, inside: _Sets) -> tuple[Indices, _Sets]:
        """Return what is left of sets after no removal and after that of each sentence that need not be in, [r, n].

        With a sentence go those that need it, and those that were there only because it, or they, needed them.
        Also return which set each row is left of.
        """
        removable = inside.copy()
        removable[:, self.included] = False
        owner, out = np.nonzero(removable)
        owner = np.concatenate([np.arange(len(inside)), owner])
        order = np.argsort(owner, kind="stable")
        if self.has_needs:
            stay = (inside & self.free)[owner[len(inside) :]] & ~self.matrix[:, out].T
            left = product(stay.astype(self.kind), self.matrix.astype(self.kind)) > 0
            left[:, self.included] = True
        else:
            left = inside[owner[len(inside) :]]
            left[np.arange(len(out)), out] = False
        return owner[order], np.concatenate([inside, left])[order]


class Climb(NamedTuple):
    """A choice to find: with which samples it is to agree, where to start, the room, and the price of a sentence."""

    samples: int
    starts: _Sets
    room: int
    each: float


class _Changes(NamedTuple):
    """What is left after each removal, [r, n], of which of the choices, and with each bundle added or none, [r, 1 + n]:

    the agreement without the price of sentences, or -1 if it may not be added, the cost, and the number of sentences.
    """

    owner: Indices
    kept: _Sets
    agreement: Values
    cost: Values
    sentences: Indices


class Expected:
    """How well choices agree with samples: with the sets [d, n], taken as references `times` [e, d] often.

    The agreement is multiplied by (length / budget)^fill, and by 1 - each for every chosen sentence.
    """

    def __init__(self, bundles: Bundles, sets: _Sets, times: Indices, fill: float) -> None:
        self._bundles, self._fill = bundles, fill
        said, weights = product(sets.astype(bundles.kind), bundles.words), times.astype(bundles.kind)
        chosen = product(times.astype(np.float64), sets.astype(np.float64))  # [e, n]: by how many samples
        self._length, self._own = chosen @ bundles.amounts[:, 0], chosen * bundles.own
        self._samples = times.sum(axis=1)
        # [e, V, c]: of how many samples a word is shared once more if it was said c times, and how often till then
        more = np.zeros((len(times), said.shape[1], _ROW), bundles.kind)
        most = said.max(axis=0, initial=0)
        for count in range(_MOST):
            often = np.flatnonzero(most > count)
            more[:, often, count] = product(weights, (said[:, often] > count).astype(bundles.kind))
        shared = np.zeros_like(more)
        np.cumsum(more[:, :, :-1], axis=2, out=shared[:, :, 1:])
        self._shared, self._more = shared.ravel(), more.ravel()
        self._rows = np.arange(said.shape[1]) * _ROW

    def best(self, climbs: Sequence[Climb]) -> list[tuple[int, ...]]:
        """Return the best choices found by climbing, ascending."""
        best = [(-1.0, climb.starts[0]) for climb in climbs]
        going = [(i, inside) for i, climb in enumerate(climbs) for inside in _distinct(climb.starts)]
        seen = {(i, inside.tobytes()) for i, inside in going}
        while going:
            # Make the addition, swap or removal that helps most, until none does, or another climb was here, too.
            following: list[tuple[int, _Sets]] = []
            for (i, inside), (agreement, changed) in zip(going, self._steps(climbs, going), strict=True):
                if changed is None:
                    if agreement > best[i][0]:
                        best[i] = agreement, inside
                elif (i, changed.tobytes()) not in seen:
                    seen.add((i, changed.tobytes()))
                    following.append((i, changed))
            going = following
        return [tuple(np.flatnonzero(chosen).tolist()) for _, chosen in best]

    def _steps(self, climbs: Sequence[Climb], going: list[tuple[int, _Sets]]) -> list[tuple[float, _Sets | None]]:
        """Return how well each choice agrees, and what the change that helps most makes of it, if any helps."""
        # What does not depend on the room is computed once for all choices that are the same.
        same: dict[tuple[int, bytes], list[int]] = {}
        for number, (i, inside) in enumerate(going):
            same.setdefault((climbs[i].samples, inside.tobytes()), []).append(number)
        groups = list(same.values())
        rows = 1 + max(int(inside.sum()) for _, inside in going)
        step = max(_AT_ONCE // (rows * max(len(self._bundles.column), 1)), 1)
        steps: list[tuple[float, _Sets | None]] = [(0.0, None)] * len(going)
        for first in range(0, len(groups), step):
            part = groups[first : first + step]
            which = np.array([climbs[going[group[0]][0]].samples for group in part])
            changes = self._changes(which, np.array([going[group[0]][1] for group in part]))
            numbers = [number for group in part for number in group]
            owners = np.repeat(np.arange(len(part)), list(map(len, part)))
            rated, row, column = self._rated(changes, owners, [climbs[going[number][0]] for number in numbers])
            for number, (agreement, top), left, new in zip(numbers, rated, row, column, strict=True):
                changed = None
                if top > agreement * (1 + 1e-12):
                    changed = changes.kept[left] | (self._bundles.matrix[new - 1] & (new > 0))
                steps[number] = agreement, changed
        return steps

    def _rated(
        self, changes: _Changes, choice: Indices, climbs: list[Climb]
    ) -> tuple[list[list[float]], Indices, Indices]:
        """Return the agreement of choices and of their best changes, [c, 2], and these: the row and the column."""
        begins = np.searchsorted(changes.owner, np.arange(changes.owner[-1] + 2))
        sizes = np.diff(begins)[choice]
        ends = np.cumsum(sizes)
        row = np.repeat(begins[choice] - ends + sizes, sizes) + np.arange(ends[-1])
        rooms, each = np.array([climb.room for climb in climbs]), np.array([climb.each for climb in climbs])
        few = (1 - each[:, None]) ** np.arange(changes.sentences.max() + 1.0)
        climb = np.repeat(np.arange(len(climbs)), sizes)
        rated = changes.agreement[row] * few[climb[:, None], changes.sentences[row]]
        rated[changes.cost[row] > rooms[climb][:, None]] = -1.0
        column = rated.argmax(axis=1)
        most = rated[np.arange(len(row)), column]
        top = np.maximum.reduceat(most, ends - sizes)
        found = np.flatnonzero(most == top[climb])
        found = found[np.unique(climb[found], return_index=True)[1]]  # the first of each
        return np.column_stack([rated[ends - sizes, 0], top]).tolist(), row[found], column[found]

    def _changes(self, which: Indices, inside: _Sets) -> _Changes:
        """Rate all changes of some choices, [c, n], each for one group of samples. No bundle inside is added."""
        bundles = self._bundles
        owner, kept = bundles.after_removals(inside)
        table = (which * len(self._rows) * _ROW)[owner, None]
        left = kept.astype(bundles.kind)
        said = np.minimum(product(left, bundles.words), _MOST).astype(np.intp)  # [r, V]
        said += table
        said += self._rows
        column, parts, says = bundles.added(kept)
        next_times = said.take(bundles.column, axis=1)
        next_times += bundles.before
        own = self._own[which]
        gained = product(self._more.take(next_times), says) + product(own, parts.T.astype(np.float64))[owner]
        gained = gained[np.arange(len(kept))[:, None], column]
        shared = self._shared.take(said).sum(axis=1, dtype=np.float64) + (own[owner] * kept).sum(axis=1)
        has, amounts = kept @ bundles.amounts, parts @ bundles.amounts
        total, cost, count = (
            np.column_stack([has[:, i], has[:, i, None] + np.broadcast_to(amounts[column, i], kept.shape)])
            for i in range(3)
        )
        both = np.column_stack([shared, shared[:, None] + gained])
        samples = which[owner, None]
        agreement = both / np.maximum(self._samples[samples] * total + self._length[samples], 1) * cost**self._fill
        agreement[:, 1:][inside[owner] | ~bundles.free] = -1.0
        return _Changes(owner, kept, agreement, cost, count.astype(np.intp))


def _distinct(sets: _Sets) -> Iterator[_Sets]:
    return iter({inside.tobytes(): inside for inside in sets}.values())
