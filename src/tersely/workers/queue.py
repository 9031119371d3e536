"""A bounded queue in front of a fixed number of workers: each job has a deadline, and dead workers are replaced."""

import asyncio
import pickle
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import inf
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from tersely.workers.process import LoadError, Work, Worker

# Seconds to wait before trying again to start a worker; each further try waits twice as long.
_PAUSE, _LONGEST_PAUSE = 0.1, 10.0


class BusyError(Exception):
    """The queue takes no more jobs: it is full, or it is being closed."""


class LateError(Exception):
    """A job was not done by its deadline."""


class WorkerEndedError(Exception):
    """Two workers died while they were doing the same job."""


@dataclass(eq=False)
class _Ticket:
    job: Any
    home: int
    until: float
    long: bool = False
    result: Future[Any] = field(default_factory=Future)
    passes: int = 0  # how many later jobs were taken before it because they were at home

    def refuse(self, error: Exception) -> None:
        """Give up a job that no worker has begun."""
        if self.result.set_running_or_notify_cancel():
            self.result.set_exception(error)


class WorkQueue:
    """Gives each job to a free worker; at most `places` jobs wait for one.

    Jobs with the same key go to the same worker if it is free, and otherwise to any that is. Of those that wait, a
    worker takes its own first, but no job lets more than a few pass. Of several workers, one is always left for jobs
    that are not long. When no worker may take a job and the queue is full, it is refused at
    once. A worker that misses the deadline of its job is killed. One that dies, for whatever reason, is replaced, and
    `report` gets a line about it; the one that replaces it tries its job once more.

    Each worker has a thread that starts it, feeds it and replaces it.
    """

    def __init__(
        self, work: Work, *, workers: int, places: int, deadline: float, report: Callable[[str], None] = lambda _: None
    ) -> None:
        """Prepare the queue; `deadline` is in seconds, from asking to the result."""
        self._work, self._places, self._deadline, self._report = pickle.dumps(work), places, deadline, report
        self._lock, self._closed, self._refusing = Lock(), Event(), False
        self._waiting: deque[_Ticket] = deque()
        self._idle: set[int] = set()
        self._long = 0  # how many long jobs workers have, and may have; a single worker does whatever comes
        self._most_long = workers - 1 or inf
        self._most_passes = 2 * workers  # by then, the worker that a job waits for is busy with a longer one
        self._inboxes: list[SimpleQueue[_Ticket | None]] = [SimpleQueue() for _ in range(workers)]
        self._threads = [Thread(target=self._run, args=(number,), daemon=True) for number in range(workers)]
        self._workers: dict[int, Worker] = {}
        self._loaded: set[int] = set()
        self._failing: set[int] = set()  # numbers whose worker could not be replaced so far
        self.card: Any = None  # what the workers say of their loaded work
        self.failure: str | None = None  # why the work could not be loaded
        self.running = 0
        self.replaced = 0

    def start(self) -> None:
        """Start the workers; they are loaded when `ready` is true."""
        for thread in self._threads:
            thread.start()

    @property
    def ready(self) -> bool:
        """Whether every worker has loaded its work, at least one is running, and the queue takes jobs."""
        return len(self._loaded) == len(self._threads) > len(self._failing) and not self._refusing

    @property
    def closing(self) -> bool:
        """Whether the queue takes no more jobs."""
        return self._refusing

    @property
    def waiting(self) -> int:
        """The number of jobs that wait for a worker."""
        return len(self._waiting)

    @property
    def idle(self) -> int:
        """The number of workers that wait for a job."""
        return len(self._idle)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers, in order."""
        with self._lock:
            return [worker.pid for _, worker in sorted(self._workers.items())]

    async def ask(self, job: Any, key: Hashable, long: bool = False) -> Any:
        """Return the result of a job; others pass one that takes `long`, until half of its time is over.

        Raises `BusyError`, `LateError` or `WorkerEndedError`. A caller that stops waiting leaves the queue.
        """
        ticket = _Ticket(job, hash(key) % len(self._threads), monotonic() + self._deadline, long)
        self._admit(ticket)
        try:
            async with asyncio.timeout(self._deadline):
                return await asyncio.wrap_future(ticket.result)
        except TimeoutError:
            raise self._late() from None
        finally:
            with self._lock:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)

    def refuse(self) -> None:
        """Take no more jobs; those already taken are still done."""
        self._refusing = True

    def close(self) -> None:
        """End the workers at once."""
        self.refuse()
        with self._lock:
            self._closed.set()
            for worker in self._workers.values():
                worker.kill()
        for inbox, thread in zip(self._inboxes, self._threads, strict=True):
            inbox.put(None)
            if thread.ident is not None:
                thread.join()
        self._refuse_waiting(_closing())

    def _admit(self, ticket: _Ticket) -> None:
        with self._lock:
            if self._refusing:
                raise _closing()
            if self._idle and not (ticket.long and self._long >= self._most_long):
                self._hand_over(ticket)
            elif len(self._waiting) < self._places:
                self._waiting.append(ticket)
            else:
                raise BusyError(f"all workers are busy and {self._places} requests are waiting: try again in a second")

    def _hand_over(self, ticket: _Ticket) -> None:
        """Give a job to a worker that is idle; the lock is held."""
        number = ticket.home if ticket.home in self._idle else min(self._idle)
        self._idle.remove(number)
        self._long += ticket.long
        self._inboxes[number].put(ticket)

    def _run(self, number: int) -> None:
        """Keep one worker alive and busy; runs in a thread of its own."""
        while self._living(number) is not None and (ticket := self._next(number)) is not None:
            worker = self._living(number)  # it may have died while it was idle
            if worker is None:
                ticket.refuse(_closing())
            elif ticket.result.set_running_or_notify_cancel():
                self._do(worker, ticket, number)
            if ticket.long:
                self._end_long()
        if number in self._workers:
            self._workers[number].close()

    def _next(self, number: int) -> _Ticket | None:
        """Wait for a job: the first that is short and at home here, if others may wait, or the next one sent here."""
        with self._lock:
            first = self._first(number)
            if first is not None:
                self._waiting.remove(first)
                self._long += first.long
                return first
            self._idle.add(number)
        return self._inboxes[number].get()

    def _first(self, number: int | None = None) -> _Ticket | None:
        """Return the job that is next, for this worker or for any, if one may be taken; the lock is held."""
        full = self._long >= self._most_long
        fitting = [ticket for ticket in self._waiting if not (ticket.long and full)]
        if not fitting or monotonic() >= fitting[0].until - self._deadline / 2:
            return fitting[0] if fitting else None
        short = [ticket for ticket in fitting if not ticket.long] or fitting
        first = short[0]
        at_home = next((ticket for ticket in short if ticket.home == number), first)
        if at_home is first or first.passes >= self._most_passes:
            return first
        first.passes += 1
        return at_home

    def _end_long(self) -> None:
        """Let the next long job go to a worker that is idle, if one was left for shorter jobs."""
        with self._lock:
            self._long -= 1
            if self._idle and (first := self._first()) is not None:
                self._waiting.remove(first)
                self._hand_over(first)

    def _do(self, worker: Worker, ticket: _Ticket, number: int) -> None:
        self._count(1)
        try:
            try:
                result = self._ask(worker, ticket)
            except EOFError:  # that may not be the job's fault
                again = self._living(number)
                if again is None:
                    raise _closing() from None
                result = self._ask(again, ticket)
        except (LateError, BusyError, EOFError) as error:
            self._count(-1)
            ticket.result.set_exception(WorkerEndedError("two workers died") if isinstance(error, EOFError) else error)
        else:
            self._count(-1)
            ticket.result.set_result(result)

    def _ask(self, worker: Worker, ticket: _Ticket) -> Any:
        if monotonic() >= ticket.until:
            raise self._late()
        try:
            return worker.ask(ticket.job, ticket.until)
        except TimeoutError:
            worker.close()
            raise self._late() from None
        except EOFError:
            worker.close()
            raise

    def _living(self, number: int) -> Worker | None:
        """Return this number's worker, started anew if it has died; none if the queue is closed or cannot start."""
        pause = _PAUSE
        while not self._closed.is_set():
            worker = self._workers.get(number)
            if worker is not None and worker.alive:
                return worker
            if worker is not None:
                self.replaced += 1
                self._report(f"worker {worker.pid} died ({worker.close()}) and is being replaced")
            problem = self._begin(number)
            if problem is None or self._closed.is_set():
                continue
            self._report(problem)
            self._failing.add(number)
            if not self._loaded:
                self._give_up(problem)
                return None
            self._closed.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return None

    def _begin(self, number: int) -> str | None:
        """Start a worker and wait until it has loaded its work; a string says why it has not."""
        try:
            worker = Worker(self._work)
        except OSError as error:
            return f"a worker cannot be started: {error}"
        with self._lock:
            self._workers[number] = worker
            if self._closed.is_set():
                worker.kill()
        try:
            self.card = worker.receive().card
        except (EOFError, LoadError) as error:
            ended = worker.close()
            with self._lock:
                del self._workers[number]
            return str(error) or f"a worker died while it was loading ({ended})"
        self._loaded.add(number)
        self._failing.discard(number)
        return None

    def _give_up(self, problem: str) -> None:
        self.failure = problem
        self.refuse()
        self._refuse_waiting(BusyError(problem))

    def _refuse_waiting(self, error: BusyError) -> None:
        with self._lock:
            while self._waiting:
                self._waiting.popleft().refuse(error)

    def _count(self, change: int) -> None:
        with self._lock:
            self.running += change

    def _late(self) -> LateError:
        return LateError(f"there was no answer within {self._deadline:g} seconds")


def _closing() -> BusyError:
    return BusyError("this service is shutting down: try again in a second")
