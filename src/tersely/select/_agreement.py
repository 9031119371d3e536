"""The choice that agrees best with samples of what might be chosen."""

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Lengths, Problem, Values, compiled, product
from tersely.select._samples import MOST, Bundles, Draw, Perturbed, Repeated
from tersely.select.coverage import Coverage, left_of_terms
from tersely.text.words import Numbered

_ROW = 2 * MOST + 1  # numbers for each word: of a choice that says it up to MOST times, and of MOST more
_AT_ONCE = 2**20  # so many numbers are looked up at once
_Sets = NDArray[np.bool_]
# Of more sentences, or more room, the tables of the compiled search would be too large.
_SENTENCES, _ROOM = 512, 2**17


class Solved(NamedTuple):
    """The choices, [jobs, n], and what draws beyond those of the jobs chose: the draw, the least room, the choice."""

    chosen: _Sets
    draw: Indices
    low: Lengths
    covers: _Sets


class Task(NamedTuple):
    """Choices to find, each called a job, from the same sentences: those that agree best with samples.

    The first draws have samples for the jobs: `draw` says which for each job, `rooms` [jobs, 2] the room of its samples
    and that of the whole choice, `each` the price of a sentence. Of the other draws, the choices themselves are wanted.
    """

    problem: Problem
    coverage: Coverage
    terms: Repeated
    sizes: Lengths
    said: Numbered
    draws: list[Draw]
    draw: Indices
    rooms: Lengths
    each: Values
    samples: int
    starts: int
    fill: float

    def solved(self) -> Solved:
        """Search, with the compiled search where there is one: both find the same."""
        is_small = len(self.sizes) <= _SENTENCES and self.rooms.max(initial=0) < _ROOM
        return self.by_compiled(compiled) if compiled and is_small else self.by_arrays()

    def by_compiled(self, compiled: ModuleType) -> Solved:
        """Search with the compiled code, which gets its powers from here, so that they are the same."""
        problem, draws, terms, said, count = self.problem, self.draws, self.terms, self.said, len(self.sizes)
        included = np.zeros(count, dtype=bool)
        included[list(problem.include)] = True
        scale = np.maximum(problem.forest.segments(self.sizes), 1.0) ** self.coverage.power
        lefts = left_of_terms(terms.often, self.coverage.keep * np.array([[draw.share] for draw in draws]))
        values = np.ascontiguousarray(np.concatenate([draw.values for draw in draws]))
        limits = np.array([(len(draw.values), draw.low, draw.high) for draw in draws], dtype=np.int64)
        few = (1 - self.each[:, None]) ** np.arange(count + 1.0)
        fill = np.arange(self.rooms.max(initial=0) + 1.0) ** self.fill
        chosen, places, covers = compiled.consensus(
            *(problem.costs, problem.free, np.array(problem.forest.parents, dtype=np.int64), included, scale),
            *(np.bincount(terms.sentence, minlength=count).cumsum(), terms.term, terms.weights),
            *(terms.alone, terms.totals, lefts, values, limits, np.column_stack([self.draw, self.rooms]), few, fill),
            *(said.sentence, said.words, self.samples, self.starts, len(said.vocabulary)),
        )
        draw, low = np.frombuffer(places, dtype=np.int64).reshape(-1, 2).T
        sets = (np.frombuffer(found, dtype=bool).reshape(-1, count) for found in (chosen, covers))
        return Solved(next(sets), draw, low, next(sets))

    def by_arrays(self) -> Solved:
        """Search with arrays of all choices at once."""
        drawn = Perturbed(self.coverage, self.problem, self.terms, self.sizes).choose(self.draws)
        drawn.chosen[:, sorted(self.problem.include)] = True
        own = int(self.draw.max(initial=-1)) + 1
        rest = drawn.row >= self.samples * own
        covered = drawn.row[rest] - self.samples * own, drawn.low[rest], drawn.chosen[rest]
        if not len(self.draw):
            return Solved(np.empty((0, len(self.sizes)), dtype=bool), *covered)
        # [jobs, K]: which choice is the sample of each row at the room of each job
        rows = self.draw[:, None] * self.samples + np.arange(self.samples)
        beyond = int(drawn.high.max()) + 1
        places = np.searchsorted(drawn.row * beyond + drawn.low, rows * beyond + self.rooms[:, :1], side="right") - 1
        known, numbers = np.unique(drawn.chosen, axis=0, return_inverse=True)
        which, group = np.unique(numbers.ravel()[places], axis=0, return_inverse=True)
        flat = np.arange(len(which))[:, None] * len(known) + which
        times = np.bincount(flat.ravel(), minlength=which.shape[0] * len(known)).reshape(-1, len(known))
        expected = Expected(Bundles(self.problem, self.said, self.samples), known, times, self.fill)
        climbs = [
            Climb(job, known[which[job, : self.starts]], room, each)
            for job, room, each in zip(
                group.ravel().tolist(), self.rooms[:, 1].tolist(), self.each.tolist(), strict=True
            )
        ]
        return Solved(expected.best(climbs), *covered)


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
        for count in range(MOST):
            often = np.flatnonzero(most > count)
            more[:, often, count] = product(weights, (said[:, often] > count).astype(bundles.kind))
        shared = np.zeros_like(more)
        np.cumsum(more[:, :, :-1], axis=2, out=shared[:, :, 1:])
        self._shared, self._more = shared.ravel(), more.ravel()
        self._rows = np.arange(said.shape[1]) * _ROW

    def best(self, climbs: Sequence[Climb]) -> _Sets:
        """Return the best choices found by climbing, [c, n]."""
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
        return np.array([chosen for _, chosen in best])

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
        said = np.minimum(product(left, bundles.words), MOST).astype(np.intp)  # [r, V]
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
