"""From JSON Lines to tables and back."""

import json
from base64 import b64encode
from collections.abc import Sequence
from itertools import islice
from typing import Any

from tersely.batch.arrow import pyarrow
from tersely.batch.chunk import Lines
from tersely.batch.files import File
from tersely.batch.read import read_chunks
from tersely.errors import InputError

# So many documents decide which columns a table has, and their types.
FIRST = 1_000


def first_schema(files: Sequence[File]) -> Any:
    """Return the schema of the first documents in JSON Lines; a column of nothing but null is one of strings."""
    pa = pyarrow()
    columns: dict[str, list[Any]] = {}
    chunks = (chunk for chunk in read_chunks(files) if isinstance(chunk, Lines))
    for line in islice((line for chunk in chunks for line in chunk.body), FIRST):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        for name, value in record.items() if isinstance(record, dict) else ():
            columns.setdefault(name, []).append(value)
    fields = []
    for name, values in columns.items():
        try:
            kind = pa.array(values).type
        except (pa.ArrowException, OverflowError, UnicodeEncodeError):
            said = f"the column '{name}' has values of several types: write JSON Lines, not Parquet"
            raise InputError(said) from None
        fields.append(pa.field(name, pa.string() if pa.types.is_null(kind) else kind))
        try:
            pa.parquet.ParquetWriter(pa.BufferOutputStream(), pa.schema(fields[-1:])).close()
        except pa.ArrowException:
            said = f"the column '{name}' has objects without any content: write JSON Lines, not Parquet"
            raise InputError(said) from None
    return pa.schema(fields)


def as_row(record: dict[str, Any], schema: Any) -> Any:
    """Return a record as a table of one row, or say which of its columns does not fit."""
    pa = pyarrow()
    for name in record:
        if name not in schema.names:
            raise InputError(f"the column '{name}' is not one of the first {FIRST:,} documents'")
    columns = []
    for field in schema:
        given = record.get(field.name)
        try:
            columns.append(pa.array([given], field.type))
            fits = _same(given, columns[-1][0].as_py())
        except (pa.ArrowException, OverflowError, UnicodeEncodeError):
            fits = False
        if not fits:
            raise InputError(f"the column '{field.name}' is not {field.type}, as in the first {FIRST:,} documents")
    return pa.Table.from_arrays(columns, schema=schema)


def _same(given: Any, kept: Any) -> bool:
    """Tell whether a table has kept all of a value; what an object lacks is null."""
    if isinstance(given, dict) and isinstance(kept, dict):
        return given.keys() <= kept.keys() and all(_same(given.get(name), value) for name, value in kept.items())
    if isinstance(given, list) and isinstance(kept, list):
        return len(given) == len(kept) and all(map(_same, given, kept))
    return bool(given == kept) or (given != given and kept != kept)


def as_line(record: dict[str, Any]) -> bytes:
    """Return a record as a line of JSON: times as in ISO 8601, bytes in base 64, other things as Python prints them."""
    return to_json(record) + b"\n"


def to_json(value: Any) -> bytes:
    """Return JSON that is readable in every script; a lone surrogate is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=_plain).encode()


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
