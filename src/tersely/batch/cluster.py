"""Ray: joining a cluster, and streaming the parts of files to a pool of actors in it."""

import logging
import os
import pickle
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tersely.batch.arrow import pyarrow
from tersely.batch.chunk import Chunk, Place
from tersely.batch.files import File
from tersely.batch.manifest import part_name
from tersely.batch.read import read_chunks
from tersely.errors import MissingExtraError, ModelError, UsageError

# A part travels as a whole, so it ends here even if its documents are few.
PART_BYTES = 32_000_000

# Readers are many times as fast as the actors.
_READERS = 4


@contextmanager
def cluster(address: str, workers: int | None) -> Iterator[Any]:
    """Join a cluster, or start one on this machine and end it again; quietly, as there is a line of progress."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DATA_LOG_LEVEL", "ERROR")
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    cores: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **cores)
    except Exception as error:  # Ray raises a plain one where a node is late
        raise UsageError(f"the Ray cluster at {address} cannot be joined: {error}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def find_cluster(address: str | None) -> str:
    """Return the address to use, where somebody listens: Ray itself would go on trying for minutes."""
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.rpartition("/")[2].strip("[]"), int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise UsageError(f"the Ray cluster at {address} cannot be joined: {error}") from None
    return address


@dataclass(frozen=True)
class Read:
    """A task: reads a file, and gives its parts one by one, without those that are done."""

    files: list[File]
    chunk: int
    part_size: int
    done: frozenset[str]

    def __call__(self, table: Any) -> Iterator[Any]:
        """Give each part as a row: the number of its file and its own, its chunks, and the bytes it was read from."""
        pa = pyarrow()
        [file] = table["file"].to_pylist()
        before = sum(each.size for each in self.files[:file])
        for number, chunks in enumerate(self._split(read_chunks(self.files[: file + 1], Place(file), self.chunk))):
            size, before = chunks[-1].read - before, chunks[-1].read
            if part_name(file, number) not in self.done:
                body = pa.array([pickle.dumps(chunks)], pa.large_binary())
                yield pa.table({"file": [file], "part": [number], "size": [size], "chunks": body})

    def _split(self, chunks: Iterator[Chunk]) -> Iterator[list[Chunk]]:
        part: list[Chunk] = []
        for chunk in chunks:
            part.append(chunk)
            if sum(map(len, part)) >= self.part_size or sum(each.size for each in part) >= PART_BYTES:
                yield part
                part = []
        if part:
            yield part


def stream(
    ray: Any, read: Read, actor: type, arguments: tuple[Any, ...], actors: int | None
) -> Iterator[dict[str, Any]]:
    """Have a pool of actors do every part, by default one actor a core, and give the rows they return.

    An actor is made of `arguments`, and called with a table of one row, as `Read` gives them.
    """
    from ray.data import ActorPoolStrategy, DataContext, TaskPoolStrategy

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # each part is a block: what an actor is given at a time
    files = range(len(read.files))
    rows = (
        ray.data.from_items([{"file": i} for i in files], override_num_blocks=len(files))
        # Reading takes next to no time, and must not wait for a core that the actors hold.
        .map_batches(
            read,
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=0,
            compute=TaskPoolStrategy(size=min(_READERS, len(files))),
        )
        .map_batches(
            actor,
            fn_constructor_args=arguments,
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=1,
            compute=ActorPoolStrategy(size=actors or max(1, int(ray.cluster_resources().get("CPU", 1)))),
        )
    )
    try:
        yield from rows.iter_rows()
    except ray.exceptions.RayError as error:
        cause = str(error).strip().rpartition("\n")[2]
        raise ModelError(f"the cluster could not go on, --resume will: {cause}") from error
