"""The work on a chunk: a function of each text, such as a summary, adds columns; other columns stay as they are."""

import gzip
from array import array
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from tersely import __version__
from tersely.batch.inputs import TABLES, Chunk, ChunkResult, Failure, Form, InputFile, Lines, Rows, read_chunks
from tersely.errors import InputError, TerselyError
from tersely.io.files import pyarrow, sha256
from tersely.io.lines import decode, parse_object, to_json
from tersely.io.tables import from_stream, table_line, to_stream

if TYPE_CHECKING:
    from tersely.extract import Extracted
    from tersely.summarizer import Summarizer
    from tersely.summary import Summary

ColumnType = Literal["string", "int64"]
SummaryForm = Literal["text", "json"]

# How many documents of JSON Lines decide which columns a table has, and their types.
FIRST = 1_000
# Up to this size in bytes, a record at which workers died is read in their parent, for its id.
_LARGEST_IDENTIFIED = 8_000_000


class NewValues(NamedTuple):
    """The values of the new columns for a text, and whether the summary is empty."""

    values: tuple[str | int, ...]
    empty: bool = False


# The sources are strings, or objects with a text and perhaps an id.
TextOrSources = str | list[Any]


class TextFunction(Protocol):
    """A function of one text, and perhaps a question, that workers load, and the columns it adds."""

    @property
    def columns(self) -> dict[str, ColumnType]:
        """The names and types of the columns."""
        ...

    def load(self) -> Callable[..., NewValues]:
        """Load whatever the function needs."""
        ...

    def identity(self) -> dict[str, Any]:
        """Return plain data that changes whenever a new value might."""
        ...


@dataclass(frozen=True)
class RecordWork:
    """Work that adds the columns of a function to each record; a record that fails is reported with the reason.

    `text` is the column of the texts or of lists of sources, or of paths with `reads_files`. `query` is the column of
    the questions, if there is one.
    """

    function: TextFunction
    form: Form
    text: str = "text"
    id: str | None = None
    schema: Any = None
    query: str | None = None
    reads_files: bool = False

    def load(self) -> Callable[[Chunk], ChunkResult]:
        """Load the function, once per worker."""
        answer = self.function.load()
        return lambda chunk: self._rows(chunk, answer) if isinstance(chunk, Rows) else self._lines(chunk, answer)

    def _lines(self, chunk: Chunk, answer: Callable[..., NewValues]) -> ChunkResult:
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
                    extended = {**record, **self._by_column(values)}
                    raw = to_stream(as_row(extended, self.schema)) if to_table else self._line(extended)
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

    def _rows(self, chunk: Rows, answer: Callable[..., NewValues]) -> ChunkResult:
        pa = pyarrow()
        table = from_stream(chunk.body)
        rows, added, lines, empty, failures = [], [], [], 0, []
        for i, number in enumerate(range(chunk.start.number, chunk.end.number)):
            try:
                values, nothing = answer(*self._arguments({name: table[name][i].as_py() for name in self._columns}))
                if self.form != "parquet":
                    lines.append(self._line({**table.slice(i, 1).to_pylist()[0], **self._by_column(values)}))
            except Exception as error:
                failures.append(Failure(number, _reason(error), self._row_id(table, i)))
                continue
            rows.append(i)
            added.append(values)
            empty += nothing
        if self.form != "parquet" or not rows:
            return ChunkResult(self._packed(b"".join(lines)), len(rows), empty, failures)
        if failures:
            # Not `take`, which does not support every type.
            table = pa.concat_tables([table.slice(i, 1) for i in rows])
        for (name, kind), column in zip(self.function.columns.items(), zip(*added, strict=True), strict=True):
            table = table.append_column(name, _column(column, kind))
        return ChunkResult(to_stream(table), len(rows), empty, failures)

    def _line(self, record: dict[str, Any]) -> bytes:
        if self.form not in TABLES:
            return as_line(record)
        plain = {name: _plain(value) if _is_odd(value) else value for name, value in record.items()}
        return table_line(plain, self.schema, self.form)

    def _by_column(self, values: tuple[str | int, ...]) -> dict[str, str | int]:
        return dict(zip(self.function.columns, values, strict=True))

    def _added(self, values: tuple[str | int, ...]) -> bytes:
        return "".join(
            f", {to_json(name)}: {to_json(value)}" for name, value in self._by_column(values).items()
        ).encode()

    def _packed(self, data: bytes) -> bytes:
        # A gzip file may consist of several members, so workers can compress.
        return gzip.compress(data, mtime=0) if self.form == "jsonl.gz" and data else data

    @property
    def _columns(self) -> list[str]:
        return [self.text] if self.query is None else [self.text, self.query]

    def _arguments(self, record: dict[str, Any]) -> "list[TextOrSources | Extracted]":
        """Return the arguments of the function: the text or the sources, and perhaps the question."""
        text: TextOrSources | Extracted = _text(record[self.text], self.text)
        if self.reads_files:
            from tersely.extract.source import read_source

            text = read_source(str(text))
        return [text] if self.query is None else [text, _string(record[self.query], self.query)]

    def _checked(self, record: dict[str, Any]) -> "list[TextOrSources | Extracted]":
        for name in self._columns:
            if name not in record:
                raise InputError(f"no column '{name}', but {_listed(record)}")
        for name in self.function.columns:
            if name in record:
                raise InputError(f"the column '{name}' exists already: choose another --summary-column")
        return self._arguments(record)

    def name(self, chunk: Chunk) -> Any:
        """Return the id of the only record of a chunk, unless it is so large that it could do harm here, too."""
        if self.id is None or chunk.size > _LARGEST_IDENTIFIED:
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


def _column(values: Sequence[Any], kind: ColumnType) -> Any:
    """Return values as an Arrow array. `pyarrow.array` would load pandas first, which takes seconds."""
    pa = pyarrow()
    if kind == "int64":
        return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(array("q", values))])
    texts = [value.encode() for value in values]
    offsets = array("i", accumulate(map(len, texts), initial=0))
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))


def _parsed(line: bytes | str) -> tuple[dict[str, Any], bytes]:
    """Return the object of a line, and its bytes from the first brace to the last."""
    if isinstance(line, str):
        raise InputError(line)
    return parse_object(line), decode(line).strip().encode()


def _text(value: Any, name: str) -> TextOrSources:
    return value if isinstance(value, list) else _string(value, name)


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"the column '{name}' is {'null' if value is None else 'not a string'}")
    return value


def _listed(names: Any, most: int = 10) -> str:
    listed = [str(name) for name in names][: most + 1]
    return ", ".join([*listed[:most], "..."] if len(listed) > most else listed) or "none at all"


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
            message = f"the column '{name}' has values of several types: write JSON Lines, not Parquet"
            raise InputError(message) from None
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
    for column in schema:
        value = record.get(column.name)
        try:
            columns.append(pa.array([value], column.type))
            fits = _is_preserved(value, columns[-1][0].as_py())
        except (pa.ArrowException, OverflowError, UnicodeEncodeError):
            fits = False
        if not fits:
            raise InputError(f"the column '{column.name}' is not {column.type}, as in the first {FIRST:,} documents")
    return pa.Table.from_arrays(columns, schema=schema)


def _is_preserved(value: Any, cell: Any) -> bool:
    """Tell whether the cell of a table has all of a value; fields that an object lacks are null in the cell."""
    if isinstance(value, dict) and isinstance(cell, dict):
        return value.keys() <= cell.keys() and all(
            _is_preserved(value.get(name), inner) for name, inner in cell.items()
        )
    if isinstance(value, list) and isinstance(cell, list):
        return len(value) == len(cell) and all(map(_is_preserved, value, cell))
    return bool(value == cell) or (value != value and cell != cell)


def as_line(record: dict[str, Any]) -> bytes:
    """Return a row as a line of JSON: times in ISO 8601, bytes in base 64, other types as strings."""
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


@dataclass(frozen=True)
class Summarize:
    """Summaries by one model with one budget.

    With the form `text`, a record gets the summary, its length and the reason for it; with `json`, everything that
    `tersely summarize --format json` prints. `parts` names the model or its parts, as in `Summarizer.load`, `options`
    the budget and the other options of a summary. With `has_query`, each text comes with a question.
    """

    parts: dict[str, str | None] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    column: str = "summary"
    form: SummaryForm = "text"
    has_query: bool = False

    @property
    def columns(self) -> dict[str, ColumnType]:
        """The columns to add."""
        if self.form == "json":
            return {self.column: "string"}
        return {self.column: "string", f"{self.column}_length": "int64", f"{self.column}_reason": "string"}

    def load(self) -> Callable[..., NewValues]:
        """Load the model, and return the function from a text, and perhaps a question, to its columns."""
        fit = self._load()[1]

        def answer(text: "TextOrSources | Extracted", *query: str) -> NewValues:
            summary = fit(text, *query)
            if self.form == "json":
                from tersely.extract import Extracted
                from tersely.extract.source import Input, Inputs

                inputs = Inputs((Input("", text),) if isinstance(text, Extracted) else (), has_names=False)
                data = to_json(inputs.located(summary.to_dict()), 2)
                return NewValues((data,), not summary.sentences)
            return NewValues((summary.text, summary.length, summary.reason), not summary.sentences)

        return answer

    def identity(self) -> dict[str, Any]:
        """Return what changes whenever a summary might; a wrong model or option raises an error, before any work."""
        # Without sentences that are chosen by their numbers: the empty text has none.
        summarizer, fit = replace(self, options=self.options | {"include": (), "exclude": (), "keep": ()})._load()
        fit("", *(["?"] if self.has_query else []))
        options: dict[str, Any] = {
            name: sorted(value) if isinstance(value, tuple) else value for name, value in self.options.items()
        }
        if options.get("tokenizer"):
            options["tokenizer"] = _hash(Path(options["tokenizer"]))
        return {
            "version": __version__,
            "model": {"name": summarizer.name, "fingerprint": summarizer.fingerprint},
            "options": {name: value for name, value in options.items() if value not in (None, [])},
            "column": self.column,
            "format": self.form,
        }

    def _load(self) -> "tuple[Summarizer, Callable[..., Summary]]":
        """Return the summarizer, and the function from a text to its summary within the one budget."""
        from tersely.options import BUDGETS, Budget, Options
        from tersely.summarizer import Summarizer
        from tersely.text.sources import as_document

        summarizer, rest = Summarizer.load(**self.parts), dict(self.options)
        budget = Budget.one_of(**{name: rest.pop(name, None) for name in BUDGETS})
        language, tokenizer = rest.pop("language", None), rest.pop("tokenizer", None)
        options = None if self.has_query else Options.of(**rest)

        def fit(text: "TextOrSources | Extracted", query: str | None = None) -> "Summary":
            from tersely.extract import Extracted

            document = text.document(language) if isinstance(text, Extracted) else as_document(text, language)
            return summarizer.fit(document, budget, options or Options.of(**rest, query=query), tokenizer)

        return summarizer, fit


def _hash(file: Path) -> str:
    try:
        return sha256(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
