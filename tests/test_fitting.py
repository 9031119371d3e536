"""Layout and Fitting: how a choice is joined, measured and explained."""

import pytest

from tersely import Document, Summarizer
from tersely.layout import Layout, Options
from tersely.select import Problem, Selection

# The second sentence repeats the first, and the third is long: there may be room that nothing is worth filling.
REPEATED = "Rain fell. Rain fell. The river rose by more than two meters in a single night."


@pytest.mark.parametrize(("capacity", "reason"), [(20, "selected"), (21, "no-gain")])
def test_no_gain_begins_where_another_sentence_and_its_separator_just_fit(capacity: int, reason: str) -> None:
    summary = Summarizer.load(scorer="coverage", select="knapsack").summarize(REPEATED, max_chars=capacity)
    assert (summary.text, summary.reason) == ("Rain fell.", reason)


@pytest.mark.parametrize(("separator", "length"), [("", 0), (" ", 1), (" | ", 3)])
def test_selectors_know_how_long_the_separator_is(separator: str, length: int) -> None:
    asked: list[Problem] = []

    def nothing(problem: Problem) -> Selection:
        asked.append(problem)
        return problem.selection(())

    summarizer = Summarizer("asking", Summarizer.load().scorer, nothing)
    summarizer.summarize("One fish. Two fish. Red fish.", max_chars=20, separator=separator)
    assert {problem.separator for problem in asked} == {length}


def test_the_fingerprint_changes_with_every_part() -> None:
    parts = [
        {"scorer": "coverage"},
        {"scorer": "coverage:bias=0.5"},
        {"scorer": "coverage", "select": "knapsack"},
        {"scorer": "coverage", "select": "density:power=0.5"},
        {"scorer": "textrank", "encoder": "tfidf", "select": "knapsack"},
        {"scorer": "textrank", "encoder": "tfidf:idf=pacsum", "select": "knapsack"},
    ]
    assert len({Summarizer.load(**part).fingerprint for part in parts}) == len(parts)


@pytest.mark.parametrize(("language", "joined"), [("en", "One. Two."), ("zh", "One.Two.")])
def test_a_layout_joins_and_measures_with_the_languages_separator(language: str, joined: str) -> None:
    document = Document.from_sentences(["One.", "Two."], language)  # type: ignore[arg-type]
    layout = Layout(document, "chars")
    assert layout.join([0, 1]) == joined
    assert layout.length((0, 1)) == len(joined)
    assert Layout(document, "chars", Options(separator=" + ")).length((1, 0)) == len("Two. + One.")
