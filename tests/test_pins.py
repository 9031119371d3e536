"""Pins: patterns whose sentences must stay, within the budget or not at all."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import prose
from tersely import Summarizer, UsageError, candidates, summarize
from tersely.candidates import pinned
from tersely.options import PATTERNS, UNITS, Unit
from tersely.text.document import Document
from tersely.text.length import measure

TEXT = (
    "The council met on Monday to speak about the harbor. The new wall costs $4.2 million. Nobody spoke against it. "
    "Work begins on 3 March 2025. Ticket HB-118 has the plans. The deploy failed twice."
)
WORD_TOKENS: dict[str, Any] = {"tokenizer": lambda text: len(text.split())}


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("amounts", "It cost $5.|It rose by 3.5 %.|Some 3 million came.|共3亿元。|He paid 5,000 EUR.|It is CHF 300."),
        (
            "dates",
            "On 2024-03-01.|On 3 March.|In March 2024.|3月5日。|Back in 1999.|At 14:30.|Am 1.2.2024.|Am 3. Mai.",
        ),
        ("ids", "See AB-12.|Bug #123.|In 3f1a17f.|It is CVE-2024-1.|ID: 12345.|See doi:10.1000/1.|Flight LH400."),
        ("errors", "ValueError: x.|It failed.|ERROR 3.|出现错误。|A crash."),
    ],
)
def test_a_named_pattern_is_seen(name: str, sentences: str) -> None:
    texts = sentences.split("|")
    assert pinned(Document.from_sentences(texts), [name]) == set(range(len(texts)))


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("amounts", "There are 5 cats.|It was in 2024."),
        ("dates", "Odds of 4:5.|It may 3 times.|Some 1234 people."),
        ("ids", "The facade.|A decade.|Some 1234567 people.|A fine day."),
        ("errors", "The terror.|It is fine."),
    ],
)
def test_what_only_looks_like_a_named_pattern_is_not(name: str, sentences: str) -> None:
    assert pinned(Document.from_sentences(sentences.split("|")), [name]) == set()


def test_the_sentences_of_all_patterns_stay() -> None:
    summary = summarize(TEXT, max_chars=120, keep=["amounts", "dates", r"HB-\d+"])
    assert {1, 3, 4} <= {sentence.index for sentence in summary.sentences}
    assert summary.length <= 120
    assert summarize(TEXT, max_chars=60, keep="ids") == summarize(TEXT, max_chars=60, keep=["ids"])
    assert "failed" not in summarize(TEXT, max_chars=60, keep="errors", exclude=5).text


def test_a_pattern_matches_across_a_wrapped_line() -> None:
    assert pinned(
        Document.from_text("It rained for many days and nights in a row, and then the old\nharbor was closed. Rain."),
        ["old harbor"],
    ) == {0}


def test_pins_that_do_not_fit_say_what_they_need() -> None:
    with pytest.raises(UsageError, match=r"^the pins need 61 of 40 chars: give more room, or fewer patterns to keep$"):
        summarize(TEXT, max_chars=40, keep=["amounts", "ids"])
    assert summarize(TEXT, max_chars=61, keep=["amounts", "ids"]).length == 61


@pytest.mark.parametrize("wrong", ["(", "[a", "", 3, [None], "a**"])
def test_what_is_no_pattern_is_one_clear_line(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"^keep\b[^\n]+regular expression[^\n]+$"):
        summarize(TEXT, max_chars=40, keep=wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa){30}b", r"(a?){40}a{40}b", r"(?=(a+))(a+)*b"])
def test_a_pattern_that_would_take_forever_is_ended(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "_SECONDS", 0.2)
    with pytest.raises(UsageError, match=r"takes more than 0\.2 seconds: simplify it"):
        summarize("a" * 60 + "!", max_chars=100, keep=pattern)


@pytest.mark.parametrize("pattern", ["[[a]", "[a||b]", "[[:alpha:]]", "[a&&b]", "[a~~b]"])
def test_a_pattern_whose_meaning_may_change_one_day_prints_no_warning(pattern: str) -> None:
    # Warnings are errors in all tests, and a pattern that was compiled before would not warn.
    re.purge()
    assert summarize("A [fish]. Two b's.", max_chars=18, keep=pattern).text
    re.purge()
    assert isinstance(pinned(Document.from_text("A [fish]. Two b's."), [pattern]), frozenset)


def test_a_pattern_may_look_around_and_back() -> None:
    for pattern in (r"(H|B)+-\d+", r"(?<=Ticket )HB", r"(\w)\1ket|T.*-.*8"):
        assert pinned(Document.from_text(TEXT), [pattern]) == {4}


@given(
    prose,
    st.sampled_from(UNITS),
    st.integers(1, 60),
    st.lists(st.sampled_from([*PATTERNS, "rain", r"天\S*"]), max_size=3),
)
def test_pins_are_kept_within_the_budget_or_the_error_says_what_would_do(
    text: str, unit: Unit, limit: int, keep: list[str]
) -> None:
    summarizer, document = Summarizer.load(scorer="lead"), Document.from_text(text)
    keywords: dict[str, Any] = {"keep": keep} | (WORD_TOKENS if unit == "tokens" else {})
    pins = pinned(document, keep)
    try:
        summary = summarizer.summarize(document, **keywords | {f"max_{unit}": limit})
    except UsageError as error:
        needed = int(str(error).split()[3])
        assert needed > limit
        summary = summarizer.summarize(document, **keywords | {f"max_{unit}": needed})
        limit = needed
    assert pins <= {sentence.index for sentence in summary.sentences}
    if unit == "sentences":
        assert len(summary.sentences) <= limit
    else:
        assert measure(summary.text, unit, WORD_TOKENS["tokenizer"]) == summary.length <= limit
