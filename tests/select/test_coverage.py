from dataclasses import replace
from math import e

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import SENTENCES, feasible, problems
from tersely.select import Problem
from tersely.select.coverage import Coverage
from tersely.select.density import Density
from tersely.select.problem import whole
from tersely.text import Document
from tersely.text.weights import term_weights


def term_by_term(problem: Problem, selector: Coverage) -> tuple[int, ...]:
    """The definition, written out."""
    assert problem.document is not None
    weights = [int(w) for w in whole(term_weights(problem.document, selector.decay, selector.once))]
    rows = [set(row.tolist()) for row in problem.document.terms.sentences]
    values = whole(problem.values)
    covered: set[int] = set()

    def gain(i: int) -> float:
        total = sum(weights[t] for t in rows[i])
        new = sum(weights[t] for t in rows[i] - covered)
        return float(values[i] * (new / total if total else 1.0))

    chosen = set(problem.include)
    covered.update(*(rows[i] for i in chosen))
    single = max(problem.candidates.tolist(), key=gain, default=None)
    single_gain = gain(single) if single is not None else 0.0
    worth = 0.0
    while True:
        fitting = [
            i
            for i in problem.candidates.tolist()
            if i not in chosen and gain(i) > 0 and problem.length((*chosen, i)) <= problem.capacity
        ]
        if not fitting:
            break
        by_cost = problem.costs.min() < problem.costs.max()
        sizes = problem.costs if by_cost else [len(text) for text in problem.document.texts]
        best = max(fitting, key=lambda i: gain(i) / max(sizes[i], 1) ** selector.power)
        worth += gain(best)
        chosen.add(best)
        covered |= rows[best]
    if single is not None and single_gain > worth:
        chosen = {*problem.include, single}
    return tuple(sorted(chosen))


@given(problems(), st.sampled_from([0.0, 0.5, 1.0]))
def test_each_sentence_is_the_one_that_adds_most_for_its_length(problem: Problem, power: float) -> None:
    if problem.document is None:
        assert Coverage(power)(problem) == Density(power)(problem)
        return
    # Distinct values: products in another order of rounding must not decide between equals.
    problem = replace(problem, values=problem.values.clip(-1, 2) + np.arange(len(problem.values)) * 0.01)
    assert Coverage(power)(problem).chosen == term_by_term(problem, Coverage(power))


@given(st.lists(SENTENCES, min_size=1, max_size=8), st.integers(0, 60))
def test_the_choice_covers_its_share_of_the_best_possible(sentences: list[str], capacity: int) -> None:
    document = Document.from_sentences(sentences, "en")
    weights = term_weights(document, once=1.0)
    rows = document.terms.sentences
    values = np.array([weights[row].sum() for row in rows])
    problem = Problem(values, np.array([len(s) for s in sentences]), capacity, 1, document=document)

    def covered(chosen: tuple[int, ...]) -> float:
        return float(weights[list({t for i in chosen for t in rows[i].tolist()})].sum())

    best = max(map(covered, feasible(problem)))
    assert covered(Coverage(power=1.0, once=1.0)(problem).chosen) >= (1 - 1 / e) / 2 * best - 1e-9


def test_what_is_said_already_is_not_said_again() -> None:
    document = Document.from_sentences(["Rain fell on Paris.", "On Paris, rain fell!", "Snow fell."], "en")
    problem = Problem(np.array([3.0, 2.9, 1.0]), np.full(3, 10), 20, document=document)
    assert Coverage()(problem).chosen == (0, 2)
    assert Coverage()(problem.with_capacity(30)).chosen == (0, 2)
    included = replace(problem, include=frozenset({1}), capacity=30)
    assert Coverage()(included).chosen == (1, 2)


@pytest.mark.parametrize("once", [0.0, 0.1])
def test_sentences_without_terms_count_with_their_value(once: float) -> None:
    document = Document.from_sentences(["It is.", "And so?", "!!!"], "en")
    problem = Problem(np.array([1.0, 3.0, 2.0]), np.full(3, 5), 10, document=document)
    assert Coverage(once=once)(problem).chosen == (1, 2)
    assert Coverage(once=once)(problem.with_capacity(15)).chosen == (0, 1, 2)
