"""What a sentence needs has a price, and noise is taken only where nothing else is there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import Summarizer, summarize
from tersely.fitting import Fitting
from tersely.layout import Layout
from tersely.options import Budget, Coherence, Options
from tersely.read import Reading, shipped
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


@given(texts, st.integers(1, 150), st.sampled_from(["chars", "words", "bytes", "sentences"]))
def test_a_budget_holds_with_every_coherence(text: str, limit: int, unit: str) -> None:
    for coherence in ("strict", "soft"):
        summary = DEFAULT.summarize(text, **{f"max_{unit}": limit}, coherence=coherence)  # type: ignore[call-overload]
        actual = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit)  # type: ignore[arg-type]
        assert actual == summary.length <= limit
        assert all(text[s.start : s.end] == s.text for s in summary.sentences)


@given(texts, st.sampled_from(sorted(EVERY_SELECTOR)), st.sampled_from(["strict", "soft"]))
def test_the_frontier_gives_what_each_budget_gives(text: str, select: str, coherence: Coherence) -> None:
    summarizer = EVERY_SELECTOR[select]
    frontier = summarizer.frontier(text, coherence=coherence)
    for budget in range(1, frontier.capacity + 1, 7):
        assert frontier.at(budget) == summarizer.summarize(text, max_chars=budget, coherence=coherence)


def reading_of(document: Document, needs: dict[int, int], noise: frozenset[int] = frozenset()) -> Reading:
    """Return a reading in which some sentences surely need another one, and some are noise."""
    numbers = range(len(document))
    return Reading(
        worth=np.full(len(document), 1 / len(document)),
        roles=tuple("noise" if i in noise else "main" for i in numbers),
        noise=np.array([float(i in noise) for i in numbers]),
        needs=np.array([float(i in needs) for i in numbers]),
        cures=tuple(needs.get(i, -1) for i in numbers),
        certainty=np.ones(len(document)),
        causes=tuple("pronoun" if i in needs else "other" for i in numbers),
        kinds=tuple("caption" if i in noise else "other" for i in numbers),
    )


def fitting(
    coherence: Coherence, values: list[float], needs: dict[int, int], noise: frozenset[int] = frozenset(), **how: object
) -> Fitting:
    """Return the fitting of a few sentences with these values, to a budget of sentences."""
    words = "harbor river council bridge school market".split()
    document = Document.from_sentences([f"The {words[i]} is number {i}." for i in range(len(values))], "en")
    vars(document)["_readings"] = {shipped().fingerprint: reading_of(document, needs, noise)}
    layout = Layout(document, "sentences", Options(coherence=coherence, **how))  # type: ignore[arg-type]
    return Fitting(layout, np.array(values), SELECTORS.create("knapsack"), "test", "")


@pytest.mark.parametrize(("first", "chosen"), [(9.0, (0, 1)), (0.5, (2, 3))])
@pytest.mark.parametrize("coherence", ["soft", "strict"])
def test_a_need_has_its_price_only_where_it_is_not_met(
    coherence: Coherence, first: float, chosen: tuple[int, ...]
) -> None:
    assert fitting(coherence, [first, 4.0, 3.0, 3.0], {1: 0}).choice(2).chosen == chosen


@pytest.mark.parametrize(("coherence", "chosen"), [("strict", (0,)), ("soft", (0,)), ("off", (1,))])
def test_what_needs_another_sentence_is_worth_less_alone(coherence: Coherence, chosen: tuple[int, ...]) -> None:
    assert fitting(coherence, [3.0, 4.0, 1.0], {1: 2}).choice(1).chosen == chosen


def test_strict_leaves_room_free_rather_than_take_what_cannot_be_understood() -> None:
    strict, off = (fitting(name, [3.0, 3.0, 3.0], {1: 2}, frozenset([2])) for name in ("strict", "off"))  # type: ignore[arg-type]
    assert (strict.choice(2).chosen, off.choice(2).chosen) == ((0,), (0, 1))
    assert strict.candidates.rejections((0,), 2, {1, 2}.__contains__) == ["", "needs", "noise"]


def test_what_is_excluded_on_purpose_is_not_missed() -> None:
    pins = {"include": frozenset([3]), "exclude": frozenset([0])}
    assert fitting("strict", [9.0, 3.0, 3.0, 3.0], {1: 0, 2: 0}, **pins).choice(3).chosen == (1, 2, 3)


def test_a_need_is_no_reason_where_it_is_met() -> None:
    values, needs = [9.0, 4.0, 8.0], {1: 0}
    assert fitting("strict", values, needs).candidates.rejections((0, 2), 2, set[int]().__contains__) == [
        "",
        "outweighed",
        "",
    ]
    assert fitting("strict", [9.0, 0.5, 8.0], needs).candidates.rejections((0, 2), 2, set[int]().__contains__) == [
        "",
        "no-gain",
        "",
    ]


def test_what_cannot_be_understood_is_better_than_noise_and_noise_than_nothing() -> None:
    noise = frozenset([0, 1])
    assert fitting("strict", [9.0, 8.0, 3.0, 1.0], {2: 1, 3: 1}, noise).choice(1).chosen == (2,)
    assert fitting("strict", [9.0, 8.0, 3.0, 1.0], {}, noise, exclude=frozenset([2, 3])).choice(1).chosen == (0,)
    assert not noise & set(fitting("strict", [9.0, 8.0, 3.0, 2.9], {}, noise).choice(3).chosen)


def test_included_noise_is_in_and_may_be_what_another_sentence_needs() -> None:
    chosen = fitting("strict", [2.0, 4.0, 3.0], {1: 0}, frozenset([0]), include=frozenset([0])).choice(2).chosen
    assert chosen == (0, 1)


def test_what_an_included_sentence_needs_counts_even_if_it_is_worth_little() -> None:
    values, needs = [2.0, 0.1, 2.5], {1: 0}
    assert fitting("strict", values, needs, include=frozenset([1])).choice(2).chosen == (0, 1)
    assert fitting("off", values, needs, include=frozenset([1])).choice(2).chosen == (1, 2)


def test_scraps_do_not_fill_the_room() -> None:
    scraps = fitting("strict", [9.0, 0.1, 8.0, 0.1], {})
    assert scraps.choice(3).chosen == (0, 2)
    assert scraps.candidates.rejections((0, 2), 3, {1, 3}.__contains__) == ["", "no-gain", "", "no-gain"]
    assert fitting("off", [9.0, 0.1, 8.0, 0.1], {}).choice(3).chosen == (0, 1, 2)


@pytest.mark.parametrize("values", [[1.0] * 4, [-1.0, -2.0, 3.0, -1.0], [1e-9] * 4])
def test_values_of_any_kind_are_chosen_by(values: list[float]) -> None:
    for coherence in ("strict", "soft", "off"):
        choice = fitting(coherence, values, {}).choice(2)  # type: ignore[arg-type]
        assert choice.chosen == tuple(i for i, value in enumerate(values) if value > 0)[:2]


def test_sentences_that_are_all_worth_less_than_nothing_are_no_gain() -> None:
    fit = fitting("strict", [-1.0, -2.0, -3.0], {1: 0})
    summary = fit.summary(fit.choice(2), Budget(2, "sentences"), 2)
    assert (summary.text, summary.reason) == ("", "no-gain")


def test_captions_and_dangling_sentences_are_left_out_and_explained() -> None:
    summary = summarize(STORY, max_chars=125, coherence="strict")
    assert summary.text.startswith("The mayor of Kelsby")
    rejected = {s.text: s.rejected for s in summary.ranking}
    assert rejected["Photo: Getty Images."] == "noise"
    assert {s.index: s.needs for s in summary.ranking}[2] == 1
    assert not any(s.noise for s in summary.sentences)


def test_noise_is_better_than_nothing() -> None:
    text = "Photo: Getty Images. The mayor of Kelsby, Ruth Anders, resigned on Monday after nine years in office."
    summary = summarize(text, max_chars=25, coherence="strict")
    assert (summary.text, summary.reason) == ("Photo: Getty Images.", "selected")


@pytest.mark.parametrize("coherence", ["loose", "", 3])
def test_an_unknown_coherence_is_one_clear_line(coherence: object) -> None:
    with pytest.raises(ValueError, match="coherence must be strict or soft or off"):
        summarize(STORY, max_chars=50, coherence=coherence)  # type: ignore[call-overload]
