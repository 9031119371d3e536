"""An account of what is left out: complete, in place, and within the budget."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import prose
from tersely import Source, Summarizer, UsageError, summarize, verify
from tersely.layout import Layout, _GrowingGap
from tersely.options import UNITS, Options, Unit
from tersely.text.document import Document
from tersely.text.length import measure

TEXT = (
    "# Overview\n\nThe tool copies files to the server. It was written in May.\n\n"
    "# Known pitfalls\n\nFiles over one gigabyte are cut. Links are not followed.\n\n"
    "# Costs\n\nThe server costs nothing."
)
MARK = re.compile(r"\[([\d,]+)-([\d,]+): (?:([^\[\]]*), )?([\d,]+) sentences?\]")


def gaps(text: str) -> list[tuple[int, int, str | None, int]]:
    number = [tuple(int(value.replace(",", "")) for value in match.group(1, 2, 4)) for match in MARK.finditer(text)]
    topics = [match[3] for match in MARK.finditer(text)]
    return [(start, end, topic, count) for (start, end, count), topic in zip(number, topics, strict=True)]


def test_each_gap_has_its_place_its_heading_and_its_size() -> None:
    summary = summarize(TEXT, max_chars=200, omission="account", include=[2, 7], exclude=[0, 1, 3, 4, 5, 6])
    head, middle = gaps(summary.text)
    assert [gap[2:] for gap in (head, middle)] == [("Overview", 2), ("Known pitfalls", 4)]
    assert TEXT[head[0] : head[1]] == "# Overview\n\nThe tool copies files to the server."
    assert TEXT[middle[0] : middle[1]].startswith("# Known pitfalls\n")
    assert TEXT[middle[0] : middle[1]].endswith("# Costs")
    assert summary.length == len(summary.text) <= 200


def test_a_gap_without_a_heading_has_its_best_words() -> None:
    text = "The river rose. Boats and more boats came. Rain fell on the boats. The river fell."
    summary = summarize(text, max_sentences=2, omission="account", include=[0, 3])
    assert summary.text == "The river rose. [16-66: boats, rain, fell, 2 sentences] The river fell."


def test_each_source_has_its_own_account() -> None:
    sources = [Source("a", "One fish swims. Two fish swim."), Source("b", "Red fish swims. Blue fish sinks.")]
    text = summarize(sources, max_sentences=2, include=[1, 2], omission="account", header="{id}: ").text
    assert text == (
        "a: [0-15: one, swims, fish, 1 sentence] Two fish swim.\n\n"
        "b: Red fish swims. [16-32: blue, sinks, fish, 1 sentence]"
    )


def test_an_account_needs_the_order_of_the_text() -> None:
    with pytest.raises(UsageError, match="needs the order of the text"):
        summarize(TEXT, max_chars=100, omission="account", order="rank")


def test_a_long_heading_is_cut_and_its_marks_are_left_out() -> None:
    text = f"# [A] {'very ' * 20}long heading\n\nRain fell all day in town.\n\nThe river rose."
    summary = summarize(text, max_sentences=1, include=[2], omission="account")
    [(_, _, topic, count)] = gaps(summary.text)
    assert topic is not None
    assert (topic[:6], topic[-1], len(topic) <= 40, count) == ("A very", "…", True, 2)


@given(prose, st.sampled_from(UNITS), st.integers(1, 150), st.booleans())
def test_accounts_are_complete_and_within_the_budget(text: str, unit: Unit, limit: int, several: bool) -> None:
    def tokens(text: str) -> int:
        return len(text.split())

    keywords: dict[str, Any] = {f"max_{unit}": limit, "omission": "account", "separator": "\n"}
    keywords |= {"tokenizer": tokens} if unit == "tokens" else {}
    texts = [text, text[::-1]] if several else text
    summary = Summarizer.load().summarize(texts, **keywords)
    length = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit, tokens)
    assert length == summary.length <= limit
    if summary.sentences:
        shown = {sentence.source for sentence in summary.sentences}
        total = sum(sentence.source in shown for sentence in summary.ranking)
        assert sum(gap[3] for gap in gaps(summary.text)) + len(summary.sentences) == total
    assert verify(summary.text, texts).ok


@given(prose, st.integers(1, 150))
def test_accounts_are_where_sentences_are_left_out(text: str, limit: int) -> None:
    summary = summarize(text, max_chars=limit, omission="account")
    spans = Document.from_text(text).sentences
    chosen = {sentence.index for sentence in summary.sentences}
    for start, end, _, count in gaps(summary.text):
        inside = [i for i, span in enumerate(spans) if start <= span.start and span.end <= end]
        assert len(inside) == count
        assert chosen.isdisjoint(inside)


def test_the_words_of_a_gap_are_the_same_however_it_grew() -> None:
    words = "harbor harbors closing closed river rivers 7 town Towns mayor flooded".split()
    text = " ".join(" ".join(words[(3 * i * i + 5 * k) % 11] for k in range(5)).capitalize() + "." for i in range(16))
    often = Layout(Document.from_text(text, "en"), "chars", Options(omission="account"))
    spans = [(first, end) for first in range(16) for end in range(first + 1, 17)]
    for first, end in sorted(spans, key=lambda span: (7 * span[0] + 5 * span[1]) % 17):
        once = Layout(often.document, "chars", often.options)
        assert often._account(first, end) == once._account(first, end)


def test_accounts_of_a_long_text_read_it_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    grow, sentences = _GrowingGap._grow, list[int]()

    def counted(gap: _GrowingGap, sentence: int) -> None:
        sentences.append(sentence)
        grow(gap, sentence)

    monkeypatch.setattr(_GrowingGap, "_grow", counted)
    text = " ".join(f"The {'harbor' if i % 3 else 'river'} has {i} boats and {i * i} gulls." for i in range(400))
    summarize(text, max_chars=300, omission="account")
    assert 0 < len(sentences) < 400 * 60
