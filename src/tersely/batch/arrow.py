"""Tables as bytes and back, and the one message for who has no pyarrow."""

from typing import Any

from tersely.errors import MissingExtraError


def pyarrow() -> Any:
    """Return pyarrow, or say which extra brings it."""
    try:
        import pyarrow as module
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "batch") from None
    return module


def to_stream(table: Any) -> bytes:
    """Return a table or a record batch as an Arrow stream."""
    pa = pyarrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def from_stream(data: bytes) -> Any:
    """Return the table of an Arrow stream."""
    return pyarrow().ipc.open_stream(data).read_all()
