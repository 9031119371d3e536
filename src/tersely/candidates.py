"""What may be chosen from a scored document: problems with and without needs and noise, for any budget."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from tersely.budget import LARGEST
from tersely.layout import Layout
from tersely.read import ALONE, FILLER, LOST, Reading, read
from tersely.score import Values
from tersely.select import Problem, Selection, Selector, distinct, solver, sweep
from tersely.summary import Rejected
from tersely.text.sources import Collection

# Values that depend on the share of the text that a summary keeps change at these shares: between them, one choice
# often serves many budgets.
_SHARES = (0.02, 0.04, *(0.15 * 2 ** (step / 4) for step in range(9)))
# With coherence "soft", the share of its value that a sentence keeps if what it needs is not chosen.
_DEPENDENT = 0.5
# In room for fewer average sentences than this, hardly any fits with what it needs. Then a sentence with one of these
# needs, which can be understood alone although it does not sound like it, may be taken for this share of its value.
_PAIR = 2
_LIGHT, _ALONE = frozenset(("connective", "demonstrative")), 0.7

Level = Literal["coherent", "clean", "all"]


class Step(NamedTuple):
    """What problems depend on from a capacity on: the share of the text that is kept, and whether room is tight."""

    least: int
    share: float
    tight: bool


@dataclass(frozen=True)
class Candidates:
    """The sentences of a scored document, what they need, and which are noise.

    `by_share` is for scorers whose values depend on the share of the text that a summary keeps; `values` are then those
    of a short summary.
    """

    layout: Layout
    values: Values
    by_share: Callable[[float], Values] | None = None
    _known: dict[tuple[Step, Level], "_Distinct"] = field(default_factory=dict, init=False)
    _bases: dict[Level, Problem] = field(default_factory=dict, init=False)

    @cached_property
    def reading(self) -> Reading:
        """What the sentences need, and which are noise; nothing and none if coherence is off."""
        count = len(self.layout.document)
        if self.layout.options.coherence in (None, "off"):
            return Reading((ALONE,) * count, ("",) * count, ("",) * count)
        return read(self.layout.document, self._unrelated)

    @property
    def _unrelated(self) -> frozenset[int]:
        """The sources of which nothing can be chosen, as nothing in them has to do with the question."""
        document, options = self.layout.document, self.layout.options
        if options.query is None or not isinstance(document, Collection):
            return frozenset()
        wanted = {*np.flatnonzero(self.values > 0).tolist(), *options.include}
        return frozenset(range(len(document.parts))) - {document.place(i)[0] for i in wanted}

    def pieces(self, low: int, high: int) -> list[tuple[int, int]]:
        """Return the ranges from `low` to `high` with the same first problem; not those too small for the included."""
        low = max(low, self.given(self._everything).least)
        found: list[tuple[int, int]] = []
        while low <= high:
            least, _ = next(self.levels(high))
            found.append((max(least, low), high))
            high = least - 1
        return found[::-1]

    @cached_property
    def _steps(self) -> list["Step"]:
        """The steps, ascending; the first is for every capacity below the others."""
        lengths, gap = self.layout.lengths, self.layout.gap
        whole = sum(lengths) + gap * (len(lengths) - 1)
        shares = {0: 0.0} | {ceil(share * whole): share for share in _SHARES if self.by_share is not None}
        pair = ceil(_PAIR * (whole + gap) / max(len(lengths), 1)) - gap if any(self._light) else 0
        least = sorted({*shares, max(pair, 0)})
        kept = accumulate((shares.get(own, 0.0) for own in least), max)
        return [Step(own, share, own < pair) for own, share in zip(least, kept, strict=True)]

    def first(self, capacity: int) -> Problem:
        """Return the problem to solve first."""
        return next(self.levels(capacity))[1]

    def levels(self, capacity: int) -> Iterator[tuple[int, Problem]]:
        """Yield the problems to solve, and from which capacity on; one counts only if nothing fits in those before it.

        The first takes no noise, and each sentence with what it needs. The second takes sentences as they are, and the
        last takes noise, too: a heading is better than nothing.
        """
        step = self._steps[bisect_right(self._steps, capacity, key=lambda step: step.least) - 1]
        for level in self._used_levels:
            if (step, level) not in self._known:
                self._known[step, level] = _Distinct(self._problem(step, level), self.layout.options.redundancy)
            least, problem = self._known[step, level].at(capacity)
            yield max(least, step.least), problem

    def with_met_needs(self, capacity: int, chosen: tuple[int, ...]) -> Problem | None:
        """With coherence "soft", return the first problem with the full value of sentences whose needs are chosen."""
        if self.layout.options.coherence != "soft" or "coherent" not in self._used_levels:
            return None
        problem = self.first(capacity)
        needs = np.array(self.reading.needs)
        met = (needs >= 0) & np.isin(needs, chosen)
        return replace(problem, values=np.where(met, problem.values / _DEPENDENT, problem.values))

    def worth(self, chosen: tuple[int, ...]) -> float:
        """Return the value of some sentences together."""
        return float(self.values[list(chosen)].sum())

    def most(self, room: int) -> float:
        """Return what no choice that fits is worth more than: what all sentences are that fit at least in part."""
        sizes, values = self._by_density
        return float(values[min(int(np.searchsorted(sizes, room + self.layout.gap)), len(values) - 1)])

    @cached_property
    def _by_density(self) -> tuple[Values, Values]:
        """The lengths and values of the best sentences for their length together, for each number of them."""
        lengths = np.array(self.layout.lengths, dtype=np.float64) + self.layout.gap
        values = np.maximum(self.values, 0.0)
        order = np.argsort(-values / np.maximum(lengths, 1.0), kind="stable")
        return np.cumsum(lengths[order]), np.cumsum(values[order])

    @cached_property
    def _used_levels(self) -> tuple[Level, ...]:
        options = self.layout.options
        free = len(self.values) - len(options.exclude | self.noise - options.include)
        return ("coherent", "clean", "all") if options.coherence not in (None, "off") and free else ("all",)

    def _problem(self, step: "Step", level: Level) -> Problem:
        options, values = self.layout.options, self.values
        if self.by_share is not None and step.share:
            values = self.by_share(step.share)
        if level == "coherent" and options.coherence == "strict":
            values = self._whole(values)
        elif level == "coherent":
            values = np.where(np.array(self.reading.needs) < 0, values, _DEPENDENT * values)
        if level not in self._bases:
            self._bases[level] = self._base(level)
        problem = self._bases[level].with_values(values)
        if step.tight and level == "coherent":
            needs = np.where(self._light, ALONE, problem.needs)
            values = np.where(self._light, _ALONE * values, values)
            problem = replace(problem, needs=tuple(needs.tolist())).with_values(values)
        return problem

    def _base(self, level: Level) -> Problem:
        """Return the problem of a level, whatever the values."""
        options = self.layout.options
        is_strict = level == "coherent" and options.coherence == "strict"
        noise = self.noise - options.include - (self._openers if is_strict else frozenset())
        needs = tuple(max(need, ALONE) for need in self.reading.needs) if is_strict else ()
        return self.given(self._everything, frozenset() if level == "all" else noise, needs)

    def _whole(self, values: Values) -> Values:
        """Return values with which quotations are chosen whole or not at all: all of it is the last sentence's.

        A filler is worth nothing, whatever it is needed for.
        """
        moved = values.copy()
        moved[list(self._openers)] = 0.0
        for i in self.reading.continued:
            moved[i] += max(moved[i - 1], 0.0)
            moved[i - 1] = 0.0
        return moved

    @cached_property
    def noise(self) -> frozenset[int]:
        """The sentences that are noise, or that need something the text does not say before them."""
        both = enumerate(zip(self.reading.needs, self.reading.noise, strict=True))
        return frozenset([i for i, (need, noise) in both if noise or need == LOST])

    @cached_property
    def _light(self) -> list[bool]:
        """Which sentences need others only lightly; none unless coherence is strict."""
        if self.layout.options.coherence != "strict":
            return [False] * len(self.values)
        return [why in _LIGHT and need >= 0 for why, need in zip(self.reading.why, self.reading.needs, strict=True)]

    @cached_property
    def _openers(self) -> frozenset[int]:
        """The fillers that others need, because they say who speaks."""
        noise = self.reading.noise
        return frozenset(need for need in self.reading.needs if need >= 0 and noise[need] == FILLER)

    def rejections(self, choice: tuple[int, ...], length: int, capacity: int) -> list[Rejected]:
        """Say for each sentence why it is not in a summary of this length; nothing for those that are."""
        options, reading, lengths, gap = self.layout.options, self.reading, self.layout.lengths, self.layout.gap
        chosen, room = set(choice), capacity - length
        if len(chosen) == len(lengths):
            return [""] * len(lengths)
        repeated = self.first(capacity).exclude - options.exclude - self.noise
        costs, why, never = [0] * len(lengths), list[Rejected](), set[int]()
        for i, need in enumerate(reading.needs):
            missing = need >= 0 and need not in chosen
            costs[i] = lengths[i] + gap + (costs[need] if missing else 0)
            reason: Rejected = "no-gain"
            if i in chosen:
                reason = ""
            elif i in options.exclude:
                reason = "excluded"
            elif reading.noise[i]:
                reason = "noise"
            elif i in repeated:
                reason = "redundant"
            elif lengths[i] + gap > room:
                reason = "no-room"
            elif need == LOST or (missing and (need in never or costs[i] > room)):
                reason = "needs"
            if reason in ("noise", "needs", "excluded") and i not in self._openers:
                never.add(i)
            why.append(reason)
        return why

    @property
    def _everything(self) -> int:
        """A capacity that holds all sentences."""
        return sum(self.layout.lengths) + self.layout.gap * len(self.layout.lengths)

    def given(self, capacity: int, noise: frozenset[int] = frozenset(), needs: tuple[int, ...] = ()) -> Problem:
        """Return the problem of all sentences, as the options say, but for noise, and with what each needs."""
        return Problem(
            values=self.values,
            lengths=np.array(self.layout.lengths, dtype=np.int64),
            capacity=capacity,
            separator=self.layout.gap,
            include=self.layout.options.include,
            exclude=self.layout.options.exclude | noise,
            document=self.layout.document,
            needs=needs,
        )


class _Distinct:
    """A problem without duplicates, or with them: which they are rarely changes with the capacity."""

    def __init__(self, problem: Problem, redundancy: str) -> None:
        self._problem = problem
        self._known = [(*((0, problem) if redundancy == "off" else distinct(problem)), LARGEST)]

    def at(self, capacity: int) -> tuple[int, Problem]:
        """Return the problem for a capacity, and the smallest one that it is known to be for."""
        for least, problem, most in self._known:
            if least <= capacity <= most:
                return least, problem
        self._known.append((*distinct(self._problem.with_capacity(capacity)), capacity))
        return self._known[-1][:2]


class Solvers:
    """Solves the problems of candidates for capacities in some ranges, ascending, with the work shared."""

    def __init__(self, selector: Selector, candidates: Candidates, ranges: Sequence[tuple[int, int]]) -> None:
        self._selector, self._candidates, self._largest = selector, candidates, ranges[-1][1]
        self._known: dict[tuple[Problem, int], tuple[int, Callable[[int], Selection]]] = {}
        # In each of these, values do not depend on the capacity.
        self._ranges = [piece for low, high in ranges for piece in candidates.pieces(low, high)]
        self._lows = [low for low, _ in self._ranges]

    def __call__(self, problem: Problem, capacity: int) -> Selection:
        """Solve one of the problems of `levels` for a capacity."""
        if not hasattr(self._selector, "sweep"):
            if (problem, 0) not in self._known:
                self._known[problem, 0] = 0, solver(self._selector, problem.with_capacity(self._largest))
            return self._known[problem, 0][1](capacity)
        at = bisect_right(self._lows, capacity) - 1
        if at < 0 or capacity > self._ranges[at][1]:
            return self._selector(problem.with_capacity(capacity))
        if not self._known:
            firsts = [self._candidates.first(low) for low in self._lows]
            self._solve(list(enumerate(firsts)))
        if (problem, at) not in self._known or self._known[problem, at][0] < capacity:
            # Nothing fits in the problem before this, so nothing does in less room.
            self._solve([(at, problem)], capacity)
        return self._known[problem, at][1](capacity)

    def _solve(self, problems: list[tuple[int, Problem]], largest: int = LARGEST) -> None:
        ranges = [(min(self._ranges[at][1], largest), self._ranges[at][0]) for at, _ in problems]
        given = [(problem.with_capacity(high), low) for (_, problem), (high, low) in zip(problems, ranges, strict=True)]
        found = sweep(self._selector, given)
        for (at, problem), (high, _), answer in zip(problems, ranges, found, strict=True):
            self._known[problem, at] = high, answer
