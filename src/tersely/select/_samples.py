"""Samples of what `coverage` might choose, for values that are only nearly known."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Problem, Values
from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.text.document import Document
from tersely.text.words import term_weights

_ONE = 2.0**20  # Stands for a weight of 1. Sums of whole numbers do not depend on the order, so ties stay ties.


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The choices of `coverage` for each row of values, [K, n]."""

    coverage: Coverage
    document: Document
    values: Values

    def choose(self, problem: Problem) -> NDArray[np.bool_]:
        """Return the choices for the problem's capacity, [K, n], with the included sentences."""
        if problem.has_needs:
            return self._by_bundles(problem)
        terms, weights, alone = self._terms
        share, _ = share_of(problem)
        left = 1 - 1 / np.maximum(terms.sum(axis=0) * self.coverage.keep * share, 1)
        open_ = np.zeros(self.values.shape, dtype=bool)
        open_[:, problem.candidates] = True
        chosen = np.zeros_like(open_)
        room = np.full(len(open_), problem.room)
        current = np.tile(weights, (len(open_), 1))  # [K, V]
        for sentence in problem.include:
            chosen[:, sentence] = True
            current = np.rint(current * np.where(terms[sentence] > 0, left, 1.0))
        totals = alone + np.einsum("nv,v->n", terms, weights)  # [n]
        density = self.values / np.maximum(sizes_of(problem, self.document), 1) ** self.coverage.power
        worth, single, first = np.zeros(len(open_)), np.zeros(len(open_)), True
        rows = np.arange(len(open_))
        while len(rows):
            # Not BLAS: its threads cost more than they save on matrices this small.
            weight = np.einsum("kv,nv->kn", current[rows], terms) + alone
            new = np.where(totals > 0, weight / np.where(totals > 0, totals, 1), 1.0)
            if first:
                value = np.where(open_, self.values * new, 0.0)
                ones, single, first = value.argmax(axis=1), value.max(axis=1), False
            gains = np.where(open_[rows], density[rows] * new, 0.0)  # [rows, n]
            best = gains.argmax(axis=1)
            going = gains[np.arange(len(rows)), best] > 0
            rows, best, new = rows[going], best[going], new[going]
            worth[rows] += self.values[rows, best] * new[np.arange(len(rows)), best]
            chosen[rows, best], open_[rows, best] = True, False
            room[rows] -= problem.costs[best]
            open_[rows] &= problem.costs <= room[rows, None]
            current[rows] = np.rint(current[rows] * np.where(terms[best] > 0, left, 1.0))
        alone_better = single > worth
        chosen[alone_better] = False
        chosen[alone_better, ones[alone_better]] = True
        chosen[:, list(problem.include)] = True
        return chosen

    def _by_bundles(self, problem: Problem) -> NDArray[np.bool_]:
        """Return the choices where sentences need others. Only candidates and what they need are looked at, [K, m]."""
        terms, weights, alone = self._terms
        share, _ = share_of(problem)
        left = 1 - 1 / np.maximum(terms.sum(axis=0) * self.coverage.keep * share, 1)
        current = np.tile(weights, (len(self.values), 1))  # [K, V]
        for sentence in problem.include:
            current = np.rint(current * np.where(terms[sentence] > 0, left, 1.0))
        forest = problem.forest
        numbers = forest.closed(problem.candidates.tolist())
        terms, values = terms[numbers], self.values[:, numbers]
        totals = alone[numbers] + np.einsum("nv,v->n", terms, weights)  # [m]
        needs = forest.matrix[numbers][:, numbers]  # [m, m]: whether the row is or needs the column
        below = needs.T.astype(np.float64)
        costs, sizes = problem.costs[numbers], sizes_of(problem, self.document)[numbers]
        by_cost = bool((sizes == costs).all())
        open_ = np.tile(np.isin(numbers, problem.candidates), (len(values), 1))
        outside = np.ones(values.shape)  # 1 for sentences that are not chosen
        room = np.full(len(values), problem.room)
        worth, single, ones = np.zeros(len(values)), np.zeros(len(values)), np.zeros(len(values), dtype=np.intp)
        rows, first = np.arange(len(values) if numbers else 0), True
        while len(rows):
            weight = np.einsum("kv,nv->kn", current[rows], terms) + alone[numbers]
            new = np.where(totals > 0, weight / np.where(totals > 0, totals, 1), 1.0)
            # Of each bundle: what it adds, what it costs and its length, [rows, m]
            adds = np.einsum("ki,ij->kj", values[rows] * new * outside[rows], below)
            cost = np.einsum("ki,ij->kj", outside[rows] * costs, below)
            size = cost if by_cost else np.einsum("ki,ij->kj", outside[rows] * sizes, below)
            open_[rows] &= cost <= room[rows, None]
            fits = open_[rows]
            if forest.steep:
                fits &= forest.short(np.einsum("ki,ij->kj", outside[rows], below))
            if first:
                value = np.where(fits, adds, 0.0)
                ones, single, first = value.argmax(axis=1), value.max(axis=1), False
            gains = np.where(fits, adds / np.maximum(size, 1) ** self.coverage.power, 0.0)
            best = gains.argmax(axis=1)
            going = np.flatnonzero(gains[np.arange(len(rows)), best] > 0)
            rows, best = rows[going], best[going]
            worth[rows] += adds[going, best]
            room[rows] -= cost[going, best].astype(np.int64)
            open_[rows, best] = False
            taken = outside[rows] * needs[best]  # [rows, m]
            outside[rows] -= taken
            said = np.einsum("kn,nv->kv", taken, terms)  # how many sentences of the bundle have each term
            for times in range(1, int(said.max(initial=0.0)) + 1):
                current[rows] = np.rint(current[rows] * np.where(said >= times, left, 1.0))
        alone_better = single > worth
        chosen = np.zeros(self.values.shape, dtype=bool)
        chosen[:, numbers] = np.where(alone_better[:, None], needs[ones], outside == 0) if numbers else False
        chosen[:, list(problem.include)] = True
        return chosen

    @cached_property
    def _terms(self) -> tuple[Values, Values, Values]:
        """The repeated terms in each sentence [n, V], their weights [V], and the weight of all others in each [n]."""
        rows = self.document.terms.sentences
        weights = term_weights(self.document.terms, once=self.coverage.once)
        weights = np.rint(weights * _ONE)
        has = np.zeros((len(rows), len(weights)))
        for i, row in enumerate(rows):
            has[i, row] = 1.0
        repeated = has.sum(axis=0) > 1
        return has[:, repeated], weights[repeated], np.einsum("nv,v->n", has[:, ~repeated], weights[~repeated])
