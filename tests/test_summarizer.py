"""The promises of the whole pipeline, on generated texts."""

import json
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import Document, Summarizer, Summary, candidates, summarize
from tersely.errors import ModelError, UsageError
from tersely.models import load_model
from tersely.score import SCORERS
from tersely.select import SELECTORS, Problem
from tersely.text.length import count_words, measure

DEFAULT = Summarizer.load()
EVERY_SELECTOR = {name: Summarizer.load(scorer="coverage", select=name) for name in SELECTORS.names()}


def count_tokens(text: str) -> int:
    """Count one token per three bytes, rounded up; a joined text may have more tokens than its parts."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def check(summary: Summary, text: str) -> None:
    for sentence in summary.sentences:
        assert text[sentence.start : sentence.end] == sentence.text
    indices = [sentence.index for sentence in summary.sentences]
    assert indices == sorted(set(indices))
    assert sorted(s.index for s in summary.ranking) == list(range(len(summary.ranking)))
    assert {s.index for s in summary.ranking if s.selected} == set(indices)
    assert summary.length <= summary.capacity


@given(texts, st.integers(1, 150), st.sampled_from(["chars", "words", "bytes", "sentences"]))
def test_a_budget_is_never_exceeded_and_every_sentence_is_verbatim(text: str, limit: int, unit: str) -> None:
    summary = DEFAULT.summarize(text, **{f"max_{unit}": limit})
    check(summary, text)
    actual = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit)
    assert actual == summary.length <= limit


@given(texts, st.integers(1, 60))
def test_a_token_budget_holds_for_the_joined_text(text: str, limit: int) -> None:
    summary = DEFAULT.summarize(text, max_tokens=limit, tokenizer=count_tokens)
    check(summary, text)
    assert count_tokens(summary.text) == summary.length <= limit


@given(
    texts,
    st.sampled_from(["chars", "words", "tokens", "sentences"]),
    st.sampled_from(["strict", "off"]),
    st.sampled_from(["duplicates", "trigrams"]),
    st.booleans(),
)
def test_nested_summaries_only_grow(text: str, unit: str, coherence: str, redundancy: str, pinned: bool) -> None:
    document = Document.from_text(text)
    how: Any = {"coherence": coherence, "redundancy": redundancy, "include": [0] if pinned and len(document) else []}
    frontier = DEFAULT.frontier(document, unit=unit, tokenizer=count_tokens, nested=True, **how)
    steps = frontier.steps()
    for before, step in pairwise(steps):
        assert set(before.chosen) < set(step.chosen)
        assert before.budget <= step.budget
    for step in steps:
        assert step.length <= max(step.budget, 0) <= frontier.capacity
        assert set(how["include"]) <= set(step.chosen)
        if step.budget:
            summary = frontier.at(step.budget)
            check(summary, text)
            assert summary.length <= step.budget


@given(texts, st.floats(0.01, 1))
def test_a_ratio_counts_the_characters_of_the_source(text: str, ratio: float) -> None:
    summary = DEFAULT.summarize(text, ratio=ratio)
    check(summary, text)
    assert len(summary.text) <= ratio * len(text) + 1e-9


@given(texts, st.integers(1, 100), st.sampled_from(sorted(EVERY_SELECTOR)), st.sampled_from(["", " ", "\n• ", "—"]))
def test_every_selector_and_separator_keeps_the_budget(text: str, limit: int, select: str, separator: str) -> None:
    summary = EVERY_SELECTOR[select].summarize(text, max_chars=limit, separator=separator)
    check(summary, text)
    shown = Document.from_text(text).display_texts
    assert summary.text == separator.join(shown[s.index] for s in summary.sentences)
    assert len(summary.text) <= limit


@given(
    texts, st.sampled_from(sorted(EVERY_SELECTOR)), st.sampled_from(["chars", "words", "tokens", "sentences", "bytes"])
)
def test_the_frontier_gives_what_each_budget_gives(text: str, select: str, unit: str) -> None:
    summarizer = EVERY_SELECTOR[select]
    frontier = summarizer.frontier(text, unit=unit, tokenizer=count_tokens)
    steps = frontier.steps()
    for budget in range(1, frontier.capacity + 1, 3):
        alone = summarizer.summarize(text, **{f"max_{unit}": budget}, tokenizer=count_tokens)
        assert frontier.at(budget) == alone
        step = [s for s in steps if s.budget <= budget][-1]
        assert step.chosen == tuple(sorted(s.index for s in alone.sentences))


@given(texts, st.integers(1, 100))
def test_rank_order_has_the_same_length_and_falling_scores(text: str, limit: int) -> None:
    summary = EVERY_SELECTOR["knapsack"].summarize(text, max_bytes=limit, order="rank")
    scores = [s.score for s in summary.sentences]
    assert scores == sorted(scores, reverse=True)
    assert len(summary.text.encode("utf-8", "surrogatepass")) == summary.length <= limit


@given(texts, st.integers(1, 100))
def test_the_same_call_gives_the_same_bytes(text: str, limit: int) -> None:
    one, two = (DEFAULT.summarize(text, max_chars=limit).to_json() for _ in range(2))
    assert one == two


@pytest.mark.parametrize("scorer", sorted({*SCORERS.names()} - {"bertsum", "learned", "stas"}))
def test_another_process_gives_the_same_bytes(scorer: str, english: str) -> None:
    code = (
        "import sys; from tersely import Summarizer; "
        f"print(Summarizer.load(scorer={scorer!r}).summarize(sys.stdin.read(), max_chars=300).to_json(), end='')"
    )
    other = subprocess.run([sys.executable, "-c", code], input=english.encode(), capture_output=True, check=True)
    assert other.stdout.decode() == Summarizer.load(scorer=scorer).summarize(english, max_chars=300).to_json()


@pytest.mark.parametrize("scorer", sorted({*SCORERS.names()} - {"bertsum", "learned", "stas"}))
@pytest.mark.parametrize("text", ["One.", "Same. Same. Same.", "……", "1 2 3", "天", "\ud800. A."])
def test_every_scorer_survives_tiny_texts(scorer: str, text: str) -> None:
    summary = Summarizer.load(scorer=scorer).summarize(text, max_chars=5)
    assert len(summary.text) <= 5


def test_fitting_ends_when_only_separators_have_tokens() -> None:
    how: Any = {"max_tokens": 2, "separator": " | ", "tokenizer": lambda text: text.count("|")}
    summary = Summarizer.load(scorer="lead", select="knapsack").summarize("Rain. Snow. Hail. Fog. Sun.", **how)
    assert summary.length <= 2


def test_included_sentences_that_fit_once_joined_are_never_refused() -> None:
    text = "Rain fell. The river rose. It was cold."
    # A separator has four tokens: the sentences seem to fit together, but once joined they do not.
    how: Any = {"include": [0], "separator": " + + + + ", "tokenizer": lambda text: len(text.split())}
    summarizer = Summarizer.load(scorer="lead", select="knapsack")
    assert summarizer.summarize(text, max_tokens=5, **how).text == "Rain fell."
    assert summarizer.frontier(text, unit="tokens", **how).steps()[0].chosen == (0,)
    how["include"] = [0, 1]
    with pytest.raises(UsageError, match="the included sentences need 9, but the budget is 6"):
        summarizer.summarize(text, max_tokens=6, **how)


@pytest.mark.parametrize("number", [10**30, -1, float("nan"), float("inf"), True, "3", None, [1, 2], 3j])
def test_a_tokenizer_that_returns_no_number_of_tokens_is_one_clear_line(number: Any) -> None:
    text = "Rain fell. The river rose."
    how: Any = {"tokenizer": lambda _: number}
    for work in (partial(DEFAULT.summarize, max_tokens=5), partial(DEFAULT.frontier, unit="tokens")):
        with pytest.raises(UsageError, match=r"^the tokenizer must return a number from 0 to [\d,]+, not .{1,40}$"):
            work(text, **how)


def test_a_tokenizer_may_estimate() -> None:
    text = "Rain fell. The river rose."
    how: Any = {"tokenizer": lambda text: len(text) / 4}
    assert DEFAULT.summarize(text, max_tokens=3, **how).length == 3
    assert [step.length for step in DEFAULT.frontier(text, unit="tokens", **how).steps()] == [0, 3, 4, 7]


def test_a_text_that_fits_is_returned_unchanged() -> None:
    text = "  First line.\n\nSecond line.Third. "
    summary = summarize(text, ratio=1.0)
    assert summary.text == text.strip()
    assert summary.reason == "whole-text-fits"


def test_nothing_fits_says_how_much_is_needed() -> None:
    summary = summarize("This is far too long. This one is too.", max_chars=5)
    assert (summary.text, summary.reason, summary.needed) == ("", "nothing-fits", 16)


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_text_is_reported_as_empty(text: str) -> None:
    assert summarize(text, max_chars=5).reason == "empty-input"


def test_duplicates_are_taken_once_and_the_room_they_leave_is_explained() -> None:
    summary = summarize("The river rose. " * 4, max_chars=40)
    assert (summary.text, summary.reason) == ("The river rose.", "no-gain")
    assert summarize("The river rose. " * 4, max_chars=40, redundancy="off").length == 31


def test_duplicates_are_searched_once_for_all_budgets(english: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Problem] = []
    monkeypatch.setattr(candidates, "distinct", lambda problem: (searches.append(problem), problem)[1])
    frontier = DEFAULT.frontier(english, include=[7], exclude=[0])
    assert len(frontier.steps(points=20)) > 5
    assert len(searches) <= 3  # one per level


def test_a_frontier_begins_where_the_included_sentences_fit_even_with_few_points(english: str) -> None:
    frontier = DEFAULT.frontier(english, include=[7, 9])
    first = frontier.steps(points=3)[0]
    assert first == frontier.steps()[0]
    assert first.chosen == (7, 9)


def test_included_sentences_are_in_and_excluded_ones_are_not(english: str) -> None:
    summary = summarize(english, max_chars=400, include=[7], exclude=[0])
    indices = {s.index for s in summary.sentences}
    assert 7 in indices
    assert 0 not in indices


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "no budget"),
        ({"max_chars": 5, "ratio": 0.5}, "two budgets"),
        ({"max_chars": 0}, "at least 1"),
        ({"max_words": -3}, "at least 1"),
        ({"max_chars": 2.5}, "whole number"),
        ({"max_chars": float("nan")}, "whole number"),
        ({"max_chars": float("inf")}, "whole number"),
        ({"max_chars": True}, "whole number"),
        ({"max_chars": "280"}, "max_chars must be a number, not '280'"),
        ({"ratio": "half"}, "ratio must be a number"),
        ({"ratio": 0}, "above 0"),
        ({"ratio": 1.5}, "at most 1"),
        ({"ratio": float("inf")}, "at most 1"),
        ({"max_tokens": 5}, "tokenizer"),
        ({"max_chars": 5, "order": "random"}, "order"),
        ({"max_chars": 5, "redundancy": "none"}, "redundancy"),
        ({"max_chars": 5, "language": "xx"}, "language"),
        ({"max_chars": 5, "include": [99]}, "99"),
        ({"max_chars": 5, "include": [0], "exclude": [0]}, "0"),
        ({"max_chars": 5, "include": [0]}, "9"),
    ],
)
def test_a_wrong_call_gives_one_clear_line(how: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        summarize("One fish. Two fish.", **how)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", [None, b"One fish.", 5, Path("article.txt")])
def test_only_a_string_is_a_text(text: Any) -> None:
    with pytest.raises(UsageError, match=f"the text must be a string or a list of sources, not {type(text).__name__}"):
        summarize(text, max_chars=9)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"scorer": "textrnak"}, "did you mean 'textrank'"),
        ({"select": "napsack"}, "did you mean 'knapsack'"),
        ({"scorer": "lead", "encoder": "use"}, "takes no encoder"),
        ({"scorer": "lead", "model": "news"}, "either a model or a scorer"),
        ({"scorer": "pacsum:bata=1"}, "did you mean 'beta'"),
        ({"scorer": "pacsum:beta=x"}, "not a number"),
        ({"scorer": "pacsum:beta=nan"}, "not a finite number"),
        ({"scorer": "random:seed=-1"}, "seed must be 0 or more"),
        ({"model": "new"}, "did you mean 'news'"),
    ],
)
def test_a_wrong_part_or_setting_gives_a_hint(how: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Summarizer.load(**how)


def test_settings_reach_the_part_and_change_the_fingerprint() -> None:
    one, two = Summarizer.load(scorer="coverage"), Summarizer.load(scorer="coverage:bias=0.5")
    assert two.scorer.bias == 0.5
    assert one.fingerprint != two.fingerprint


def test_many_texts_are_summarized_one_by_one(english: str, chinese: str) -> None:
    summaries = list(DEFAULT.summarize_many([english, chinese], max_chars=100))
    assert summaries == [DEFAULT.summarize(text, max_chars=100) for text in (english, chinese)]
    assert [s.language for s in summaries] == ["en", "zh"]


def test_a_document_keeps_its_own_sentences() -> None:
    document = Document.from_sentences(["Dr. No. is in.", "He waits."])
    assert summarize(document, max_sentences=1).sentences[0].text in document.texts


def test_json_holds_the_whole_result(english: str) -> None:
    summary = summarize(english, max_words=50)
    data = json.loads(summary.to_json())
    assert data == json.loads(json.dumps(summary.to_dict()))
    assert data["budget"] == {"limit": 50, "unit": "words", "capacity": 50}
    assert data["length"] == count_words(data["text"])
    assert len(data["ranking"]) > len(data["sentences"]) > 0
    assert {"index", "start", "end", "text", "score"} <= set(data["sentences"][0])


def test_json_can_always_be_encoded() -> None:
    assert json.loads(summarize("A \ud800 b.", max_chars=10).to_json().encode())["text"] == "A \ud800 b."


def test_html_marks_the_choice_and_escapes_everything() -> None:
    page = summarize('<script>alert("x")</script> is here. The cat & dog.', max_chars=15).to_html()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert ">The cat &amp; dog.</mark>" in page


def test_markdown_escapes_markup() -> None:
    assert summarize("A *bold* [link](x).", max_chars=30).to_markdown().startswith(r"- A \*bold\* \[link\](x).")


def test_a_broken_model_folder_gives_a_clear_error(tmp_path) -> None:
    with pytest.raises(ModelError, match=r"no config\.toml"):
        Summarizer.load(tmp_path)
    config = tmp_path / "config.toml"
    for content, message in [
        ("name = ", "not TOML"),
        ('name = "x"', "'scorer' is missing"),
        ('name = "x"\nscorrer = "lead"', "did you mean 'scorer'"),
        ('name = "x"\nscorer = 3', "'scorer' must be a string, not 3"),
        ('name = "x"\nscorer = "lead"\n[languages]\nen = 3', r"'languages\.en' must be a string, not 3"),
        ('name = "x"\nscorer = "lead"\n[files]\n"w.bin" = "00"', "w.bin cannot be read"),
    ]:
        config.write_text(content)
        with pytest.raises(ModelError, match=message):
            Summarizer.load(tmp_path)
    (tmp_path / "w.bin").write_bytes(b"weights")
    with pytest.raises(ModelError, match="SHA-256"):
        Summarizer.load(tmp_path)


def test_a_users_model_folder_is_loaded(tmp_path) -> None:
    (tmp_path / "config.toml").write_text('name = "mine"\nscorer = "lead"\nselect = "greedy"\n')
    summary = Summarizer.load(tmp_path).summarize("One fish. Two fish.", max_chars=10)
    assert (summary.model, summary.text) == ("mine", "One fish.")


def test_a_folder_named_like_a_shipped_model_is_loaded_by_its_path(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "config.toml").write_text('name = "mine"\nscorer = "lead"\n')
    assert [Summarizer.load(name).name for name in ("./news", "news/", "news")] == ["mine", "mine", "news"]


def test_a_damaged_card_is_still_shown(tmp_path) -> None:
    (tmp_path / "config.toml").write_text('name = "mine"\nscorer = "lead"\n')
    (tmp_path / "README.md").write_bytes(b"# mine\xff")
    assert load_model(tmp_path).card == "# mine\ufffd"


@pytest.mark.parametrize(
    ("how", "message"), [({"include": [99]}, "no sentence 99"), ({"include": [0], "limit": 3}, "need")]
)
def test_a_frontier_reports_what_is_wrong_with_included_sentences(how: dict[str, Any], message: str) -> None:
    frontier = Summarizer.load().frontier("Rain fell. The river rose. The town slept.", **how)
    with pytest.raises(UsageError, match=message):
        frontier.steps()


def test_more_points_than_budgets_give_every_budget() -> None:
    frontier = Summarizer.load().frontier("Rain fell. The river rose. The town slept.")
    assert frontier.steps(10**15) == frontier.steps()


def test_a_budget_of_hundreds_of_digits_is_refused() -> None:
    for budget in ("max_chars", "max_words", "max_sentences", "ratio"):
        with pytest.raises(UsageError, match="must be at most"):
            summarize("Rain fell.", **{budget: int("9" * 401)})
    with pytest.raises(UsageError, match="limit must be from 1 to"):
        Summarizer.load().frontier("Rain fell.", limit=int("9" * 401))


def test_a_page_and_the_separator_follow_the_language() -> None:
    german = summarize("Der Hund schläft. Die Katze ist wach.", max_chars=100)
    assert 'lang="de"' in german.to_html()
    assert (
        summarize("犬は寝ています。猫は起きています。", max_chars=100, include=[0, 1]).text
        == "犬は寝ています。猫は起きています。"
    )
    assert 'lang=""' in summarize("Kot śpi pod stołem.", max_chars=100).to_html()
