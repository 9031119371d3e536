"""The coverage selector for many sets of values at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.select.problem import Problem, Values
from tersely.text import Document
from tersely.text.weights import term_weights

_ONE = 2.0**20  # A weight of 1. Whole numbers add up to the same in any order, so that equals stay equal.


@dataclass(frozen=True, eq=False)
class Perturbed:
    """What `coverage` chooses by each row of values, [K, n]."""

    coverage: Coverage
    document: Document
    values: Values

    def choose(self, problem: Problem) -> NDArray[np.bool_]:
        """Return the choices for a capacity, [K, n], the included sentences among them."""
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
            # Not by BLAS, whose threads cost more than they save on matrices as small as these.
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

    @cached_property
    def _terms(self) -> tuple[Values, Values, Values]:
        """Which sentence has which repeated term [n, V], their weights [V], and what the others weigh in each [n]."""
        rows = self.document.terms.sentences
        weights = term_weights(self.document, once=self.coverage.once)
        weights = np.rint(weights * _ONE)
        has = np.zeros((len(rows), len(weights)))
        for i, row in enumerate(rows):
            has[i, row] = 1.0
        repeated = has.sum(axis=0) > 1
        return has[:, repeated], weights[repeated], np.einsum("nv,v->n", has[:, ~repeated], weights[~repeated])
