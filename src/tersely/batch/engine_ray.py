"""The Ray engine: tasks read the files, actors do the parts and write them, and the driver collects their notes."""

import json
import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import IO, Any

from tersely.batch.chunks import Chunk, ChunkResult, Place, read_chunks, record_by_record
from tersely.batch.inputs import MANIFEST, InputFile
from tersely.batch.job import ERRORS, BatchProgress, Job
from tersely.batch.manifest import Part, Totals, check_head, complete, foreign, not_resumed, part_name
from tersely.batch.parts import deliver, open_writer
from tersely.batch.records import json_line
from tersely.errors import InputError, MissingExtraError, ModelError, TerselyError, UsageError
from tersely.io.store import Store, absolute
from tersely.io.tables import pyarrow
from tersely.workers.guard import nothing_left_behind
from tersely.workers.ordered import OrderedPool

# The folder that holds one note per finished part while the job runs.
DONE = "_done"

# A part is sent as a whole, so it ends at this size even if it has few documents.
_PART_BYTES = 32_000_000

# Reading is many times faster than the actors.
_READERS = 4


def run_ray(
    job: Job,
    workers: int | None = None,
    address: str | None = None,
    show: Callable[[BatchProgress], None] = lambda _: None,
) -> Totals:
    """Do a job, or what is left of it, on a Ray cluster; by default one that is started on this machine for it."""
    job.check("ray")
    address = find_cluster(address)  # before anything is written
    store, head = Store(absolute(job.place)), job.head("ray")
    if not _begin(store, head, job):
        with cluster(address, workers) as ray:
            count = _do(ray, job, store, workers, show)
        _end(store, head, count)
    store.tidy(DONE)
    parts = [Part.from_entry(entry) for entry in _entries(store.read(MANIFEST) or b"", store)]
    deliver(job, [part.name for part in parts])
    return Totals.of(parts)


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
        return
    cores: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    # If this process is killed, some agents of Ray would go on for minutes.
    with nothing_left_behind() if cores else nullcontext():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **cores)
        except Exception as error:  # Ray raises a plain Exception when a node is late
            raise InputError(f"cannot join the Ray cluster at {address}: {error}") from None
        try:
            yield ray
        finally:
            ray.shutdown()


def cluster_cores(ray: Any) -> int:
    """Return how many cores the cluster has."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def cluster_failed(error: Exception, remedy: str) -> ModelError:
    """Return the error for a cluster that failed in the middle of its work."""
    return ModelError(f"the cluster failed; {remedy}: {str(error).strip().rpartition(chr(10))[2]}")


def _begin(store: Store, head: dict[str, Any], job: Job) -> bool:
    """Begin or resume an output, and return whether it is complete; if not, every finished part has a note."""
    found = store.read(MANIFEST)
    if found is None:
        if store.names():
            raise foreign(store.folder)
        store.write(MANIFEST, json_line(head))
        return False
    if not job.resume:
        raise not_resumed(store.folder)
    with _damage_told(store):
        check_head(json.loads(found.partition(b"\n")[0]), head, store.folder)
        complete = found.count(b"\n") > 1
    entries = _entries(found, store) if complete else []
    if job.is_delivered or (complete and all(Part.from_entry(entry).is_done(store, job.retry) for entry in entries)):
        return complete
    for entry in entries:
        store.write(f"{DONE}/{entry['name'].removesuffix(f'.{job.form}')}.json", json_line(entry))
    store.write(MANIFEST, json_line(head))
    return False


def _entries(manifest: bytes, store: Store) -> list[dict[str, Any]]:
    """Return the entries of the parts of a complete manifest."""
    with _damage_told(store):
        return [json.loads(line) for line in manifest.splitlines()[1:-1]]


@contextmanager
def _damage_told(store: Store) -> Iterator[None]:
    try:
        yield
    except TerselyError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"{store.folder}/{MANIFEST} is damaged: choose another output") from None


def _do(ray: Any, job: Job, store: Store, workers: int | None, show: Callable[[BatchProgress], None]) -> int:
    """Do what is left, and return the number of all parts."""
    notes = (Part.from_entry(entry) for entry in _notes(store))
    done = frozenset(part.name.removesuffix(f".{job.form}") for part in notes if part.is_done(store, job.retry))
    files = [replace(file, path=absolute(file.path)) for file in job.files]
    count, documents, read, total = len(done), 0, 0, max(1, sum(file.size for file in files))
    for row in _stream(ray, _Reader(files, job.chunk, job.part_size, done), (job, store), workers):
        count, documents, read = count + 1, documents + row["documents"], read + row["size"]
        show(BatchProgress(documents, min(1.0, read / total)))
    return count


def _stream(ray: Any, reader: "_Reader", arguments: tuple[Job, Store], actors: int | None) -> Iterator[dict[str, Any]]:
    """Send every part to a pool of actors, by default one per core, and yield the rows they return."""
    from ray.data import ActorPoolStrategy, DataContext, TaskPoolStrategy

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # each part is a block of its own, which is what an actor gets at a time
    files = range(len(reader.files))
    rows = (
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
            _PartActor,
            fn_constructor_args=arguments,
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=1,
            compute=ActorPoolStrategy(size=actors or cluster_cores(ray)),
        )
    )
    try:
        yield from rows.iter_rows()
    except ray.exceptions.RayError as error:
        raise cluster_failed(error, "continue with --resume") from error


@dataclass(frozen=True)
class _Reader:
    """A task that reads a file and yields its parts one by one, except for those that are done."""

    files: list[InputFile]
    chunk: int
    part_size: int
    done: frozenset[str]

    def __call__(self, table: Any) -> Iterator[Any]:
        """Yield each part as a row: its file, its number, its chunks, and how many bytes of the file it covers."""
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
            if sum(map(len, part)) >= self.part_size or sum(each.size for each in part) >= _PART_BYTES:
                yield part
                part = []
        if part:
            yield part


class _PartActor:
    """An actor that works in a process of its own, so that a document that kills it does not kill the actor."""

    def __init__(self, job: Job, store: Store) -> None:
        self._job, self._store = job, store
        self._pool = OrderedPool(job.work, 1, record_by_record(job.work.name), job.timeout)

    def __call__(self, table: Any) -> Any:
        """Do one part, write it, and leave a note; the row that comes back only says that it is done."""
        [row] = table.to_pylist()
        chunks: list[Chunk] = pickle.loads(row["chunks"])
        name = part_name(row["file"], row["part"])
        results: list[ChunkResult] = []
        file = f"{name}.{self._job.form}"
        self._store.write(file, partial(self._fill, chunks, results))
        errors = [self._job.error(row["file"], failure) for result in results for failure in result.failures]
        documents, empty = sum(result.documents for result in results), sum(result.empty for result in results)
        done = documents, len(errors), empty, sum("set_aside" in error for error in errors)
        part = Part(file, chunks[0].start, chunks[-1].end, *done, *self._store.look(file))
        self._store.write(f"{DONE}/{name}.json", json_line(part.entry(errors)))
        return pyarrow().table({"documents": [documents], "size": [row["size"]]})

    def _fill(self, chunks: list[Chunk], results: list[ChunkResult], stream: IO[bytes]) -> None:
        writer = open_writer(stream, self._job.form, self._job.schema)
        for _, pieces in self._pool.run(chunks):
            for piece in pieces:
                writer.write(piece.data)
                results.append(replace(piece, data=b""))
        writer.close()


def _end(store: Store, head: dict[str, Any], count: int) -> None:
    """Collect the notes of the actors into the manifest and errors.jsonl."""
    parts = [Part.from_entry(entry) for entry in _notes(store)]
    if len(parts) < count:
        raise UsageError(f"another process wrote to {store.folder} at the same time: check it with --resume")
    if any(part.failed for part in parts):
        errors = (error for entry in _notes(store) for error in entry["errors"])
        store.write(ERRORS, lambda stream: _put(stream, map(json_line, errors)))
    else:
        store.remove(ERRORS)
    entries = chain([head], _notes(store), [complete(parts)])
    store.write(MANIFEST, lambda stream: _put(stream, map(json_line, entries)))


def _notes(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the entry of each finished part in order."""
    for name in store.names(DONE):
        with _damage_told(store):
            yield json.loads(store.read(f"{DONE}/{name}") or b"")


def _put(stream: IO[bytes], lines: Iterable[bytes]) -> None:
    for each in lines:
        stream.write(each)
