"""The work on a chunk: a function of the text of each record adds columns; every other column is carried through."""

import gzip
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

from tersely.batch.chunks import Chunk, ChunkResult, Failure, Lines, Rows, read_chunks
from tersely.batch.inputs import TABLES, Form, InputFile
from tersely.errors import InputError, TerselyError
from tersely.io.lines import decode, parse_object, to_json
from tersely.io.tables import from_stream, pyarrow, table_line, to_stream

ColumnType = Literal["string", "int64"]

# How many documents of JSON Lines decide which columns a table has, and their types.
FIRST = 1_000
# Up to this size in bytes, a record at which workers died is read in their parent, for its id.
_LARGEST_NAMED = 8_000_000


class Answer(NamedTuple):
    """What a function makes of a text: one value per new column, and whether there was nothing to say."""

    values: tuple[str | int, ...]
    empty: bool = False


# A text, or a list of sources.
Given = str | list[Any]


class TextFunction(Protocol):
    """A function of one text that workers load, and the columns it adds; it may take a question, too."""

    @property
    def columns(self) -> dict[str, ColumnType]:
        """The names and types of the columns."""
        ...

    def load(self) -> Callable[..., Answer]:
        """Load whatever the function needs."""
        ...

    def identity(self) -> dict[str, Any]:
        """Return plain data that changes whenever an answer might."""
        ...


@dataclass(frozen=True)
class RecordWork:
    """Work that adds the columns of a function to each record; a record that fails is reported with the reason.

    `text` is the column of the texts, or of lists of sources, `query` that of the questions, if there are any.
    """

    function: TextFunction
    form: Form
    text: str = "text"
    id: str | None = None
    schema: Any = None
    query: str | None = None

    def load(self) -> Callable[[Chunk], ChunkResult]:
        """Load the function, once per worker."""
        answer = self.function.load()
        return lambda chunk: self._rows(chunk, answer) if isinstance(chunk, Rows) else self._lines(chunk, answer)

    def _lines(self, chunk: Chunk, answer: Callable[..., Answer]) -> ChunkResult:
        assert isinstance(chunk, Lines)
        out: list[bytes] = []
        empty, failures = 0, []
        to_table, spliced = self.form == "parquet", self.form not in ("parquet", *TABLES)
        for number, line in enumerate(chunk.body, chunk.start.number):
            if not line or (isinstance(line, bytes) and line.isspace()):
                continue
            record: dict[str, Any] = {}
            try:
                record, raw = _parsed(line)
                values, nothing = answer(*self._checked(record))
                if not spliced:
                    whole = {**record, **self._named(values)}
                    raw = to_stream(as_row(whole, self.schema)) if to_table else self._line(whole)
            except Exception as error:  # whatever is wrong with one document must not stop the others
                failures.append(Failure(number, _reason(error), record.get(self.id) if self.id else None))
                continue
            # Spliced in, so that the rest of the line stays the same, byte for byte.
            out.append(raw[:-1] + self._added(values) + b"}\n" if spliced else raw)
            empty += nothing
        if to_table:
            data = to_stream(pyarrow().concat_tables(map(from_stream, out))) if out else b""
        else:
            data = self._packed(b"".join(out))
        return ChunkResult(data, len(out), empty, failures)

    def _rows(self, chunk: Rows, answer: Callable[..., Answer]) -> ChunkResult:
        pa = pyarrow()
        table = from_stream(chunk.body)
        kept, added, lines, empty, failures = [], [], [], 0, []
        for i, number in enumerate(range(chunk.start.number, chunk.end.number)):
            try:
                values, nothing = answer(*self._given({name: table[name][i].as_py() for name in self._columns}))
                if self.form != "parquet":
                    lines.append(self._line({**table.slice(i, 1).to_pylist()[0], **self._named(values)}))
            except Exception as error:
                failures.append(Failure(number, _reason(error), self._row_id(table, i)))
                continue
            kept.append(i)
            added.append(values)
            empty += nothing
        if self.form != "parquet" or not kept:
            return ChunkResult(self._packed(b"".join(lines)), len(kept), empty, failures)
        if failures:
            # Not `take`, which does not support every type.
            table = pa.concat_tables([table.slice(i, 1) for i in kept])
        for (name, kind), column in zip(self.function.columns.items(), zip(*added, strict=True), strict=True):
            table = table.append_column(name, pa.array(column, kind))
        return ChunkResult(to_stream(table), len(kept), empty, failures)

    def _line(self, record: dict[str, Any]) -> bytes:
        if self.form not in TABLES:
            return as_line(record)
        plain = {name: _plain(value) if _is_odd(value) else value for name, value in record.items()}
        return table_line(plain, self.schema, self.form)

    def _named(self, values: tuple[str | int, ...]) -> dict[str, str | int]:
        return dict(zip(self.function.columns, values, strict=True))

    def _added(self, values: tuple[str | int, ...]) -> bytes:
        return "".join(f", {to_json(name)}: {to_json(value)}" for name, value in self._named(values).items()).encode()

    def _packed(self, data: bytes) -> bytes:
        # A gzip file may consist of several members, so workers can compress.
        return gzip.compress(data, mtime=0) if self.form == "jsonl.gz" and data else data

    @property
    def _columns(self) -> list[str]:
        return [self.text] if self.query is None else [self.text, self.query]

    def _given(self, record: dict[str, Any]) -> list[Given]:
        """Return what the function is given: the text or the sources, and the question."""
        given: list[Given] = [_text(record[self.text], self.text)]
        return given if self.query is None else [*given, _string(record[self.query], self.query)]

    def _checked(self, record: dict[str, Any]) -> list[Given]:
        for name in self._columns:
            if name not in record:
                raise InputError(f"no column '{name}', but {_listed(record)}")
        for name in self.function.columns:
            if name in record:
                raise InputError(f"the column '{name}' exists already: choose another --summary-column")
        return self._given(record)

    def name(self, chunk: Chunk) -> Any:
        """Return the id of the only record of a chunk, unless it is so large that it could do harm here, too."""
        if self.id is None or chunk.size > _LARGEST_NAMED:
            return None
        if isinstance(chunk, Rows):
            return self._row_id(from_stream(chunk.body), 0)
        assert isinstance(chunk, Lines)
        try:
            return _parsed(chunk.body[0])[0].get(self.id)
        except InputError:
            return None

    def _row_id(self, table: Any, i: int) -> Any:
        if self.id is None or self.id not in table.column_names:
            return None
        try:
            value = table[self.id][i].as_py()
        except UnicodeDecodeError:
            return None
        return value if isinstance(value, str | int | float | bool | None) else str(value)


def _parsed(line: bytes | str) -> tuple[dict[str, Any], bytes]:
    """Return the object of a line, and its bytes from the first brace to the last."""
    if isinstance(line, str):
        raise InputError(line)
    return parse_object(line), decode(line).strip().encode()


def _text(value: Any, name: str) -> Given:
    return value if isinstance(value, list) else _string(value, name)


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"the column '{name}' is {'null' if value is None else 'not a string'}")
    return value


def _listed(names: Any, most: int = 10) -> str:
    shown = [str(name) for name in names][: most + 1]
    return ", ".join([*shown[:most], "..."] if len(shown) > most else shown) or "none at all"


def _reason(error: Exception) -> str:
    if isinstance(error, TerselyError):
        return str(error)
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else f"{type(error).__name__}: {error}"


def first_records(files: Sequence[InputFile]) -> Iterator[dict[str, Any]]:
    """Yield the first documents of JSON Lines, without those that cannot be read."""
    chunks = (chunk for chunk in read_chunks(files) if isinstance(chunk, Lines))
    for line in islice((line for chunk in chunks for line in chunk.body), FIRST):
        with suppress(InputError):
            yield _parsed(line)[0]


def first_schema(files: Sequence[InputFile]) -> Any:
    """Return the schema that fits the first documents of JSON Lines; a column with only nulls holds strings."""
    pa = pyarrow()
    columns: dict[str, list[Any]] = {}
    for record in first_records(files):
        for name, value in record.items():
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
            raise InputError(f"the column '{name}' holds empty objects: write JSON Lines, not Parquet") from None
    return pa.schema(fields)


def as_row(record: dict[str, Any], schema: Any) -> Any:
    """Return a record as a table of one row; an `InputError` says which of its columns does not fit."""
    pa = pyarrow()
    for name in record:
        if name not in schema.names:
            raise InputError(f"the column '{name}' is not in the first {FIRST:,} documents")
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
    """Tell whether a table kept all of a value; fields that an object lacks are null."""
    if isinstance(given, dict) and isinstance(kept, dict):
        return given.keys() <= kept.keys() and all(_same(given.get(name), value) for name, value in kept.items())
    if isinstance(given, list) and isinstance(kept, list):
        return len(given) == len(kept) and all(map(_same, given, kept))
    return bool(given == kept) or (given != given and kept != kept)


def as_line(record: dict[str, Any]) -> bytes:
    """Return a row as a line of JSON: times in ISO 8601, bytes in base 64, anything else unknown as a string."""
    return json_line(record, _plain)


def json_line(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return a value as a line of JSON."""
    return to_json(value, default=default).encode() + b"\n"


def _is_odd(value: Any) -> bool:
    """Tell whether JSON has no form for a value."""
    return not isinstance(value, str | int | float | list | dict | None)


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
