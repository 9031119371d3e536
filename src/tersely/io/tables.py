"""Tables: Parquet files, Arrow tables as bytes, CSV and TSV."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from tersely.errors import InputError, MissingExtraError

_BATCH = 64
_LONGEST_CELL = 64_000_000


def pyarrow() -> Any:
    """Return pyarrow, or say which extra brings it."""
    try:
        import pyarrow as module
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "batch") from None
    return module


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
    """Return the names in the first row of a CSV text, and its other rows, each with as many cells.

    Without a delimiter, the first row shows which one it is.

    >>> names, rows = read_table('id;text\\n1;"Rain; more rain."\\n')
    >>> names, list(rows)
    (['id', 'text'], [['1', 'Rain; more rain.']])
    """
    first = text.partition("\n")[0]
    delimiter = delimiter or max(",;\t|", key=first.count)
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    names = next(_checked(rows), [])
    return names, ((row + [""] * len(names))[: len(names)] for row in _checked(rows) if row)


def _checked(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Turn what is wrong with a table into one line."""
    try:
        yield from rows
    except csv.Error as error:
        raise InputError(f"is a broken table: {error}") from None
