"""What `--explain` says of each sentence, and whether it is true."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely import Summarizer, Summary
from tersely.options import Budget
from tersely.summary import ScoredSentence, explained, highlighted

DEFAULT = Summarizer.load()
NAMES = ("main", "support", "background", "quotation", "procedure", "noise")


def entry(index: int, score: float, selected: bool = False, **what: Any) -> ScoredSentence:
    text = what.pop("text", f"This is the sentence with number {index}.")
    return ScoredSentence(index, 0, len(text), text, score, selected, **what)


def made(*ranking: ScoredSentence) -> Summary:
    chosen = tuple(sorted((s for s in ranking if s.selected), key=lambda s: s.index))
    best = tuple(sorted(ranking, key=lambda s: -s.score))
    return Summary("", chosen, best, "en", Budget(90, "chars"), 90, 60, "selected", None, "test", "", "")


def lines(summary: Summary) -> dict[int, str]:
    """Return the lines about sentences, by their numbers."""
    return {int(line.split()[0]): line for line in explained(summary).splitlines() if line[:1] == " "}


def test_chosen_sentences_come_first_with_role_worth_and_need() -> None:
    summary = made(
        entry(0, 0.1, True, role="background"),
        entry(1, 0.3, True, role="support", needs=0, cause="pronoun"),
        entry(2, 0.2, True, role="main", needs=4, cause="definite"),
        entry(3, 0.25, True, role="procedure", cause="scope"),
        entry(4, 0.15, role="support", rejected="outweighed"),
    )
    said = explained(summary).splitlines()
    assert [line[:3] for line in said] == ["In ", "  0", "  1", "  2", "  3", "Lef", "  4"]
    assert said[1].split()[:3] == ["0", "background", "10%"]
    assert said[1].endswith("serves 1")
    assert said[2].endswith("needs 0: pronoun")
    assert "main point" in said[3]
    assert said[3].endswith("needs 4: definite noun, left out")
    assert said[4].endswith("hard to understand: scope")
    assert said[6].endswith("others are worth more for the room")


@pytest.mark.parametrize(
    ("what", "note"),
    [
        ({"rejected": "noise", "noise": "caption", "role": "noise"}, "— caption"),
        ({"rejected": "noise", "noise": "caption", "role": "main"}, "— noise: caption"),
        ({"rejected": "noise", "noise": "other", "role": "noise"}, "— noise"),
        ({"rejected": "redundant"}, "— nearly repeats another sentence"),
        ({"rejected": "needs", "needs": 3, "cause": "pronoun"}, "— cannot be understood without 3 (pronoun)"),
        ({"rejected": "needs", "cause": "pronoun"}, "— cannot be understood alone (pronoun)"),
        ({"rejected": "no-room"}, "— longer than the whole budget"),
        ({"rejected": "no-gain"}, "— adds too little"),
        ({"rejected": "excluded"}, "— left out on request"),
    ],
)
def test_a_reason_is_said_in_words(what: dict[str, Any], note: str) -> None:
    assert lines(made(entry(0, 1.0, True), entry(1, 0.5, **what)))[1].endswith(note)


def test_the_best_of_the_others_are_listed_and_the_rest_is_counted_by_reason() -> None:
    others = [entry(i, 1 / i, rejected="no-gain" if i % 3 else "no-room") for i in range(1, 31)]
    said = explained(made(entry(0, 2.0, True), *others)).splitlines()
    assert [int(line.split()[0]) for line in said[3:-1]] == list(range(1, 11))
    assert said[-1] == "and 20 more: adds too little (13), longer than the whole budget (7)"


@given(texts, st.integers(1, 120), st.sampled_from(["strict", "off"]))
def test_every_chosen_sentence_has_a_line_that_fits_into_a_terminal(text: str, limit: int, coherence: Any) -> None:
    summary = DEFAULT.summarize(text, max_chars=limit, coherence=coherence)
    said = explained(summary)
    assert not any(sign in said for sign in "\r\t\v\f\x85\u2028")
    assert {s.index for s in summary.sentences} <= lines(summary).keys()
    assert all(len(line) <= 100 for line in said.split("\n"))


def test_a_chinese_character_takes_two_columns() -> None:
    [_, line] = explained(made(entry(0, 1.0, True, text="古城核心区" * 30))).splitlines()
    assert 96 <= len(line) + sum(sign in "古城核心区" for sign in line) <= 100
    assert line.endswith("…")


@given(texts, st.integers(1, 150), st.sampled_from(["duplicates", "trigrams", "off"]))
def test_reasons_are_true(text: str, limit: int, redundancy: Any) -> None:
    summary = DEFAULT.summarize(text, max_chars=limit, redundancy=redundancy)
    chosen = {s.index for s in summary.sentences}
    for sentence in summary.ranking:
        reason = sentence.rejected
        assert (reason == "") == sentence.selected
        assert (reason == "no-room") <= (len(sentence.text) > limit)
        assert (reason == "needs") <= (bool(sentence.cause) and sentence.needs not in chosen)
        assert (reason == "noise") <= bool(sentence.noise)
        assert (reason == "redundant") <= (redundancy != "off")
        if reason == "outweighed":
            assert len(sentence.text) <= limit
            assert summary.length + 1 + len(sentence.text) > limit


def test_a_sentence_that_shares_three_words_with_a_chosen_one_repeats_it() -> None:
    text = "The old bridge over the river is closed. The old bridge is green. Rain fell in the north."
    summary = Summarizer.load(scorer="lead").summarize(text, max_chars=70, redundancy="trigrams")
    assert {s.index: s.rejected for s in summary.ranking} == {0: "", 1: "redundant", 2: ""}


def test_a_header_counts_where_a_sentence_is_said_to_be_too_long() -> None:
    sources = [{"id": "north", "text": "Rain fell."}, {"id": "south", "text": "The sun was shining."}]
    summary = DEFAULT.summarize(sources, max_chars=25, header="From {id}:\n")
    assert {s.index: s.rejected for s in summary.ranking}[1] == "no-room"


def test_without_a_reading_there_are_no_roles() -> None:
    said = explained(DEFAULT.summarize("Rain fell. The river rose.", max_chars=10, coherence="off"))
    assert not any(name in said for name in NAMES)


@pytest.mark.soak
@pytest.mark.parametrize("show", [Summary.to_html, lambda summary: highlighted(summary, in_color=False), explained])
def test_what_is_shown_grows_with_the_number_of_sources(show: Callable[[Summary], str]) -> None:
    """Each source, and each sentence that another may need, was looked up among all chosen sentences."""

    def many(size: int) -> Summary:
        sources = [f"The river number {number} rose by {number} feet." for number in range(size)]
        return Summarizer.load(scorer="lead").summarize(sources, ratio=1.0)

    assert_linear(show, many, 2000)
