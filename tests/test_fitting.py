"""Layout and Fitting: how a choice is joined, measured and explained."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import texts
from tersely import Document, Summarizer
from tersely.fitting import Fitting
from tersely.layout import Layout
from tersely.options import Budget, Options, Order
from tersely.select import Problem, Selection
from tersely.text.length import TokenCounter
from tersely.text.sources import Collection, Source

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


def _thirds(text: str) -> int:
    return -(-len(text) // 3)


def _merging(text: str) -> int:
    """Count pieces of up to three letters, as a tokenizer that merges across the joint would."""
    return sum(-(-len(run) // 3) for run in text.split(" "))


@given(
    texts,
    st.sampled_from(["chars", "words", "tokens", "bytes", "sentences"]),
    st.sampled_from([None, "", "-", " and ", "\n", "雨"]),
    st.integers(1, 40),
    st.sets(st.integers(0, 3), max_size=2),
    st.sampled_from([_thirds, _merging]),
    st.sampled_from(["document", "rank"]),
)
@example("One-two. Three four.", "words", "-", 2, set(), _thirds, "document")
def test_the_reason_is_true_in_every_unit_with_any_separator(
    text: str, unit: str, separator: str | None, limit: int, exclude: set[int], tokens: TokenCounter, order: Order
) -> None:
    document = Document.from_text(text)
    options = Options(order=order, exclude=frozenset(i for i in exclude if i < len(document)), separator=separator)
    summarizer = Summarizer.load(scorer="lead", select="knapsack")
    summary = summarizer.fit(document, Budget(limit, unit), options, tokens)  # type: ignore[arg-type]
    layout = Layout(document, unit, options, tokens)  # type: ignore[arg-type]
    chosen = {sentence.index for sentence in summary.sentences}
    ranks = [sentence.index for sentence in summary.ranking]
    left = set(range(len(document))) - chosen - options.exclude

    def length(wanted: set[int]) -> int:
        return layout.length(tuple(sorted(wanted) if order == "document" else (i for i in ranks if i in wanted)))

    if summary.reason in ("whole-text-fits", "empty-input"):
        assert not left
        return
    fits = any(length({*chosen, i}) <= limit for i in left)
    assert summary.reason == ("no-gain" if fits else "selected" if chosen else "nothing-fits")
    shortest = min((length({i}) for i in left), default=None)
    assert summary.needed == (shortest if summary.reason == "nothing-fits" else None)


_SHORT = st.sampled_from(["-", "雨", "I-I", "ab. cd", "a", "雨b", "Rain fell.", "雨。", "…", "x_", "word-"])


@given(
    st.lists(st.lists(_SHORT, min_size=1, max_size=5), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["chars", "words", "tokens", "bytes", "sentences"]),
    st.sampled_from([None, "", "-", " and ", "\n", "雨"]),
    st.sampled_from(["", "[…]", " ", "[a long mark of omission]", "雨"]),
    st.sampled_from(["", "[{id}] ", "{title}", "{number}雨\n", "-"]),
    st.integers(1, 60),
    st.sets(st.integers(0, 5), max_size=2),
    st.sampled_from([_thirds, _merging]),
    st.sampled_from(["document", "rank"]),
    st.randoms(use_true_random=False),
)
def test_reasons_are_true_of_the_joined_text(
    groups: list[list[str]],
    several: bool,
    unit: str,
    separator: str | None,
    omission: str,
    header: str,
    limit: int,
    exclude: set[int],
    tokens: TokenCounter,
    order: Order,
    random: Any,
) -> None:
    parts = [Document.from_sentences(group, "en") for group in (groups if several else groups[:1])]
    document = parts[0]
    if several:
        sources = tuple(Source(f"s{i}", part.text, "T" * 5 * i) for i, part in enumerate(parts))
        document = Collection.gather(sources)
    options = Options(
        order=order,
        exclude=frozenset(i for i in exclude if i < len(document)),
        separator=separator,
        omission=omission,
        header=header if several else "",
    )
    layout = Layout(document, unit, options, tokens)  # type: ignore[arg-type]
    values = np.array([0.1 + random.random() for _ in range(len(document))])
    fitting = Fitting(layout, values, Summarizer.load(select="knapsack").selector, "", "")
    summary = fitting.summary(fitting.choice(limit), Budget(limit, unit), limit)  # type: ignore[arg-type]
    chosen = {sentence.index for sentence in summary.sentences}
    left = set(range(len(document))) - chosen - options.exclude
    if summary.reason in ("whole-text-fits", "empty-input"):
        assert not left
        return
    fits = {i for i in left if fitting.length({*chosen, i}) <= limit}
    assert summary.reason == ("no-gain" if fits else "selected" if chosen else "nothing-fits")
    shortest = min((fitting.length({i}) for i in left), default=None)
    assert summary.needed == (shortest if summary.reason == "nothing-fits" else None)
    for sentence in summary.ranking:
        if sentence.rejected == "outweighed":
            assert sentence.index not in fits
        if sentence.rejected == "no-gain":  # all values are above zero
            assert sentence.index in fits
        assert (sentence.rejected == "no-room") <= (fitting.length({sentence.index}) > limit)


def test_what_is_needed_counts_the_header() -> None:
    summary = Summarizer.load().summarize(
        [
            {"id": "harbor-report-of-march", "text": "Rain fell on Rome."},
            {"id": "b", "text": "The river rose by a meter."},
        ],
        header="[{id}] ",
        max_chars=10,
    )
    assert (summary.reason, summary.needed) == ("nothing-fits", len("[b] The river rose by a meter."))


def test_a_sentence_that_replaces_a_mark_of_omission_fits_without_room() -> None:
    document = Document.from_sentences(["The harbor closes.", "So.", "The work takes a year."], "en")
    layout = Layout(document, "chars", Options(omission="[something is left out]"))
    fitting = Fitting(layout, np.array([1.0, 1.0, 1.0]), Summarizer.load(select="knapsack").selector, "", "")
    choice = fitting.choice_of((0, 2))
    summary = fitting.summary(choice, Budget(choice.length, "chars"), choice.length)
    assert (summary.reason, [s.rejected for s in summary.ranking]) == ("no-gain", ["", "no-gain", ""])


COPIES = (
    "Anna Lopez opened a new bridge over wide old Danube today. {}Anna Lopez opened a new bridge over Danube today."
)


@pytest.mark.parametrize("query", [None, "Who opened the old bridge?"])
def test_a_near_copy_is_chosen_where_nothing_else_fits(query: str | None) -> None:
    text, summarizer = COPIES.format(""), Summarizer.load()
    better, copy = (summarizer.summarize(text, max_chars=limit, query=query) for limit in (58, 57))
    assert [[s.index for s in summary.sentences] for summary in (better, copy)] == [[0], [1]]
    assert [s.rejected for s in better.ranking if s.index == 1] == ["redundant"]
    steps = summarizer.frontier(text, query=query).steps()
    assert [step.chosen for step in steps if 49 <= step.budget <= 58] == [(1,), (0,)]


def test_a_question_is_answered_by_the_copy_that_fits() -> None:
    summary = Summarizer.load(scorer="lead").summarize(
        COPIES.format(""), max_chars=57, query="Who opened the old bridge?"
    )
    assert (summary.text, summary.needed) == ("Anna Lopez opened a new bridge over Danube today.", None)


def test_what_is_needed_is_enough_for_long_sentences_too() -> None:
    words = [" ".join(f"w{count}x{i}" for i in range(count)) for count in (51, 59, 60, 63, 65)]
    text = " ".join(f"The {each}." for each in words)
    summarizer = Summarizer.load()
    needed = summarizer.summarize(text, max_chars=10).needed
    assert needed == len(words[0]) + 5
    assert summarizer.summarize(text, max_chars=needed).length == needed


@given(
    texts,
    st.sampled_from(["rain", "the river?", "天气 U.S."]),
    st.integers(1, 60),
    st.sampled_from(["chars", "words", "bytes", "sentences"]),
    st.sampled_from(["strict", "soft", "off"]),
    st.sampled_from([None, "{id}: "]),
)
def test_nothing_fits_only_where_more_is_needed(
    text: str, query: str, limit: int, unit: str, coherence: str, header: str | None
) -> None:
    how: Any = {"query": query, "coherence": coherence, "header": header, f"max_{unit}": limit}
    source = text if header is None else [{"id": "a", "text": text}, {"id": "bcd", "text": text[::-1]}]
    summary = Summarizer.load(scorer="coverage", select="coverage").summarize(source, **how)
    if summary.reason == "nothing-fits":
        assert summary.text == ""
        assert summary.needed is None or summary.needed > summary.capacity


def test_a_languages_own_scorer_gets_its_vectors(tmp_path: Path) -> None:
    config = 'name = "mine"\nscorer = "lead"\n[languages]\nzh = "lexrank"\n'
    (tmp_path / "config.toml").write_text(config)
    mine, alone = Summarizer.load(tmp_path), Summarizer.load(scorer="lexrank")
    text = Document.from_text("雨下了一整天。河水上涨了。雨使河水上涨。城里的人睡了。")
    assert (mine.score(text) == alone.score(text)).all()
    assert mine.score(Document.from_text("Rain fell. It fell."))[0] == Summarizer.load(scorer="lead").score(text)[0]
    with_encoder = config.replace("\n[", '\nencoder = "tfidf:idf=pacsum"\n[')
    (tmp_path / "config.toml").write_text(with_encoder)
    assert Summarizer.load(tmp_path).fingerprint != mine.fingerprint


def test_few_rooms_are_tried_where_the_parts_have_more_tokens_than_the_whole() -> None:
    text = " ".join(
        f"The river rose by {i} meters near the town of Place{i * i}, and the bridge closed." for i in range(1200)
    )
    texts_counted: list[str] = []

    def count(text: str) -> int:
        texts_counted.append(text)
        return len(text) // 4 + 1

    summary = Summarizer.load().summarize(text, max_tokens=300, tokenizer=count)
    assert 280 <= summary.length <= 300
    # Each sentence is counted once, by itself, and few joined texts are.
    assert len([joined for joined in texts_counted if joined.count("river") > 1]) < 128
