"""A job on a cluster: actors do the parts and write them, each by itself; the driver gathers what they note."""

import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import IO, Any

from tersely.batch.arrow import pyarrow
from tersely.batch.chunk import Chunk, Failure, Result
from tersely.batch.cluster import Read, cluster, find_cluster, stream
from tersely.batch.files import MANIFEST, absolute
from tersely.batch.job import ERRORS, Job
from tersely.batch.local import Outcome, Progress, outcome
from tersely.batch.manifest import Part, check_head, complete, line, part_name
from tersely.batch.parts import open_writer
from tersely.batch.pool import Pool
from tersely.batch.store import Store
from tersely.errors import UsageError

# One entry for each finished part, while the job runs.
DONE = "_done"


def run_ray(
    job: Job, workers: int | None = None, address: str | None = None, show: Callable[[Progress], None] = lambda _: None
) -> Outcome:
    """Do a job, or what is left of it, on a Ray cluster, by default one that is started on this machine for it."""
    job.check("ray")
    address = find_cluster(address)  # before anything is written
    store, head = Store(absolute(job.place)), job.head("ray")
    if not _begin(store, head, job.resume):
        with cluster(address, workers) as ray:
            count = _do(ray, job, store, workers, show)
        _end(store, head, job, count)
    store.tidy(DONE)
    parts = _parts(store)
    job.join([part.name for part in parts])
    return outcome(parts)


class Do:
    """An actor: keeps a worker of its own, so that a document that kills it does not kill the actor."""

    def __init__(self, job: Job, store: Store) -> None:
        self._job, self._store = job, store
        self._pool = Pool(job.work, 1, job.timeout)

    def __call__(self, table: Any) -> Any:
        """Do one part and write it; what comes back only says that it is done."""
        [row] = table.to_pylist()
        chunks: list[Chunk] = pickle.loads(row["chunks"])
        name = part_name(row["file"], row["part"])
        results: list[Result] = []
        self._store.write(f"{name}.{self._job.form}", partial(self._fill, chunks, results))
        failures = [failure for result in results for failure in result.failures]
        documents, empty = sum(result.documents for result in results), sum(result.empty for result in results)
        part = Part(
            f"{name}.{self._job.form}", chunks[0].start, chunks[-1].end, documents, len(failures), empty, errors=0
        )
        note = json.dumps({"part": part.entry(), "failures": failures}).encode()
        self._store.write(f"{DONE}/{name}.json", lambda stream: _put(stream, [note]))
        return pyarrow().table({"documents": [documents], "size": [row["size"]]})

    def _fill(self, chunks: list[Chunk], results: list[Result], stream: IO[bytes]) -> None:
        writer = open_writer(stream, self._job.form, self._job.schema)
        for _, pieces in self._pool.run(chunks):
            for piece in pieces:
                writer.write(piece.data)
                results.append(replace(piece, data=b""))
        writer.close()


def _do(ray: Any, job: Job, store: Store, workers: int | None, show: Callable[[Progress], None]) -> int:
    """Do what is left, and return how many parts there are in all."""
    done = frozenset(name.removesuffix(".json") for name in store.names(DONE))
    files = [replace(file, path=absolute(file.path)) for file in job.files]
    count, documents, read, total = len(done), 0, 0, max(1, sum(file.size for file in files))
    for row in stream(ray, Read(files, job.chunk, job.part_size, done), Do, (job, store), workers):
        count, documents, read = count + 1, documents + row["documents"], read + row["size"]
        show(Progress(documents, min(1.0, read / total)))
    return count


def _begin(store: Store, head: dict[str, Any], resume: bool) -> bool:
    """Begin an output or go on with one, and tell whether it is complete."""
    found = store.read(MANIFEST)
    if found is None:
        if store.names():
            raise UsageError(f"{store.folder} is there already, and not from this command: name another output")
        store.write(MANIFEST, lambda stream: _put(stream, [line(head)]))
        return False
    if not resume:
        raise UsageError(f"{store.folder} is there already: add --resume to go on with it, or name another output")
    lines = found.splitlines()
    check_head(json.loads(lines[0]), head, store.folder)
    return len(lines) > 1


def _end(store: Store, head: dict[str, Any], job: Job, count: int) -> None:
    """Gather what the actors have noted into the manifest and errors.jsonl."""
    parts: list[Part] = []
    size = 0
    for part, lines in _notes(store, job):
        size += sum(map(len, lines))
        parts.append(part._replace(errors=size))
    if len(parts) < count:
        raise UsageError(f"{store.folder} was written by another process at the same time: --resume tells what it has")
    if size:
        store.write(ERRORS, lambda stream: _put(stream, (each for _, lines in _notes(store, job) for each in lines)))
    entries = [head, *(part.entry() for part in parts), complete(parts)]
    store.write(MANIFEST, lambda stream: _put(stream, map(line, entries)))


def _notes(store: Store, job: Job) -> Iterator[tuple[Part, list[bytes]]]:
    """Give each finished part in order, with the lines of errors.jsonl that belong to it."""
    for name in store.names(DONE):
        note = json.loads(store.read(f"{DONE}/{name}") or b"")
        part = Part.of(note["part"])
        yield part, [job.error_line(part.start.file, Failure(*failure)) for failure in note["failures"]]


def _parts(store: Store) -> list[Part]:
    return [Part.of(json.loads(entry)) for entry in (store.read(MANIFEST) or b"").splitlines()[1:-1]]


def _put(stream: IO[bytes], lines: Iterable[bytes]) -> None:
    for each in lines:
        stream.write(each)
