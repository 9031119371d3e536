from dataclasses import replace
from math import e

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import SENTENCES, feasible, fits, problems
from tersely.select import Problem
from tersely.select._problem import to_whole_numbers
from tersely.select.coverage import GreedyCoverage
from tersely.select.ranked import Density
from tersely.text import Document
from tersely.text.words import term_weights


def term_by_term(problem: Problem, selector: GreedyCoverage) -> tuple[int, ...]:
    """The definition, written out."""
    assert problem.document is not None
    weights = [int(w) for w in to_whole_numbers(term_weights(problem.document.terms, single=selector.single))]
    rows = [set(row.tolist()) for row in problem.document.terms.sentences]
    values = to_whole_numbers(problem.values)
    share = min(max(problem.capacity + problem.separator, 1) / max(problem.costs.sum(), 1), 1.0)
    share = max(2 ** (k / 4) for k in range(-400, 1) if 2 ** (k / 4) <= share)
    chosen = set(problem.include)

    def new(term: int) -> float:
        often = selector.keep * share * sum(term in row for row in rows)
        left = 1 - 1 / often if often > 1 else 0.0
        return float(weights[term] * left ** sum(term in rows[i] for i in chosen))

    def gain(i: int) -> float:
        total = sum(weights[t] for t in rows[i])
        return float(values[i] * (sum(map(new, rows[i])) / total if total else 1.0))

    def fitting() -> list[int]:
        free = np.flatnonzero(problem.free).tolist()
        return [i for i in free if i not in chosen and gain(i) > 0 and fits(problem, (*chosen, i))]

    single = max(fitting(), key=gain, default=-1)
    single_gain = gain(single) if single >= 0 else 0.0
    worth = 0.0
    while left := fitting():
        by_cost = problem.costs.min() < problem.costs.max()
        sizes = problem.costs if by_cost else np.array([len(text) for text in problem.document.texts])
        best = max(left, key=lambda i: gain(i) / max(sizes[i], 1) ** selector.power)
        worth += gain(best)
        chosen.add(best)
    if single_gain > worth:
        chosen = {*problem.include, single}
    return tuple(sorted(chosen))


@given(problems(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.5]))
def test_each_sentence_is_the_one_that_adds_most_for_its_length(problem: Problem, power: float, keep: float) -> None:
    if problem.document is None:
        assert GreedyCoverage(power)(problem) == Density(power)(problem)
        return
    # Distinct values, so that a different order of rounding cannot decide ties.
    problem = replace(problem, values=problem.values.clip(-1, 2) + np.sqrt(np.arange(len(problem.values))) * 0.01)
    selector = GreedyCoverage(power, keep=keep)
    assert selector(problem).chosen == term_by_term(problem, selector)


@given(st.lists(SENTENCES, min_size=1, max_size=8), st.integers(0, 60))
def test_the_choice_covers_the_guaranteed_share_of_the_best(sentences: list[str], capacity: int) -> None:
    document = Document.from_sentences(sentences, "en")
    weights = term_weights(document.terms, single=1.0)
    rows = document.terms.sentences
    values = np.array([weights[row].sum() for row in rows])
    problem = Problem(values, np.array([len(s) for s in sentences]), capacity, 1, document=document)

    def covered(chosen: tuple[int, ...]) -> float:
        return float(weights[list({t for i in chosen for t in rows[i].tolist()})].sum())

    best = max(map(covered, feasible(problem)))
    assert covered(GreedyCoverage(power=1.0, single=1.0, keep=0.0)(problem).chosen) >= (1 - 1 / e) / 2 * best - 1e-9


def test_content_already_said_is_not_repeated() -> None:
    document = Document.from_sentences(["Rain fell on Paris.", "On Paris, rain fell!", "Snow fell."], "en")
    problem = Problem(np.array([3.0, 2.9, 1.0]), np.full(3, 10), 20, document=document)
    strict = GreedyCoverage(keep=0.0)
    assert strict(problem).chosen == (0, 2)
    assert strict(problem.with_capacity(30)).chosen == (0, 2)
    included = replace(problem, include=frozenset({1}), capacity=30)
    assert strict(included).chosen == (1, 2)


def test_a_long_summary_may_repeat_what_the_text_repeats() -> None:
    often = [f"The storm hit the harbor of town{n} {'badly' * n}." for n in range(6)]
    document = Document.from_sentences([*often, "Snow fell."], "en")
    problem = Problem(np.array([3.0] * 6 + [0.1]), np.full(7, 10), 30, document=document)
    assert 6 in GreedyCoverage(single=0.0, keep=0.0)(problem).chosen
    assert 6 not in GreedyCoverage(single=0.0)(problem).chosen


@pytest.mark.parametrize("single", [0.0, 0.1])
def test_sentences_without_terms_count_by_value(single: float) -> None:
    document = Document.from_sentences(["It is.", "And so?", "!!!"], "en")
    problem = Problem(np.array([1.0, 3.0, 2.0]), np.full(3, 5), 10, document=document)
    assert GreedyCoverage(single=single)(problem).chosen == (1, 2)
    assert GreedyCoverage(single=single)(problem.with_capacity(15)).chosen == (0, 1, 2)


def test_coverage_fits_every_budget_of_a_text() -> None:
    rng = np.random.default_rng(7)
    words = "rain snow wind storm cloud frost river town bridge mayor".split()
    for _ in range(20):
        sentences = [" ".join(rng.choice(words, 5)) for _ in range(12)]
        problem = Problem(
            rng.random(12) + 0.1,
            rng.integers(3, 12, 12),
            capacity=60,
            separator=1,
            document=Document.from_sentences(sentences, "en"),
        )
        for capacity in range(61):
            assert problem.length(GreedyCoverage()(problem.with_capacity(capacity)).chosen) <= capacity


def test_coverage_takes_what_fits_exactly() -> None:
    document = Document.from_sentences(["Rain fell.", "Snow came."], "en")
    problem = Problem(np.ones(2), np.array([5, 5]), capacity=11, separator=1, document=document)
    assert GreedyCoverage()(problem).chosen == (0, 1)
    assert len(GreedyCoverage()(problem.with_capacity(10)).chosen) == 1
