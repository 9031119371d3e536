"""Answers to questions: what never answers, how sure it is, and what fills the room."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely import Summarizer, summarize
from tersely.encode.light import pieces
from tersely.evaluate.queries import area
from tersely.score.question import Answering
from tersely.text.document import Document

REPORT = """# Robots in the Leeds warehouse: final report

## Summary

We ran a pilot of mobile robots for six months. Picking became 31 percent faster, and injuries fell by half.

## What we did

Twelve robots were leased from Fetchwell. Two technicians were trained on site in January.

## Costs

The lease came to 184,000 pounds, and training added another 12,500 pounds. Power consumption was negligible.

## Risks

If Fetchwell goes out of business, spare parts will be hard to find.
"""
MINUTES = (
    "Ms. Lund opened the meeting at nine. The harbor will close on 1 October for dredging. Fishing boats move to the "
    "north pier in that time. Ms. Reyes will inform the ferry lines by Friday. The WHO asked for a report on water "
    "quality. The US consulate wants a copy. Who takes the minutes next time is open. They told us so."
)
HEADINGS = ("Robots in the Leeds warehouse", "Summary", "What we did", "Costs", "Risks")


@pytest.mark.parametrize("query", ["What does it cost?", "Costs", "What are the risks?", "Who is the king of France?"])
@pytest.mark.parametrize("limit", [20, 60, 150, 400])
def test_headings_never_answer(query: str, limit: int) -> None:
    summary = summarize(REPORT, query=query, max_chars=limit)
    assert [s.text for s in summary.sentences if s.text.strip("# ").startswith(HEADINGS)] == []


def test_what_is_under_a_heading_answers() -> None:
    summary = summarize(REPORT, query="What does it cost?", max_chars=90)
    assert "184,000 pounds" in summary.text
    assert summary.reason != "nothing-answers"


def test_nothing_answers_a_question_about_something_else() -> None:
    for text in (REPORT, MINUTES, [MINUTES, REPORT]):
        summary = summarize(text, query="Who is the president of France?", max_chars=200)
        assert summary.reason == "nothing-answers"
        assert "nothing in the text answers the question" in summary.explain()
        assert summary.confidence is not None
        assert summary.confidence < 0.2
    found = summarize(MINUTES, query="When does the harbor close?", max_chars=200)
    assert found.reason != "nothing-answers"
    assert found.confidence is not None
    assert found.confidence > 0.6


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("What does the US want?", "The US consulate wants a copy."),
        ("What did the WHO want?", "The WHO asked for a report on water quality."),
        ("What does the U.S. want?", "The US consulate wants a copy."),
    ],
)
def test_names_in_capitals_are_words(query: str, answer: str) -> None:
    assert answer in summarize(MINUTES, query=query, max_chars=60).text


def test_a_question_in_another_language_finds_its_answer() -> None:
    text = "The hospital was opened in May. The train was late again. The garden is closed on Sundays."
    assert "train" in summarize(text, query="火车晚点了吗？", max_chars=35).text
    assert "garden" in summarize(text, query="Le jardin est-il fermé le dimanche ?", max_chars=35).text


def test_meaning_finds_other_words_for_the_same_thing() -> None:
    text = "The physician was late. The train was on time. The garden is open on Sundays."
    assert summarize(text, query="When did the doctor come?", max_chars=30).text == "The physician was late."


def test_a_question_without_words_is_answered_by_nothing() -> None:
    summary = summarize(MINUTES, query="???", max_chars=100)
    assert (summary.text, summary.reason) == ("", "nothing-answers")


def test_others_fill_the_room_only_on_request() -> None:
    text = f"{MINUTES} {'Nothing else was said. ' * 3}The cook left early. The lamp was repaired."
    plain = summarize(text, query="When does the harbor close?", max_chars=300)
    filled = summarize(text, query="When does the harbor close?", max_chars=300, fill=True)
    assert plain.length < filled.length
    assert {s.index for s in plain.sentences} <= {s.index for s in filled.sentences}
    assert (plain.confidence, plain.reason == "nothing-answers") == (filled.confidence, False)


SENTENCES = st.sampled_from(
    [*MINUTES.split(". "), "# Costs", "Fig. 1: A pier", "今天下雨。", "港口关闭。", "x", "\n\n"]
)
TEXTS = st.lists(SENTENCES, max_size=12).map(". ".join)
QUERIES = st.sampled_from(["When does the harbor close?", "WHO", "costs", "港口", "???", "Who is the king of France?"])


@settings(max_examples=40, deadline=None)
@given(st.one_of(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), QUERIES, st.integers(1, 400), st.booleans())
def test_an_answer_fits_and_is_always_the_same(text: Any, query: str, limit: int, fill: bool) -> None:
    first, second = (summarize(text, query=query, max_chars=limit, fill=fill) for _ in range(2))
    assert first == second
    assert len(first.text) <= limit
    assert first.confidence is not None
    assert 0 <= first.confidence <= 1
    data = json.loads(first.to_json())
    assert (data["confidence"], data["answered"]) == (first.confidence, first.reason != "nothing-answers")


@settings(max_examples=20, deadline=None)
@given(TEXTS, QUERIES, st.booleans())
def test_all_budgets_have_the_same_confidence(text: str, query: str, fill: bool) -> None:
    frontier = Summarizer.load().frontier(text, query=query, fill=fill)
    summary = summarize(text, query=query, max_chars=80, fill=fill)
    assert frontier.to_dict()["confidence"] == summary.confidence


def test_every_value_is_finite_and_what_cannot_answer_has_none() -> None:
    document = Document.from_text(REPORT)
    answer = Answering().answer(document, "What does it cost?", fill=True)
    assert np.isfinite(answer.values).all()
    assert [kind for kind, value in zip(document.kinds, answer.values, strict=True) if not value] == ["heading"] * 5


def test_pieces_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = MINUTES.split(". ")
    whole = pieces().nearness("When does the harbor close?", [*texts, "", "?!"])
    monkeypatch.setattr("tersely.encode.light._AT_ONCE", 7)
    assert (pieces().nearness("When does the harbor close?", [*texts, "", "?!"]) == whole).all()
    assert whole[-2:].max() == 0
    assert whole.max() == pytest.approx(1.0)


def test_the_area_under_the_curve_is_the_share_of_pairs() -> None:
    assert area([1.0, 0.8], [0.2, 0.1]) == 1.0
    assert area([0.5], [0.5]) == 0.5
    assert area([0.1, 0.2], [0.3]) == 0.0
