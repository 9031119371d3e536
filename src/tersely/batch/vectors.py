"""The vectors of a corpus: workers or a cluster compute them, and one process writes them into a cache."""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.batch.engine_ray import cluster, cluster_cores, cluster_failed, find_cluster
from tersely.batch.inputs import Chunk, ChunkResult, Failure, Position, record_by_record
from tersely.encode import Cache, Matrix, load_encoder
from tersely.text.length import TokenCounter, count_words
from tersely.workers.ordered import OrderedPool
from tersely.workers.process import cores

# How many documents a worker gets at a time.
_TOGETHER = 8
# How many chunks each actor has or is about to get.
_AHEAD = 2


def training_documents(
    corpus: Iterable[str],
    sentences: int,
    conditions: Any,
    tokens: int = 0,
    count_tokens: TokenCounter = count_words,
) -> Iterator[tuple[str, ...]]:
    """Yield the sentences of every document that a scorer can be trained on.

    `corpus` names the files. A document is cut after so many `sentences` and `tokens` (0: any number of tokens), which
    `count_tokens` counts, and must meet the `conditions` on its fields.
    """
    from tersely.learn.corpus import FEWEST_SENTENCES, beginning, read_records

    for path in corpus:
        for record in read_records(Path(path), conditions):
            document = beginning(record.document, sentences, tokens, count_tokens)
            if len(document) >= FEWEST_SENTENCES:
                yield tuple(document.texts)


@dataclass(frozen=True)
class Texts(Chunk):
    """The sentences of some documents, numbered from 1."""

    body: list[tuple[str, ...]]

    @classmethod
    def of(cls, first: int, body: list[tuple[str, ...]]) -> "Texts":
        """Make a chunk whose first document has this number."""
        return cls(Position(0, first), Position(0, first + len(body)), 0, body)

    def singles(self) -> list[Chunk]:
        """Return one chunk per document."""
        return [Texts.of(self.start.number + i, [texts]) for i, texts in enumerate(self.body)]


@dataclass(frozen=True)
class EncodeWork:
    """Work that returns a list with one matrix per document, or None for one that cannot be encoded."""

    encoder: str

    def load(self) -> Callable[[Chunk], ChunkResult]:
        """Load the encoder, and return the function that encodes a chunk."""
        encode = load_encoder(self.encoder).encode

        def do(chunk: Chunk) -> ChunkResult:
            assert isinstance(chunk, Texts)
            matrices: list[Matrix | None] = []
            failures = []
            for number, texts in enumerate(chunk.body, chunk.start.number):
                try:
                    matrices.append(encode(texts))
                except Exception as error:
                    matrices.append(None)
                    failures.append(Failure(number, str(error)))
            return ChunkResult(pickle.dumps(matrices), len(matrices) - len(failures), 0, failures)

        return do


@dataclass
class Filled:
    """The documents of a corpus so far: already in the cache, newly computed, and failed."""

    cached: int = 0
    computed: int = 0
    failed: int = 0
    reason: str = ""  # of the first failure


Engine = Callable[[EncodeWork, Iterable[Chunk]], Iterator[tuple[Chunk, list[ChunkResult]]]]


def fill(
    cache: Cache, encoder: str, documents: Iterable[Sequence[str]], engine: Engine, show: Callable[[Filled], None]
) -> Filled:
    """Compute the vectors of documents that the cache does not have yet; it may be interrupted at any time."""
    filled = Filled()
    under_way: set[tuple[str, ...]] = set()
    for chunk, results in engine(EncodeWork(encoder), _missing(cache, documents, filled, under_way)):
        assert isinstance(chunk, Texts)
        # A document that was given up has no data.
        matrices = (matrix for result in results for matrix in (pickle.loads(result.data) if result.data else [None]))
        for texts, matrix in zip(chunk.body, matrices, strict=True):
            if matrix is not None:
                cache.add(texts, matrix)
                filled.computed += 1
            under_way.discard(texts)
        for failure in (failure for result in results for failure in result.failures):
            filled.failed += 1
            filled.reason = filled.reason or failure.reason
        show(filled)
    return filled


def _missing(
    cache: Cache, documents: Iterable[Sequence[str]], filled: Filled, under_way: set[tuple[str, ...]]
) -> Iterator[Chunk]:
    body: list[tuple[str, ...]] = []
    number = 1
    for texts in documents:
        if texts in cache or tuple(texts) in under_way:
            filled.cached += 1
            continue
        under_way.add(tuple(texts))
        body.append(tuple(texts))
        if len(body) == _TOGETHER:
            yield Texts.of(number, body)
            number, body = number + len(body), []
    if body:
        yield Texts.of(number, body)


def local(workers: int | None) -> Engine:
    """Compute with this many processes; by default one per core."""

    def run(work: EncodeWork, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[ChunkResult]]]:
        with OrderedPool(work, workers or cores(), record_by_record()) as pool:
            yield from pool.run(chunks)

    return run


def on_ray(workers: int | None, address: str | None) -> Engine:
    """Compute with this many actors of a Ray cluster, by default one per core; results come as they are ready."""

    def run(work: EncodeWork, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[ChunkResult]]]:
        with cluster(find_cluster(address), workers) as ray:
            actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(EncodeActor)
            actors = [actor.remote(work) for _ in range(workers or cluster_cores(ray))]
            try:
                yield from _in_turn(ray, actors, chunks)
            except ray.exceptions.RayError as error:
                raise cluster_failed(error, "run the same command again to continue") from error

    return run


class EncodeActor:
    """An actor that works in a process of its own, so that a document that kills it does not kill the actor."""

    def __init__(self, work: EncodeWork) -> None:
        self._pool = OrderedPool(work, 1, record_by_record())

    def do(self, chunk: Chunk) -> list[ChunkResult]:
        """Return the results of a chunk."""
        [(_, results)] = self._pool.run([chunk])
        return results


def _in_turn(ray: Any, actors: list[Any], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[ChunkResult]]]:
    """Give each actor the next chunk as soon as it is done with another."""
    free = deque(actors * _AHEAD)
    pending: dict[Any, tuple[Any, Chunk]] = {}

    def take() -> tuple[Chunk, list[ChunkResult]]:
        [ready], _ = ray.wait(list(pending), num_returns=1)
        actor, chunk = pending.pop(ready)
        free.append(actor)
        return chunk, ray.get(ready)

    for chunk in chunks:
        if not free:
            yield take()
        actor = free.popleft()
        pending[actor.do.remote(chunk)] = actor, chunk
    while pending:
        yield take()
