"""Processes that do jobs side by side and give results in order, whatever becomes of a process."""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Self

from tersely.batch.chunk import Chunk, Failure, Result, Work
from tersely.errors import ModelError

# Each worker does one document at a time, on one core.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
_TRIES = 2
_LOADS = 3

# How far the fastest worker may be ahead of the slowest, in chunks a worker: this bounds the memory.
_AHEAD = 4


@dataclass
class _Task:
    """A chunk, or one record of it, and how often it was tried; `slot` is where its result belongs."""

    order: int
    slot: int
    chunk: Chunk
    tries: int = 0


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    receive: Connection
    send: Connection
    ready: bool = False
    task: _Task | None = None
    due: float = inf


@dataclass
class _Waiting:
    """A chunk whose turn to be given has not come, and its results so far."""

    chunk: Chunk
    results: list[Result | None] = field(default_factory=lambda: [None])


class Pool:
    """Workers that each load the work once.

    A worker that dies is replaced, and its chunk is done again, each record alone. A record at which a worker dies a
    second time is set aside. A worker that takes more than `timeout` seconds for a chunk, or for a record alone, is
    ended, and counts as dead.
    """

    def __init__(self, work: Work, workers: int, timeout: float | None = None) -> None:
        self._work, self._size, self._timeout = pickle.dumps(work), workers, timeout or inf
        self._chunks: Iterator[Chunk] = iter(())
        self._workers: list[_Worker] = []
        self._again: deque[_Task] = deque()
        self._waiting: dict[int, _Waiting] = {}
        self._taken = self._given = self._failed_loads = 0

    def run(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Result]]]:
        """Do the work on every chunk, and give each in order with its results: one, or one a record."""
        self._chunks = iter(chunks)
        while True:
            self._hand_out()
            while self._given in self._waiting and None not in self._waiting[self._given].results:
                done = self._waiting.pop(self._given)
                self._given += 1
                yield done.chunk, [result for result in done.results if result is not None]
                self._hand_out()
            if not self._waiting:
                return
            due = min((worker.due for worker in self._workers), default=inf)
            # No longer at a time than any system can wait.
            patience = None if due == inf else min(max(0.0, due - monotonic()), 3600.0)
            for ready in wait([worker.receive for worker in self._workers], patience):
                self._listen(next(worker for worker in self._workers if worker.receive is ready))
            self._end_overdue()

    def close(self) -> None:
        """End the workers, whatever they are at."""
        for worker in self._workers:
            worker.process.kill()
            _reap(worker)
        self._workers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hand_out(self) -> None:
        """Give every idle worker a task, and start workers as long as there are tasks for them."""
        for worker in self._workers:
            if worker.ready and worker.task is None and (task := self._next_task()):
                self._give(worker, task)
        starting = sum(not worker.ready for worker in self._workers)
        while len(self._workers) < self._size and (len(self._again) > starting or self._look_ahead()):
            self._workers.append(_start(self._work))
            starting += 1

    def _look_ahead(self) -> bool:
        """Take a chunk in for a worker that is about to start."""
        task = self._next_task()
        if task is not None:
            self._again.append(task)
        return task is not None

    def _next_task(self) -> _Task | None:
        if self._again:
            return self._again.popleft()
        if self._taken - self._given >= _AHEAD * self._size:
            return None
        chunk = next(self._chunks, None)
        if chunk is None:
            return None
        task = _Task(self._taken, 0, chunk)
        self._waiting[task.order] = _Waiting(chunk)
        self._taken += 1
        return task

    def _listen(self, worker: _Worker) -> None:
        try:
            said: Any = worker.receive.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if isinstance(said, str):
            raise ModelError(said)
        if worker.task is not None:
            self._waiting[worker.task.order].results[worker.task.slot] = said
        worker.ready, worker.task, worker.due, self._failed_loads = True, None, inf, 0

    def _end_overdue(self) -> None:
        now = monotonic()
        for worker in [worker for worker in self._workers if worker.due <= now]:
            worker.process.kill()
            self._bury(worker, f"it took more than {self._timeout:g} s")

    def _give(self, worker: _Worker, task: _Task) -> None:
        worker.task, worker.due = task, monotonic() + self._timeout
        _send(worker, pickle.dumps(task.chunk))

    def _bury(self, worker: _Worker, why: str = "") -> None:
        """See to what a dead worker has left."""
        self._workers.remove(worker)
        how = _reap(worker)
        task = worker.task
        if task is None:
            self._failed_loads += not worker.ready
            if self._failed_loads == _LOADS:
                raise ModelError(f"workers end before they have loaded the model ({how}): try fewer --workers")
            return
        waiting = self._waiting[task.order]
        task.tries += 1
        if len(task.chunk) > 1:
            singles = task.chunk.singles()
            waiting.results = [None] * len(singles)
            self._again.extend(_Task(task.order, slot, single, task.tries) for slot, single in enumerate(singles))
        elif task.tries < _TRIES:
            self._again.append(task)
        else:
            reason = f"a worker ended at this document, twice ({why or how})"
            waiting.results[task.slot] = Result(failures=[Failure(task.chunk.start.number, reason)])


def _start(work: bytes) -> _Worker:
    """Start a process that knows the same modules, but shares neither signals nor threads with this one."""
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tersely.batch.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    send, receive = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
    process.stdin.close()
    process.stdout.close()
    worker = _Worker(process, Connection(receive, writable=False), Connection(send, readable=False))
    _send(worker, work)
    return worker


def _send(worker: _Worker, data: bytes) -> None:
    # Where it is dead, its other end is about to say so.
    with suppress(OSError):
        worker.send.send_bytes(data)


def _reap(worker: _Worker) -> str:
    worker.receive.close()
    worker.send.close()
    code = worker.process.wait()
    return f"signal {-code}" if code < 0 else f"exit code {code}"
