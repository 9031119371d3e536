"""Nested summaries: they only grow, they fit, and they end in the whole text."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import Document, Summarizer, summarize
from tersely.errors import UsageError
from tersely.fitting import Fitting
from tersely.frontier import Frontier, Step
from tersely.select import Trigrams
from tersely.select._problem import depth_first

DEFAULT = Summarizer.load()
LEAD = Summarizer.load(scorer="lead", select="knapsack")
UNITS = ["chars", "words", "tokens", "sentences", "bytes"]


def count_tokens(text: str) -> int:
    """Count one token per three bytes, rounded up; a joined text may have more tokens than its parts."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def check(frontier: Frontier, include: tuple[int, ...] = ()) -> list[Step]:
    steps = frontier.steps()
    for before, step in pairwise(steps):
        assert set(before.chosen) < set(step.chosen)
        assert before.budget < step.budget
        assert before.value <= step.value + 1e-9
    for step in steps:
        assert step.length <= step.budget <= frontier.capacity
        assert set(include) <= set(step.chosen)
    return steps


def check_summaries(frontier: Frontier, steps: list[Step]) -> None:
    for budget in range(max(1, steps[0].budget), frontier.capacity + 1, max(1, frontier.capacity // 20)):
        summary = frontier.at(budget)
        at = [step for step in steps if step.budget <= budget][-1]
        assert tuple(sorted(s.index for s in summary.sentences)) == at.chosen
        assert summary.length <= budget


@given(
    texts,
    st.sampled_from(UNITS),
    st.sampled_from(["strict", "soft", "off"]),
    st.sampled_from(["duplicates", "trigrams"]),
    st.booleans(),
)
def test_nested_summaries_only_grow_and_end_in_the_whole_text(
    text: str, unit: Any, coherence: Any, redundancy: Any, pinned: bool
) -> None:
    document = Document.from_text(text)
    include = (0,) if pinned and len(document) else ()
    how: Any = {"coherence": coherence, "redundancy": redundancy, "tokenizer": count_tokens}
    frontier = DEFAULT.frontier(document, unit=unit, include=include, nested=True, **how)
    steps = check(frontier, include)
    check_summaries(frontier, steps)
    assert steps[-1].chosen == tuple(range(len(document)))


@given(
    st.lists(texts, min_size=1, max_size=3), st.sampled_from(UNITS), st.sampled_from([None, "{number}. ", "# {id}\n"])
)
def test_nested_summaries_of_several_sources_only_grow(parts: list[str], unit: Any, header: str | None) -> None:
    how: Any = {"header": header, "omission": "[…]" if header else None, "tokenizer": count_tokens}
    frontier = DEFAULT.frontier(parts, unit=unit, nested=True, **how)
    steps = check(frontier)
    check_summaries(frontier, steps)
    assert len(steps[-1].chosen) == len(frontier.fitting.layout.document)


@given(texts, st.integers(1, 200), st.sampled_from(["strict", "off"]), st.data())
def test_nested_summaries_keep_a_limit_and_what_was_excluded(
    text: str, limit: int, coherence: Any, data: st.DataObject
) -> None:
    document = Document.from_text(text)
    exclude = data.draw(st.sets(st.integers(0, max(0, len(document) - 1)), max_size=2)) if len(document) else set()
    frontier = DEFAULT.frontier(document, limit=limit, exclude=exclude, coherence=coherence, nested=True)
    steps = check(frontier)
    check_summaries(frontier, steps)
    assert not any(exclude.intersection(step.chosen) for step in steps)


def test_a_long_sentence_does_not_end_what_can_grow() -> None:
    long = "A very long sentence about rain and the river and the town and all the people who live there goes on."
    text = f"Rain fell. {long} The river rose. The town slept."
    frontier = LEAD.frontier(text, limit=50, nested=True)
    assert frontier.steps()[-1].chosen == (0, 2, 3)


@pytest.mark.parametrize("nested", [False, True])
def test_an_empty_text_has_one_empty_step_whatever_is_to_be_included(nested: bool) -> None:
    frontier = DEFAULT.frontier("", include=[0], nested=nested)
    assert [step.chosen for step in frontier.steps()] == [()]
    assert frontier.at(1).reason == summarize("", max_chars=1, include=[0]).reason == "empty-input"


def test_all_sentences_may_be_included() -> None:
    frontier = DEFAULT.frontier("Rain fell. The river rose.", include=[0, 1], nested=True)
    assert [step.chosen for step in frontier.steps()] == [(0, 1)]
    assert frontier.at(26).text == "Rain fell. The river rose."
    with pytest.raises(UsageError, match="the included sentences need 26"):
        frontier.at(25)


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_text_grows_in_fewer_steps(unit: Any) -> None:
    words = "rain river town quay bridge ferry harbor council market road tower church school".split()
    text = " ".join(f"The {words[i % 13]} of {words[i % 11]} {i} has {words[i % 7]} {i * i}." for i in range(200))
    frontier = DEFAULT.frontier(text, unit=unit, tokenizer=count_tokens, nested=True)
    steps = check(frontier)
    assert len(steps[-1].chosen) == 200
    assert len(steps) < 150


@given(texts, st.integers(1, 40), st.sampled_from(UNITS))
def test_with_points_every_step_is_one_of_those_of_all_budgets(text: str, points: int, unit: Any) -> None:
    frontier = DEFAULT.frontier(text, unit=unit, tokenizer=count_tokens)
    every, some = frontier.steps(), frontier.steps(points)
    assert some[0].chosen == every[0].chosen
    assert some[-1].chosen == every[-1].chosen
    for step in some:
        assert step.chosen == [other for other in every if other.budget <= step.budget][-1].chosen


def test_the_data_say_what_sentences_are_and_need() -> None:
    text = "The mayor of Ghent resigned on Monday. But he gave no reason for it. The town elects another one in May."
    for coherence in ("strict", "off"):
        frontier = DEFAULT.frontier(text, coherence=coherence)
        ranking = {s.index: s for s in frontier.at(50).ranking}
        for sentence in frontier.to_dict()["sentences"]:
            same = ranking[sentence["index"]]
            assert (sentence["needs"], sentence["cause"], sentence["role"]) == (same.needs, same.cause, same.role)
            assert bool(same.role) is (coherence == "strict")


def test_few_budgets_of_a_long_text_need_no_table_for_all() -> None:
    text = " ".join(f"The river rose by {i} meters near the town of Place{i * i}." for i in range(300))
    frontier = DEFAULT.frontier(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fitting, "choices", None)
        steps = frontier.steps(10)
    every = {step.budget: step.chosen for step in frontier.steps()}
    assert len(steps) > 5
    assert all(every[step.budget] == step.chosen for step in steps)


def test_what_all_budgets_of_a_long_text_share_is_computed_once() -> None:
    text = " ".join(f"The river rose by {i} meters near Place{i * i}. But it fell there." for i in range(150))
    frontier, items = DEFAULT.frontier(text), Counter[str]()
    with pytest.MonkeyPatch.context() as patch:
        counted = lambda *given: items.update(["sorted"]) or depth_first(*given)  # noqa: E731
        patch.setattr("tersely.select._problem.depth_first", counted)
        assert len(frontier.steps(10)) > 5
    assert items["sorted"] <= len(frontier.fitting.candidates.levels)


def test_a_nested_summary_reads_the_trigrams_of_a_sentence_once() -> None:
    text = " ".join(f"The river rose by {i} meters near the town of Place{i * i}." for i in range(150))
    text += " ".join(f"Mayor{i} spoke{i * i} of{i} bridges{i + 7}." for i in range(150))
    unlike: Any = {"redundancy": "trigrams", "coherence": "off"}
    frontier, read = DEFAULT.frontier(text, **unlike, nested=True), Counter[int]()
    missing = Trigrams.__missing__
    free = frontier._free(20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trigrams, "__missing__", lambda self, i: read.update([i]) or missing(self, i))
        assert sum(map(len, frontier._bundles(free, frontier.capacity))) > 50
    assert set(read.values()) == {1}


@pytest.mark.parametrize("nested", [False, True])
def test_a_tokenizer_may_count_a_token_where_there_is_no_text(nested: bool) -> None:
    text = "Rain fell on the town. The river rose by two meters."
    frontier = DEFAULT.frontier(text, unit="tokens", tokenizer=lambda text: len(text) // 4 + 1, nested=nested)
    first = frontier.steps()[0]
    assert (first.budget, first.length) == (0, 0)
