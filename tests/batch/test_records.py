"""The work on a chunk: columns are carried through, bad records reported with the reason."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batch.corpora import FORMS, read_corpus, read_lines, write_corpus
from batch.functions import Shout
from strategies import prose, texts
from tersely import summarize
from tersely.batch.inputs import ChunkResult, Form, Lines, Position, find_files, read_chunks
from tersely.batch.job import Job
from tersely.batch.output import open_writer
from tersely.batch.records import RecordWork, Summarize, as_line
from tersely.io.tables import from_stream

SHOUT = RecordWork(Shout(), "jsonl")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def done(work: RecordWork, *lines: bytes | str) -> ChunkResult:
    return work.load()(Lines(Position(0, 1), Position(0, 1 + len(lines)), 0, list(lines)))


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=5), texts, st.booleans(), st.sampled_from([None, 1]))
def test_a_line_is_carried_through_byte_for_byte(
    other: dict[str, Any], text: str, ascii_only: bool, indent: int | None
) -> None:
    record = {name: value for name, value in other.items() if name not in ("loud", "length")} | {"text": text}
    line = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "replace")
    if indent:
        line = b" " + line.replace(b"{", b"{ ", 1)[:-1] + b" } \r\n"
    said = json.loads(line)["text"]
    result = done(SHOUT, line)
    if result.failures:  # the text holds a word that the function refuses
        assert any(word in said for word in ("REFUSE", "RAISE"))
        return
    assert result.data.startswith(line.strip()[:-1] + b', "loud": ')
    assert json.loads(result.data) == {**json.loads(line), "loud": said.upper(), "length": len(said)}
    assert (result.documents, result.empty) == (1, not said)


@given(texts, st.sampled_from([{"max_chars": 60}, {"max_words": 8}, {"ratio": 0.3}, {"max_sentences": 2}]))
def test_a_summary_is_the_same_as_the_librarys(text: str, budget: dict[str, float]) -> None:
    expected = summarize(text, **budget)
    line = json.dumps({"text": text}).encode()
    whole = json.loads(done(RecordWork(Summarize(options=budget, form="json"), "jsonl"), line).data)
    assert whole["summary"] == expected.to_json(indent=2)
    short = json.loads(done(RecordWork(Summarize(options=budget, column="s"), "jsonl"), line).data)
    assert (short["s"], short["s_length"], short["s_reason"]) == (expected.text, expected.length, expected.reason)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "broken JSON at column 2"),
        (b"[1]", "not a JSON object"),
        (b'{"text": "\xff"}', "not UTF-8 at byte 10"),
        (b'{"id": 7, "body": "a"}', "no column 'text', but id, body"),
        (b"{}", "no column 'text', but none at all"),
        (b'{"text": null}', "the column 'text' is null"),
        (b'{"text": {"a": 1}}', "the column 'text' is not a string"),
        (b'{"text": "a", "loud": 1}', "the column 'loud' exists already"),
        (b'{"text": "REFUSE"}', "refused"),
        (b'{"text": "RAISE"}', "ZeroDivisionError: by nothing"),
        (b"[" * 100_000, "not a JSON object"),
        (b'{"text": ' * 100_000, "nested too deep"),
        ("too long", "too long"),
    ],
)
def test_a_bad_line_fails_alone(line: bytes | str, reason: str) -> None:
    result = done(SHOUT, b'{"text": "a"}\n', line, b"\n", b'{"text": "b"}\n')
    assert [json.loads(each)["loud"] for each in result.data.splitlines()] == ["A", "B"]
    [failure] = result.failures
    assert failure.number == 2
    assert reason in failure.reason


def test_a_failure_carries_its_id() -> None:
    result = done(RecordWork(Shout(), "jsonl", id="key"), b'{"key": "k7", "text": 1}')
    assert result.failures[0].id == "k7"


columns = {
    "n": pa.int32(),
    "when": pa.timestamp("us", tz="UTC"),
    "kind": pa.dictionary(pa.int8(), pa.string()),
    "raw": pa.binary(),
    "tags": pa.list_(pa.struct([("a", pa.large_string()), ("b", pa.float32())])),
    "price": pa.decimal128(12, 3),
}


@given(st.data(), st.integers(0, 20), st.integers(1, 8))
def test_rows_are_carried_through_with_their_types(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, count: int, size: int
) -> None:
    rows = data.draw(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), min_size=count, max_size=count))
    table = pa.table({"text": pa.array(rows, pa.string())})
    for name, kind in columns.items():
        table = table.append_column(pa.field(name, kind, metadata={"unit": "x"}), _column(kind, count))
    folder = tmp_path_factory.mktemp("rows")
    pq.write_table(table, folder / "in.parquet", row_group_size=5)
    work = RecordWork(Shout(), "parquet").load()
    schema = table.schema.append(pa.field("loud", pa.string())).append(pa.field("length", pa.int64()))
    writer = open_writer((folder / "out.parquet").open("wb"), "parquet", schema)
    for chunk in read_chunks(find_files([str(folder / "in.parquet")]), size=size):
        writer.write(work(chunk).data)
    writer.close()
    out = pq.read_table(folder / "out.parquet")
    assert out.drop_columns(["loud", "length"]).equals(table)
    assert out.schema.field("n").metadata[b"unit"] == b"x"
    assert out["loud"].to_pylist() == [text.upper() for text in rows]


def _column(kind: pa.DataType, count: int) -> pa.Array:
    samples = {
        "n": [1, None, -7],
        "when": [0, 1_700_000_000_000_000, None],
        "kind": ["a", None, "b"],
        "raw": [b"\x00\xff", b"", None],
        "tags": [[], [{"a": "x", "b": 1.5}], None],
        "price": [None, 1, 12],
    }
    values = next(samples[name] for name, each in columns.items() if each == kind)
    return pa.array([values[i % 3] for i in range(count)], kind)


def test_a_bad_row_fails_alone(tmp_path: Path) -> None:
    bad = pa.array([b"fine", b"\xff", None, b"REFUSE", b"good"], pa.binary()).view(pa.string())
    seen = pa.array(["a", "b", "c", "d", "e"], pa.string_view())
    pq.write_table(pa.table({"text": bad, "id": list(range(5)), "seen": seen}), tmp_path / "in.parquet")
    [chunk] = read_chunks(find_files([str(tmp_path)]))
    result = RecordWork(Shout(), "parquet", id="id").load()(chunk)
    assert [(f.number, f.reason, f.id) for f in result.failures] == [
        (2, "not UTF-8", 1),
        (3, "the column 'text' is null", 2),
        (4, "refused", 3),
    ]
    assert result.documents == 2
    kept = from_stream(result.data)
    assert (kept["id"].to_pylist(), kept["seen"].to_pylist()) == ([0, 4], ["a", "e"])


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_part_can_be_read(tmp_path: Path, form: Form) -> None:
    path = tmp_path / f"part.{form}"
    open_writer(path.open("wb"), form, pa.schema([("text", pa.string())])).close()
    assert read_corpus(path) == []
    if form != "parquet":
        assert read_lines(path) == b""


row_values = {
    "n": st.none() | st.integers(-(2**63), 2**63 - 1),
    "x": st.none() | st.floats(allow_nan=False),
    "s": st.none() | st.text(st.characters(codec="utf-8"), max_size=9),
    "o": st.none() | st.fixed_dictionaries({"a": st.integers(0, 9)}, optional={"b": st.lists(st.booleans())}),
}


@given(st.lists(st.fixed_dictionaries({"text": prose}, optional=row_values), min_size=1, max_size=9))
def test_lines_become_rows_and_rows_become_lines(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("convert")
    source = write_corpus(folder / "in.jsonl", records)
    table = _through(Job((str(source),), str(folder / "out.parquet"), Shout()))
    found = read_corpus(_through(Job((str(table),), str(folder / "out.jsonl"), Summarize(options={"max_chars": 9}))))
    assert len(found) == len(records)
    for before, after in zip(records, found, strict=True):
        assert after["loud"] == before["text"].upper()
        for name, value in before.items():
            kept = after[name]
            if isinstance(value, dict):  # a row has every field of the object
                kept = {key: inner for key, inner in (kept or {}).items() if inner is not None}
            assert kept == value


def _through(job: Job) -> Path:
    """Do a job without workers, and return its output."""
    work, path = job.work.load(), Path(job.output)
    writer = open_writer(path.open("wb"), job.form, job.schema)
    for chunk in read_chunks(job.files):
        result = work(chunk)
        assert not result.failures
        writer.write(result.data)
    writer.close()
    return path


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"text": "b", "n": "seven"}, "the column 'n' is not int64"),
        ({"text": "b", "n": 1.5}, "the column 'n' is not int64"),
        ({"text": "b", "more": 1}, "the column 'more' is not in the first"),
        ({"text": "b", "o": {"a": 1, "b": 2}}, "the column 'o' is not struct<a: int64>"),
        ({"text": "b", "x": 2**53 + 1}, "the column 'x' is not double"),
        ({"text": "\ud800"}, "the column 'text' is not string"),
    ],
)
def test_a_line_that_does_not_fit_the_table_fails_alone(record: dict[str, Any], reason: str) -> None:
    schema = pa.schema([("text", pa.string()), ("n", pa.int64()), ("x", pa.float64())])
    schema = schema.append(pa.field("o", pa.struct([("a", pa.int64())])))
    schema = schema.append(pa.field("loud", pa.string())).append(pa.field("length", pa.int64()))
    work = RecordWork(Shout(), "parquet", schema=schema)
    result = done(work, b'{"text": "a", "n": 1}', json.dumps(record).encode(), b'{"text": "c"}')
    assert (result.documents, [failure.number for failure in result.failures]) == (2, [2])
    assert reason in result.failures[0].reason


def test_values_that_json_cannot_hold_are_written_as_strings() -> None:
    moment = datetime(2024, 2, 29, 12, tzinfo=UTC)
    line = as_line({"when": moment, "raw": b"\x00\xff", "price": Decimal("1.50")})
    assert json.loads(line) == {"when": "2024-02-29T12:00:00+00:00", "raw": "AP8=", "price": "1.50"}
