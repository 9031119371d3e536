"""Reading a corpus of any size a few records at a time, from any place in it."""

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from tersely.batch.arrow import pyarrow, to_stream
from tersely.batch.chunk import Chunk, Lines, Place, Rows
from tersely.batch.files import File, open_file, open_lines
from tersely.batch.zstd import zstandard
from tersely.errors import InputError

# Enough work to make sending it free, and little enough for a bar that moves and memory that stays flat.
CHUNK = 64
CHUNK_BYTES = 1_000_000

# Far more than a document; beyond it a file is surely not JSON Lines.
MAX_LINE = 64_000_000
START = Place()
_BOM = b"\xef\xbb\xbf"


def read_chunks(files: Sequence[File], start: Place = START, size: int = CHUNK) -> Iterator[Chunk]:
    """Give the records of all files from a place on; from where a chunk ended, the same chunks follow."""
    before = sum(file.size for file in files[: start.file])
    for index in range(start.file, len(files)):
        file, place = files[index], start if index == start.file else Place(index)
        yield from (_rows if file.form == "parquet" else _lines)(file, place, size, before)
        before += file.size


def _lines(file: File, place: Place, size: int, before: int) -> Iterator[Chunk]:
    body: list[bytes | str] = []
    broken = (OSError, EOFError, zlib.error, *([zstandard().ZstdError] if file.form == "jsonl.zst" else []))
    start, number, offset = place, place.number, place.offset
    try:
        with open_lines(file, offset) as (stream, raw):
            while True:
                start, held = Place(place.file, number, offset), 0
                while len(body) < size and held < CHUNK_BYTES and (line := stream.readline(MAX_LINE + 1)):
                    offset += len(line)
                    if len(line) > MAX_LINE:
                        while line and not line.endswith(b"\n"):
                            line = stream.readline(CHUNK_BYTES)
                            offset += len(line)
                        body.append(f"longer than {MAX_LINE // 1_000_000} MB")
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
    # After what cannot be read comes the next file.
    yield Lines(start, Place(place.file + 1), before + file.size, body)


def _rows(file: File, place: Place, size: int, before: int) -> Iterator[Chunk]:
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
    """Divide rows that are large into chunks of a megabyte or so; a dictionary goes with each, and does not count."""
    size = sum((column.indices if hasattr(column, "indices") else column).nbytes for column in batch.columns)
    rows = max(1, batch.num_rows * CHUNK_BYTES // max(size, CHUNK_BYTES))
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def common_schema(files: Sequence[File]) -> Any:
    """Return the Arrow schema of Parquet files, which they must share."""
    pa = pyarrow()
    found = None
    for file in files:
        try:
            with open_file(file.path) as raw:
                schema = pa.parquet.read_schema(raw)
        except (pa.ArrowException, OSError):
            raise InputError(f"{file.path} is not a readable Parquet file") from None
        if found is not None and not schema.equals(found):
            raise InputError(f"{file.path} has other columns than {files[0].path}: run them one after the other")
        found = found or schema
    return found
