"""Writing the parts of an output, and joining them to one file."""

import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from tersely.batch.arrow import from_stream, pyarrow
from tersely.batch.files import Form
from tersely.batch.manifest import put_in_place
from tersely.batch.zstd import zstandard

# A row group is written when this many bytes of rows are held, or at the end of a part.
_GROUP_BYTES = 32_000_000
_NOTHING = gzip.compress(b"", mtime=0)


class Writer(Protocol):
    """A file that is being written."""

    def write(self, data: bytes) -> None:
        """Add the finished bytes of a chunk."""
        ...

    def close(self) -> None:
        """End the file."""
        ...


def open_writer(path: Path | Any, form: Form, schema: Any = None) -> Writer:
    """Open a file, or take an open stream, to write a part of that form to."""
    stream = path.open("wb") if isinstance(path, Path) else path
    return _Table(stream, schema) if form == "parquet" else _Lines(stream, form)


class _Lines:
    def __init__(self, stream: IO[bytes], form: Form) -> None:
        self._stream = stream
        self._sink: Any = zstandard().ZstdCompressor().stream_writer(stream) if form == "jsonl.zst" else stream
        # A part without any document is a gzip file, too.
        self._nothing = _NOTHING if form == "jsonl.gz" else b""

    def write(self, data: bytes) -> None:
        self._sink.write(data)
        if data:
            self._nothing = b""

    def close(self) -> None:
        self._sink.write(self._nothing)
        self._sink.close()
        self._stream.close()


class _Table:
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


def join(parts: Sequence[Path], path: Path, form: Form, schema: Any = None) -> None:
    """Write all parts to one file, which is there at once when it is whole."""
    temporary = path.with_name(f".{path.name}.tmp")
    if form == "parquet":
        _join_tables(parts, temporary, schema)
    else:
        # Gzip files that follow each other are one again. So are zstd files, but not every reader goes past the first.
        again = form == "jsonl.zst"
        with temporary.open("wb") as raw, zstandard().ZstdCompressor().stream_writer(raw) if again else raw as out:
            out.write(_NOTHING if form == "jsonl.gz" and not parts else b"")
            for part in parts:
                with zstandard().open(part) if again else part.open("rb") as stream:
                    shutil.copyfileobj(stream, out, 1 << 20)
    put_in_place(temporary, path)


def _join_tables(parts: Sequence[Path], path: Path, schema: Any) -> None:
    parquet = pyarrow().parquet
    with parquet.ParquetWriter(path, schema) as writer:
        for part in parts:
            with parquet.ParquetFile(part) as table:
                for group in range(table.num_row_groups):
                    rows = table.read_row_group(group).cast(schema)
                    writer.write_table(rows, row_group_size=max(1, rows.num_rows))
