"""Chunks: a few records of one file, read from any place in the input, and what became of them."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tersely.batch.inputs import InputFile, open_lines
from tersely.errors import InputError
from tersely.io.lines import MAX_BYTES, zstandard
from tersely.io.store import open_file
from tersely.io.tables import from_stream, pyarrow, to_stream
from tersely.workers.ordered import Rescue

# Large enough that sending a chunk costs nothing, small enough for smooth progress and flat memory.
CHUNK = 64
CHUNK_BYTES = 1_000_000
_BOM = b"\xef\xbb\xbf"


class Place(NamedTuple):
    """Where reading continues: the file's index, its next line or row (from 1), and its next byte."""

    file: int = 0
    number: int = 1
    offset: int = 0


START = Place()


@dataclass(frozen=True)
class Chunk:
    """Consecutive records of one file; `read` is how many bytes of all the files come before its end."""

    start: Place
    end: Place
    read: int

    @property
    def size(self) -> int:
        """The size of the records in bytes."""
        return 0

    def __len__(self) -> int:
        return self.end.number - self.start.number

    def singles(self) -> "list[Chunk]":
        """Return one chunk per record."""
        return [self]


@dataclass(frozen=True)
class Lines(Chunk):
    """Lines, exactly as in the file; a string stands for a line that cannot be read, and says why."""

    body: list[bytes | str]

    @property
    def size(self) -> int:
        """The size of the lines in bytes."""
        return sum(map(len, self.body))

    def __len__(self) -> int:
        return len(self.body)

    def singles(self) -> list[Chunk]:
        """Return one chunk per line."""
        return [Lines(*_place(self, i), self.read, [line]) for i, line in enumerate(self.body)]


@dataclass(frozen=True)
class Rows(Chunk):
    """Rows of a table, as an Arrow stream."""

    body: bytes

    @property
    def size(self) -> int:
        """The size of the rows in bytes."""
        return len(self.body)

    def singles(self) -> list[Chunk]:
        """Return one chunk per row."""
        table = from_stream(self.body)
        return [Rows(*_place(self, i), self.read, to_stream(table.slice(i, 1))) for i in range(len(self))]


def _place(chunk: Chunk, i: int) -> tuple[Place, Place]:
    start = chunk.start._replace(number=chunk.start.number + i)
    return start, start._replace(number=start.number + 1)


class Failure(NamedTuple):
    """A record that failed: its line or row, the reason, and its id if it has one.

    A record is `set_aside` if its worker died or was too slow, which need not happen again.
    """

    number: int
    reason: str
    id: Any = None
    set_aside: bool = False


@dataclass(frozen=True)
class ChunkResult:
    """What became of a chunk: finished bytes with this many documents, of which `empty` have no summary."""

    data: bytes = b""
    documents: int = 0
    empty: int = 0
    failures: list[Failure] = field(default_factory=list)


def record_by_record(name: Callable[[Chunk], Any] = lambda _: None) -> Rescue:
    """When a worker dies, try each record of its chunk alone; only one at which two more workers die is set aside.

    `name` returns the id of the only record of a chunk.
    """

    def set_aside(chunk: Chunk, reason: str) -> ChunkResult:
        said = f"this document failed twice: {reason}"
        return ChunkResult(failures=[Failure(chunk.start.number, said, name(chunk), set_aside=True)])

    return Rescue(lambda chunk: chunk.singles(), set_aside)


def read_chunks(files: Sequence[InputFile], start: Place = START, size: int = CHUNK) -> Iterator[Chunk]:
    """Yield the records of all files from a place on; reading from the end of a chunk gives the chunks after it."""
    before = sum(file.size for file in files[: start.file])
    for index in range(start.file, len(files)):
        file, place = files[index], start if index == start.file else Place(index)
        yield from (_rows if file.form == "parquet" else _lines)(file, place, size, before)
        before += file.size


def _lines(file: InputFile, place: Place, size: int, before: int) -> Iterator[Chunk]:
    body: list[bytes | str] = []
    broken = (OSError, EOFError, zlib.error, *([zstandard().ZstdError] if file.form == "jsonl.zst" else []))
    start, number, offset = place, place.number, place.offset
    try:
        with open_lines(file, offset) as (stream, raw):
            while True:
                start, held = Place(place.file, number, offset), 0
                while len(body) < size and held < CHUNK_BYTES and (line := stream.readline(MAX_BYTES + 1)):
                    offset += len(line)
                    if len(line) > MAX_BYTES:
                        while line and not line.endswith(b"\n"):
                            line = stream.readline(CHUNK_BYTES)
                            offset += len(line)
                        body.append(f"longer than {MAX_BYTES // 1_000_000} MB")
                    else:
                        held += len(line)
                        body.append(line.removeprefix(_BOM) if number == 1 else line)
                    number += 1
                if not body:
                    return
                yield Lines(start, Place(place.file, number, offset), before + raw.tell(), body)
                body = []
    except broken as error:
        body.append(f"the rest of the file cannot be read: {getattr(error, 'strerror', None) or error}")
    # Reading continues with the next file.
    yield Lines(start, Place(place.file + 1), before + file.size, body)


def _rows(file: InputFile, place: Place, size: int, before: int) -> Iterator[Chunk]:
    pa = pyarrow()
    number = 1
    try:
        with open_file(file.path) as raw, pa.parquet.ParquetFile(raw, buffer_size=1 << 20) as table:
            rows = max(1, table.metadata.num_rows)
            for group in range(table.num_row_groups):
                after = number + table.metadata.row_group(group).num_rows
                if after <= place.number:
                    number = after
                    continue
                for batch in (piece for big in table.iter_batches(size, row_groups=[group]) for piece in _pieces(big)):
                    start, number = number, number + batch.num_rows
                    if start >= place.number:
                        read = before + file.size * (number - 1) // rows
                        yield Rows(Place(place.file, start), Place(place.file, number), read, to_stream(batch))
    except (pa.ArrowException, OSError) as error:
        reason = f"the rest of the file cannot be read: {str(error).partition('. ')[0]}"
        yield Lines(Place(place.file, number), Place(place.file + 1), before + file.size, [reason])


def _pieces(batch: Any) -> Iterator[Any]:
    """Divide large rows into chunks of about a megabyte; a dictionary goes with each of them, and does not count."""
    size = sum((column.indices if hasattr(column, "indices") else column).nbytes for column in batch.columns)
    rows = max(1, batch.num_rows * CHUNK_BYTES // max(size, CHUNK_BYTES))
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def common_schema(files: Sequence[InputFile]) -> Any:
    """Return the Arrow schema that all Parquet files share."""
    pa = pyarrow()
    found = None
    for file in files:
        try:
            with open_file(file.path) as raw:
                schema = pa.parquet.read_schema(raw)
        except (pa.ArrowException, OSError):
            raise InputError(f"{file.path} is not a readable Parquet file") from None
        if found is not None and not schema.equals(found):
            raise InputError(f"{file.path} has different columns from {files[0].path}: run them separately")
        found = found or schema
    return found
