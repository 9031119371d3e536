"""The input and the output of a selector."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import frexp
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tersely.errors import UsageError
from tersely.select._forest import Forest
from tersely.text.document import Document

try:
    compiled: ModuleType | None = import_module("tersely.select._compiled")
except ImportError:  # installed where there is no compiler: slower, and the same otherwise
    compiled = None

Values = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]
F = TypeVar("F", bound=np.floating[Any])
Lengths = NDArray[np.int64]
Indices = NDArray[np.intp]

# Up to this many multiplications, BLAS starts no threads. They would cost more than they save.
_SMALL = 2**18


def product(left: NDArray[F], right: NDArray[F]) -> NDArray[F]:
    """Return the product of two matrices, computed in parts so small that no threads are started."""
    by_row = len(left) > right.shape[1]
    step = max(_SMALL // max((right if by_row else left).size, 1), 1)
    if max(len(left), right.shape[1]) <= step:
        return left @ right
    found = np.empty((len(left), right.shape[1]), left.dtype)
    for first in range(0, max(found.shape), step):
        part = slice(first, first + step)
        if by_row:
            np.matmul(left[part], right, out=found[part])
        else:
            found[:, part] = left @ right[:, part]
    return found


def whole(numbers: Values) -> Values:
    """Scale positive numbers to whole ones, so that their sums are exact, ties are real and order never matters.

    The scale is a power of two that brings the largest number to 40 bits, or to fewer if there are more than 4,096
    numbers: float64 (53 bits) must hold the sum of them all. So numbers stay distinct down to about 1e-12 of the
    largest, while integers and binary fractions stay exact. No result is less than 1.

    >>> whole(np.array([3.0, 1.5, 1e-300])) / 2**38
    array([3.00000000e+00, 1.50000000e+00, 3.63797881e-12])
    """
    bits = min(40, 53 - (len(numbers) - 1).bit_length())
    _, exponent = frexp(numbers.max(initial=0.0))
    return np.maximum(np.rint(np.ldexp(np.maximum(numbers, 0.0), bits - exponent)), 1.0)


@dataclass(frozen=True, eq=False)
class Problem:
    """Choose sentences of high value that fit: the sum of (length + separator) is at most capacity + separator.

    The separator comes between sentences, never after the last one, which is why the capacity has one more.
    Sentences in `include` must be chosen, those in `exclude` must not. Values may have any sign; a sentence of
    value 0 or less is never chosen unless it is included or needed.

    `needs` is empty, or says for each sentence which earlier one it needs, or -1: a sentence that is not included is
    chosen only together with the one it needs. As part of such a bundle, a sentence of value 0 or less is worth the
    least there is (see `whole`).
    """

    values: Values
    lengths: Lengths
    capacity: int
    separator: int = 0
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    document: Document | None = None
    needs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.asarray(self.values, dtype=np.float64))
        object.__setattr__(self, "lengths", np.asarray(self.lengths, dtype=np.int64))
        self._check()

    def _check(self) -> None:
        count = len(self.values)
        if self.values.ndim != 1 or self.values.shape != self.lengths.shape:
            raise UsageError(f"there are {count} values but {len(self.lengths)} lengths")
        if self.document is not None and len(self.document) != count:
            raise UsageError(f"there are {count} values but {len(self.document)} sentences")
        if not np.isfinite(self.values).all():
            raise UsageError(f"sentence {int(np.argmin(np.isfinite(self.values)))} has no finite value")
        if self.separator < 0 or (count and self.lengths.min() < 0):
            raise UsageError("lengths, the separator and the budget must not be negative")
        if self.needs and len(self.needs) != count:
            raise UsageError(f"there are {count} values but {len(self.needs)} needs")
        for i, need in enumerate(self.needs):
            if not -1 <= need < i:
                raise UsageError(f"sentence {i} needs {need}, which is neither -1 nor an earlier sentence")
        if wrong := sorted(i for i in self.include | self.exclude if not 0 <= i < count):
            raise UsageError(f"there is no sentence {wrong[0]}: the document has {count}, counted from 0")
        if both := sorted(self.include & self.exclude):
            raise UsageError(f"sentence {both[0]} is both included and excluded")
        self._check_capacity()

    def _check_capacity(self) -> None:
        if self.capacity < 0:
            raise UsageError("lengths, the separator and the budget must not be negative")
        if self.include and (needed := self.least) > self.capacity:
            raise UsageError(f"the included sentences need {needed}, but the budget is {self.capacity}")

    def with_capacity(self, capacity: int) -> "Problem":
        """Return the same problem with another capacity. What has been computed and does not depend on it is kept."""
        kept = {name: value for name, value in vars(self).items() if name not in ("room", "candidates")}
        other = object.__new__(Problem)
        vars(other).update(kept, capacity=capacity)
        other._check_capacity()
        return other

    def with_values(self, values: Values) -> "Problem":
        """Return the same problem with other values. What has been computed and does not depend on them is kept."""
        kept = {name: value for name, value in vars(self).items() if name not in ("free", "candidates")}
        other = object.__new__(Problem)
        vars(other).update(kept, values=values)
        return other

    def is_closed(self, chosen: Iterable[int]) -> bool:
        """Tell whether all that these sentences need is among them or included, and none of them is excluded."""
        inside = {*chosen}
        parents = map(self.forest.parents.__getitem__, inside)
        return inside.isdisjoint(self.exclude) and all(parent < 0 or parent in inside for parent in parents)

    def without(self, sentences: Iterable[int]) -> "Problem":
        """Return the same problem with more sentences excluded."""
        return replace(self, exclude=self.exclude.union(sentences))

    def part(self, sentences: Indices) -> "Problem":
        """Return the problem of some sentences alone, ascending: the included ones, and others with all they need."""
        place = {sentence: i for i, sentence in enumerate(sentences.tolist())}
        return Problem(
            self.values[sentences],
            self.lengths[sentences],
            self.capacity,
            self.separator,
            include=frozenset(place[i] for i in self.include),
            needs=tuple(place.get(self.needs[i], -1) for i in place) if self.needs else (),
        )

    def length(self, chosen: tuple[int, ...]) -> int:
        """Return the length of the chosen sentences when joined."""
        if not chosen:
            return 0
        return sum(map(self.lengths.item, chosen)) + self.separator * (len(chosen) - 1)

    @cached_property
    def least(self) -> int:
        """The smallest capacity, which holds the included sentences."""
        return self.length(tuple(self.include))

    @cached_property
    def costs(self) -> Lengths:
        """The room each sentence takes: its length and a separator."""
        return self.lengths + self.separator

    @cached_property
    def room(self) -> int:
        """The room left for the costs of other sentences once the included ones are in."""
        return self.capacity + self.separator - sum(map(self.costs.item, self.include))

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which sentences have a positive value, are neither included nor excluded and need nothing excluded."""
        free = self.values > 0
        if self.include or self.exclude:
            free[list(self.include | self.exclude)] = False
        if self.needs:
            free &= self.forest.possible
        return free

    @cached_property
    def candidates(self) -> Indices:
        """The free sentences that fit with what they need and nothing else, ascending."""
        costs = np.array(self.forest.sums(self.costs.tolist())) if self.needs else self.costs
        return np.flatnonzero(self.free & (costs <= self.room))

    @cached_property
    def has_needs(self) -> bool:
        """Whether any sentence that is not ruled out needs one that is not included."""
        if not self.needs:
            return False
        return any(
            parent >= 0 for parent, possible in zip(self.forest.parents, self.forest.possible, strict=True) if possible
        )

    @cached_property
    def forest(self) -> Forest:
        """What is left to need once the included sentences are chosen."""
        return Forest(self.needs or (-1,) * len(self.values), self.include, self.exclude)

    def selection(self, added: Iterable[int]) -> "Selection":
        """Return the selection of the included sentences and `added`, stable down to its length."""
        chosen = tuple(sorted([*self.include, *added]))
        return Selection(chosen, self.length(chosen))


@dataclass(frozen=True)
class Selection:
    """The chosen sentences, ascending, and the smallest capacity known to give the same choice.

    For every capacity from `stable` up to the problem's own, the selector makes the same choice.
    """

    chosen: tuple[int, ...]
    stable: int


def by_value(problem: Problem, sentences: set[int] | tuple[int, ...]) -> list[int]:
    """Sort sentences: included ones first, then by value, ties by position."""
    values = problem.values.tolist()
    return sorted(sentences, key=lambda i: (i not in problem.include, -values[i], i))


Selector = Callable[[Problem], Selection]
Sweep = Callable[[Sequence[tuple[Problem, int]]], list[Callable[[int], Selection]]]


def solver(selector: Selector, problem: Problem) -> Callable[[int], Selection]:
    """Return a function that solves the problem for any capacity up to its own, by one table if the selector has one.

    >>> import numpy as np
    >>> from tersely.select.greedy import Greedy
    >>> solve = solver(Greedy(), Problem(np.array([0.9, 0.8]), np.array([60, 50]), capacity=100))
    >>> solve(100).chosen, solve(55).chosen
    ((0,), (1,))
    """
    table: Callable[[Problem], Callable[[int], Selection]] | None = getattr(selector, "table", None)
    if table is not None:
        return table(problem)
    return lambda capacity: selector(problem.with_capacity(capacity))


def sweep(selector: Selector, problems: Sequence[tuple[Problem, int]]) -> list[Callable[[int], Selection]]:
    """Return for each problem a function that solves it for any capacity from the given one to the problem's own.

    A selector that has a `sweep` of its own shares the work between problems.
    """
    together: Sweep | None = getattr(selector, "sweep", None)
    if together is not None:
        return together(problems)
    return [solver(selector, problem) for problem, _ in problems]
