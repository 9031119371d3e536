"""Samples of what `coverage` might choose, for values that are only nearly known."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Lengths, Problem, Values, product
from tersely.select.coverage import Coverage
from tersely.text.document import Document
from tersely.text.words import term_weights

_ONE = 2.0**20  # Stands for a weight of 1. Sums of whole numbers do not depend on the order, so ties stay ties.


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
        weights = np.rint(term_weights(document.terms, once=once) * _ONE)
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


class Perturbed:
    """The choices of `coverage` for each row of values, [K, n], in a problem of any capacity."""

    def __init__(self, coverage: Coverage, problem: Problem, terms: Repeated, sizes: Lengths, values: Values) -> None:
        self._coverage, self._terms, self._values, self._forest = coverage, terms, values, problem.forest
        self._costs, self._sizes = problem.costs.astype(np.float64), sizes.astype(np.float64)
        self._by_cost = bool((self._sizes == self._costs).all())
        self._has_terms: Values = np.ascontiguousarray(terms.has.T)  # [V, n]
        # [n, n]: whether the column is or needs the row
        self._above = problem.forest.matrix.T.astype(np.float64) if problem.has_needs else None

    def choose(self, problem: Problem, share: float, rows: Indices) -> tuple[NDArray[np.bool_], Lengths]:
        """Return the choices of some rows for a capacity that is this share of the text, [rows, n].

        Also return the room that each choice needs: it stays the same as long as there is that much. The included
        sentences are in neither.
        """
        terms, values, costs, power = self._terms, self._values[rows], self._costs, self._coverage.power
        forest, above = self._forest, self._above
        left = 1 - 1 / np.maximum(terms.often * self._coverage.keep * share, 1)
        fall = np.where(terms.has > 0, left, 1.0)  # [n, V]: what is left of each term once a sentence is taken
        weights = terms.weights
        for sentence in problem.include:
            weights = np.rint(weights * fall[sentence])
        # Rows that have chosen the same are in the same state, and what is new to them is computed once.
        now, state = weights[None], np.zeros(len(rows), dtype=np.intp)  # [states, V], [rows]
        scale = np.maximum(self._sizes, 1) ** power
        is_open = np.zeros(values.shape, dtype=bool)
        is_open[:, problem.candidates] = True
        outside = np.ones(values.shape)  # 1 for sentences that are not chosen
        room = np.full(len(rows), float(problem.room))
        worth, each = np.zeros(len(rows)), np.arange(len(rows))
        single, ones, one_cost = worth, each, worth
        while True:
            adds = values * ((product(now, self._has_terms) + terms.alone) / terms.totals)[state]
            cost: Values = costs
            if above is not None:  # of each bundle, [rows, n]
                adds, cost = product(adds * outside, above), product(outside * costs, above)
                scale = np.maximum(cost if self._by_cost else product(outside * self._sizes, above), 1) ** power
            is_open &= cost <= room[:, None]
            fits = is_open
            if above is not None and forest.steep:
                fits = is_open & forest.short(product(outside, above))
            if single is worth:
                value = adds * fits
                ones = value.argmax(axis=1)
                single, one_cost = value[each, ones], cost[ones] if above is None else cost[each, ones]
            gains = adds / scale * fits
            best = gains.argmax(axis=1)
            going = gains[each, best] > 0
            if not going.any():
                break
            worth = worth + adds[each, best] * going
            room -= (costs[best] if above is None else cost[each, best]) * going
            is_open[each, best] = False
            following, example, state = np.unique(state * len(costs) + best, return_index=True, return_inverse=True)
            now = now[following // len(costs)]
            if above is None:
                outside[each, best] -= going
                now = np.rint(now * fall[best[example]])
            else:
                taken = outside * forest.matrix[best] * going[:, None]
                outside -= taken
                said = product(taken[example], terms.has)  # how many sentences of the bundle have each term
                for times in range(1, int(said.max(initial=0.0)) + 1):
                    now = np.rint(now * np.where(said >= times, left, 1.0))
        chosen = outside == 0
        used = problem.room - room
        if (alone := single > worth).any():
            chosen[alone] = forest.matrix[ones[alone]]
            used[alone] = np.maximum(used, one_cost)[alone]
        return chosen, used.astype(np.int64)
