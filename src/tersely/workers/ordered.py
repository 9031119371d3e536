"""Workers that do jobs side by side and give the results in order, even when one of them dies."""

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import wait
from time import monotonic
from typing import Any, Self

from tersely.errors import ModelError, TerselyError
from tersely.workers.process import LoadError, Work, Worker

# How many jobs per worker may be under way before the first of them is done: this bounds the memory.
AHEAD = 4
_TRIES = 2
_LOADS = 3


def ordered(work: Work, jobs: Iterable[Any], workers: int) -> Iterator[Any]:
    """Yield the result of every job, in the order of the jobs.

    A `TerselyError` in a job is raised here as it is, any other exception as a `JobError`. A worker that dies is a
    `WorkerDiedError`. An error comes in the place of the job's result. The workers end when the iterator does, also on
    Ctrl-C.
    """
    with OrderedPool(work, workers) as pool:
        for _, [result] in pool.run(jobs):
            yield result


class WorkerDiedError(TerselyError):
    """A worker process ended in the middle of a job."""


class JobError(Exception):
    """A job raised an exception that nobody expected; the message has its type and its own message."""


@dataclass(frozen=True)
class Rescue:
    """The treatment of a job that fails because its worker dies, is too slow, or raises an exception.

    `split` divides a job into smaller ones, which are tried one by one; a job that cannot be divided is returned alone.
    When such a job has failed twice, `give_up` takes the job and the reason, and returns a result in its place. If its
    worker died the first time, perhaps because other workers took the memory, nothing else runs beside the second try.
    """

    split: Callable[[Any], Sequence[Any]]
    give_up: Callable[[Any, str], Any]


class OrderedPool:
    """A number of workers that each load the work once, and are replaced when they die.

    Without a `rescue`, a job that fails ends the run with an error. A worker that takes more than `timeout` seconds for
    a job is killed, and counts as dead.
    """

    def __init__(self, work: Work, workers: int, rescue: Rescue | None = None, timeout: float | None = None) -> None:
        self._work, self._size = pickle.dumps(_Guarded(work)), workers
        self._rescue, self._timeout = rescue, timeout or inf
        self._jobs: Iterator[Any] = iter(())
        self._seats: list[_Seat] = []
        self._again: deque[_Task] = deque()
        self._suspects: deque[_Task] = deque()
        self._open: dict[int, _Open] = {}
        # How many jobs were taken from the iterator, and how many of them were yielded with their results.
        self._started = self._yielded = self._failed_loads = 0

    def run(self, jobs: Iterable[Any]) -> Iterator[tuple[Any, list[Any]]]:
        """Do every job, and yield each in order with its results: one, or one per piece if it was split."""
        self._jobs = iter(jobs)
        try:
            while True:
                self._hand_out()
                while self._yielded in self._open and self._open[self._yielded].is_complete:
                    first = self._open.pop(self._yielded)
                    self._yielded += 1
                    if first.error is not None:
                        raise first.error
                    yield first.job, first.results
                    self._hand_out()
                if not self._open:
                    return
                self._wait()
        finally:
            if self._open:  # stopped halfway: nobody needs the jobs that are under way
                self.close()

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        for seat in self._seats:
            seat.worker.close()
        self._seats.clear()
        self._again.clear()
        self._suspects.clear()
        self._open.clear()
        self._yielded = self._started

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hand_out(self) -> None:
        """Give every idle worker a task, and start workers as long as there are tasks for them."""
        for seat in self._seats:
            if seat.ready and seat.task is None and (task := self._next_task()):
                seat.task, seat.due = task, monotonic() + self._timeout
                seat.worker.give(task.job)
        if self._suspects:
            self._hand_out_alone()
            return
        starting = sum(not seat.ready for seat in self._seats)
        while len(self._seats) < self._size and (len(self._again) > starting or self._look_ahead()):
            self._seats.append(_Seat(Worker(self._work)))
            starting += 1

    def _hand_out_alone(self) -> None:
        """Once no worker is busy, let the first suspect run by itself."""
        if any(seat.task for seat in self._seats):
            return
        if not self._seats:
            self._seats.append(_Seat(Worker(self._work)))
        seat = self._seats[0]
        if seat.ready:
            seat.task, seat.due = self._suspects[0], monotonic() + self._timeout
            seat.worker.give(seat.task.job)

    def _look_ahead(self) -> bool:
        """Take a job for a worker that is about to start."""
        task = self._next_task()
        if task is not None:
            self._again.append(task)
        return task is not None

    def _next_task(self) -> "_Task | None":
        if self._suspects:
            return None
        if self._again:
            return self._again.popleft()
        if self._started - self._yielded >= AHEAD * self._size:
            return None
        try:
            job = next(self._jobs)
        except StopIteration:
            return None
        task = _Task(self._started, 0, job)
        self._open[task.order] = _Open(job)
        self._started += 1
        return task

    def _wait(self) -> None:
        """Wait until a worker has sent a message or is overdue, and deal with it."""
        due = min((seat.due for seat in self._seats), default=inf)
        # No system can wait for arbitrarily long.
        patience = None if due == inf else min(max(0.0, due - monotonic()), 3600.0)
        for ready in wait([seat.worker.results for seat in self._seats], patience):
            self._listen(next(seat for seat in self._seats if seat.worker.results is ready))
        now = monotonic()
        for seat in [seat for seat in self._seats if seat.due <= now]:
            self._bury(seat, f"it took more than {self._timeout:g} s")

    def _listen(self, seat: "_Seat") -> None:
        try:
            message = seat.worker.receive()
        except EOFError:
            self._bury(seat)
            return
        except LoadError as error:
            raise ModelError(f"a worker could not load its work: {error}") from None
        task = seat.task
        seat.ready, seat.task, seat.due, self._failed_loads = True, None, inf, 0
        if task is None:
            return
        self._acquit(task)
        if isinstance(message, _Raised):
            if self._rescue is None:
                self._open[task.order].fail(message.exception())
            else:
                self._fail(task, self._rescue, message.reason)
        else:
            self._open[task.order].set(task.slot, message)

    def _bury(self, seat: "_Seat", reason: str = "") -> None:
        """Deal with the task of a dead worker; `_hand_out` starts another worker."""
        self._seats.remove(seat)
        ending = seat.worker.close()
        if seat.task is not None:
            self._acquit(seat.task)
            if self._rescue is None:
                cause = reason or "perhaps out of memory: try fewer --workers"
                self._open[seat.task.order].fail(WorkerDiedError(f"a process was killed ({ending}), {cause}"))
            else:
                self._fail(seat.task, self._rescue, reason or f"its worker process died ({ending})", died=not reason)
        elif not seat.ready:
            self._failed_loads += 1
            if self._failed_loads == _LOADS:
                raise ModelError(f"worker processes die while they load the model ({ending}): try fewer --workers")

    def _acquit(self, task: "_Task") -> None:
        if self._suspects and self._suspects[0] is task:
            self._suspects.popleft()

    def _fail(self, task: "_Task", rescue: Rescue, reason: str, died: bool = False) -> None:
        task.tries += 1
        pieces = rescue.split(task.job)
        if len(pieces) > 1:
            # A piece has not failed yet: any other piece may be to blame.
            self._open[task.order].split(len(pieces))
            self._again.extend(_Task(task.order, slot, piece) for slot, piece in enumerate(pieces))
        elif task.tries < _TRIES:
            (self._suspects if died else self._again).append(task)
        else:
            self._open[task.order].set(task.slot, rescue.give_up(task.job, reason))


@dataclass
class _Task:
    """A job, or one piece of it, and how often it was tried; `slot` is where its result belongs."""

    order: int
    slot: int
    job: Any
    tries: int = 0


@dataclass
class _Seat:
    """A worker and its current task."""

    worker: Worker
    ready: bool = False
    task: _Task | None = None
    due: float = inf


@dataclass
class _Open:
    """A job that was started and not yet yielded, with its results so far."""

    job: Any
    results: list[Any] = field(default_factory=lambda: [None])
    missing: int = 1
    error: Exception | None = None

    @property
    def is_complete(self) -> bool:
        return not self.missing

    def set(self, slot: int, result: Any) -> None:
        self.results[slot] = result
        self.missing -= 1

    def fail(self, error: Exception) -> None:
        """Keep the error until it is this job's turn, so that what was done before it is never lost."""
        self.error, self.missing = error, 0

    def split(self, count: int) -> None:
        self.results, self.missing = [None] * count, count


@dataclass(frozen=True)
class _Raised:
    """The message of a worker instead of a result when a job raises an exception."""

    reason: str
    error: TerselyError | None
    trace: str

    def exception(self) -> Exception:
        """Return the exception to raise in the parent; an unexpected one brings the worker's traceback along."""
        if self.error is not None:
            return self.error
        error = JobError(self.reason)
        error.add_note(self.trace)
        return error


@dataclass(frozen=True)
class _Guarded:
    """Work that survives an exception in a job, and reports it."""

    work: Work

    def load(self) -> Callable[[Any], Any]:
        do = self.work.load()

        def guarded(job: Any) -> Any:
            try:
                return do(job)
            except TerselyError as error:
                return _Raised(str(error), error, "")
            except Exception as error:
                return _Raised(f"{type(error).__name__}: {error}", None, traceback.format_exc())

        return guarded
