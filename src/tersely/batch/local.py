"""A job on the cores of one machine: bounded memory, the order kept, and nothing lost when it is killed."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tersely.batch.chunk import Chunk, Failure, Place, Result
from tersely.batch.job import ERRORS, Job
from tersely.batch.manifest import Manifest, Part, part_name, put_in_place
from tersely.batch.parts import open_writer
from tersely.batch.pool import Pool
from tersely.batch.read import read_chunks
from tersely.processes import cores


@dataclass(frozen=True)
class Progress:
    """How far a run is: the documents it has done, and the share of the input's bytes that is behind it."""

    documents: int
    share: float


@dataclass(frozen=True)
class Outcome:
    """What a run has come to, with what earlier runs had done of the job."""

    documents: int
    failed: int
    empty: int


def run_local(job: Job, workers: int | None = None, show: Callable[[Progress], None] = lambda _: None) -> Outcome:
    """Do a job, or what is left of it, with that many processes, by default one a core."""
    job.check("local")
    with Manifest(job.folder, job.head("local"), job.resume) as manifest:
        for left in job.folder.glob(".*.tmp"):
            left.unlink()
        if not manifest.complete:
            _do(job, manifest, workers or cores(), show)
        manifest.finish()
        job.join([part.name for part in manifest.parts])
        return outcome(manifest.parts)


def outcome(parts: Sequence[Part]) -> Outcome:
    """Add up what parts hold."""
    return Outcome(*(sum(getattr(part, what) for part in parts) for what in ("documents", "failed", "empty")))


def _do(job: Job, manifest: Manifest, workers: int, show: Callable[[Progress], None]) -> None:
    total, done = max(1, sum(file.size for file in job.files)), 0
    chunks = read_chunks(job.files, manifest.end, job.chunk)
    with Pool(job.work, workers, job.timeout) as pool, _Errors(job, manifest) as errors:
        for chunk, documents in _write(pool.run(chunks), job, manifest, errors):
            done += documents
            show(Progress(done, chunk.read / total))


def _write(
    results: Iterator[tuple[Chunk, list[Result]]], job: Job, manifest: Manifest, errors: "_Errors"
) -> Iterator[tuple[Chunk, int]]:
    """Write chunk after chunk to part after part, and give each chunk with the number of its documents."""
    part = None
    try:
        for chunk, pieces in results:
            part = part or _Part(job, len(manifest.parts), chunk.start)
            part.add(chunk, pieces)
            for piece in pieces:
                errors.add(chunk, piece.failures)
            if part.records >= job.part_size:
                errors.save()
                manifest.add(part.finish(errors.size))
                part = None
            yield chunk, sum(piece.documents for piece in pieces)
        if part is not None:
            errors.save()
            manifest.add(part.finish(errors.size))
            part = None
    finally:
        if part is not None:
            part.drop()


class _Part:
    """A part that is being written."""

    def __init__(self, job: Job, number: int, start: Place) -> None:
        self._path = job.folder / f"{part_name(number)}.{job.form}"
        self._temporary = self._path.with_name(f".{self._path.name}.tmp")
        self._writer = open_writer(self._temporary, job.form, job.schema)
        self._start = self._end = start
        self._documents = self._failed = self._empty = self.records = 0

    def add(self, chunk: Chunk, results: list[Result]) -> None:
        for result in results:
            self._writer.write(result.data)
            self._documents += result.documents
            self._failed += len(result.failures)
            self._empty += result.empty
        self.records += len(chunk)
        self._end = chunk.end

    def finish(self, errors: int) -> Part:
        self._writer.close()
        put_in_place(self._temporary, self._path)
        return Part(self._path.name, self._start, self._end, self._documents, self._failed, self._empty, errors)

    def drop(self) -> None:
        # The disk may be full, or the part stopped in the middle of being closed: what was wrong is said already.
        with suppress(Exception):
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


class _Errors:
    """errors.jsonl, cut back to where it stood when the last part was finished; not there without an error."""

    def __init__(self, job: Job, manifest: Manifest) -> None:
        self._job = job
        path = job.folder / ERRORS
        self.size = manifest.parts[-1].errors if manifest.parts else 0
        self._stream = path.open("r+b" if path.exists() else "w+b")
        self._stream.truncate(self.size)
        self._stream.seek(self.size)

    def add(self, chunk: Chunk, failures: list[Failure]) -> None:
        for failure in failures:
            self.size += self._stream.write(self._job.error_line(chunk.start.file, failure))

    def save(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def __enter__(self) -> "_Errors":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        if not self.size:
            (self._job.folder / ERRORS).unlink()
