"""Samples of what `coverage` might choose, for values that are only nearly known."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Lengths, Problem, Values, product
from tersely.select.coverage import Coverage, left_of_terms, whole_weights
from tersely.text.document import Document


class Repeated(NamedTuple):
    """The terms that several of some sentences have, and what the sentences weigh."""

    has: Values  # [n, V]: 1 if the sentence has the term
    often: Lengths  # [V]: how many sentences of the whole document have it
    weights: Values  # [V]
    alone: Values  # [n]: the weight of a sentence's other terms
    totals: Values  # [n]: the weight of all its terms; a sentence without terms weighs 1, and all of it alone

    @classmethod
    def of(cls, document: Document, sentences: Indices, once: float) -> "Repeated":
        """Return the terms that several of these sentences have."""
        rows = document.terms.sentences
        weights = whole_weights(document.terms, once)
        often = np.bincount(np.concatenate(rows), minlength=len(weights))
        own = [rows[i] for i in sentences.tolist()]
        term, sentence = np.concatenate(own), np.repeat(np.arange(len(own)), list(map(len, own)))
        repeated = np.bincount(term, minlength=len(weights)) > 1
        totals = np.bincount(sentence, weights[term], minlength=len(own))
        alone = np.bincount(sentence, np.where(repeated[term], 0.0, weights[term]), minlength=len(own))
        number = np.cumsum(repeated) - 1
        has = np.zeros((len(own), np.count_nonzero(repeated)))
        inside = repeated[term]
        has[sentence[inside], number[term[inside]]] = 1.0
        nothing = totals == 0
        return cls(
            has, often[repeated], weights[repeated], np.where(nothing, 1.0, alone), np.where(nothing, 1.0, totals)
        )


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


class _Open(NamedTuple):
    """Choices that are being made: of which rows, for which rooms, what they cost and are worth, and their states.

    Those of one draw that have chosen the same are in the same state, and what is new to them is computed once.
    """

    row: Indices
    low: Lengths
    high: Lengths
    cost: Lengths
    worth: Values
    state: Indices

    def at(self, places: NDArray[np.bool_]) -> "_Open":
        return _Open._make(column[places] for column in self)


class _States(NamedTuple):
    """What is left of the weights of terms, [s, V], which sentences are not chosen, [s, n], and of which draw it is."""

    weights: Values
    outside: Values
    draw: Indices


class _Bundles(NamedTuple):
    """The costs of bundles, what their gains are divided by, and which of them may be added, [s, n]."""

    costs: Lengths
    scale: Values
    may: NDArray[np.bool_]


class Perturbed:
    """The choices of `coverage` for many rows of values and many rooms."""

    def __init__(self, coverage: Coverage, problem: Problem, terms: Repeated, sizes: Lengths) -> None:
        self._coverage, self._terms, self._problem = coverage, terms, problem
        self._sizes = sizes.astype(np.float64)
        self._by_cost = bool((sizes == problem.costs).all())
        self._has_terms: Values = np.ascontiguousarray(terms.has.T)  # [V, n]
        # [n, n]: whether the column is or needs the row
        self._above = problem.forest.matrix.T.astype(np.float64) if problem.has_needs else None

    def choose(self, draws: Sequence[Draw]) -> Drawn:
        """Return what is chosen. A choice holds for less room, too, as long as what is taken next still fits."""
        values = np.concatenate([draw.values for draw in draws])
        sizes = [len(draw.values) for draw in draws]
        lefts = np.array([left_of_terms(self._terms.often, self._coverage.keep * draw.share) for draw in draws])
        states = self._start(lefts)
        low, high = (np.repeat(np.array([draw[i] for draw in draws]), sizes) for i in (2, 3))
        open_ = _Open(np.arange(len(values)), low, high, 0 * low, 0.0 * low, np.repeat(states.draw, sizes))
        ended: list[tuple[_Open, NDArray[np.bool_]]] = []
        first: tuple[Values, _Bundles] | None = None
        while len(open_.row):
            bundles, adds = self._bundles(states), self._adds(values[open_.row], states, open_.state)
            first = first or (adds, bundles)
            fits = bundles.costs[open_.state] <= (open_.high - open_.cost)[:, None]
            adds = adds * (fits & bundles.may[open_.state])
            best = (adds / bundles.scale[open_.state]).argmax(axis=1)
            gain = adds[np.arange(len(best)), best]
            going = gain > 0
            ended.append((open_.at(~going), states.outside[open_.state[~going]] == 0))
            open_, best = open_.at(going), best[going]
            cost = open_.cost + bundles.costs[open_.state, best]
            more = open_._replace(low=np.maximum(open_.low, cost), cost=cost, worth=open_.worth + gain[going])
            less = open_.at(cost > open_.low)._replace(high=cost[cost > open_.low] - 1)  # takes something else
            taken = np.concatenate([1 + best, np.zeros(len(less.row), dtype=np.intp)])
            open_ = _Open._make(map(np.concatenate, zip(more, less, strict=True)))
            following, state = np.unique(open_.state * (values.shape[1] + 1) + taken, return_inverse=True)
            open_ = open_._replace(state=state)
            states = self._after(states, lefts, *np.divmod(following, values.shape[1] + 1))
        assert first is not None
        return self._or_single(ended, *first)

    def _start(self, lefts: Values) -> _States:
        weights = np.repeat(self._terms.weights[None], len(lefts), axis=0)
        for sentence in self._problem.include:
            weights = np.where(self._terms.has[sentence] > 0, np.rint(weights * lefts), weights)
        return _States(weights, np.ones((len(lefts), len(self._sizes))), np.arange(len(lefts)))

    def _after(self, states: _States, lefts: Values, before: Indices, taken: Indices) -> _States:
        """Return the states after those `before`, once the bundles of sentences are taken, counted from 1."""
        weights, outside, draw = _States._make(column[before] for column in states)
        new = outside * self._problem.forest.matrix[taken - 1] * (taken > 0)[:, None]
        said = product(new, self._terms.has)  # how many sentences of the bundle have each term
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
            costs, sizes = np.broadcast_to(problem.costs, may.shape), np.broadcast_to(self._sizes, may.shape)
            return _Bundles(costs, np.maximum(sizes, 1) ** self._coverage.power, may)
        cost = product(outside * problem.costs, above)
        size = cost if self._by_cost else product(outside * self._sizes, above)
        if problem.forest.steep:
            may &= problem.forest.short(product(outside, above))
        return _Bundles(cost.astype(np.int64), np.maximum(size, 1) ** self._coverage.power, may)

    def _or_single(self, ended: list[tuple[_Open, NDArray[np.bool_]]], adds: Values, bundles: _Bundles) -> Drawn:
        """Return the choices, or single bundles that are worth more: given what these add, and their costs."""
        open_ = _Open._make(map(np.concatenate, zip(*(one for one, _ in ended), strict=True)))
        chosen = np.concatenate([one for _, one in ended])
        costs, found = bundles.costs[0], list[tuple[NDArray[np.generic], ...]]()
        while len(open_.row):
            worth = adds[open_.row] * (bundles.may[0] & (costs <= open_.high[:, None]))
            one = worth.argmax(axis=1)
            single = worth[np.arange(len(one)), one] > open_.worth
            low = np.where(single, np.maximum(open_.low, costs[one]), open_.low)
            sets = np.where(single[:, None], self._problem.forest.matrix[one], chosen)
            found.append((open_.row, low, open_.high, sets))
            less = low > open_.low
            open_, chosen = open_.at(less)._replace(high=low[less] - 1), chosen[less]
        row, low, high, sets = map(np.concatenate, zip(*found, strict=True))
        order = np.lexsort((low, row))
        return Drawn(row[order], low[order], high[order], sets[order])
