"""The local engine: a job on the cores of one machine, in order, in bounded memory, resumable after a kill."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from tersely.batch.chunks import RECORD_BY_RECORD, Chunk, ChunkResult, Failure, Place, read_chunks
from tersely.batch.job import ERRORS, BatchProgress, Job
from tersely.batch.manifest import Manifest, Part, Totals, part_name
from tersely.batch.parts import deliver, open_writer
from tersely.io.files import is_unfinished, put_in_place, unfinished_name
from tersely.workers.ordered import OrderedPool
from tersely.workers.process import cores


def run_local(job: Job, workers: int | None = None, show: Callable[[BatchProgress], None] = lambda _: None) -> Totals:
    """Do a job, or what is left of it, with this many processes; by default one per core."""
    job.check("local")
    with Manifest(job.folder, job.head("local"), job.resume) as manifest:
        for path in job.folder.iterdir():
            if is_unfinished(path.name):
                path.unlink()
        if not manifest.complete:
            _do(job, manifest, workers or cores(), show)
        manifest.finish()
        deliver(job, [part.name for part in manifest.parts])
        return Totals.of(manifest.parts)


def _do(job: Job, manifest: Manifest, workers: int, show: Callable[[BatchProgress], None]) -> None:
    total, done = max(1, sum(file.size for file in job.files)), 0
    chunks = read_chunks(job.files, manifest.end, job.chunk)
    pool = OrderedPool(job.work, workers, RECORD_BY_RECORD, job.timeout)
    with pool, _Errors(job, manifest) as errors:
        for chunk, documents in _write(pool.run(chunks), job, manifest, errors):
            done += documents
            show(BatchProgress(done, chunk.read / total))


def _write(
    results: Iterator[tuple[Chunk, list[ChunkResult]]], job: Job, manifest: Manifest, errors: "_Errors"
) -> Iterator[tuple[Chunk, int]]:
    """Write the chunks to one part after the other, and yield each chunk with its number of documents."""
    part = None
    try:
        for chunk, pieces in results:
            part = part or _OpenPart(job, len(manifest.parts), chunk.start)
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


class _OpenPart:
    """A part that is being written."""

    def __init__(self, job: Job, number: int, start: Place) -> None:
        self._path = job.folder / f"{part_name(number)}.{job.form}"
        self._temporary = job.folder / unfinished_name()
        self._writer = open_writer(self._temporary.open("wb"), job.form, job.schema)
        self._start = self._end = start
        self._documents = self._failed = self._empty = self.records = 0

    def add(self, chunk: Chunk, results: list[ChunkResult]) -> None:
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
        # The disk may be full, or the writer half closed; the first error is the one to report.
        with suppress(Exception):
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


class _Errors:
    """errors.jsonl, cut back to its size when the last part was finished, and removed if it stays empty."""

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
