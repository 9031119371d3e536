"""The input: which files a path, a folder or a pattern means, and their records, read in chunks from any position."""

import glob
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any, Literal, NamedTuple, cast, get_args

from tersely.errors import InputError, UsageError
from tersely.extract import is_document
from tersely.io.files import absolute, filesystem, is_remote, open_file, pyarrow, sample_hash
from tersely.io.lines import GZIP_MARK, MAX_BYTES, ZSTD_MARKS, to_json, unpacked_zstd, zstandard
from tersely.io.tables import from_stream, table_as_lines, table_names, to_stream
from tersely.workers.ordered import Rescue

Form = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet", "csv", "tsv"]
FORMS: tuple[Form, ...] = get_args(Form)
# A file that is one document, such as a PDF. Its record has nothing but its path, in this column.
DOCUMENT: Literal["file"] = "file"
TABLES: frozenset[Form] = frozenset(("csv", "tsv"))
# Marks an output folder of this command. Readers of a folder of Parquet files skip names that start with "_".
MANIFEST = "_manifest.jsonl"
_ENDINGS = (*(f".{form}" for form in FORMS), ".ndjson", ".ndjson.gz", ".ndjson.zst")
_MARKS: dict[bytes, Form] = {b"PAR1": "parquet", GZIP_MARK: "jsonl.gz", **dict.fromkeys(ZSTD_MARKS, "jsonl.zst")}
# Large enough that sending a chunk costs nothing, small enough for smooth progress and flat memory.
CHUNK = 64
CHUNK_BYTES = 1_000_000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class InputFile:
    """An input file; its size, its time of change or a hash of some of its bytes differs when its content does."""

    path: str
    size: int
    changed: int  # nanoseconds since 1970
    form: Form | Literal["file"]
    sample: str


def find_files(inputs: Sequence[str], is_output: Callable[[str], bool] = lambda _: False) -> list[InputFile]:
    """List the files that paths, folders and patterns mean: each once, in sorted order within a folder or a pattern.

    In a folder without tables of documents, such as JSON Lines, each file is a document, also in folders below. Files
    for which `is_output` is true are left out: the output may be in an input folder.
    """
    paths: dict[str, str] = {}
    folders: set[str] = set()  # of documents
    for name in inputs:
        for path in _expand_remote(name) if is_remote(name) else _expand(name, is_output, folders):
            paths.setdefault(absolute(path), path)
    files = [_look(path, folders) for path in paths.values()]
    for form, title in (("parquet", "Parquet"), (DOCUMENT, "documents")):
        if len({file.form == form for file in files}) == 2:
            raise UsageError(f"the input has both {title} and other files: run them separately")
    return files


@contextmanager
def open_lines(file: InputFile, offset: int = 0) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file of lines at an offset in its unpacked bytes; yield the unpacked stream and the packed one."""
    with open_file(file.path) as raw:
        if file.form == "jsonl":
            raw.seek(offset)
            yield raw, raw
            return
        with _unpacked(raw, file.form) as stream:
            while offset:
                offset -= len(stream.read(min(offset, 1 << 20))) or offset
            yield stream, raw


def _unpacked(raw: IO[bytes], form: str) -> IO[bytes]:
    if form in TABLES:
        return table_as_lines(raw, form)
    return cast(IO[bytes], gzip.open(raw)) if form == "jsonl.gz" else unpacked_zstd(raw)


def column_names(file: InputFile) -> list[str]:
    """Return the names in the first row of a CSV or TSV file."""
    try:
        with open_file(file.path) as raw:
            return table_names(raw, file.form)
    except InputError as error:
        raise InputError(f"{file.path} {error}") from None


def _expand(name: str, is_output: Callable[[str], bool], folders: set[str]) -> list[str]:
    try:
        if Path(name).is_dir():
            ours = (Path(name) / MANIFEST).exists()
            paths = [str(path) for path in Path(name).iterdir() if _is_data(path.name, ours)]
            if not paths and not ours:
                below = (path for path in Path(name).rglob("*") if not path.name.startswith("."))
                paths = [str(path) for path in below if not (path.parent / MANIFEST).exists()]
                folders.update(paths)
        elif Path(name).exists():
            return [name]
        elif any(mark in name for mark in "*?["):
            # Path.glob takes no absolute pattern.
            paths = glob.glob(name, recursive=True)  # noqa: PTH207
        else:
            raise InputError(f"{name} does not exist")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None
    # A dangling link stays in, so that it is reported.
    inputs = (path for path in paths if is_output(name) or not is_output(path))
    return _or_error(sorted(path for path in inputs if not Path(path).is_dir()), name)


def _expand_remote(name: str) -> list[str]:
    pa = pyarrow()
    system, inner = filesystem(name)
    try:
        info = system.get_file_info(inner)
        if info.type == pa.fs.FileType.Directory:
            names = sorted(i.base_name for i in system.get_file_info(pa.fs.FileSelector(inner)) if i.is_file)
            ours = MANIFEST in names
            return _or_error([f"{name.rstrip('/')}/{file}" for file in names if _is_data(file, ours)], name)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error}") from None
    if info.type == pa.fs.FileType.NotFound:
        raise InputError(f"{name} does not exist")
    return [name]


def _is_data(name: str, ours: bool) -> bool:
    """Tell whether a file in a folder holds documents; in a folder that this command wrote, only parts do."""
    return name.endswith(_ENDINGS) and not name.startswith(".") and (not ours or name.startswith("part-"))


def _or_error(paths: list[str], name: str) -> list[str]:
    if not paths:
        raise InputError(
            f"{name} holds no document, and no file that ends in {', '.join(f'.{form}' for form in FORMS)}"
        )
    return paths


def _look(path: str, folders: set[str]) -> InputFile:
    try:
        if not is_remote(path) and not S_ISREG(Path(path).stat().st_mode):
            raise InputError(f"{path} is not a regular file: it can be read only once, so the run could not be resumed")
        with open_file(path) as stream:
            start = stream.read(4)
            sample = sample_hash(stream, blocks=3 if is_remote(path) else 16)
        by_name: Form = next((form for form in ("csv", "tsv") if path.lower().endswith(f".{form}")), "jsonl")
        form: Form | Literal["file"] = next((form for mark, form in _MARKS.items() if start.startswith(mark)), by_name)
        if path in folders or (form == "jsonl" and is_document(path, start)):
            form = DOCUMENT
        if path.endswith(".parquet") and form != "parquet":
            raise InputError(f"{path} is not a readable Parquet file")
        if is_remote(path):
            system, inner = filesystem(path)
            info = system.get_file_info(inner)
            return InputFile(path, info.size, info.mtime_ns or 0, form, sample)
        stat = Path(path).stat()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    return InputFile(path, stat.st_size, stat.st_mtime_ns, form, sample)


class Position(NamedTuple):
    """A position in the input: the index of a file, its next line or row (from 1), and its next byte."""

    file: int = 0
    number: int = 1
    offset: int = 0


@dataclass(frozen=True)
class Chunk:
    """Consecutive records of one file; `read` is how many bytes of all the files come before its end."""

    start: Position
    end: Position
    read: int

    @property
    def size(self) -> int:
        """The size of the records in bytes."""
        return 0

    def __len__(self) -> int:
        return self.end.number - self.start.number

    def span(self) -> "Chunk":
        """Return the chunk without its records."""
        return Chunk(self.start, self.end, self.read)

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
        return [Lines(*_span(self, i), self.read, [line]) for i, line in enumerate(self.body)]


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
        return [Rows(*_span(self, i), self.read, to_stream(table.slice(i, 1))) for i in range(len(self))]


def _span(chunk: Chunk, i: int) -> tuple[Position, Position]:
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
    """The result of a chunk: finished bytes, the number of documents in them, and how many have no summary."""

    data: bytes = b""
    documents: int = 0
    empty: int = 0
    failures: list[Failure] = field(default_factory=list)


def record_by_record(name: Callable[[Chunk], Any] = lambda _: None) -> Rescue:
    """When a worker dies, try each record of its chunk alone; only one at which two more workers die is set aside.

    `name` returns the id of the only record of a chunk.
    """

    def set_aside(chunk: Chunk, reason: str) -> ChunkResult:
        message = f"this document failed twice: {reason}"
        return ChunkResult(failures=[Failure(chunk.start.number, message, name(chunk), set_aside=True)])

    return Rescue(lambda chunk: chunk.singles(), set_aside)


class PartRoom:
    """How many records the current part still takes, so that no chunk reaches over its end."""

    def __init__(self, records: int = sys.maxsize) -> None:
        self._records = self.left = records

    def take(self, records: int) -> None:
        """Add records to the part; a full one is followed by the next."""
        self.left -= records
        if self.left <= 0:
            self.restart()

    def restart(self) -> None:
        """Begin the next part."""
        self.left = self._records


_START = Position()


def read_chunks(
    files: Sequence[InputFile], start: Position = _START, size: int = CHUNK, part: PartRoom | None = None
) -> Iterator[Chunk]:
    """Yield the records of all files from a position on; reading from the end of a chunk gives the chunks after it.

    `files` is the whole input, and `start` where to begin. A chunk has up to `size` records, and no more than are left
    in the current `part`.
    """
    room = part or PartRoom()
    before = sum(file.size for file in files[: start.file])
    for index in range(start.file, len(files)):
        file, position = files[index], start if index == start.file else Position(index)
        if file.form == DOCUMENT:
            if position.number == 1:
                room.take(1)
                line = to_json({DOCUMENT: file.path}).encode()
                yield Lines(position, Position(index, 2, 1), before + file.size, [line])
        else:
            yield from (_rows if file.form == "parquet" else _lines)(file, position, size, before, room)
        before += file.size


def _lines(file: InputFile, position: Position, size: int, before: int, room: PartRoom) -> Iterator[Chunk]:
    body: list[bytes | str] = []
    broken = (OSError, EOFError, zlib.error, *([zstandard().ZstdError] if file.form == "jsonl.zst" else []))
    start, number, offset = position, position.number, position.offset
    try:
        with open_lines(file, offset) as (stream, raw):
            while True:
                start, size_read = Position(position.file, number, offset), 0
                most = min(size, room.left)
                while len(body) < most and size_read < CHUNK_BYTES and (line := stream.readline(MAX_BYTES + 1)):
                    offset += len(line)
                    if len(line) > MAX_BYTES:
                        while line and not line.endswith(b"\n"):
                            line = stream.readline(CHUNK_BYTES)
                            offset += len(line)
                        body.append(f"longer than {MAX_BYTES // 1_000_000} MB")
                    else:
                        size_read += len(line)
                        body.append(line.removeprefix(_BOM) if number == 1 else line)
                    number += 1
                if not body:
                    return
                room.take(len(body))
                yield Lines(start, Position(position.file, number, offset), before + raw.tell(), body)
                body = []
    except broken as error:
        body.append(f"the rest of the file cannot be read: {getattr(error, 'strerror', None) or error}")
    room.take(len(body))
    # Reading continues with the next file.
    yield Lines(start, Position(position.file + 1), before + file.size, body)


def _rows(file: InputFile, position: Position, size: int, before: int, room: PartRoom) -> Iterator[Chunk]:
    pa = pyarrow()
    number = 1
    try:
        with open_file(file.path) as raw, pa.parquet.ParquetFile(raw, buffer_size=1 << 20) as table:
            rows = max(1, table.metadata.num_rows)
            for group in range(table.num_row_groups):
                after = number + table.metadata.row_group(group).num_rows
                if after <= position.number:
                    number = after
                    continue
                for batch in (piece for big in table.iter_batches(size, row_groups=[group]) for piece in _pieces(big)):
                    start, number = number, number + batch.num_rows
                    at = max(start, position.number)
                    while at < number:
                        end = min(number, at + room.left)
                        room.take(end - at)
                        read, piece = before + file.size * (end - 1) // rows, batch.slice(at - start, end - at)
                        yield Rows(Position(position.file, at), Position(position.file, end), read, to_stream(piece))
                        at = end
    except (pa.ArrowException, OSError) as error:
        reason = f"the rest of the file cannot be read: {str(error).partition('. ')[0]}"
        room.take(1)
        yield Lines(Position(position.file, number), Position(position.file + 1), before + file.size, [reason])


def _pieces(batch: Any) -> Iterator[Any]:
    """Divide large rows into chunks of about a megabyte; a dictionary goes with each of them, and does not count."""
    size = sum((column.indices if hasattr(column, "indices") else column).nbytes for column in batch.columns)
    rows = max(1, batch.num_rows * CHUNK_BYTES // max(size, CHUNK_BYTES))
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def common_schema(files: Sequence[InputFile]) -> Any:
    """Return the Arrow schema that all Parquet files share."""
    pa = pyarrow()
    common = None
    for file in files:
        try:
            with open_file(file.path) as raw:
                schema = pa.parquet.read_schema(raw)
        except (pa.ArrowException, OSError):
            raise InputError(f"{file.path} is not a readable Parquet file") from None
        if common is not None and not schema.equals(common):
            raise InputError(f"{file.path} has different columns from {files[0].path}: run them separately")
        common = common or schema
    return common
