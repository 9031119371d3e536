"""Samples of what `coverage` might choose, for values that are only nearly known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Floats, Indices, Lengths, Problem, Values, product
from tersely.select.coverage import Coverage, left_of_terms, whole_weights
from tersely.text.document import Document
from tersely.text.words import Numbered, among

MOST = 4  # A word that is said more often counts this many times.


class Repeated(NamedTuple):
    """The terms that several of some sentences have, and what the sentences weigh."""

    sentence: Indices  # that has a term, ascending, and
    term: Indices  # which it has
    often: Lengths  # [V]: how many sentences of the whole document have it
    weights: Values  # [V]
    alone: Values  # [n]: the weight of a sentence's other terms
    totals: Values  # [n]: the weight of all its terms; a sentence without terms weighs 1, and all of it alone

    @classmethod
    def of(cls, document: Document, sentences: Indices, once: float) -> "Repeated":
        """Return the terms that several of these sentences have."""
        terms, count = document.terms, len(sentences)
        term, sentence, weights = terms.flat, terms.sentence, whole_weights(terms, once)
        if count < terms.count:
            inside, sentence = among(sentence, sentences)
            term = term[inside]
        repeated = np.bincount(term, minlength=len(weights)) > 1
        inside, weight = repeated[term], weights[term]
        totals: Values = np.bincount(sentence, weight, minlength=count).astype(np.float64)
        alone: Values = np.bincount(sentence, np.where(inside, 0.0, weight), minlength=count).astype(np.float64)
        number = np.cumsum(repeated) - 1
        nothing = totals == 0
        totals[nothing] = alone[nothing] = 1.0
        return cls(sentence[inside], number[term[inside]], terms.often[repeated], weights[repeated], alone, totals)

    def matrix(self) -> Values:
        """Return 1 for each sentence and term that it has, else 0, [n, V]."""
        has = np.zeros((len(self.totals), len(self.weights)))
        has[self.sentence, self.term] = 1.0
        return has


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
        self.own = np.minimum(counts[:, ~several], MOST).sum(axis=1)  # [n]: how many words no other sentence says
        self.amounts = np.column_stack([lengths, problem.costs, np.ones(count)])  # [n, 3]: words, costs and sentences
        self.included, self.free = sorted(problem.include), problem.free
        self.matrix, self.has_needs = problem.forest.matrix, problem.has_needs  # [n, n]
        self._above = np.array(problem.forest.depth)  # how many sentences each needs
        self._levels = int(self._above.max(initial=0)) + 1
        matrix: Floats = self.matrix.astype(self.kind)
        bundles = product(matrix, self.words) if self.has_needs else self.words
        # All pairs of a word and a number of times that any bundle has, less one: how often it was said before.
        times = range(min(int(bundles.max(initial=0)), MOST))
        columns = [np.flatnonzero((bundles > before).any(axis=0)) for before in times]
        self.column = np.concatenate([np.zeros(0, np.intp), *columns])
        self.before = np.repeat(np.array(times, dtype=np.intp), list(map(len, columns)))

    def added(self, kept: NDArray[np.bool_]) -> tuple[Indices, NDArray[np.bool_], Floats]:
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

    def _says(self, parts: NDArray[np.bool_]) -> Floats:
        said = product(parts.astype(self.kind), self.words) if self.has_needs else self.words
        says: Floats = (said.take(self.column, axis=1) > self.before).T.astype(self.kind)
        return says

    def after_removals(self, inside: NDArray[np.bool_]) -> tuple[Indices, NDArray[np.bool_]]:
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


class Draw(NamedTuple):
    """Samples to draw: of each row of values, [K, n], for every room from `low` to `high`, a share of the text."""

    values: Values
    share: float
    low: int
    high: int


class Drawn(NamedTuple):
    """Choices, [c, n], each of one row of the draws, one after another, for every room from `low` to `high`.

    Ascending, by row and room. The included sentences are in none.
    """

    row: Indices
    low: Lengths
    high: Lengths
    chosen: NDArray[np.bool_]


# Choices that are being made: their rows, the least and the most room, what they cost and are worth, and their states,
# [6, c]. Those of one draw that have chosen the same are in the same state: what is new to them is computed once.
_Open = NDArray[np.int64]
_TOO_MUCH = 2**62  # what a bundle costs that may not be taken


class _States(NamedTuple):
    """What is left of the weights of terms, [s, V], which sentences are not chosen, [s, n], and of which draw it is."""

    weights: Values
    outside: Values
    draw: Indices


class _Bundles(NamedTuple):
    """The costs of bundles, and what their gains are divided by, [s, n]."""

    costs: Lengths
    scale: Values


class Perturbed:
    """The choices of `coverage` for many rows of values and many rooms."""

    def __init__(self, coverage: Coverage, problem: Problem, terms: Repeated, sizes: Lengths) -> None:
        self._coverage, self._terms, self._problem = coverage, terms, problem
        self._sizes = sizes.astype(np.float64)
        self._scale: Values = np.maximum(self._sizes, 1) ** coverage.power
        self._by_cost = bool((sizes == problem.costs).all())
        self._has = terms.matrix()
        self._has_terms: Values = np.ascontiguousarray(self._has.T)  # [V, n]
        # [n, n]: whether the column is or needs the row
        self._above = problem.forest.matrix.T.astype(np.float64) if problem.has_needs else None

    def choose(self, draws: Sequence[Draw]) -> Drawn:
        """Return what is chosen. A choice holds for less room, too, as long as what is taken next still fits."""
        values, count = np.concatenate([draw.values for draw in draws]), len(self._sizes)
        lefts = left_of_terms(self._terms.often, self._coverage.keep * np.array([[draw.share] for draw in draws]))
        states, open_ = self._start(lefts), _opened(draws)
        ended: list[tuple[_Open, NDArray[np.bool_]]] = []
        first: tuple[Values, _Bundles] | None = None
        while open_.size:
            row, _, high, cost, _, state = open_
            bundles, adds = self._bundles(states), self._adds(values[row], states, state)
            first = first or (adds, bundles)
            adds = adds * (bundles.costs[state] <= (high - cost)[:, None])
            best = (adds / bundles.scale[state]).argmax(axis=1)
            gain = adds[np.arange(len(best)), best]
            if not (going := gain > 0).all():
                ended.append((open_[:, ~going], states.outside[state[~going]] == 0))
                open_, best, gain = open_[:, going], best[going], gain[going]
            open_, taken = _after_taking(open_, bundles.costs[open_[5], best], gain, best + 1)
            following, open_[5] = _distinct(open_[5] * (count + 1) + taken, len(states.draw) * (count + 1))
            states = self._after(states, lefts, *np.divmod(following, count + 1))
        assert first is not None
        return self._or_single(ended, *first)

    def _start(self, lefts: Values) -> _States:
        weights = np.repeat(self._terms.weights[None], len(lefts), axis=0)
        for sentence in self._problem.include:
            weights = np.where(self._has[sentence] > 0, np.rint(weights * lefts), weights)
        return _States(weights, np.ones((len(lefts), len(self._sizes))), np.arange(len(lefts)))

    def _after(self, states: _States, lefts: Values, before: Indices, taken: Indices) -> _States:
        """Return the states after those `before`, once the bundles of sentences are taken, counted from 1."""
        weights, outside, draw = _States._make(column[before] for column in states)
        new = outside * self._problem.forest.matrix[taken - 1] * (taken > 0)[:, None]
        said = product(new, self._has)  # how many sentences of the bundle have each term
        for times in range(1, int(said.max(initial=0.0)) + 1):
            weights = np.where(said >= times, np.rint(weights * lefts[draw]), weights)
        return _States(weights, outside - new, draw)

    def _adds(self, values: Values, states: _States, state: Indices) -> Values:
        """Return what each bundle adds, [c, n]: whole numbers, so that ties stay ties."""
        fresh = (product(states.weights, self._has_terms) + self._terms.alone) / self._terms.totals * states.outside
        adds: Values = np.ceil(values * fresh[state])
        return adds if self._above is None else product(adds, self._above)

    def _bundles(self, states: _States) -> _Bundles:
        problem, above, outside = self._problem, self._above, states.outside
        may = problem.free & (outside > 0)
        if above is None:
            return _Bundles(np.where(may, problem.costs, _TOO_MUCH), np.broadcast_to(self._scale, may.shape))
        costs = product(outside * problem.costs, above)
        sizes = costs if self._by_cost else product(outside * self._sizes, above)
        if problem.forest.steep:
            may &= problem.forest.short(product(outside, above))
        scale: Values = np.maximum(sizes, 1) ** self._coverage.power
        return _Bundles(np.where(may, costs.astype(np.int64), _TOO_MUCH), scale)

    def _or_single(self, ended: list[tuple[_Open, NDArray[np.bool_]]], adds: Values, bundles: _Bundles) -> Drawn:
        """Return the choices, or single bundles that are worth more: given what these add, and their costs."""
        open_, chosen = np.concatenate([one for one, _ in ended], axis=1), np.concatenate([one for _, one in ended])
        costs, found = bundles.costs[0], list[tuple[_Open, NDArray[np.bool_]]]()
        most = adds.max(axis=1)  # of whatever cost
        few = open_[4] < most[open_[0]]
        found.append((open_[:3, ~few], chosen[~few]))
        open_, chosen = open_[:, few], chosen[few]
        while open_.size:
            row, low, high, _, many, _ = open_
            worth = adds[row] * (costs <= high[:, None])
            one = worth.argmax(axis=1)
            single = worth[np.arange(len(one)), one] > many
            least = np.where(single, np.maximum(low, costs[one]), low)
            sets = np.where(single[:, None], self._problem.forest.matrix[one], chosen)
            found.append((np.stack([row, least, high]), sets))
            less = least > low
            open_, chosen = open_[:, less], chosen[less]
            open_[2] = least[less] - 1
        row, low, high = np.concatenate([one for one, _ in found], axis=1)
        sets = np.concatenate([one for _, one in found])
        order = np.lexsort((low, row))
        return Drawn(row[order], low[order], high[order], sets[order])


def _opened(draws: Sequence[Draw]) -> _Open:
    """Return choices in which nothing is taken."""
    draw = np.repeat(np.arange(len(draws)), [len(draw.values) for draw in draws])
    limits = np.array([[draw.low for draw in draws], [draw.high for draw in draws]])
    return np.stack([np.arange(len(draw)), *limits[:, draw], 0 * draw, 0 * draw, draw])


def _after_taking(open_: _Open, costs: Lengths, gain: Values, taken: Indices) -> tuple[_Open, Indices]:
    """Return the choices after bundles are taken, and what is taken: nothing where there is too little room for it."""
    costs = open_[3] + costs
    less = open_[:, costs > open_[1]]  # takes something else
    less[2] = costs[costs > open_[1]] - 1
    open_[1] = np.maximum(open_[1], costs)
    open_[3] = costs
    open_[4] += gain.astype(np.int64)
    if not less.size:
        return open_, taken
    return np.concatenate([open_, less], axis=1), np.concatenate([taken, np.zeros(less.shape[1], taken.dtype)])


def _distinct(keys: Indices, beyond: int) -> tuple[Indices, Indices]:
    """Return the distinct keys, ascending, and the place of each key among them; all are below a number."""
    present = np.zeros(beyond, dtype=bool)
    present[keys] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[keys]
