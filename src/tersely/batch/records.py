"""The work on a chunk: a function of one text, applied to its records, with every other column carried through."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from tersely.batch.arrow import from_stream, pyarrow, to_stream
from tersely.batch.chunk import Chunk, Failure, Lines, Result, Rows
from tersely.batch.convert import as_line, as_row, to_json
from tersely.batch.files import Form
from tersely.errors import InputError, TerselyError

Type = Literal["string", "int64"]


class Answer(NamedTuple):
    """What a text gives: one value a new column, and whether there was nothing to say."""

    values: tuple[str | int, ...]
    empty: bool = False


class TextFunction(Protocol):
    """A function of one text that workers load, and the columns it adds."""

    @property
    def columns(self) -> dict[str, Type]:
        """The names and the types of the columns."""
        ...

    def load(self) -> Callable[[str], Answer]:
        """Load whatever the function needs."""
        ...

    def identity(self) -> dict[str, Any]:
        """Return plain data that changes when an answer might."""
        ...


@dataclass(frozen=True)
class Records:
    """Work that gives each record the columns of a function of its text; what fails is set aside, with the reason."""

    function: TextFunction
    form: Form
    text: str = "text"
    id: str | None = None
    schema: Any = None

    def load(self) -> Callable[[Chunk], Result]:
        """Load the function, once a worker."""
        answer = self.function.load()
        return lambda chunk: self._rows(chunk, answer) if isinstance(chunk, Rows) else self._lines(chunk, answer)

    def _lines(self, chunk: Chunk, answer: Callable[[str], Answer]) -> Result:
        assert isinstance(chunk, Lines)
        out: list[bytes] = []
        empty, failures = 0, []
        to_table = self.form == "parquet"
        for number, line in enumerate(chunk.body, chunk.start.number):
            if not line or (isinstance(line, bytes) and line.isspace()):
                continue
            record: dict[str, Any] = {}
            try:
                record, raw = _parsed(line)
                values, nothing = answer(self._checked(record))
                if to_table:
                    raw = to_stream(as_row({**record, **self._named(values)}, self.schema))
            except Exception as error:  # whatever is wrong with one document, the others go on
                failures.append(Failure(number, _reason(error), record.get(self.id) if self.id else None))
                continue
            # Spliced in, so that the rest of the line stays as it is, byte for byte.
            out.append(raw if to_table else raw[:-1] + self._added(values) + b"}\n")
            empty += nothing
        if to_table:
            data = to_stream(pyarrow().concat_tables(map(from_stream, out))) if out else b""
        else:
            data = self._packed(b"".join(out))
        return Result(data, len(out), empty, failures)

    def _rows(self, chunk: Rows, answer: Callable[[str], Answer]) -> Result:
        pa = pyarrow()
        table = from_stream(chunk.body)
        kept, added, lines, empty, failures = [], [], [], 0, []
        for i, number in enumerate(range(chunk.start.number, chunk.end.number)):
            try:
                values, nothing = answer(_string(table[self.text][i].as_py(), self.text))
                if self.form != "parquet":
                    lines.append(as_line({**table.slice(i, 1).to_pylist()[0], **self._named(values)}))
            except Exception as error:
                failures.append(Failure(number, _reason(error), self._row_id(table, i)))
                continue
            kept.append(i)
            added.append(values)
            empty += nothing
        if self.form != "parquet" or not kept:
            return Result(self._packed(b"".join(lines)), len(kept), empty, failures)
        if failures:
            # Not `take`, which does not know every type.
            table = pa.concat_tables([table.slice(i, 1) for i in kept])
        for (name, kind), column in zip(self.function.columns.items(), zip(*added, strict=True), strict=True):
            table = table.append_column(name, pa.array(column, kind))
        return Result(to_stream(table), len(kept), empty, failures)

    def _named(self, values: tuple[str | int, ...]) -> dict[str, str | int]:
        return dict(zip(self.function.columns, values, strict=True))

    def _added(self, values: tuple[str | int, ...]) -> bytes:
        return b"".join(b", %b: %b" % (to_json(name), to_json(value)) for name, value in self._named(values).items())

    def _packed(self, data: bytes) -> bytes:
        # Members of a gzip file may follow each other, so that workers can compress.
        return gzip.compress(data, mtime=0) if self.form == "jsonl.gz" and data else data

    def _checked(self, record: dict[str, Any]) -> str:
        if self.text not in record:
            raise InputError(f"no column '{self.text}', but {_listed(record)}")
        for name in self.function.columns:
            if name in record:
                raise InputError(f"there is a column '{name}' already: choose another --summary-column")
        return _string(record[self.text], self.text)

    def _row_id(self, table: Any, i: int) -> Any:
        if self.id is None or self.id not in table.column_names:
            return None
        try:
            value = table[self.id][i].as_py()
        except UnicodeDecodeError:
            return None
        return value if isinstance(value, str | int | float | bool | None) else str(value)


def _parsed(line: bytes | str) -> tuple[dict[str, Any], bytes]:
    """Return the object of a line, and its bytes from its first brace to its last."""
    if isinstance(line, str):
        raise InputError(line)
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}") from None
    except RecursionError:
        raise InputError("not JSON that can be read: nested too deeply") from None
    if not isinstance(record, dict):
        raise InputError("not a JSON object")
    return record, line.strip()


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
