"""More of a text: part by part, each within its own budget, nothing twice, and nothing that was shown changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import tersely
from strategies import prose, texts
from tersely import Summarizer, UsageError, summarize
from tersely.fitting import Key
from tersely.options import UNITS, Unit
from tersely.text.document import Document
from tersely.text.length import measure

LEAD, DEFAULT = Summarizer.load(scorer="lead"), Summarizer.load()


def counted(text: str) -> int:
    return len(text.split())


def parts(text: Any, limits: list[tuple[Unit, int]], summarizer: Summarizer = LEAD, **options: Any) -> list[Any]:
    """Return the parts of a text until nothing is left or nothing fits; the last budget counts for all that follow."""
    result, key = [], None
    for number in range(60):
        unit, limit = limits[min(number, len(limits) - 1)]
        summary = summarizer.summarize(
            text,
            **options | {f"max_{unit}": limit, "more": key, "tokenizer": counted},
        )
        if not summary.sentences:
            break
        result.append(summary)
        key = summary.more
        if key is None:
            break
    return result


@given(prose, st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 60)), min_size=1, max_size=4))
def test_every_part_is_within_its_own_budget_and_no_sentence_comes_twice(
    text: str, limits: list[tuple[Unit, int]]
) -> None:
    chosen: list[int] = []
    for number, part in enumerate(parts(text, limits)):
        unit, limit = limits[min(number, len(limits) - 1)]
        length = len(part.sentences) if unit == "sentences" else measure(part.text, unit, counted)
        assert length == part.length <= limit
        assert all(text[s.start : s.end] == s.text for s in part.sentences)
        chosen += [s.index for s in part.sentences]
    assert len(chosen) == len(set(chosen))


@given(prose, st.integers(30, 80), st.sampled_from([LEAD, DEFAULT]))
def test_in_the_end_all_that_is_worth_showing_has_been_shown(text: str, limit: int, summarizer: Summarizer) -> None:
    result = parts(text, [("chars", limit)], summarizer)
    if not result:
        return
    shown = {s.index for part in result for s in part.sentences}
    left = [s for s in result[-1].ranking if s.index not in shown]
    if result[-1].more is None:
        assert all(s.rejected in ("noise", "redundant") or s.score <= 0 for s in left)
    else:  # what is left needs more room
        last = summarizer.summarize(text, max_chars=limit, more=result[-1].more)
        assert (last.reason, last.more, last.text) == ("nothing-fits", result[-1].more, "")
        assert last.needed is not None
        assert last.needed > limit
        assert summarizer.summarize(text, max_chars=last.needed, more=last.more).sentences


@given(texts, st.integers(1, 60))
def test_a_part_is_the_same_however_often_it_is_asked_for(text: str, limit: int) -> None:
    first = LEAD.summarize(text, max_chars=limit)
    if first.more is None:
        return
    second = LEAD.summarize(text, max_chars=limit, more=first.more)
    assert LEAD.summarize(text, max_chars=limit) == first
    assert LEAD.summarize(text, max_chars=limit, more=first.more) == second


def test_the_first_part_is_the_usual_summary_and_the_union_is_the_text(english: str) -> None:
    result = parts(english, [("chars", 300), ("words", 40), ("tokens", 50)], DEFAULT)
    assert result[0].text == summarize(english, max_chars=300).text
    assert result[-1].more is None
    count = len(Document.from_text(english))
    shown = [s.index for part in result for s in part.sentences]
    noise = [s.index for s in result[-1].ranking if s.rejected in ("noise", "redundant")]
    assert sorted(shown + noise) == list(range(count))
    assert {s.rejected for s in result[1].ranking if s.index in {t.index for t in result[0].sentences}} == {"shown"}


def test_pins_come_in_the_first_part_and_not_again(english: str) -> None:
    result = parts(english, [("chars", 900), ("chars", 200)], DEFAULT, keep=["amounts"])
    pinned = {s.index for s in result[0].ranking} & {s.index for s in result[0].sentences}
    assert pinned.isdisjoint(s.index for part in result[1:] for s in part.sentences)


def test_with_a_question_only_what_has_to_do_with_it_comes(english: str) -> None:
    result = parts(english, [("chars", 300)], DEFAULT, query="Who pays for the fishing boats?")
    assert result[-1].more is None
    for part in result:
        needed = {s.needs for s in part.sentences}
        assert all(s.score > 0 or s.index in needed for s in part.sentences)
    assert any(s.score <= 0 for s in result[0].ranking)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "It snowed. The river froze. Nobody came."}, "is of another text: give the text that it came with"),
        ({"redundancy": "off"}, "is of other options or another model: give those of the first part"),
        ({"exclude": [2]}, "is of other options"),
        ({"query": "river?"}, "is of other options"),
        ({"more": "abc"}, "'abc' is no key: take the `more` of an earlier summary, or leave it out"),
        ({"more": ""}, "'' is no key"),
        ({"more": "0" * 8 + "-" + "0" * 8 + "-9999x1c"}, "a key stands for at most 1,000 parts: ask for longer ones"),
        ({"more": 3}, "more must be a string, not 3"),
    ],
)
def test_a_wrong_key_is_one_clear_line(change: dict[str, Any], message: str) -> None:
    text = "It rained. The river rose. Nobody came."
    key = summarize(text, max_chars=12).more
    keywords: dict[str, Any] = {"text": text, "max_chars": 20, "more": key} | change
    with pytest.raises(UsageError) as error:
        summarize(**keywords)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_key_that_nobody_was_given_is_refused() -> None:
    text = "It rained. The river rose. Nobody came."
    key = str(summarize(text, max_chars=12).more)
    with pytest.raises(UsageError, match="of more parts than the text has"):
        summarize(text, max_chars=20, more=key.replace("-12c", "-900x12c"))


def test_a_key_of_another_model_or_tokenizer_is_refused() -> None:
    text = "It rained. The river rose. Nobody came."
    key = summarize(text, max_tokens=3, tokenizer=counted).more
    assert key is not None
    with pytest.raises(UsageError, match="other options or another model"):
        summarize(text, max_chars=20, more=key, tokenizer=len)
    with pytest.raises(UsageError, match="other options or another model"):
        LEAD.summarize(text, max_chars=20, more=key, tokenizer=counted)
    assert summarize(text, max_chars=20, more=key, tokenizer=counted).sentences


def test_a_frontier_and_a_batch_have_no_more(english: str) -> None:
    key = summarize(english, max_chars=300).more
    with pytest.raises(UsageError, match="`more` goes on with a summary"):
        DEFAULT.frontier(english, more=key)
    run = tersely("batch", "a.jsonl", "b", "--max-chars", "9", "--more", str(key))
    assert (run.returncode, "--more goes on with one text" in run.stderr) == (2, True)


def test_several_sources_have_more() -> None:
    sources = [{"id": "a", "text": "It rained. The river rose."}, {"id": "b", "text": "Bread is baked. It is hot."}]
    result = parts(sources, [("chars", 30)], header="{id}: ")
    assert result[0].text.startswith("a: ")
    assert {(s.source, s.start) for part in result for s in part.sentences} == {
        ("a", 0),
        ("a", 11),
        ("b", 0),
        ("b", 16),
    }


@given(st.lists(st.tuples(st.integers(1, 10**15), st.sampled_from(UNITS)), min_size=1, max_size=20))
def test_a_key_is_read_as_it_was_written(sizes: list[tuple[int, Unit]]) -> None:
    key = Key("01234567", "89abcdef", tuple(sizes))
    assert Key.parse(str(key)) == key


def test_the_command_and_the_service_go_on_as_the_library_does(english: str, tmp_path: Any) -> None:
    from tersely.serve.desk import Desk
    from tersely.serve.problems import ProblemError, Reply
    from tersely.serve.schema import SummarizeBody

    file = tmp_path / "text.txt"
    file.write_text(english, encoding="utf-8")
    first = summarize(english, max_chars=300)
    second = summarize(english, max_chars=300, more=first.more)
    run = tersely("summarize", str(file), "--more", str(first.more))  # as long as the part before
    assert (run.returncode, run.stdout) == (0, second.text + "\n")
    assert f"tersely: go on with --more {second.more}" in run.stderr
    shown = tersely("summarize", str(file), "--max-chars", "300", "--format", "json")
    assert json.loads(shown.stdout)["more"] == first.more
    desk = Desk(("editor",))
    body = {"text": english, "max_chars": 300, "more": first.more}
    reply = desk(("summarize", SummarizeBody.model_validate(body).request()))
    assert isinstance(reply, Reply)
    assert json.loads(reply.body) == json.loads(second.to_json())
    wrong = desk(("summarize", SummarizeBody.model_validate(body | {"text": "It rained."}).request()))
    assert isinstance(wrong, ProblemError)
    assert "is of another text" in str(wrong.to_dict())


def test_parts_may_count_different_things(english: str) -> None:
    units = [("tokens", 60), ("chars", 300), ("chars", 300), ("tokens", 60)]
    result = parts(english, units, DEFAULT)
    assert len(result) >= len(units)
    shown = [s.index for part in result for s in part.sentences]
    assert len(shown) == len(set(shown))
