"""Long strings inside JSON: shortened in place, everything else as it is, and the whole within the budget."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import tersely
from strategies import prose
from tersely import InputError, Summarizer, UsageError, shorten_json
from tersely.payload import SHORTEST
from tersely.text.length import measure

LEAD = Summarizer.load(scorer="lead")
LONG = prose.map(lambda text: text * (1 + 2 * SHORTEST // (len(text) + 1)))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9)
    | LONG,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


def counted(text: str) -> int:
    return len(text.split())


def same_but_for_long_strings(before: Any, after: Any) -> bool:
    if isinstance(before, dict):
        return list(before) == list(after) and all(same_but_for_long_strings(before[k], after[k]) for k in before)
    if isinstance(before, list):
        return len(before) == len(after) and all(map(same_but_for_long_strings, before, after))
    if isinstance(before, str) and before != after:
        return len(json.dumps(before)) >= SHORTEST and isinstance(after, str) and bool(after)
    return bool(before == after) and type(before) is type(after)


@given(
    values,
    st.sampled_from(["chars", "words", "tokens", "bytes"]),
    st.floats(0.1, 1.0),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_the_whole_fits_and_only_long_strings_change(
    value: Any, unit: str, share: float, ascii_only: bool, indent: int | None
) -> None:
    payload = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    length = measure(payload, unit, counted)  # type: ignore[arg-type]
    limit = max(1, int(share * length))
    keywords: dict[str, Any] = {f"max_{unit}": limit, "tokenizer": counted}
    try:
        result = shorten_json(payload, summarizer=LEAD, **keywords)
    except UsageError as error:
        needed = int(str(error).split()[3])
        assert needed > limit
        result = shorten_json(payload, summarizer=LEAD, **keywords | {f"max_{unit}": needed})
        limit = needed
    assert measure(result.text, unit, counted) == result.length <= limit  # type: ignore[arg-type]
    assert same_but_for_long_strings(value, json.loads(result.text))
    # Outside of what was shortened, not a character differs.
    at = shift = 0
    for string in result.strings:
        assert payload[at : string.start] == result.text[at + shift : string.start + shift]
        _, end = json.JSONDecoder().raw_decode(result.text, string.start + shift)
        at, shift = string.end, end - string.end
    assert payload[at:] == result.text[at + shift :]


def test_strings_keep_whole_sentences_and_the_longest_are_shortened_first(english: str) -> None:
    records = [{"id": i, "note": "Seen.", "body": english[: 300 * (i + 1)]} for i in range(6)]
    payload = json.dumps(records, indent=1)
    result = shorten_json(payload, max_chars=2500)
    after = json.loads(result.text)
    assert [record["id"] for record in after] == list(range(6))
    assert after[0]["body"] == records[0]["body"]  # within its share
    for before, record in zip(records, after, strict=True):
        assert all(part in " ".join(str(before["body"]).split()) for part in record["body"].split(". ")[:1])
    lengths = [string.shortened for string in result.strings]
    assert max(lengths) <= 600
    assert result.length <= 2500


def test_a_string_with_escapes_is_chosen_in_few_tries() -> None:
    sentences = [f'"{"so " * (i % 7)}it is {i}," he wrote.' for i in range(400)]
    payload, measured = json.dumps(["\n".join(sentences)]), []

    def count(text: str) -> int:
        measured.append(len(text) > len(payload) // 4)
        return len(text)

    result = shorten_json(payload, max_tokens=len(payload) // 2, tokenizer=count)
    assert len(payload) // 2 - 100 < result.length <= len(payload) // 2
    assert sum(measured) < 15


def test_what_fits_stays_to_the_character() -> None:
    payload = ' { "a" : [1.0 , 1e5,"\\u00e9\\/"] }\n'
    assert shorten_json(payload, max_chars=100).text == payload


def test_a_question_chooses_within_each_string(english: str) -> None:
    text = json.dumps({"body": english})
    assert "fourteen" in shorten_json(text, max_chars=150, query="How many months will the work take?").text


def test_logs_inside_json_keep_lines() -> None:
    log = "\n".join(
        [*(f"2025-10-10 10:00:{i:02d} INFO job {i} done" for i in range(60)), "2025-10-10 10:01:00 ERROR disk full"]
    )
    after = json.loads(shorten_json(json.dumps({"output": log}), max_chars=150).text)
    assert after["output"].splitlines()[-1] == "2025-10-10 10:01:00 ERROR disk full"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ("{", "the text is no JSON: Expecting property name"),
        ("", "the text is no JSON"),
        ("[NaN]", "there is no NaN in JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[" * 100_000 + "]" * 100_000, "nested too deep"),
        ('{"a": 1} x', "the text is no JSON: Extra data"),
    ],
)
def test_what_is_no_json_is_one_clear_line(payload: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        shorten_json(payload, max_chars=5)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_of_any_length_take_no_time() -> None:
    payload = f"[{'9' * 100_000}]"
    assert shorten_json(payload, max_chars=200_000).text == payload


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_chars": 9}, "the JSON needs 18 of 9 chars and has no long string of several sentences"),
        ({"max_sentences": 2}, "JSON has no sentences: give a budget in characters, words, tokens or bytes"),
        ({"max_chars": 9, "include": [0]}, "`include` is for one text, and JSON has many"),
        ({"max_chars": 9, "more": "a"}, "`more` is for one text"),
        ({}, "no budget: give exactly one of"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        shorten_json('{"a": "x", "b": 3}', **keywords)
    assert message in str(error.value)


def test_an_unknown_keyword_is_an_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_char'"):
        shorten_json("{}", max_char=3)


def test_the_structure_that_does_not_fit_says_what_it_needs(english: str) -> None:
    payload = json.dumps({"body": english, "id": "x" * 50})
    with pytest.raises(
        UsageError, match=r"the JSON needs \d+ of 60 chars with one sentence of each long string"
    ) as error:
        shorten_json(payload, max_chars=60)
    needed = int(str(error.value).split()[3])
    assert shorten_json(payload, max_chars=needed).length <= needed


def test_the_command_and_the_service_shorten_as_the_library_does(english: str, tmp_path: Any) -> None:
    from tersely.serve.desk import Desk
    from tersely.serve.problems import ProblemError, Reply
    from tersely.serve.schema import JsonBody

    payload = json.dumps({"id": 7, "body": english, "notes": ["é", english[:700]]}, ensure_ascii=False, indent=2)
    file = tmp_path / "payload.json"
    file.write_text(payload, encoding="utf-8")
    expected = shorten_json(payload, max_chars=900)
    run = tersely("summarize", file, "--json-strings", "--max-chars", "900")
    assert (run.returncode, run.stdout) == (0, expected.text + "\n")
    assert tersely("summarize", "--json-strings", "--max-chars", "900", stdin=payload).stdout == run.stdout
    desk = Desk(("editor",))
    reply = desk(("json", JsonBody.model_validate({"text": payload, "max_chars": 900}).request()))
    assert isinstance(reply, Reply)
    assert json.loads(reply.body) == json.loads(expected.to_json())
    for text in ("{", [{"id": "a", "text": "{}"}]):
        wrong = desk(("json", JsonBody.model_validate({"text": text, "max_chars": 900}).request()))
        assert isinstance(wrong, ProblemError)
    for flags in (["--show"], ["--each"], ["--format", "html"], ["--explain"], ["--field", "body"]):
        refused = tersely("summarize", file, "--json-strings", "--max-chars", "900", *flags)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    file.write_bytes('["é"]'.encode("latin-1"))
    latin = tersely("summarize", file, "--json-strings", "--max-chars", "9")
    assert latin.returncode == 3
    assert latin.stderr == f"tersely: {file} is not UTF-8 at byte 2, as JSON has to be: convert it first\n"
    broken = tersely("summarize", "--json-strings", "--max-chars", "9", stdin="{")
    assert (broken.returncode, broken.stderr.count("\n")) == (3, 1)
