"""A sentence with what it needs, or not at all; and noise only where nothing else is there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import Summarizer, Summary, summarize
from tersely.fitting import Fitting
from tersely.layout import Coherence, Layout, Options
from tersely.read import ALONE, LOST, read
from tersely.select import SELECTORS
from tersely.text.document import Document
from tersely.text.length import measure

DEFAULT = Summarizer.load()
EVERY_SELECTOR = {name: Summarizer.load(scorer="coverage", select=name) for name in SELECTORS.names()}

STORY = (
    "Photo: Getty Images. The mayor of Kelsby, Ruth Anders, resigned on Monday after nine years in office. "
    "She gave no reason. But the council had criticized her for months over the cost of the new quay. "
    "The town elects a new mayor in May."
)


def stands(summary: Summary) -> bool:
    """Tell whether every chosen sentence has what it needs, none is noise, and quotations are whole."""
    chosen = {s.index for s in summary.sentences}
    reading = read(Document.from_text(summary.source))
    return all(i in chosen for i in reading.continued if i - 1 in chosen) and all(
        not reading.noise[i] and (reading.needs[i] == ALONE or reading.needs[i] in chosen) for i in sorted(chosen)
    )


@given(texts, st.integers(1, 150), st.sampled_from(["chars", "words", "bytes", "sentences"]))
def test_a_budget_holds_with_every_coherence(text: str, limit: int, unit: str) -> None:
    for coherence in ("strict", "soft"):
        summary = DEFAULT.summarize(text, **{f"max_{unit}": limit}, coherence=coherence)  # type: ignore[call-overload]
        actual = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit)  # type: ignore[arg-type]
        assert actual == summary.length <= limit
        assert all(text[s.start : s.end] == s.text for s in summary.sentences)


@given(texts, st.integers(1, 150), st.sampled_from(sorted(EVERY_SELECTOR)))
def test_what_is_chosen_stands_unless_nothing_that_stands_fits(text: str, limit: int, select: str) -> None:
    summary = EVERY_SELECTOR[select].summarize(text, max_chars=limit, coherence="strict")
    if summary.reason == "whole-text-fits" or not summary.sentences or stands(summary):
        return
    # What does not stand is taken only where no sentence fits that does, or where two hardly fit.
    document = Document.from_text(text)
    reading = read(document)
    light = [reading.why[s.index] in ("connective", "demonstrative") for s in summary.sentences]
    if any(light) and (limit + 1) * len(document) < 2 * sum(len(one) + 1 for one in document.texts):
        return
    opening = {i - 1 for i in reading.continued}
    alone = [
        s
        for s in summary.ranking
        if reading.needs[s.index] == ALONE and not reading.noise[s.index] and s.index not in opening
    ]
    assert all(len(s.text) > limit or s.score <= 0 for s in alone)


ABSTRACT = (
    "Deep networks learn well from many labels. Labels of experts are rare and expensive, and most labels are wrong. "
    "To solve this problem, we propose a network that learns from rare and wrong labels of experts. It is fast."
)


def test_where_one_sentence_fits_it_may_sound_like_a_second_one() -> None:
    assert summarize(ABSTRACT, max_sentences=1).text.startswith("To solve this problem, we propose")
    assert summarize(ABSTRACT, max_sentences=2).text.startswith("Labels of experts")  # what it needs comes with it
    assert "propose" not in summarize(ABSTRACT.replace("this problem, we", "it, he would"), max_sentences=1).text


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=8),
    st.integers(40, 600),
    st.sampled_from(["chars", "bytes"]),
    st.sampled_from(sorted(EVERY_SELECTOR)),
)
def test_a_quotation_goes_in_whole_or_not_at_all(parts: list[int], limit: int, unit: str, select: str) -> None:
    sentences = ["The mayor of Kelsby resigned."]
    for number, count in enumerate(parts):
        said = [f"The quay in district {number} needs {part} more years of work." for part in range(count)]
        sentences.append(f'The engineer of district {number} said: "{" ".join(["It is so.", *said])}"')
    text = "\n\n".join(sentences)
    summary = EVERY_SELECTOR[select].summarize(text, coherence="strict", **{f"max_{unit}": limit})  # type: ignore[call-overload]
    chosen = {s.index for s in summary.sentences}
    assert all((i in chosen) == (i - 1 in chosen) for i in read(Document.from_text(text)).continued)
    assert summary.text.count('"') % 2 == 0


@given(texts, st.sampled_from(sorted(EVERY_SELECTOR)), st.sampled_from(["strict", "soft"]))
def test_the_frontier_gives_what_each_budget_gives(text: str, select: str, coherence: Coherence) -> None:
    summarizer = EVERY_SELECTOR[select]
    frontier = summarizer.frontier(text, coherence=coherence)
    for budget in range(1, frontier.capacity + 1, 7):
        assert frontier.at(budget) == summarizer.summarize(text, max_chars=budget, coherence=coherence)


@pytest.mark.parametrize(("first", "chosen"), [(9.0, (0, 1)), (0.5, (2, 3))])
def test_a_soft_need_has_its_price_only_where_it_is_not_met(first: float, chosen: tuple[int, ...]) -> None:
    document = Document.from_text(
        "The mayor of Kelsby resigned. She gave no reason. The town is in debt. A bank has failed."
    )
    assert read(document).needs == (ALONE, 0, ALONE, ALONE)
    values = np.array([first, 4.0, 3.0, 3.0])
    layout = Layout(document, "sentences", Options(coherence="soft"))
    fitting = Fitting(layout, values, SELECTORS.create("knapsack"), "test", "")
    assert fitting.choice(2).chosen == chosen


def test_captions_and_dangling_sentences_are_left_out_and_explained() -> None:
    summary = summarize(STORY, max_chars=125, coherence="strict")
    assert summary.text.startswith("The mayor of Kelsby")
    rejected = {s.text: s.rejected for s in summary.ranking}
    assert rejected["Photo: Getty Images."] == "noise"
    assert {s.index: s.needs for s in summary.ranking}[2] == 1
    assert not any(s.noise for s in summary.sentences)


def test_a_sentence_comes_with_what_it_needs() -> None:
    summary = summarize(STORY, max_chars=130, include=[2], coherence="strict")
    assert summary.sentences[0].index <= 2
    chosen = {s.index for s in summarize(STORY, max_chars=210, coherence="strict").sentences}
    assert 3 not in chosen or 2 in chosen


def test_noise_is_better_than_nothing() -> None:
    text = "Photo: Getty Images. The mayor of Kelsby, Ruth Anders, resigned on Monday after nine years in office."
    summary = summarize(text, max_chars=25, coherence="strict")
    assert (summary.text, summary.reason) == ("Photo: Getty Images.", "selected")


def test_needs_point_back_and_the_first_sentence_stands_alone() -> None:
    reading = read(Document.from_text("He resigned on Monday. She did, too. But nobody else did."))
    assert reading.needs[0] == ALONE
    assert all(need == LOST or need < i for i, need in enumerate(reading.needs))


@pytest.mark.parametrize("coherence", ["loose", "", 3])
def test_an_unknown_coherence_is_one_clear_line(coherence: object) -> None:
    with pytest.raises(ValueError, match="coherence must be strict or soft or off"):
        summarize(STORY, max_chars=50, coherence=coherence)  # type: ignore[call-overload]
