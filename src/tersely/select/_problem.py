"""The input and the output of a selector, and the forest of cures in an order that a table can solve."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.text.document import Document

Values = NDArray[np.float64]
Lengths = NDArray[np.int64]
Indices = NDArray[np.intp]

# What is computed from the capacity of a problem.
_OF_CAPACITY = frozenset(("room", "candidates"))


def to_whole_numbers(numbers: Values) -> Values:
    """Scale numbers to whole ones, so that their sums are exact, ties are real and order never matters.

    The scale is a power of two that brings the largest number to 40 bits, or to fewer if there are more than 4,096
    numbers: float64 (53 bits) must hold the sum of them all. So numbers stay distinct down to about 1e-12 of the
    largest, while integers and binary fractions stay exact. Only 0 becomes 0.

    >>> to_whole_numbers(np.array([3.0, -1.5, 1e-300])) / 2**38
    array([ 3.00000000e+00, -1.50000000e+00,  3.63797881e-12])
    """
    bits = min(40, 53 - (len(numbers) - 1).bit_length())
    _, exponent = frexp(np.abs(numbers).max(initial=0.0))
    scaled = np.rint(np.ldexp(numbers, bits - exponent))
    return np.where(scaled == 0, np.sign(numbers), scaled)


class Items(NamedTuple):
    """The sentences that may be chosen, each followed by its family: all that are tied to it, directly or not.

    `parents` are places in this order, or -1, and `bonus` is what an item and its parent are worth together beyond
    what they are worth alone. The largest family among the children of an item comes last: it begins at its `span`.
    Values, costs and bonuses are whole numbers.
    """

    sentences: list[int]
    values: list[int]
    costs: list[int]
    parents: list[int]
    bonus: list[int]
    spans: list[int]

    def part(self, places: list[int], values: list[int]) -> "Items":
        """Return the items at some places, ascending, with other values. A tie to any other item is cut."""
        numbers = {place: i for i, place in enumerate(places)}
        parents = [numbers.get(self.parents[place], -1) for place in places]
        return Items(
            [self.sentences[place] for place in places],
            values,
            [self.costs[place] for place in places],
            parents,
            [self.bonus[place] if parent >= 0 else 0 for place, parent in zip(places, parents, strict=True)],
            [bisect_left(places, self.spans[place]) for place in places],
        )

    def worth(self, chosen: Sequence[int]) -> int:
        """Return the total value of the items at some places."""
        inside = set(chosen)
        pairs = sum(self.bonus[i] for i in inside if self.parents[i] in inside)
        return sum(map(self.values.__getitem__, inside)) + pairs


def depth_first(nodes: Sequence[int], cures: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Return nodes of a forest in depth-first order, the places of their parents, and their spans (see `Items`).

    `cures[i]` is the parent of node i, or -1. Roots and children are in the order of `nodes`, but for the child with
    the largest family, which is last: so few items are open at once, whatever the shape of the forest.
    """
    children: dict[int, list[int]] = {}
    for node in nodes:
        if cures[node] >= 0:
            children.setdefault(cures[node], []).append(node)
    if not children:
        return list(nodes), [-1] * len(nodes), list(range(1, len(nodes) + 1))
    roots = [node for node in nodes if cures[node] < 0]
    above = list(roots)
    for node in above:
        above += children.get(node, ())
    size = dict.fromkeys(above, 1)
    for node in reversed(above):
        if cures[node] >= 0:
            size[cures[node]] += size[node]
    order: list[int] = []
    parents: list[int] = []
    spans: list[int] = []
    waiting = [(node, -1) for node in reversed(roots)]
    while waiting:
        node, parent = waiting.pop()
        place = len(order)
        order.append(node)
        parents.append(parent)
        family = children.get(node)
        if family is None:
            spans.append(place + 1)
            continue
        largest = max(family, key=size.__getitem__)
        spans.append(place + size[node] - size[largest])
        waiting.append((largest, place))
        waiting += [(child, place) for child in reversed(family) if child != largest]
    return order, parents, spans


def without_circles(cures: Sequence[int]) -> list[int]:
    """Return the cures without those that close a circle. Two sentences may cure each other.

    >>> without_circles([1, 2, 0, 4, 3])
    [1, 2, -1, 4, 3]
    """
    open_, visited = list(cures), [-1] * len(cures)
    for start in range(len(open_)):
        last, node = -1, start
        while node >= 0 and visited[node] < 0:
            visited[node] = start
            last, node = node, open_[node]
        if node >= 0 and visited[node] == start and open_[node] != last:
            open_[last] = -1
    return open_


@dataclass(frozen=True, eq=False)
class Problem:
    """Choose sentences of high value that fit: the sum of (length + separator) is at most capacity + separator.

    The separator comes between sentences, never after the last one, which is why the capacity has one more.
    Sentences in `include` must be chosen, those in `exclude` must not. Values may have any sign.

    `cures` is empty, or says for each sentence which other one, earlier or later, cures what it lacks, or -1. If both
    are chosen, they are worth `bonus[i]` more, which is at least 0. Cures may not form a circle, except that two
    sentences may cure each other.
    """

    values: Values
    lengths: Lengths
    capacity: int
    separator: int = 0
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    document: "Document | None" = None
    cures: tuple[int, ...] = ()
    bonus: Values | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.asarray(self.values, dtype=np.float64))
        object.__setattr__(self, "lengths", np.asarray(self.lengths, dtype=np.int64))
        object.__setattr__(self, "capacity", int(self.capacity))  # one of NumPy's could overflow
        self._check()
        self._check_cures()
        self._check_capacity()

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
        if wrong := sorted(i for i in self.include | self.exclude if not 0 <= i < count):
            raise UsageError(f"there is no sentence {wrong[0]}: the document has {count}, counted from 0")
        if clashing := sorted(self.include & self.exclude):
            raise UsageError(f"sentence {clashing[0]} is both included and excluded")

    def _check_cures(self) -> None:
        count = len(self.values)
        bonus = np.zeros(count) if self.bonus is None else np.asarray(self.bonus, dtype=np.float64)
        object.__setattr__(self, "bonus", bonus)
        if bonus.shape != (count,) or (self.cures and len(self.cures) != count):
            raise UsageError(f"there are {count} values but {len(bonus)} bonuses and {len(self.cures)} cures")
        if not (np.isfinite(bonus) & (bonus >= 0)).all():
            raise UsageError("a bonus must be finite and not negative")
        if not self.cures:
            return
        for i, cure in enumerate(self.cures):
            if not -1 <= cure < count or cure == i:
                raise UsageError(f"sentence {i} is cured by {cure}, which is neither -1 nor another sentence")
        if (open_ := without_circles(self.cures)) != list(self.cures):
            cut = next(i for i, cure in enumerate(self.cures) if open_[i] != cure)
            raise UsageError(f"the cures of sentence {cut} lead back to it")

    def _check_capacity(self) -> None:
        if self.capacity < 0:
            raise UsageError("lengths, the separator and the budget must not be negative")
        if self.include and (needed := self.least) > self.capacity:
            raise UsageError(f"the included sentences need {needed}, but the budget is {self.capacity}")

    def with_capacity(self, capacity: int) -> "Problem":
        """Return the same problem with another capacity. What has been computed and does not depend on it is kept."""
        changed = object.__new__(Problem)
        vars(changed).update({name: value for name, value in vars(self).items() if name not in _OF_CAPACITY})
        vars(changed)["capacity"] = capacity
        changed._check_capacity()
        return changed

    def revised(self, **changes: object) -> "Problem":
        """Return the same problem with other fields, which are known to be valid: they are not checked again."""
        changed = object.__new__(Problem)
        vars(changed).update({name: getattr(self, name) for name in self.__match_args__} | changes)
        return changed

    def without(self, sentences: Iterable[int]) -> "Problem":
        """Return the same problem with more sentences excluded."""
        return replace(self, exclude=self.exclude.union(sentences))

    def length(self, chosen: tuple[int, ...]) -> int:
        """Return the length of the chosen sentences when joined."""
        if not chosen:
            return 0
        return sum(map(self.lengths.item, chosen)) + self.separator * (len(chosen) - 1)

    def worth(self, chosen: Iterable[int]) -> float:
        """Return the total value of the chosen sentences, with the bonuses of those that are cured."""
        inside, bonus = set(chosen), self._bonus
        cured = sum(bonus.item(i) for i in inside if self.cures and self.cures[i] in inside)
        return sum(map(self.values.item, inside)) + cured

    @property
    def _bonus(self) -> Values:
        return np.zeros(len(self.values)) if self.bonus is None else self.bonus

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
        """Which sentences have a positive value and are neither included nor excluded."""
        free = self.values > 0
        if self.include or self.exclude:
            free[list(self.include | self.exclude)] = False
        return free

    @cached_property
    def candidates(self) -> Indices:
        """The free sentences that fit alone, ascending."""
        return np.flatnonzero(self.free & (self.costs <= self.room))

    @cached_property
    def items(self) -> Items:
        """The sentences that may be worth choosing, whatever the capacity, and how they are tied by cures."""
        count, costs, pinned = len(self.values), self.costs.tolist(), self.include | self.exclude
        if not self.cures:
            scaled = to_whole_numbers(self.values).tolist()
            sentences = [i for i, value in enumerate(scaled) if value > 0 and i not in pinned]
            values, zeros = [int(scaled[i]) for i in sentences], [0] * len(sentences)
            places, spans = [-1] * len(zeros), list(range(1, len(zeros) + 1))
            return Items(sentences, values, [costs[i] for i in sentences], places, zeros, spans)
        scaled = list(map(int, to_whole_numbers(np.concatenate([self.values, self._bonus])).tolist()))
        values, bonus = scaled[:count], scaled[count:]
        parents = self._settle(values, bonus)
        most = values.copy()  # what each can add to any choice
        for i, parent in enumerate(parents):
            if parent >= 0:
                most[i] += bonus[i]
                most[parent] += bonus[i]
        useful = {i for i, value in enumerate(most) if value > 0 and i not in pinned}
        parents = [parent if parent in useful else -1 for parent in parents]
        sentences, places, spans = depth_first(sorted(useful), parents)
        return Items(
            sentences,
            [values[i] for i in sentences],
            [costs[i] for i in sentences],
            places,
            [bonus[i] if parents[i] >= 0 else 0 for i in sentences],
            spans,
        )

    def _settle(self, values: list[int], bonus: list[int]) -> list[int]:
        """Return the cures between free sentences, and add what included ones are worth to the values of others."""
        cures = list(self.cures)
        if self.include or self.exclude:
            for i, cure in enumerate(self.cures):
                if cure >= 0 and not self.include.isdisjoint((i, cure)):
                    values[i if cure in self.include else cure] += bonus[i]
                    cures[i] = -1
                elif not self.exclude.isdisjoint((i, cure)):
                    cures[i] = -1
        for i, cure in enumerate(cures):
            if cure >= 0 and not bonus[i]:
                cures[i] = -1
            elif cure > i and cures[cure] == i:  # they cure each other
                bonus[cure] += bonus[i]
                cures[i] = -1
        return cures

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


def by_value(problem: Problem, sentences: Iterable[int]) -> list[int]:
    """Sort sentences: included ones first, then by value, ties by position."""
    values = problem.values.tolist()
    return sorted(sentences, key=lambda i: (i not in problem.include, -values[i], i))


Selector = Callable[[Problem], Selection]


def solver(selector: Selector, problem: Problem) -> Callable[[int], Selection]:
    """Return a function that solves the problem for any capacity up to its own, by one table if the selector has one.

    >>> import numpy as np
    >>> from tersely.select.ranked import Greedy
    >>> solve = solver(Greedy(), Problem(np.array([0.9, 0.8]), np.array([60, 50]), capacity=100))
    >>> solve(100).chosen, solve(55).chosen
    ((0,), (1,))
    """
    table: Callable[[Problem], Callable[[int], Selection]] | None = getattr(selector, "table", None)
    if table is not None:
        return table(problem)
    return lambda capacity: selector(problem.with_capacity(capacity))
