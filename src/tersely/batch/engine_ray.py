"""The Ray engine: tasks read the files, actors do the parts and write them, and the driver collects their notes."""

import logging
import os
import pickle
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from tersely.batch.inputs import CHUNK, Chunk, InputFile, PartRoom, Position, read_chunks, record_by_record
from tersely.batch.job import BatchProgress, Job
from tersely.batch.output import Output, Totals, part_name, run_job
from tersely.errors import InputError, MissingExtraError, ModelError
from tersely.io.files import Store, absolute, pyarrow
from tersely.workers.guard import nothing_left_behind
from tersely.workers.ordered import OrderedPool

# A part is sent as a whole, so it ends at this size even if it has few documents.
_PART_BYTES = 32_000_000

# Reading is many times faster than the actors.
_READERS = 4

# Ray gives a new cluster 30 seconds, which can be too few on a busy machine: its start is tried this many times.
_STARTS = 5


def run_ray(
    job: Job,
    workers: int | None = None,
    address: str | None = None,
    show: Callable[[BatchProgress], None] = lambda _: None,
    stream: "Stream | None" = None,
) -> Totals:
    """Do a job, or the rest of it, on a Ray cluster.

    `workers` is the number of actors, by default one per core of the cluster. `address` is the cluster to join; by
    default one is started on this machine for the job. `show` is called after every part. `stream` takes the parts
    from the reader to actors; by default it is Ray Data.
    """
    job.check("ray")
    address = find_cluster(address)  # before anything is written
    stream = stream or _ray_stream(address, workers)
    return run_job(job, Store(absolute(job.place)), job.head("ray"), lambda output: _write_parts(output, stream, show))


def find_cluster(address: str | None) -> str:
    """Return the address of the cluster, if anything listens there: Ray itself would keep trying for minutes."""
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.rpartition("/")[2].strip("[]"), int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot join the Ray cluster at {address}: {error}") from None
    return address


@contextmanager
def cluster(address: str, workers: int | None) -> Iterator[Any]:
    """Join a cluster, or start one on this machine and stop it at the end; Ray's own messages are turned off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DATA_LOG_LEVEL", "ERROR")
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    if ray.is_initialized():
        yield ray
    elif address == "local":
        with _new_cluster(ray, workers):
            yield ray
    else:
        _join(ray, address)
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _new_cluster(ray: Any, workers: int | None) -> Iterator[None]:
    for attempt in count(1):
        # Some processes of Ray outlive a failed start, or this process if it is killed.
        with nothing_left_behind():
            try:
                _join(ray, "local", num_cpus=workers, include_dashboard=False)
            except InputError:
                if attempt == _STARTS:
                    raise
                continue
            try:
                yield
            finally:
                ray.shutdown()
            return


def _join(ray: Any, address: str, **more: Any) -> None:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except Exception as error:  # Ray raises a plain Exception when a node is late
        raise InputError(f"cannot join the Ray cluster at {address}: {error}") from None


def cluster_cores(ray: Any) -> int:
    """Return how many cores the cluster has."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def cluster_failed(error: Exception, remedy: str) -> ModelError:
    """Return the error for a cluster that failed in the middle of its work."""
    return ModelError(f"the cluster failed; {remedy}: {str(error).strip().rpartition(chr(10))[2]}")


def _write_parts(output: Output, stream: "Stream", show: Callable[[BatchProgress], None]) -> int:
    """Do the parts that are missing, and return the number of all parts."""
    job = output.job
    intact = [part for part in output.noted_parts() if part.is_intact(output.store, job.retry)]
    files = [replace(file, path=absolute(file.path)) for file in job.files]
    names = frozenset(part.name.removesuffix(f".{job.form}") for part in intact)
    parts, documents, read, total = len(names), 0, 0, max(1, sum(file.size for file in files))
    with closing(stream(PartReader(files, job.part_size, names), output)) as rows:
        for row in rows:
            parts, documents, read = parts + 1, documents + row["documents"], read + row["size"]
            show(BatchProgress(documents, min(1.0, read / total)))
    return parts


def _ray_stream(address: str, workers: int | None) -> "Stream":
    """Return the stream that sends every part to a pool of actors, and yields the rows they return."""

    def stream(reader: PartReader, output: Output) -> Generator[dict[str, Any], None, None]:
        with cluster(address, workers) as ray:
            try:
                yield from _pipeline(ray, reader, output, workers or cluster_cores(ray)).iter_rows()
            except ray.exceptions.RayError as error:
                raise cluster_failed(error, "continue with --resume") from error

    return stream


def _pipeline(ray: Any, reader: "PartReader", output: Output, actors: int) -> Any:
    from ray.data import ActorPoolStrategy, DataContext, TaskPoolStrategy

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # each part is a block of its own, so an actor gets one part at a time
    files = range(len(reader.files))
    return (
        ray.data.from_items([{"file": i} for i in files], override_num_blocks=len(files))
        # Reading takes next to no time, and must not wait for a core that the actors hold.
        .map_batches(
            reader,
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=0,
            compute=TaskPoolStrategy(size=min(_READERS, len(files))),
        )
        .map_batches(
            PartActor,
            fn_constructor_args=(output,),
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=1,
            compute=ActorPoolStrategy(size=actors),
        )
    )


@dataclass(frozen=True)
class PartReader:
    """A task that reads a file and yields its parts one by one, except those that are `finished`."""

    files: list[InputFile]
    part_size: int
    finished: frozenset[str]

    def __call__(self, table: Any) -> Iterator[Any]:
        """Yield each part as a row: its file, its number, its chunks, and how many bytes of the file it covers."""
        pa = pyarrow()
        [file] = table["file"].to_pylist()
        before = sum(earlier.size for earlier in self.files[:file])
        for number, chunks in enumerate(self._split(file)):
            size, before = chunks[-1].read - before, chunks[-1].read
            if part_name(file, number) not in self.finished:
                body = pa.array([pickle.dumps(chunks)], pa.large_binary())
                yield pa.table({"file": [file], "part": [number], "size": [size], "chunks": body})

    def _split(self, file: int) -> Iterator[list[Chunk]]:
        part: list[Chunk] = []
        room = PartRoom(self.part_size)
        for chunk in read_chunks(self.files[: file + 1], Position(file), CHUNK, room):
            part.append(chunk)
            if sum(map(len, part)) >= self.part_size or sum(piece.size for piece in part) >= _PART_BYTES:
                yield part
                part = []
                room.restart()
        if part:
            yield part


class PartActor:
    """An actor that works in a process of its own, so that a document that kills it does not kill the actor."""

    def __init__(self, output: Output) -> None:
        job = output.job
        self._output, self.pool = output, OrderedPool(job.work, 1, record_by_record(job.work.name), job.timeout)

    def __call__(self, table: Any) -> Any:
        """Do one part and write it; the row that comes back only says that it is done."""
        [row] = table.to_pylist()
        chunks: list[Chunk] = pickle.loads(row["chunks"])
        note = self._output.write_part(part_name(row["file"], row["part"]), self.pool.run(chunks))
        return pyarrow().table({"documents": [note["documents"]], "size": [row["size"]]})


# From a reader, by actors that write to an output, to a row for each part that they wrote.
Stream = Callable[[PartReader, Output], Generator[dict[str, Any], None, None]]
