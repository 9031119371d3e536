"""The output: parts, a note for each finished part, and in the end a manifest. Both engines write and resume it."""

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from tersely.batch.inputs import MANIFEST, TABLES, Chunk, ChunkResult, Form, Position
from tersely.batch.job import ERRORS, Job
from tersely.batch.records import json_line
from tersely.errors import InputError, TerselyError, UsageError
from tersely.io.files import Store, is_remote, pyarrow, write_whole
from tersely.io.lines import zstandard
from tersely.io.tables import from_stream, table_line

# The folder that holds one note per finished part while a run lasts.
NOTES = "_done"
# A row group is written when its rows have this many bytes, or at the end of a part.
_GROUP_BYTES = 32_000_000
_EMPTY_GZIP = gzip.compress(b"", mtime=0)


class FinishedPart(NamedTuple):
    """A finished part: its file, its stretch of the input, and counts of its documents.

    `set_aside` counts the failed documents that might succeed another time. A note and a line of the manifest also
    have the lines of errors.jsonl that belong to the part. A file in an object store has no hash here.
    """

    name: str
    start: Position
    end: Position
    documents: int
    failed: int
    empty: int
    set_aside: int
    size: int
    sha256: str | None

    def entry(self, errors: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return plain data for the manifest."""
        return {**self._asdict(), "start": self.start._asdict(), "end": self.end._asdict(), "errors": errors}

    @classmethod
    def from_entry(cls, entry: dict[str, Any]) -> "FinishedPart":
        """Return the part that an entry describes."""
        fields = {name: entry[name] for name in cls._fields}
        return cls(**{**fields, "start": Position(**entry["start"]), "end": Position(**entry["end"])})

    def is_intact(self, store: Store, retry: bool) -> bool:
        """Tell whether the file is there and undamaged; with `retry`, also that no document was set aside."""
        return not (retry and self.set_aside) and store.holds(self.name, self.size, self.sha256)


class Totals(NamedTuple):
    """The documents of all runs of a job."""

    documents: int
    failed: int
    empty: int

    @classmethod
    def of(cls, parts: Sequence[FinishedPart]) -> "Totals":
        """Add up the counts of parts."""
        return cls(*(sum(getattr(part, name) for part in parts) for name in cls._fields))


def part_name(*numbers: int) -> str:
    """Name a part so that names sort in the order of the input, for up to ten million parts."""
    return "-".join(["part", *(f"{number:07d}" for number in numbers)])


def run_job(job: Job, store: Store, head: dict[str, Any], work: "Callable[[Output], int]") -> Totals:
    """Do a job, or the rest of it, and deliver its output.

    `head` describes the job. `work` writes the parts that are missing and returns the number of all parts.
    """
    output = Output(job, store, head)
    with output.lock():
        if not output.begin():
            output.finish(work(output))
        store.tidy(NOTES)
        parts = output.manifest_parts()
        _deliver(job, [part.name for part in parts])
    return Totals.of(parts)


@dataclass(frozen=True)
class Output:
    """The folder of an output, on a disk or in an object store.

    While a run lasts, the manifest has one line, the head, and each finished part has a note. At the end the notes
    become errors.jsonl and the other lines of the manifest. Every file is written in one step, and a part before its
    note, so whenever a run is killed, its notes say which parts need not be done again.
    """

    job: Job
    store: Store
    head: dict[str, Any]

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out of a folder on a disk; an object store has no locks."""
        folder = Path(self.store.folder)
        if is_remote(self.store.folder):
            yield
            return
        if folder.exists() and not folder.is_dir():
            raise self._foreign()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError:  # Windows has no such lock
            yield
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            try:
                flock(handle, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"another process is writing to {self.job.place}: wait until it ends") from None
            except OSError:
                pass  # some network file systems cannot lock a folder; `finish` notices most collisions
            yield
        finally:
            os.close(handle)

    def begin(self) -> bool:
        """Begin or resume, and tell whether the output is complete; if not, every finished part has a note."""
        manifest = self.store.read(MANIFEST)
        if manifest is None:
            if self.store.names():
                raise self._foreign()
            self.store.write(MANIFEST, json_line(self.head))
            return False
        if not self.job.resume:
            raise UsageError(f"{self.job.place} exists already: add --resume to continue it, or choose another output")
        with self._damage_reported(MANIFEST):
            first, *lines = manifest.splitlines()
            _check_head(json.loads(first), self.head, self.job.place)
            if not lines:
                return False
            *entries, end = map(json.loads, lines)
            parts = [FinishedPart.from_entry(entry) for entry in entries]
            is_complete: bool = end["complete"]
        if self.job.is_delivered:
            return is_complete
        if all(part.is_intact(self.store, self.job.retry) for part in parts):
            self._restore_errors(lambda: entries)
            return is_complete
        for entry in entries:
            self.store.write(_note(entry["name"].removesuffix(f".{self.job.form}")), json_line(entry))
        self.store.write(MANIFEST, json_line(self.head))
        return False

    def noted_parts(self) -> list[FinishedPart]:
        """Return the finished parts of an unfinished run, in the order of the input."""
        with self._damage_reported(NOTES):
            return [FinishedPart.from_entry(entry) for entry in self._notes()]

    def manifest_parts(self) -> list[FinishedPart]:
        """Return the parts of a complete manifest."""
        with self._damage_reported(MANIFEST):
            lines = (self.store.read(MANIFEST) or b"").splitlines()[1:-1]
            return [FinishedPart.from_entry(json.loads(line)) for line in lines]

    def write_part(self, name: str, results: Iterable[tuple[Chunk, list[ChunkResult]]]) -> dict[str, Any]:
        """Write a part from its chunks and their results, then its note; return the note.

        A process that is killed between the two writes does the part again.
        """
        outcomes: list[tuple[Chunk, ChunkResult]] = []  # without bodies and data

        def fill(stream: IO[bytes]) -> None:
            writer = open_writer(stream, self.job.form, self.job.schema)
            try:
                for chunk, pieces in results:
                    for piece in pieces:
                        writer.write(piece.data)
                        outcomes.append((chunk.span(), replace(piece, data=b"")))
            except BaseException:
                # The disk may be full; the first error is the one to report.
                with suppress(Exception):
                    writer.close()
                raise
            writer.close()

        file = f"{name}.{self.job.form}"
        try:
            self.store.write(file, fill)
        except InputError as error:
            raise InputError(f"{error}; continue with --resume") from None
        errors = [self.job.error(chunk.start.file, failure) for chunk, piece in outcomes for failure in piece.failures]
        documents, empty = sum(piece.documents for _, piece in outcomes), sum(piece.empty for _, piece in outcomes)
        counts = documents, len(errors), empty, sum("set_aside" in error for error in errors)
        part = FinishedPart(file, outcomes[0][0].start, outcomes[-1][0].end, *counts, *self.store.look(file))
        note = part.entry(errors)
        self.store.write(_note(name), json_line(note))
        return note

    def finish(self, count: int) -> None:
        """Turn the notes into errors.jsonl and the manifest; there must be a note for each of `count` parts."""
        parts = self.noted_parts()
        if len(parts) < count:
            message = f"another process wrote to {self.job.place} at the same time: check it with --resume"
            raise UsageError(message)
        self._restore_errors(self._notes)
        totals = {"complete": True, **Totals.of(parts)._asdict()}
        lines = map(json_line, chain([self.head], self._notes(), [totals]))
        self.store.write(MANIFEST, lambda stream: _write_all(stream, lines))

    def _notes(self) -> Iterator[dict[str, Any]]:
        """Yield the note of each finished part, in the order of the input."""
        for name in self.store.names(NOTES):
            with self._damage_reported(f"{NOTES}/{name}"):
                yield json.loads(self.store.read(f"{NOTES}/{name}") or b"")

    def _restore_errors(self, entries: Callable[[], Iterable[dict[str, Any]]]) -> None:
        """Make errors.jsonl what the entries of the parts say, unless it is that already."""

        def lines() -> Iterator[bytes]:
            return (json_line(error) for entry in entries() for error in entry["errors"])

        size, digest = 0, sha256()
        for line in lines():
            size += len(line)
            digest.update(line)
        if not size:
            self.store.remove(ERRORS)
        elif self.store.look(ERRORS) not in ((size, digest.hexdigest()), (size, None)):
            self.store.write(ERRORS, lambda stream: _write_all(stream, lines()))

    def _foreign(self) -> UsageError:
        return UsageError(f"{self.job.place} exists already and is not from this command: choose another output")

    @contextmanager
    def _damage_reported(self, name: str) -> Iterator[None]:
        """Turn whatever is wrong with the content of a file into one line."""
        try:
            yield
        except TerselyError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            raise InputError(f"{self.job.place}/{name} is damaged: choose another output") from None


def _note(name: str) -> str:
    return f"{NOTES}/{name}.json"


def _write_all(stream: IO[bytes], lines: Iterable[bytes]) -> None:
    for line in lines:
        stream.write(line)


def _check_head(old: dict[str, Any], new: dict[str, Any], folder: str) -> None:
    """Refuse to resume a run with a different engine, input or options."""
    new = json.loads(json.dumps(new))
    for name in dict.fromkeys((*old, *new)):
        before, now = old.get(name), new.get(name)
        if before == now:
            continue
        if name == "tersely":
            raise UsageError(f"{folder} is from another version of tersely: use that one, or choose another output")
        if name == "engine":
            raise UsageError(f"{folder} was started with --engine {before}: resume with the same engine")
        if isinstance(before, dict) and isinstance(now, dict):
            changed = [key for key in dict.fromkeys((*before, *now)) if before.get(key) != now.get(key)]
            name = f"{name} ({', '.join(changed)})"
        raise UsageError(f"{folder} was started with different {name}: use the same ones, or choose another output")


class PartWriter(Protocol):
    """A part that is being written."""

    def write(self, data: bytes) -> None:
        """Add the finished bytes of a chunk."""
        ...

    def close(self) -> None:
        """Finish and close the file."""
        ...


def open_writer(stream: IO[bytes], form: Form, schema: Any = None) -> PartWriter:
    """Write a part of this format to an open stream."""
    if form in TABLES:
        stream.write(_header(schema, form))
    return _TableWriter(stream, schema) if form == "parquet" else _LineWriter(stream, form)


def _header(names: Sequence[str], form: Form) -> bytes:
    return table_line({name: name for name in names}, names, form)


class _LineWriter:
    def __init__(self, stream: IO[bytes], form: Form) -> None:
        self._stream = stream
        self._sink: Any = zstandard().ZstdCompressor().stream_writer(stream) if form == "jsonl.zst" else stream
        # Even without any document, the part must be a gzip file.
        self._if_empty = _EMPTY_GZIP if form == "jsonl.gz" else b""

    def write(self, data: bytes) -> None:
        self._sink.write(data)
        if data:
            self._if_empty = b""

    def close(self) -> None:
        self._sink.write(self._if_empty)
        self._sink.close()
        self._stream.close()


class _TableWriter:
    def __init__(self, stream: IO[bytes], schema: Any) -> None:
        self._stream, self._schema = stream, schema
        self._writer = pyarrow().parquet.ParquetWriter(stream, schema)
        self._tables: list[Any] = []
        self._bytes = 0

    def write(self, data: bytes) -> None:
        if not data:
            return
        self._tables.append(from_stream(data).cast(self._schema))
        self._bytes += len(data)
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        if self._tables:
            self._flush()
        self._writer.close()
        self._stream.close()

    def _flush(self) -> None:
        table = pyarrow().concat_tables(self._tables).unify_dictionaries()
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._tables, self._bytes = [], 0


def _deliver(job: Job, names: Sequence[str]) -> None:
    """If the output is one file, join the finished parts into it, and remove their folder."""
    if not job.is_one_file:
        return
    paths = [job.folder / name for name in names]
    # If a part is gone, an earlier run was killed while it removed what it had joined.
    if not Path(job.output).exists() or all(path.exists() for path in paths):
        errors = job.folder / ERRORS
        if errors.exists():
            write_whole(job.errors, errors.read_bytes())
        join = _join_tables if job.form == "parquet" else _join_lines
        try:
            write_whole(job.output, lambda stream: join(stream, paths, job))
        except InputError as error:
            raise InputError(f"{error}; continue with --resume") from None
    for path in job.folder.iterdir():
        # The manifest is removed last: it says that something is left to do.
        if path.name != MANIFEST:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.rmtree(job.folder)


def _join_lines(stream: IO[bytes], parts: Sequence[Path], job: Job) -> None:
    if job.form == "jsonl.zst":
        # Compressed again: zstd files may follow each other too, but some readers stop after the first.
        with zstandard().ZstdCompressor().stream_writer(stream, closefd=False) as out:
            for part in parts:
                with zstandard().open(part) as source:
                    shutil.copyfileobj(source, out, 1 << 20)
        return
    stream.write(_EMPTY_GZIP if job.form == "jsonl.gz" and not parts else b"")
    header = _header(job.schema, job.form) if job.form in TABLES else b""
    stream.write(header)
    for part in parts:
        with part.open("rb") as source:
            source.seek(len(header))  # the output needs only one
            shutil.copyfileobj(source, stream, 1 << 20)


def _join_tables(stream: IO[bytes], parts: Sequence[Path], job: Job) -> None:
    parquet = pyarrow().parquet
    with parquet.ParquetWriter(stream, job.schema) as writer:
        for part in parts:
            with parquet.ParquetFile(part) as table:
                for group in range(table.num_row_groups):
                    rows = table.read_row_group(group).cast(job.schema)
                    writer.write_table(rows, row_group_size=max(1, rows.num_rows))
