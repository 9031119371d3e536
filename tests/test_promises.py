"""What every summary promises, whatever the weights: on generated texts and on the examples."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import texts
from tersely import Document, Summarizer, Summary, UsageError, summarize
from tersely.read import read
from tersely.text.length import count_words, measure

DEFAULT = Summarizer.load()
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.txt"))
UNITS = ("chars", "words", "bytes", "sentences", "tokens")

_TOKEN = re.compile(r"\w{1,4}|[^\w\s]|(?<=\d)\s")
units = st.sampled_from(UNITS)
pins = st.sets(st.integers(0, 5), max_size=2)
coherences = st.sampled_from(["strict", "soft", "off"])
redundancies = st.sampled_from(["duplicates", "off"])


def count_tokens(text: str) -> int:
    """Count pieces of up to four letters, marks, and spaces after digits, as many tokenizers do."""
    return len(_TOKEN.findall(text))


def summary_of(text: str | Document, limit: int, unit: str, **options: Any) -> Summary:
    return DEFAULT.summarize(text, **{f"max_{unit}": limit}, tokenizer=count_tokens, **options)


def choice_of(summary: Summary) -> tuple[int, ...]:
    return tuple(sorted(sentence.index for sentence in summary.sentences))


def pinned(document: Document, include: set[int], exclude: set[int]) -> dict[str, Any]:
    """Return the options that include and exclude those of the sentences that there are, none of them twice."""
    count = len(document)
    return {"include": {i for i in include if i < count}, "exclude": {i for i in exclude - include if i < count}}


@given(texts, st.integers(1, 120), units, pins, pins, coherences, redundancies)
@example("rain天气\nriver naïve。a\nb 天气。很好。", 4, "words", set(), set(), "off", "duplicates")
def test_the_summary_for_exactly_the_length_used_is_the_same(
    text: str, limit: int, unit: str, include: set[int], exclude: set[int], coherence: str, redundancy: str
) -> None:
    document = Document.from_text(text)
    options = pinned(document, include, exclude) | {"coherence": coherence, "redundancy": redundancy}
    try:
        summary = summary_of(document, limit, unit, **options)
    except UsageError:
        if not options["include"]:
            raise
        return  # they need more
    actual = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit, count_tokens)  # type: ignore[arg-type]
    assert actual == summary.length <= limit
    if summary.length:
        exact = summary_of(document, summary.length, unit, **options)
        assert (exact.text, choice_of(exact)) == (summary.text, choice_of(summary))


@given(st.lists(texts, min_size=1, max_size=3), st.integers(1, 120), units, st.sampled_from([None, "rain?"]))
def test_so_it_is_with_headers_marks_and_questions(given_texts: list[str], limit: int, unit: str, query: Any) -> None:
    options: Any = {"header": "{id}: ", "omission": "…", "query": query, "tokenizer": count_tokens}
    summary = DEFAULT.summarize(given_texts, **{f"max_{unit}": limit}, **options)
    if summary.length:
        assert DEFAULT.summarize(given_texts, **{f"max_{unit}": summary.length}, **options).text == summary.text


def test_words_that_merge_where_sentences_are_joined_leave_room_for_more() -> None:
    merged = Document.from_sentences(["很好wind", "river天", "雨"], "zh")
    assert count_words("很好windriver天") == 4 < count_words("很好wind") + count_words("river天")
    exact = Summarizer.load(scorer="lead", select="knapsack")
    assert exact.summarize(merged, max_words=4, coherence="off").text == "很好windriver天"


def test_every_room_is_tried_where_headers_take_some() -> None:
    sources = [
        {"id": "a", "text": "Rain fell. Snow came down. The wind rose in the night."},
        {"id": "b", "text": "Hail."},
    ]
    options: Any = {"header": "{id}: ", "coherence": "off"}
    frontier = DEFAULT.frontier(sources, **options)
    layout, problem = frontier.fitting.layout, frontier.fitting.candidates.levels[0]
    selector = frontier.fitting.selector
    for budget in range(1, frontier.capacity):
        chosen = [selector(problem.with_capacity(room)).chosen for room in range(budget + 1)]
        fitting = [choice for choice in chosen if layout.length(choice) <= budget]
        assert choice_of(frontier.at(budget)) == fitting[-1]


@given(texts, units, pins, pins, coherences, redundancies)
def test_with_more_room_the_value_never_falls(
    text: str, unit: Any, include: set[int], exclude: set[int], coherence: Any, redundancy: Any
) -> None:
    document = Document.from_text(text)
    options = pinned(document, include, exclude) | {"coherence": coherence, "redundancy": redundancy}
    steps = DEFAULT.frontier(document, unit=unit, tokenizer=count_tokens, **options).steps()
    for before, after in pairwise(steps):
        assert before.budget < after.budget
        assert before.value <= after.value + 1e-12
    assert all(step.length <= step.budget for step in steps)


@given(texts, units, pins, pins, coherences, redundancies, st.sampled_from(["document", "rank"]))
def test_each_step_of_the_frontier_is_what_the_library_gives(
    text: str, unit: Any, include: set[int], exclude: set[int], coherence: Any, redundancy: Any, order: Any
) -> None:
    document = Document.from_text(text)
    options = pinned(document, include, exclude) | {"coherence": coherence, "redundancy": redundancy, "order": order}
    frontier = DEFAULT.frontier(document, unit=unit, tokenizer=count_tokens, **options)
    steps = frontier.steps()
    for budget in range(max(steps[0].budget, 1), frontier.capacity + 1, 5):
        step = [step for step in steps if step.budget <= budget][-1]
        alone = summary_of(document, budget, unit, **options)
        assert step.chosen == choice_of(alone)
        assert step.length <= alone.length  # of the whole text, white space may be left out
        assert frontier.at(budget) == alone


def some_budgets(file: Path, unit: str) -> Iterator[int]:
    total = DEFAULT.frontier(file.read_text(encoding="utf-8"), unit=unit, tokenizer=count_tokens).fitting.largest  # type: ignore[arg-type]
    return iter(range(1, total + 1, max(total // 40, 1)))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
@pytest.mark.parametrize(
    "options",
    [{}, {"coherence": "soft"}, {"coherence": "off"}, {"redundancy": "off"}, {"exclude": [0, 3]}, {"include": [4]}],
    ids=str,
)
def test_the_promises_hold_on_the_examples(file: Path, unit: str, options: dict[str, Any]) -> None:
    document = Document.from_text(file.read_text(encoding="utf-8"))
    steps = DEFAULT.frontier(document, unit=unit, tokenizer=count_tokens, **options).steps()  # type: ignore[arg-type]
    assert all(before.value <= after.value + 1e-12 for before, after in pairwise(steps))
    for budget in some_budgets(file, unit):
        if budget < steps[0].budget:
            continue
        summary = summary_of(document, budget, unit, **options)
        step = [step for step in steps if step.budget <= budget][-1]
        assert step.chosen == choice_of(summary)
        if summary.length:
            assert summary_of(document, summary.length, unit, **options).text == summary.text


@pytest.mark.parametrize("unit", ["chars", "bytes", "words"])
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_budget_of_exactly_the_best_sentence_takes_it(file: Path, unit: str) -> None:
    document = Document.from_text(file.read_text(encoding="utf-8"))
    best = DEFAULT.summarize(document, max_sentences=1)
    length = measure(best.text, unit)  # type: ignore[arg-type]
    exact, less = summary_of(document, length, unit), summary_of(document, length - 1, unit)
    steps = DEFAULT.frontier(document, unit=unit).steps()  # type: ignore[arg-type]
    value = {step.chosen: step.value for step in steps}
    assert value[choice_of(exact)] >= DEFAULT.frontier(document, unit="sentences").steps()[1].value
    assert choice_of(less) != choice_of(best)


def test_the_lead_of_an_example_is_taken_where_it_just_fits(english: str) -> None:
    lead = Document.from_text(english).texts[0]
    assert len(lead) == 169
    first = Summarizer.load(scorer="lead")
    assert first.summarize(english, max_chars=169).text == lead
    assert len(first.summarize(english, max_chars=168).text) <= 168


@given(texts, st.integers(1, 80), units, pins, coherences, redundancies, st.sampled_from([None, "rain", "天气？"]))
def test_the_reason_is_true(
    text: str, limit: int, unit: str, exclude: set[int], coherence: str, redundancy: str, query: str | None
) -> None:
    document = Document.from_text(text)
    options = pinned(document, set(), exclude) | {"coherence": coherence, "redundancy": redundancy, "query": query}
    summary = summary_of(document, limit, unit, **options)
    chosen, left = set(choice_of(summary)), set(range(len(document))) - options["exclude"] - set(choice_of(summary))
    layout = DEFAULT.frontier(document, unit=unit, tokenizer=count_tokens, **options).fitting.layout  # type: ignore[arg-type]
    fits = [i for i in left if layout.length(tuple(sorted({*chosen, i}))) <= limit]
    if summary.reason == "empty-input":
        assert not len(document)
    elif summary.reason == "whole-text-fits":
        assert chosen == set(range(len(document)))
    elif summary.reason == "nothing-fits":
        assert not chosen
        assert all(query is not None and summary.ranking[0].score >= 0 for _ in fits)
        assert query is not None or (summary.needed is None) == (not left)
    elif summary.reason == "nothing-answers":
        assert query is not None
        assert summary.confidence is not None
    else:
        assert chosen  # whenever a sentence fits, there is a summary
        assert summary.reason == ("no-gain" if fits else "selected")
    assert summary.needed is None or summary.needed > limit


@given(texts, st.integers(1, 80), coherences)
def test_every_sentence_that_is_left_out_has_a_true_reason(text: str, limit: int, coherence: str) -> None:
    document = Document.from_text(text)
    summary = summary_of(document, limit, "chars", coherence=coherence, exclude=range(min(1, len(document))))
    reading = read(document)
    for sentence in summary.ranking:
        assert (sentence.rejected == "") == sentence.selected
        assert (sentence.rejected == "excluded") == (sentence.index == 0)
        if sentence.rejected == "no-room":
            assert len(document.display_texts[sentence.index]) > limit
        if sentence.rejected == "noise":
            assert reading.noise[sentence.index] > 0.5
        if sentence.rejected == "needs":
            assert reading.needs[sentence.index] > 0
            assert coherence != "off"


NOISE = "Photo: Getty Images.\n\nRead more\n\nShare this page\n\nSubscribe"


@pytest.mark.parametrize("limit", range(9, len(NOISE), 7))
def test_a_text_of_nothing_but_noise_has_a_summary(limit: int) -> None:
    summary = summarize(NOISE, max_chars=limit)
    assert 0 < summary.length <= limit
    assert summarize(NOISE, max_chars=limit, exclude=[0]).length <= limit
    assert summarize(NOISE, max_chars=40, include=[1]).sentences


def test_a_nested_summary_of_noise_grows_too() -> None:
    frontier = DEFAULT.frontier(NOISE, nested=True)
    assert len({step.chosen for step in frontier.steps()}) > 2
    assert frontier.at(40).text


def test_one_sentence_is_taken_or_nothing_fits() -> None:
    text = "The harbor of Kelsby will close in spring."
    assert summarize(text, max_chars=len(text)).reason == "whole-text-fits"
    assert summarize(text, max_chars=len(text) - 1).needed == len(text)


@pytest.mark.parametrize("scorer", ["random", "lead", "lexrank", "editor"])
@pytest.mark.parametrize("coherence", ["strict", "soft", "off"])
def test_other_scorers_keep_the_promises_too(english: str, scorer: str, coherence: Any) -> None:
    exact = Summarizer.load(scorer=scorer, select="knapsack")  # others may do worse with more room
    steps = exact.frontier(english, coherence=coherence).steps()
    assert all(before.value <= after.value + 1e-12 for before, after in pairwise(steps))
    summarizer = Summarizer.load(scorer=scorer)
    for budget in (100, 169, 400, 1000):
        summary = summarizer.summarize(english, max_chars=budget, coherence=coherence)
        assert summary.sentences
        assert summarizer.summarize(english, max_chars=summary.length, coherence=coherence).text == summary.text


def test_a_copy_is_taken_where_nothing_else_fits() -> None:
    text = (
        "Anna Lopez opened a new bridge over wide old Danube today. Anna Lopez opened a new bridge over Danube today."
    )
    texts_at = [summarize(text, max_chars=limit).text for limit in (48, 49, 57, 58)]
    assert texts_at[0] == ""
    assert all(texts_at[1:])
    assert summarize(text, max_chars=100).text.count("Anna") == 1
