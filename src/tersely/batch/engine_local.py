"""The local engine: a job on the cores of one machine, in order, in bounded memory, resumable after a kill."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile, zip_longest
from typing import Any

from tersely.batch.chunks import Chunk, ChunkResult, Place, read_chunks, record_by_record
from tersely.batch.job import ERRORS, BatchProgress, Job
from tersely.batch.manifest import Manifest, Part, Totals, part_name
from tersely.batch.parts import deliver, open_writer
from tersely.batch.records import json_line
from tersely.io.files import is_unfinished, put_in_place, sha256, unfinished_name, write_whole
from tersely.io.store import Store
from tersely.workers.ordered import OrderedPool
from tersely.workers.process import cores


def run_local(job: Job, workers: int | None = None, show: Callable[[BatchProgress], None] = lambda _: None) -> Totals:
    """Do a job, or what is left of it, with this many processes; by default one per core."""
    job.check("local")
    with Manifest(job.folder, job.head("local"), job.resume) as manifest:
        for path in job.folder.iterdir():
            if is_unfinished(path.name):
                path.unlink()
        if not (manifest.complete and job.is_delivered):
            store = Store(str(job.folder))
            again = [part for part in manifest.parts if not part.is_done(store, job.retry)]
            if again or not manifest.complete:
                _restore_errors(job, manifest)
                _do(job, manifest, again, workers or cores(), show)
            _restore_errors(job, manifest)
        manifest.finish()
        deliver(job, [part.name for part in manifest.parts])
        return Totals.of(manifest.parts)


def _do(job: Job, manifest: Manifest, again: list[Part], workers: int, show: Callable[[BatchProgress], None]) -> None:
    """Do some parts again, and then what no part covers yet."""
    total, done = max(1, sum(file.size for file in job.files)), 0
    with OrderedPool(job.work, workers, record_by_record(job.work.name), job.timeout) as pool:
        for part in again:
            end, chunks = part.end, read_chunks(job.files, part.start, job.chunk)
            for _, documents in _write(pool.run(_until(chunks, end)), job, manifest, part.name):
                done += documents
        for chunk, documents in _write(pool.run(read_chunks(job.files, manifest.end, job.chunk)), job, manifest):
            done += documents
            show(BatchProgress(done, chunk.read / total))


def _until(chunks: Iterator[Chunk], end: Place) -> Iterator[Chunk]:
    return takewhile(lambda chunk: chunk.start < end, chunks)


def _write(
    results: Iterator[tuple[Chunk, list[ChunkResult]]], job: Job, manifest: Manifest, name: str | None = None
) -> Iterator[tuple[Chunk, int]]:
    """Write the chunks to one part after the other, or to the one named, and yield each with its documents."""
    part = None
    try:
        for chunk, pieces in results:
            part = part or _OpenPart(job, name or f"{part_name(len(manifest.parts))}.{job.form}", chunk.start)
            part.add(chunk, pieces)
            if part.records >= job.part_size:
                part.finish(manifest)
                part = None
            yield chunk, sum(piece.documents for piece in pieces)
        if part is not None:
            part.finish(manifest)
            part = None
    finally:
        if part is not None:
            part.drop()


class _OpenPart:
    """A part that is being written."""

    def __init__(self, job: Job, name: str, start: Place) -> None:
        self._job, self._name = job, name
        self._temporary = job.folder / unfinished_name()
        self._writer = open_writer(self._temporary.open("wb"), job.form, job.schema)
        self._start = self._end = start
        self._documents = self._empty = self.records = 0
        self._errors: list[dict[str, Any]] = []

    def add(self, chunk: Chunk, results: list[ChunkResult]) -> None:
        for result in results:
            self._writer.write(result.data)
            self._documents += result.documents
            self._empty += result.empty
            self._errors += [self._job.error(chunk.start.file, failure) for failure in result.failures]
        self.records += len(chunk)
        self._end = chunk.end

    def finish(self, manifest: Manifest) -> None:
        """Put the part in place, and then note it; a process killed in between does it again."""
        self._writer.close()
        aside = sum("set_aside" in error for error in self._errors)
        size, digest = self._temporary.stat().st_size, sha256(self._temporary)
        put_in_place(self._temporary, self._job.folder / self._name)
        done = self._documents, len(self._errors), self._empty, aside
        manifest.add(Part(self._name, self._start, self._end, *done, size, digest), self._errors)
        if self._errors:
            with (self._job.folder / ERRORS).open("ab") as stream:
                stream.writelines(map(json_line, self._errors))

    def drop(self) -> None:
        # The disk may be full, or the writer half closed; the first error is the one to report.
        with suppress(Exception):
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


def _restore_errors(job: Job, manifest: Manifest) -> None:
    """Make errors.jsonl what the manifest says it is, whatever became of it."""
    path = job.folder / ERRORS
    if not any(part.failed for part in manifest.parts):
        if path.exists():
            path.unlink()
        return
    if path.is_file():
        with path.open("rb") as found:
            if all(line == wanted for line, wanted in zip_longest(found, manifest.errors())):
                return
    write_whole(path, lambda stream: stream.writelines(manifest.errors()))
