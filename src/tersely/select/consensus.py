"""Selection by agreement among many summaries that are nearly as good."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from tersely.errors import UsageError
from tersely.select._agreement import Task
from tersely.select._problem import Indices, Lengths, Problem, Selection, Values, whole
from tersely.select._samples import Draw, Repeated
from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.select.greedy import descending

__all__ = ["Consensus"]

_DOZEN = 12


@dataclass(frozen=True)
class Consensus:
    """The summary that agrees best with many alternatives, each chosen by `coverage` from slightly perturbed values.

    Values are uncertain, and the best choice by them is only one of many that are nearly as good. Each of `samples`
    alternatives uses values multiplied by exp(sigma * normal noise). The result is the choice of highest expected
    ROUGE-1 against the samples (minimum Bayes risk; Kumar and Byrne 2004), found from the first `starts` of them by
    adding, swapping and removing sentences while that helps. To prefer full budgets and few sentences, the agreement
    is multiplied by (length / budget)^fill, and by 1 - each / n for every sentence, if n average sentences fit into the
    budget; so a few words that happen to fit are left out unless they say something. A budget in sentences has no such
    price. The noise is the same every time. A sentence that needs others is added with
    them, and removed with all that need it.

    In a text with more than `longest` sentences, only so many take part: those of highest value / length^power, with
    what they need. `coverage` itself chooses summaries of more than half of the text or of more than about a dozen
    sentences, those of one sentence where all are equally long, and those of problems without a text.
    """

    sigma: float = 0.5
    samples: int = 64
    starts: int = 3
    fill: float = 0.3
    each: float = 0.25
    longest: int = 100
    power: float = 0.7
    once: float = 0.1
    keep: float = 1.5

    def __post_init__(self) -> None:
        if min(self.samples, self.starts) < 1:
            raise UsageError(f"samples and starts must be at least 1, not {self.samples} and {self.starts}")
        if not 0 <= self.each < 1:
            raise UsageError(f"each must be at least 0 and below 1, not {self.each:g}")

    def __call__(self, problem: Problem) -> Selection:
        """Choose for the problem's capacity."""
        return self.sweep([(problem, problem.capacity)])[0](problem.capacity)

    def table(self, problem: Problem) -> Callable[[int], Selection]:
        """Return a function that chooses for any capacity up to the problem's own."""
        return self.sweep([(problem, problem.least)])[0]

    def sweep(self, problems: Sequence[tuple[Problem, int]]) -> list[Callable[[int], Selection]]:
        """Return for each problem a function that chooses for any capacity from the given one to the problem's own.

        Problems that differ only in values and capacities are solved together.
        """
        coverage = Coverage(self.power, self.once, self.keep)
        answers: dict[int, Callable[[int], Selection]] = {}
        together: dict[object, list[int]] = {}
        for number, (problem, _) in enumerate(problems):
            if problem.document is None or not len(problem.candidates):
                answers[number] = partial(_by_coverage, coverage, problem)
                continue
            # Of a long text, only the best candidates take part, which depend on values and capacities.
            apart = number if len(problem.values) > self.longest else problem.free.tobytes()
            together.setdefault((apart, problem.needs, problem.include), []).append(number)
        for numbers in together.values():
            # The candidates of smaller capacities are among those of the largest.
            largest = max((problems[number][0] for number in numbers), key=lambda problem: problem.room)
            ranges: list[_Range] = []
            for number in numbers:
                ranges.append(_Range(self, coverage, *problems[number], largest.candidates, *ranges[:1]))
            answers.update(zip(numbers, ranges, strict=True))
            _solve(self, coverage, ranges)
        return [answers[number] for number in range(len(problems))]


def _by_coverage(coverage: Coverage, problem: Problem, capacity: int) -> Selection:
    return coverage(problem.with_capacity(capacity))


class _Range:
    """A problem for some capacities: in it, `part` is that of the sentences that can be in a summary at all."""

    def __init__(
        self,
        consensus: Consensus,
        coverage: Coverage,
        problem: Problem,
        low: int,
        best: Indices,
        like: "_Range | None" = None,
    ) -> None:
        assert problem.document is not None
        self._settings, self._coverage, self.problem, self._low = consensus, coverage, problem, low
        self._needed = problem.least
        total = int(problem.costs.sum())
        alike = problem.costs.min() == problem.costs.max()
        self._price = 0.0 if alike else consensus.each * total / len(problem.values)
        self._most = total * min(_DOZEN, len(problem.values) // 2) // len(problem.values)
        self._two = 2 * int(problem.costs.min()) - problem.separator if alike else 0  # that holds two sentences
        values = whole(problem.values)
        is_long = len(values) > consensus.longest
        if like is None:
            self.sizes = sizes_of(problem, problem.document)
            if is_long:
                best = descending(values / np.maximum(self.sizes, 1) ** coverage.power, best)[: consensus.longest]
            self.numbers = np.array(sorted(problem.include.union(problem.forest.closed(best.tolist()))), dtype=np.intp)
            self.part = problem.part(self.numbers)
            least = self.part.forest.sums(self.part.costs.tolist())
            self._least = min(cost for cost, free in zip(least, self.part.free.tolist(), strict=True) if free)
        else:  # only values and capacities are others
            self.sizes, self.numbers, self.part, self._least = like.sizes, like.numbers, like.part, like._least
        factors = _factors(consensus.sigma, consensus.samples, len(self.numbers if is_long else values))
        self.values = values[self.numbers] * (factors if is_long else factors[:, self.numbers])
        self._used = problem.capacity + problem.separator - problem.room  # room = capacity + separator - used
        # Above `most`, coverage chooses: of a short text, together with the samples.
        self._by_coverage = problem.capacity > self._most and not is_long and low < problem.capacity
        self.chosen: dict[int, tuple[int, ...]] = {}  # by rounded capacity
        self._lows: list[int] = []
        self._covering: list[tuple[int, ...]] = []

    def __call__(self, capacity: int) -> Selection:
        """Choose for the capacity rounded down to seven binary digits: less than 2% off, and stable in between."""
        if capacity < self._two:
            return self._coverage(self.problem.with_capacity(capacity))
        if capacity > self._most and self.room(capacity) >= self._least:
            if not self._by_coverage:
                answer = self._coverage(self.problem.with_capacity(capacity))
                return replace(answer, stable=max(answer.stable, self._most + 1))
            at = bisect_right(self._lows, self.room(capacity)) - 1
            return Selection(self._covering[at], self._lows[at] - self.room(0))
        rounded = self._rounded(capacity)
        if self.room(rounded) < self._least:
            # Nothing fits, or only thanks to what rounding takes away.
            return self._coverage(self.problem.with_capacity(capacity))
        return Selection(self.chosen[rounded], max(rounded, self._two))

    def samples(self) -> list[tuple[Draw, list[int]]]:
        """Return the samples to draw, and the rounded capacities, descending, that they are for."""
        found: list[tuple[float, list[int]]] = []
        capacity, lowest = min(self.problem.capacity, self._most), 0
        while capacity >= max(self._low, self._two) and self.room(rounded := self._rounded(capacity)) >= self._least:
            if not found or rounded < lowest:
                share, lowest = share_of(self.problem.with_capacity(rounded))
                found.append((share, []))
            found[-1][1].append(rounded)
            capacity = rounded - 1
        return [(Draw(self.values, share, self.room(own[-1]), self.room(own[0])), own) for share, own in found]

    def covering(self) -> list[Draw]:
        """Return what coverage is to choose."""
        found: list[Draw] = []
        capacity, floor = self.problem.capacity, max(self._low, self._most + 1, self._least - self.room(0))
        while self._by_coverage and capacity >= floor:
            share, lowest = share_of(self.problem.with_capacity(capacity))
            lowest = max(lowest, floor)
            found.append(Draw(self.values[:1], share, self.room(lowest), self.room(capacity)))
            capacity = lowest - 1
        return found

    def covered(self, low: Lengths, chosen: NDArray[np.bool_]) -> None:
        """Learn what coverage chooses from each room on."""
        order = np.argsort(low)
        self._lows, self._covering = low[order].tolist(), [tuple(self.numbers[one].tolist()) for one in chosen[order]]

    def each(self, room: int) -> float:
        """Return the price of a sentence."""
        return min(self._price / max(room, 1), self._settings.each)

    def _rounded(self, capacity: int) -> int:
        return max(_rounded(capacity, 7), self._needed)

    def room(self, capacity: int) -> int:
        return capacity + self.problem.separator - self._used


def _solve(consensus: Consensus, coverage: Coverage, ranges: list[_Range]) -> None:
    """Choose for all capacities of ranges with the same sentences and needs."""
    one, document = ranges[0], ranges[0].problem.document
    assert document is not None
    samples = [(owner, *sample) for owner in ranges for sample in owner.samples()]
    covering = [(owner, draw) for owner in ranges for draw in owner.covering()]
    if not samples and not covering:
        return
    said = document.numbered_stems
    jobs = [(owner, rounded) for owner, _, own in samples for rounded in own]
    rooms = [(owner.room(rounded), rounded + owner.problem.separator) for owner, rounded in jobs]
    task = Task(
        problem=one.part,
        coverage=coverage,
        terms=Repeated.of(document, one.numbers, coverage.once),
        sizes=one.sizes[one.numbers],
        said=said if len(one.numbers) == len(document) else said.part(one.numbers),
        draws=[*(draw for _, draw, _ in samples), *(draw for _, draw in covering)],
        draw=np.array([draw for draw, (_, _, own) in enumerate(samples) for _ in own], dtype=np.int64),
        rooms=np.array(rooms, dtype=np.int64).reshape(-1, 2),
        each=np.array([owner.each(room) for (owner, _), (_, room) in zip(jobs, rooms, strict=True)]),
        samples=consensus.samples,
        starts=consensus.starts,
        fill=consensus.fill,
    )
    chosen, draw, low, covers = task.solved()
    known: dict[bytes, tuple[int, ...]] = {}
    for (owner, rounded), inside in zip(jobs, chosen, strict=True):
        if (key := inside.tobytes()) not in known:
            known[key] = tuple(one.numbers[list(_used(one.part, inside))].tolist())
        owner.chosen[rounded] = known[key]
    if covering:
        own = np.array([ranges.index(owner) for owner, _ in covering])[draw]
        for number, owner in enumerate(ranges):
            owner.covered(low[own == number], covers[own == number])


def _used(problem: Problem, chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the choice without sentences of no value that nothing else of it needs any more, ascending."""
    used: list[int] = []
    needed = set(problem.include)
    for i in reversed(np.flatnonzero(chosen).tolist()):
        if i in needed or problem.free[i]:
            used.append(i)
            needed.add(problem.needs[i] if problem.needs else -1)
    return tuple(reversed(used))


@lru_cache(maxsize=128)
def _factors(sigma: float, samples: int, count: int) -> Values:
    """Return exp(sigma * normal noise), the same every time and without noise in the first row, [samples, count]."""
    # NumPy promises never to change this stream of numbers.
    noise = np.random.RandomState(0).standard_normal((samples, count))
    noise[0] = 0.0
    return np.exp(sigma * noise)


def _rounded(number: int, digits: int) -> int:
    """Round down to `digits` binary digits.

    >>> _rounded(403, 4), _rounded(12, 4)
    (384, 12)
    """
    shift = max(number.bit_length() - digits, 0)
    return number >> shift << shift
