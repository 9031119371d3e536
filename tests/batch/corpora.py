"""Write and read corpora in every format."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

FORMS = ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")


def write_lines(path: Path, data: bytes) -> Path:
    if path.name.endswith(".gz"):
        data = gzip.compress(data)
    elif path.name.endswith(".zst"):
        data = zstandard.compress(data)
    path.write_bytes(data)
    return path


def write_corpus(path: Path, records: list[dict[str, Any]], group: int = 7) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path, row_group_size=group)
        return path
    return write_lines(path, b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records))


def read_lines(path: Path) -> bytes:
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        return gzip.decompress(data)
    if path.name.endswith(".zst"):
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
            return stream.read()
    return data


def read_corpus(*paths: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for path in paths:
        if path.suffix == ".parquet":
            records += pq.read_table(path).to_pylist()
        else:
            records += [json.loads(line) for line in read_lines(path).splitlines()]
    return records


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def articles(count: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": i, "text": f"Ship {i} came in. The harbor was full of ships. It rained.", **more} for i in range(count)
    ]


def expected(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**record, "loud": record["text"].upper(), "length": len(record["text"])} for record in records]


def corpus(folder: Path, form: str, records: list[dict[str, Any]]) -> Path:
    """Write two files; the second begins in the middle of a part."""
    folder.mkdir()
    write_corpus(folder / f"a.{form}", records[:33])
    write_corpus(folder / f"b.{form}", records[33:])
    return folder
