"""What sentences need: a forest, in which a sentence is taken only together with all that it needs."""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", int, float)

# A bundle of more sentences than this is not rated until some of them are taken: on a long chain of needs, rating
# every bundle again after every step would take time quadratic in the length of the chain.
_LONGEST = 16


class Forest:
    """What is left to need once the included sentences are chosen.

    `parents[i]` is the sentence that sentence i needs, or -1. An included sentence needs nothing, and nothing needs it
    any more. `possible[i]` is whether neither the sentence nor anything on its chain of needs is excluded.

    The *bundle* of a sentence is the sentence and those on its chain of needs that are not chosen yet.
    """

    def __init__(self, needs: tuple[int, ...], include: Collection[int], exclude: Collection[int]) -> None:
        self.parents = list(needs)
        if include:  # a chain ends at what is included
            self.parents = [-1 if i in include or need in include else need for i, need in enumerate(needs)]
        self.possible: list[bool] = []
        self.depth: list[int] = []  # how many sentences are above, on the chain
        for i, parent in enumerate(self.parents):
            self.possible.append(i not in exclude and (parent < 0 or self.possible[parent]))
            self.depth.append(0 if parent < 0 else self.depth[parent] + 1)

    def sums(self, amounts: list[_Number]) -> list[_Number]:
        """Return the sum of the amounts of each sentence and all that it needs."""
        sums: list[_Number] = []
        for amount, parent in zip(amounts, self.parents, strict=True):
            sums.append(amount if parent < 0 else amount + sums[parent])
        return sums

    def bundle(self, sentence: int, chosen: Collection[int]) -> list[int]:
        """Return the sentence and what it needs that is not chosen, upward."""
        bundle = []
        while sentence >= 0 and sentence not in chosen:
            bundle.append(sentence)
            sentence = self.parents[sentence]
        return bundle

    def closed(self, sentences: Iterable[int]) -> list[int]:
        """Return the sentences and all that they need, ascending."""
        chosen: set[int] = set()
        for sentence in sentences:
            chosen.update(self.bundle(sentence, chosen))
        return sorted(chosen)

    @cached_property
    def children(self) -> list[list[int]]:
        """The sentences that need each sentence."""
        children: list[list[int]] = [[] for _ in self.parents]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(i)
        return children

    @cached_property
    def matrix(self) -> NDArray[np.bool_]:
        """Whether each sentence (row) is or needs each sentence (column), directly or not, [n, n]."""
        matrix = np.eye(len(self.parents), dtype=bool)
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                matrix[i] |= matrix[parent]
        return matrix

    def segments(self, amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the amount of each bundle of 1, 2, ... sentences, as far as there are and as bundles are rated."""
        parents, sums = np.array([*self.parents, -1]), np.zeros((len(amounts), _LONGEST), dtype=np.int64)
        amounts, at = np.append(amounts, 0), np.arange(len(amounts))
        for number in range(min(max(self.depth, default=0) + 1, _LONGEST)):
            sums[:, number:] += amounts[at, None]
            at = parents[at]
        return sums

    @cached_property
    def steep(self) -> bool:
        """Whether some bundles may be too long to be rated."""
        return max(self.depth, default=0) >= _LONGEST

    def rated(self, candidates: Iterable[int]) -> list[int]:
        """Return the candidates whose bundles are not too long if nothing is chosen yet."""
        return [i for i in candidates if self.depth[i] < _LONGEST]

    def short(self, lengths: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which bundles are not too long, given how many sentences they have."""
        return lengths <= _LONGEST

    def below(self, taken: list[int]) -> list[int]:
        """Return the sentences whose bundles have become shorter now that these are taken, and are not too long."""
        found = []
        level = [child for sentence in taken for child in self.children[sentence]]
        inside = set(taken)
        for _ in range(_LONGEST):
            level = [i for i in level if i not in inside]
            if not level:
                break
            found += level
            level = [child for sentence in level for child in self.children[sentence]]
        return found


def by_bundles(
    forest: Forest,
    candidates: list[int],
    costs: list[int],
    room: int,
    rate: Callable[[list[int]], float],
    take: Callable[[list[int]], None],
) -> list[int]:
    """Take, one by one, the bundle of a candidate that fits and is rated highest; ties prefer earlier candidates.

    `take` is called with each bundle before it is taken. Ratings never rise, except when part of a bundle is taken:
    then the bundle is rated anew. So the first in the heap is the best if it is still rated as when it was pushed
    (lazy greedy, Minoux 1978). A bundle that does not fit never will: what shortens it uses up as much room.
    """
    chosen: set[int] = set()
    open_ = set(candidates)

    def entry(candidate: int) -> tuple[float, int, int]:
        bundle = forest.bundle(candidate, chosen)
        return -rate(bundle), candidate, len(bundle)

    heap = [entry(i) for i in forest.rated(candidates)]
    heapify(heap)
    many: list[int] = []
    while heap:
        known, i, size = heappop(heap)
        bundle = forest.bundle(i, chosen)
        if len(bundle) < size:  # taken, or pushed again since
            continue
        cost = sum(map(costs.__getitem__, bundle))
        now = -rate(bundle)
        if cost > room or now == 0:
            continue
        if now > known:
            heappush(heap, (now, i, size))
            continue
        take(bundle)
        many += bundle
        chosen.update(bundle)
        room -= cost
        for below in forest.below(bundle):
            if below in open_:
                heappush(heap, entry(below))
    return many
