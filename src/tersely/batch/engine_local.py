"""The local engine: a job on the cores of one machine, in order, in bounded memory, resumable after a kill."""

from collections.abc import Callable, Iterator
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

from tersely.batch.inputs import CHUNK, Chunk, ChunkResult, PartRoom, Position, read_chunks, record_by_record
from tersely.batch.job import ERRORS, BatchProgress, Job
from tersely.batch.output import FinishedPart, Output, Totals, part_name, run_job
from tersely.batch.records import json_line
from tersely.io.files import Store
from tersely.workers.ordered import OrderedPool
from tersely.workers.process import cores

ChunkResults = Iterator[tuple[Chunk, list[ChunkResult]]]


def run_local(job: Job, workers: int | None = None, show: Callable[[BatchProgress], None] = lambda _: None) -> Totals:
    """Do a job, or the rest of it, with a number of worker processes; by default one per core."""
    job.check("local")
    store, head = Store(job.place), job.head("local")
    return run_job(job, store, head, lambda output: _write_parts(output, workers or cores(), show))


def _write_parts(output: Output, workers: int, show: Callable[[BatchProgress], None]) -> int:
    """Do damaged parts again, then the stretch of the input that no part covers; return the number of all parts."""
    job, parts = output.job, _consecutive(output.noted_parts())
    total, documents = max(1, sum(file.size for file in job.files)), 0

    def run(chunks: Iterator[Chunk], again: bool = False) -> ChunkResults:
        """Yield the results of chunks; show the progress after each of them is written."""
        nonlocal documents
        for chunk, pieces in pool.run(chunks):
            yield chunk, pieces
            documents += sum(piece.documents for piece in pieces)
            if not again:
                show(BatchProgress(documents, chunk.read / total))

    with OrderedPool(job.work, workers, record_by_record(job.work.name), job.timeout) as pool:
        for part in parts:
            if not part.is_intact(output.store, job.retry):
                chunks = _until(read_chunks(job.files, part.start, CHUNK, PartRoom(job.part_size)), part.end)
                _write(output, part.name.removesuffix(f".{job.form}"), run(chunks, again=True))
        count, end = len(parts), parts[-1].end if parts else Position()
        results = run(read_chunks(job.files, end, CHUNK, PartRoom(job.part_size)))
        for first in results:
            _write(output, part_name(count), _one_part(first, results, job.part_size))
            count += 1
    return count


def _consecutive(parts: list[FinishedPart]) -> list[FinishedPart]:
    """Return the parts before the first one whose note is missing."""
    numbered = takewhile(lambda pair: pair[1].name.startswith(part_name(pair[0])), enumerate(parts))
    return [part for _, part in numbered]


def _until(chunks: Iterator[Chunk], end: Position) -> Iterator[Chunk]:
    return takewhile(lambda chunk: chunk.start < end, chunks)


def _one_part(first: tuple[Chunk, list[ChunkResult]], results: ChunkResults, size: int) -> ChunkResults:
    """Yield the first result and the next ones, until they have as many records as a part."""
    records = 0
    for chunk, pieces in chain([first], results):
        yield chunk, pieces
        records += len(chunk)
        if records >= size:
            return


def _write(output: Output, name: str, results: ChunkResults) -> None:
    """Write a part, and add its errors to errors.jsonl, so that they can be read while the run lasts."""
    errors: list[dict[str, Any]] = output.write_part(name, results)["errors"]
    if errors:
        with Path(output.store.folder, ERRORS).open("ab") as stream:
            stream.writelines(map(json_line, errors))
