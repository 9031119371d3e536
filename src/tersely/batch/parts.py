"""The parts of an output: how they are written, and joined into one file."""

import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from tersely.batch.inputs import MANIFEST, TABLES, Form
from tersely.batch.job import ERRORS, Job
from tersely.errors import InputError
from tersely.io.files import write_whole
from tersely.io.lines import zstandard
from tersely.io.tables import from_stream, pyarrow, table_line

# A row group is written when this many bytes of rows are held, or at the end of a part.
_GROUP_BYTES = 32_000_000
_EMPTY_GZIP = gzip.compress(b"", mtime=0)


class PartWriter(Protocol):
    """A file that is being written."""

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
        self._held: list[Any] = []
        self._bytes = 0

    def write(self, data: bytes) -> None:
        if not data:
            return
        self._held.append(from_stream(data).cast(self._schema))
        self._bytes += len(data)
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        if self._held:
            self._flush()
        self._writer.close()
        self._stream.close()

    def _flush(self) -> None:
        table = pyarrow().concat_tables(self._held).unify_dictionaries()
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._held, self._bytes = [], 0


def deliver(job: Job, names: Sequence[str]) -> None:
    """If one file was asked for, join the finished parts into it, and remove their folder."""
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
    for each in job.folder.iterdir():
        # The manifest goes last: as long as it is there, there is something left to do.
        if each.name != MANIFEST:
            shutil.rmtree(each) if each.is_dir() else each.unlink()
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
            source.seek(len(header))  # of which the whole file has one
            shutil.copyfileobj(source, stream, 1 << 20)


def _join_tables(stream: IO[bytes], parts: Sequence[Path], job: Job) -> None:
    parquet = pyarrow().parquet
    with parquet.ParquetWriter(stream, job.schema) as writer:
        for part in parts:
            with parquet.ParquetFile(part) as table:
                for group in range(table.num_row_groups):
                    rows = table.read_row_group(group).cast(job.schema)
                    writer.write_table(rows, row_group_size=max(1, rows.num_rows))
