"""Vectors of a corpus: workers or a cluster compute them, and one process writes them into a cache."""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.batch.chunk import Chunk, Failure, Place, Result
from tersely.batch.cluster import cluster, find_cluster
from tersely.batch.pool import Pool
from tersely.encode import Cache, Matrix, load_encoder
from tersely.errors import ModelError
from tersely.processes import cores

# Documents that go to a worker at a time.
_TOGETHER = 8
# Chunks that each actor has or is about to get.
_AHEAD = 2


@dataclass(frozen=True)
class Texts(Chunk):
    """The sentences of some documents, which are counted from 1."""

    body: list[tuple[str, ...]]

    @classmethod
    def of(cls, first: int, body: list[tuple[str, ...]]) -> "Texts":
        """Make a chunk whose first document has this number."""
        return cls(Place(0, first), Place(0, first + len(body)), 0, body)

    def singles(self) -> list[Chunk]:
        """Return the same documents, each alone."""
        return [Texts.of(self.start.number + i, [texts]) for i, texts in enumerate(self.body)]


@dataclass(frozen=True)
class Encode:
    """The work: a list of matrices, one a document; None for one that cannot be encoded."""

    encoder: str

    def load(self) -> Callable[[Chunk], Result]:
        """Load the encoder, and return the function that does it."""
        encode = load_encoder(self.encoder).encode

        def do(chunk: Chunk) -> Result:
            assert isinstance(chunk, Texts)
            found: list[Matrix | None] = []
            failures = []
            for number, texts in enumerate(chunk.body, chunk.start.number):
                try:
                    found.append(encode(texts))
                except Exception as error:
                    found.append(None)
                    failures.append(Failure(number, str(error)))
            return Result(pickle.dumps(found), len(found) - len(failures), 0, failures)

        return do


@dataclass
class Filled:
    """What has become of a corpus so far: documents that were in the cache, those that came to it, and failures."""

    there: int = 0
    computed: int = 0
    failed: int = 0
    reason: str = ""  # of the first failure


Engine = Callable[[Encode, Iterable[Chunk]], Iterator[tuple[Chunk, list[Result]]]]


def fill(
    cache: Cache, encoder: str, documents: Iterable[Sequence[str]], engine: Engine, show: Callable[[Filled], None]
) -> Filled:
    """Have the vectors of documents in a cache; what it has is not computed again, and it may be interrupted."""
    filled = Filled()
    under_way: set[tuple[str, ...]] = set()
    for chunk, results in engine(Encode(encoder), _missing(cache, documents, filled, under_way)):
        assert isinstance(chunk, Texts)
        # A document that was set aside alone has no data.
        found = [matrix for result in results for matrix in (pickle.loads(result.data) if result.data else [None])]
        for texts, matrix in zip(chunk.body, found, strict=True):
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
            filled.there += 1
            continue
        under_way.add(tuple(texts))
        body.append(tuple(texts))
        if len(body) == _TOGETHER:
            yield Texts.of(number, body)
            number, body = number + len(body), []
    if body:
        yield Texts.of(number, body)


def local(workers: int | None) -> Engine:
    """Compute with so many processes, by default one a core."""

    def run(work: Encode, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Result]]]:
        with Pool(work, workers or cores()) as pool:
            yield from pool.run(chunks)

    return run


def on_ray(workers: int | None, address: str | None) -> Engine:
    """Compute with so many actors of a Ray cluster, by default one a core; results come as they are ready."""

    def run(work: Encode, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Result]]]:
        with cluster(find_cluster(address), workers) as ray:
            actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Actor)
            count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
            try:
                yield from _in_turn(ray, [actor.remote(work) for _ in range(count)], chunks)
            except ray.exceptions.RayError as error:
                cause = str(error).strip().rpartition("\n")[2]
                raise ModelError(f"the cluster could not go on, the same command will: {cause}") from error

    return run


class Actor:
    """Keeps a worker of its own, so that a document that kills it does not kill the actor."""

    def __init__(self, work: Encode) -> None:
        self._pool = Pool(work, 1)

    def do(self, chunk: Chunk) -> list[Result]:
        """Return what the worker makes of a chunk."""
        [(_, results)] = self._pool.run([chunk])
        return results


def _in_turn(ray: Any, actors: list[Any], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Result]]]:
    """Give each actor chunks as it gets done with others."""
    free = deque(actors * _AHEAD)
    pending: dict[Any, tuple[Any, Chunk]] = {}

    def take() -> tuple[Chunk, list[Result]]:
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
