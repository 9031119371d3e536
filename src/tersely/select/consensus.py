"""Selection by agreement among many summaries that are nearly as good."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tersely.errors import UsageError
from tersely.select._agreement import Bundles, Expected
from tersely.select._problem import Problem, Selection, Values, whole
from tersely.select._samples import Perturbed, Repeated
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
        return self.table(problem)(problem.capacity)

    def table(self, problem: Problem) -> Callable[[int], Selection]:
        """Return a function that chooses for any capacity up to the problem's own."""
        coverage = Coverage(self.power, self.once, self.keep)
        if problem.document is None or not len(problem.candidates):
            return lambda capacity: coverage(problem.with_capacity(capacity))
        return _Table(self, coverage, problem)


class _Table:
    """Chooses for any capacity. All happens in a smaller problem: of the sentences that can be in a summary at all."""

    def __init__(self, consensus: Consensus, coverage: Coverage, problem: Problem) -> None:
        assert problem.document is not None
        self._settings, self._coverage, self._problem = consensus, coverage, problem
        self._needed = problem.length(tuple(problem.include))
        total = int(problem.costs.sum())
        alike = problem.costs.min() == problem.costs.max()
        self._price = 0.0 if alike else consensus.each * total / len(problem.values)
        self._most = total * min(_DOZEN, len(problem.values) // 2) // len(problem.values)
        self._least = 2 * int(problem.costs.min()) - problem.separator if alike else 0  # that holds two sentences
        sizes, values = sizes_of(problem, problem.document), whole(problem.values)
        best, is_long = problem.candidates, len(values) > consensus.longest
        if is_long:
            best = descending(values / np.maximum(sizes, 1) ** coverage.power, best)[: consensus.longest]
        numbers = np.array(sorted(problem.include.union(problem.forest.closed(best.tolist()))), dtype=np.intp)
        noise = _noise(consensus.samples, len(numbers if is_long else values))
        noise = noise if is_long else noise[:, numbers]
        self._numbers, self._part = numbers, problem.part(numbers)
        self._samples = Perturbed(
            coverage,
            self._part,
            Repeated.of(problem.document, numbers, coverage.once),
            sizes[numbers],
            values[numbers] * np.exp(consensus.sigma * noise),
        )
        self._share, self._room = 0.0, 0
        self._used = np.zeros(consensus.samples, dtype=np.int64)
        self._chosen = np.zeros((consensus.samples, len(numbers)), dtype=bool)
        self._bundles = Bundles(self._part, [problem.document.stems[i] for i in numbers.tolist()])
        self._expected: Expected | None = None

    def __call__(self, capacity: int) -> Selection:
        """Choose for the capacity rounded down to seven binary digits: less than 2% off, and stable in between."""
        if capacity < self._least:
            return self._coverage(self._problem.with_capacity(capacity))
        if capacity > self._most and len(self._part.with_capacity(capacity).candidates):
            answer = self._coverage(self._problem.with_capacity(capacity))
            return replace(answer, stable=max(answer.stable, self._most + 1))
        rounded = max(_rounded(capacity, 7), self._needed)
        part = self._part.with_capacity(rounded)
        if not len(part.candidates):
            return self._problem.selection(())
        expected = self._agreement(part, share_of(self._problem.with_capacity(rounded))[0])
        room = max(rounded + self._problem.separator, 1)
        expected.price(min(self._price / room, self._settings.each))
        chosen = _used(part, expected.best(part, self._settings.starts))
        return Selection(tuple(self._numbers[list(chosen)].tolist()), rounded)

    def _agreement(self, part: Problem, share: float) -> Expected:
        """Draw the samples. Those of the capacity before stay if they have the same share and still fit."""
        again = np.arange(len(self._used))
        if share == self._share and part.room <= self._room:
            again = np.flatnonzero(self._used > part.room)
        self._share, self._room = share, part.room
        if self._expected is None or len(again):
            self._chosen[again], self._used[again] = self._samples.choose(part, share, again)
            self._chosen[:, list(part.include)] = True
            self._expected = Expected(self._bundles, self._chosen, self._settings.fill)
        return self._expected


def _used(problem: Problem, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Return the choice without sentences of no value that nothing else of it needs any more, ascending."""
    used: list[int] = []
    needed = set(problem.include)
    for i in reversed(chosen):
        if i in needed or problem.free[i]:
            used.append(i)
            needed.add(problem.needs[i] if problem.needs else -1)
    return tuple(reversed(used))


@lru_cache(maxsize=128)
def _noise(samples: int, count: int) -> Values:
    """Return normal noise, the same every time and none in the first row, [samples, count]."""
    # NumPy promises never to change this stream of numbers.
    noise = np.random.RandomState(0).standard_normal((samples, count))
    noise[0] = 0.0
    return noise


def _rounded(number: int, digits: int) -> int:
    """Round down to `digits` binary digits.

    >>> _rounded(403, 4), _rounded(12, 4)
    (384, 12)
    """
    shift = max(number.bit_length() - digits, 0)
    return number >> shift << shift
