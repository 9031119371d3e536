"""Where a choice is decided by one character, one word or one sample."""

import numpy as np
import pytest

from problems import selectors
from tersely import Summarizer, summarize
from tersely.select import Problem, Selection, without_duplicates
from tersely.select.consensus import Consensus
from tersely.select.coverage import Coverage
from tersely.text import Document


def test_a_sentence_that_would_fit_exactly_is_no_gain() -> None:
    text = "Rain fell. Rain fell. Snow covered all the roads of the town."
    lengths = {budget: summarize(text, max_chars=budget) for budget in (20, 21)}
    assert {budget: (summary.text, summary.reason) for budget, summary in lengths.items()} == {
        20: ("Rain fell.", "selected"),
        21: ("Rain fell.", "no-gain"),
    }


@pytest.mark.parametrize(("separator", "length"), [("", 0), (" ", 1), (" | ", 3)])
def test_selectors_know_how_long_the_separator_is(separator: str, length: int) -> None:
    asked: list[Problem] = []

    def nothing(problem: Problem) -> Selection:
        asked.append(problem)
        return problem.selection(())

    summarizer = Summarizer("asking", Summarizer.load().scorer, nothing)
    summarizer.summarize("One fish. Two fish. Red fish.", max_chars=20, separator=separator)
    assert {problem.separator for problem in asked} == {length}


def uneven(seed: int, separator: int) -> Problem:
    """A few sentences of all lengths."""
    random = np.random.default_rng(seed)
    document = Document.from_sentences([f"word{n} common" for n in range(6)], "en")
    return Problem(random.uniform(1, 2, 6), random.integers(1, 10, 6), 99, separator, document=document)


@pytest.mark.parametrize("separator", [0, 1, 2])
def test_every_selector_keeps_every_budget(separator: int) -> None:
    for seed in range(10):
        problem = uneven(seed, separator)
        for selector in selectors():
            for capacity in range(problem.length(tuple(range(6))) + 2):
                chosen = selector(problem.with_capacity(capacity)).chosen
                assert problem.length(chosen) <= capacity


@pytest.mark.parametrize("separator", [0, 1, 2])
def test_every_selector_takes_what_fits_exactly(separator: int) -> None:
    for seed in range(10):
        problem = uneven(seed, separator)
        for selector in selectors():
            assert selector(problem.with_capacity(problem.length(tuple(range(6))))).chosen == tuple(range(6))


def problem_of(seed: int) -> Problem:
    """Sentences of equal length that have no word in common."""
    random = np.random.default_rng(seed)
    document = Document.from_sentences([f"word{n}a word{n}b word{n}c" for n in range(12)], "en")
    return Problem(random.uniform(1, 2, 12), np.full(12, 10), 40, document=document)


def test_a_single_sample_of_consensus_is_what_coverage_chooses() -> None:
    alone = Consensus(samples=1, starts=1, fill=0, each=0)
    for seed in range(20):
        problem = problem_of(seed)
        assert alone(problem).chosen == Coverage()(problem).chosen


def test_the_noise_of_consensus_is_the_same_every_time() -> None:
    # So few samples that another noise gives another choice.
    for seed in range(20):
        problem = problem_of(seed)
        assert Consensus(samples=3)(problem) == Consensus(samples=3)(problem)


def test_four_words_of_five_make_a_duplicate_and_three_of_four_do_not() -> None:
    def left_out(*sentences: str) -> set[int]:
        document = Document.from_sentences(sentences, "en")
        lengths = np.array([len(sentence) for sentence in sentences])
        return set(without_duplicates(Problem(np.ones(len(sentences)), lengths, 99, document=document)).exclude)

    assert left_out("rain snow wind storm", "rain snow wind storm frost") == {1}
    assert left_out("rain snow wind", "rain snow wind storm") == set()


def test_the_fingerprint_changes_with_the_selector() -> None:
    selectors = ("greedy", "top", "knapsack", "density", "density:power=0.5")
    fingerprints = {Summarizer.load(scorer="lead", select=select).fingerprint for select in selectors}
    assert len(fingerprints) == len(selectors)
