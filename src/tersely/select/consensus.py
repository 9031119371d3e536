"""Selection by agreement among many summaries that are nearly as good."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tersely.errors import UsageError
from tersely.select._agreement import Expected, Words
from tersely.select._problem import Problem, Selection, whole
from tersely.select._samples import Perturbed
from tersely.select.coverage import Coverage

__all__ = ["Consensus"]

_DOZEN = 12


@dataclass(frozen=True)
class Consensus:
    """The summary that agrees best with many alternatives, each chosen by `coverage` from slightly perturbed values.

    Values are uncertain, and the best choice by them is only one of many that are nearly as good. Each of `samples`
    alternatives uses values multiplied by exp(sigma * normal noise). The result is the choice of highest expected
    ROUGE-1 against the samples (minimum Bayes risk; Kumar and Byrne 2004), found from the first `starts` of them by
    adding, swapping and removing sentences while that helps. To prefer full budgets and few sentences, the agreement
    is multiplied by (length / budget)^fill, and by 1 - each for every sentence; so a few words that happen to fit are
    left out unless they say something. The noise is the same every time. A sentence that needs others is added with
    them, and removed with all that need it.

    `coverage` itself chooses summaries of more than half of the text or of more than about a dozen sentences, those
    of texts with more than `longest` sentences, and those of problems without a text.
    """

    sigma: float = 0.5
    samples: int = 64
    starts: int = 3
    fill: float = 0.3
    each: float = 0.03
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
        if problem.document is None or not 0 < len(problem.document) <= self.longest:
            return lambda capacity: coverage(problem.with_capacity(capacity))
        return _Table(self, coverage, problem)


class _Table:
    def __init__(self, consensus: Consensus, coverage: Coverage, problem: Problem) -> None:
        assert problem.document is not None
        self._settings, self._coverage, self._problem = consensus, coverage, problem
        self._needed = problem.length(tuple(problem.include))
        self._most = int(problem.costs.sum()) * min(_DOZEN, len(problem.values) // 2) // len(problem.values)
        # NumPy promises never to change this stream of numbers.
        noise = np.random.RandomState(0).standard_normal((consensus.samples, len(problem.values)))
        noise[0] = 0.0
        self._samples = Perturbed(coverage, problem.document, whole(problem.values) * np.exp(consensus.sigma * noise))
        self._words = Words(problem.document)

    def __call__(self, capacity: int) -> Selection:
        """Choose for the capacity rounded down to seven binary digits: less than 2% off, and stable in between."""
        if capacity > self._most:
            answer = self._coverage(self._problem.with_capacity(capacity))
            return replace(answer, stable=max(answer.stable, self._most + 1))
        rounded = max(_rounded(capacity, 7), self._needed)
        problem = self._problem.with_capacity(rounded)
        settings = self._settings
        expected = Expected(self._words, self._samples.choose(problem), settings.fill, settings.each)
        return Selection(expected.best(problem, settings.starts), rounded)


def _rounded(number: int, digits: int) -> int:
    """Round down to `digits` binary digits.

    >>> _rounded(403, 4), _rounded(12, 4)
    (384, 12)
    """
    shift = max(number.bit_length() - digits, 0)
    return number >> shift << shift
