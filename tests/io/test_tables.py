"""Tables: rows of Parquet files, and Arrow streams."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tersely.errors import InputError, MissingExtraError
from tersely.io.files import pyarrow
from tersely.io.tables import from_stream, read_rows, to_stream

TABLE = pa.table({"text": ["a", "b", None], "n": [1, 2, 3], "more": ["x", "y", "z"]})


def test_rows_have_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "a.parquet")
    rows = list(read_rows(tmp_path / "a.parquet", ["text"], ["n", "missing"]))
    assert [{name: value.as_py() for name, value in row.items()} for row in rows] == [
        {"text": "a", "n": 1},
        {"text": "b", "n": 2},
        {"text": None, "n": 3},
    ]


def test_a_needed_column_must_be_there_exactly_once(tmp_path: Path) -> None:
    pq.write_table(pa.table([["a"], ["b"]], names=["text", "text"]), tmp_path / "a.parquet")
    for name, said in (("text", "the column 'text' is doubled"), ("body", "the column 'body' is missing")):
        with pytest.raises(InputError, match=said):
            list(read_rows(tmp_path / "a.parquet", [name]))


def test_a_file_that_is_not_parquet_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1, or so it says")
    for name in ("a.parquet", "missing.parquet"):
        with pytest.raises(InputError, match="not a readable Parquet file"):
            list(read_rows(tmp_path / name, ["text"]))


def test_a_table_survives_as_a_stream() -> None:
    assert from_stream(to_stream(TABLE)).equals(TABLE)
    assert from_stream(to_stream(TABLE.to_batches()[0])).equals(TABLE)


def test_parquet_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"tersely\[batch\]"):
        pyarrow()
