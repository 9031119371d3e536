"""Tables: Parquet files, Arrow tables as bytes, CSV and TSV."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar

from tersely.errors import InputError
from tersely.io.files import pyarrow
from tersely.io.lines import to_json

_BATCH = 64
_LONGEST_CELL = 64_000_000
_MOST_CELLS = 10_000
T = TypeVar("T")


def read_rows(file: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, one Arrow scalar per column; a needed column must be there exactly once."""
    pa = pyarrow()
    try:
        with pa.parquet.ParquetFile(file) as table:
            names = table.schema_arrow.names
            columns = [name for name in (*needed, *optional) if names.count(name) == 1]
            for name in needed:
                if name not in columns:
                    raise InputError(f"the column '{name}' is {'doubled' if name in names else 'missing'}")
            for batch in table.iter_batches(_BATCH, columns=columns):
                for i in range(batch.num_rows):
                    yield {name: batch.column(name)[i] for name in columns}
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InputError("not a readable Parquet file") from None


def plain_columns(file: Path) -> list[str]:
    """List the columns of a Parquet file that hold texts, whole numbers, truth values or lists of texts."""
    pa = pyarrow()
    try:
        schema = pa.parquet.read_schema(file)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InputError("not a readable Parquet file") from None
    types = pa.types
    texts = types.is_string, types.is_large_string
    plain = *texts, types.is_integer, types.is_boolean
    return [
        field.name
        for field in schema
        if any(is_kind(field.type) for is_kind in plain)
        or (types.is_list(field.type) and any(is_kind(field.type.value_type) for is_kind in texts))
    ]


def to_stream(table: Any) -> bytes:
    """Return a table or a record batch as an Arrow stream."""
    pa = pyarrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def from_stream(data: bytes) -> Any:
    """Return the table of an Arrow stream."""
    return pyarrow().ipc.open_stream(data).read_all()


def read_table(text: str, delimiter: str | None = None) -> tuple[list[str], Iterator[list[str]]]:
    """Return the names in the first row of a CSV text, and its other rows.

    Without a delimiter, the first line shows which one it is.

    >>> names, rows = read_table('id;text\\n1;"Rain; more rain."\\n')
    >>> names, list(rows)
    (['id', 'text'], [['1', 'Rain; more rain.']])
    """
    return _table(io.StringIO(text, newline=""), delimiter)


def _table(lines: Iterable[str], delimiter: str | None) -> tuple[list[str], Iterator[list[str]]]:
    lines = _checked(iter(lines))
    first = next(lines, "")
    csv.field_size_limit(_LONGEST_CELL)
    rows = _checked(csv.reader(chain([first], lines), delimiter=delimiter or max(",;\t|", key=first.count)))
    rows = (row for row in rows if _is_row(row))
    names = next(rows, [])
    twice, times = (Counter(names).most_common(1) or [("", 0)])[0]
    if times > 1:
        raise InputError(f"is a table with two columns '{twice[:50]}'")
    return names, rows


def _is_row(cells: list[str]) -> bool:
    """Tell whether a row has any cells; one with more of them than anybody needs is refused."""
    if len(cells) > _MOST_CELLS:
        raise InputError(f"is a table with more than {_MOST_CELLS:,} columns")
    return bool(cells)


def _checked(rows: Iterator[T]) -> Iterator[T]:
    """Turn what is wrong with a table into one line."""
    try:
        yield from rows
    except csv.Error as error:
        raise InputError(f"is a broken table: {error}") from None
    except UnicodeDecodeError:
        raise InputError("is a table in another encoding than UTF-8") from None


def table_names(raw: IO[bytes], form: str) -> list[str]:
    """Return the names of the columns of an open CSV or TSV file."""
    with io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
        return _table(text, "\t" if form == "tsv" else None)[0]


def table_as_lines(raw: IO[bytes], form: str) -> IO[bytes]:
    """Return the rows of a CSV or TSV file as JSON Lines; cells without a name are called by their number."""
    return io.BufferedReader(_TableReader(raw, form), 1 << 20)


class _TableReader(io.RawIOBase):
    def __init__(self, raw: IO[bytes], form: str) -> None:
        self._text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        self._lines, self._unread = self._objects("\t" if form == "tsv" else None), memoryview(b"")

    def _objects(self, delimiter: str | None) -> Iterator[bytes]:
        try:
            names, rows = _table(self._text, delimiter)
            for row in rows:
                names += [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
                cells = row + [""] * (len(names) - len(row))
                yield to_json(dict(zip(names, cells, strict=True))).encode() + b"\n"
        except InputError as error:
            raise OSError(f"it {error}") from None  # what readers of files expect

    def close(self) -> None:
        self._text.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._unread = self._unread or memoryview(next(self._lines, b""))
        piece, self._unread = self._unread[: len(buffer)], self._unread[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def table_line(record: Mapping[str, Any], names: Sequence[str], form: str) -> bytes:
    """Return a record as a line of CSV or TSV; a value that is not a string is written as JSON, and null as nothing.

    >>> table_line({"id": 1, "text": 'Rain, "rain".'}, ["text", "id"], "csv")
    b'"Rain, ""rain"".",1\\n'
    """
    for name in record:
        if name not in names:
            raise InputError(f"the column '{name[:50]}' is not in the header of the table")
    out = io.StringIO(newline="")
    values = (record.get(name) for name in names)
    cells = ["" if value is None else value if isinstance(value, str) else to_json(value) for value in values]
    csv.writer(out, delimiter="\t" if form == "tsv" else ",", lineterminator="\n").writerow(cells)
    return out.getvalue().encode("utf-8", "replace")
