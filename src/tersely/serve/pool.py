"""A fixed number of worker processes behind a bounded queue, each fed by a thread that also watches over it."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from tersely.serve.problems import ProblemError
from tersely.serve.process import WorkerProcess
from tersely.serve.settings import Settings
from tersely.serve.work import Answer
from tersely.serve.worker import Failed, Reply

# A worker that could not be started is tried again after so many seconds, then after twice as many, and so on.
_PAUSE, _LONGEST_PAUSE = 0.1, 10.0


class WorkerFailedError(Exception):
    """A worker met something unforeseen, or ended; what is known of it is for the log."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.kind)
        self.failed = failed


@dataclass(frozen=True, eq=False)
class _Job:
    task: str
    request: dict[str, Any]
    home: int
    until: float
    answer: Future[Answer] = field(default_factory=Future)


class Pool:
    """Answers requests in worker processes, never more than `queue` of them waiting.

    A text goes to the worker that would have it in memory, if that one is free, else to any that is. Who asks while
    all are busy and the queue is full is turned away at once. A worker that is not done by a request's deadline is
    killed; one that ends, for whatever reason, is replaced. `report` is told of the latter.
    """

    def __init__(self, settings: Settings, report: Callable[[str], None] = lambda _: None) -> None:
        self._settings, self._report = settings, report
        self._lock, self._closed, self._refusing = Lock(), Event(), False
        self._waiting: deque[_Job] = deque()
        self._idle: set[int] = set()
        self._inboxes: list[SimpleQueue[_Job | None]] = [SimpleQueue() for _ in range(settings.workers)]
        self._threads = [Thread(target=self._run, args=(n,), daemon=True) for n in range(settings.workers)]
        self._processes: dict[int, WorkerProcess] = {}
        self._loaded: set[int] = set()
        self._failing: set[int] = set()  # those whose worker could not be replaced so far
        self.models: list[dict[str, Any]] = []
        self.failure: str | None = None  # why the models could not be loaded
        self.running = 0
        self.replaced = 0

    def start(self) -> None:
        """Start the workers; `ready` says when they have loaded their models."""
        for thread in self._threads:
            thread.start()

    @property
    def ready(self) -> bool:
        """Whether every worker has loaded its models, one of them at least runs, and the pool does not stop."""
        every = self._settings.workers
        return len(self._loaded) == every > len(self._failing) and not self._refusing

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers, in their order."""
        with self._lock:
            return [process.pid for _, process in sorted(self._processes.items())]

    async def answer(self, task: str, request: dict[str, Any], text: str) -> Answer:
        """Return the answer to a request about a text."""
        seconds = self._settings.deadline
        job = _Job(task, request, hash(text) % self._settings.workers, monotonic() + seconds)
        self._admit(job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.answer), seconds)
        except TimeoutError:
            raise self._late() from None
        finally:
            with self._lock:
                if job in self._waiting:
                    self._waiting.remove(job)

    def refuse(self) -> None:
        """Take no more requests; those that were taken will be answered."""
        self._refusing = True

    def close(self) -> None:
        """End the workers at once."""
        self.refuse()
        with self._lock:
            self._closed.set()
            for process in self._processes.values():
                process.kill()
        for inbox, thread in zip(self._inboxes, self._threads, strict=True):
            inbox.put(None)
            if thread.ident is not None:
                thread.join()

    def _admit(self, job: _Job) -> None:
        with self._lock:
            if self._refusing:
                raise _busy("the server is shutting down")
            if self._idle:
                number = job.home if job.home in self._idle else min(self._idle)
                self._idle.remove(number)
                self._inboxes[number].put(job)
            elif len(self._waiting) < self._settings.queue:
                self._waiting.append(job)
            else:
                raise _busy(f"all workers are busy, and {self._settings.queue} requests wait already")

    def _run(self, number: int) -> None:
        """Keep one worker alive and fed, in a thread of its own."""
        while self._living(number) is not None and (job := self._next(number)) is not None:
            # It may have ended while it had nothing to do.
            process = self._living(number)
            if process is not None and job.answer.set_running_or_notify_cancel():
                self._work(process, job)
        if number in self._processes:
            self._processes[number].close()

    def _next(self, number: int) -> _Job | None:
        """Wait for a job: the one that has waited longest, or the next that is sent here."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.add(number)
        return self._inboxes[number].get()

    def _work(self, process: WorkerProcess, job: _Job) -> None:
        reply: Reply
        self._count(1)
        try:
            reply = process.ask(job.task, job.request, job.until)
        except TimeoutError:
            reply = self._late()
            process.close()
        except EOFError:
            reply = Failed("WorkerEnded", ())
            process.close()
        self._count(-1)
        if isinstance(reply, Answer):
            job.answer.set_result(reply)
        else:
            job.answer.set_exception(WorkerFailedError(reply) if isinstance(reply, Failed) else reply)

    def _living(self, number: int) -> WorkerProcess | None:
        """Return this number's worker, another where it has ended; none if the pool is closed or cannot begin."""
        pause = _PAUSE
        while not self._closed.is_set():
            process = self._processes.get(number)
            if process is not None and process.alive:
                return process
            if process is not None:
                process.close()
                self.replaced += 1
                self._report(f"worker {process.pid} has ended and is replaced")
            why = self._begin(number)
            if why is None or self._closed.is_set():
                continue
            self._report(why)
            self._failing.add(number)
            if not self.models:
                self._give_up(why)
                return None
            self._closed.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return None

    def _begin(self, number: int) -> str | None:
        """Start a worker and wait until it has loaded its models; a string says why it has not."""
        try:
            process = WorkerProcess(self._settings)
        except (OSError, RuntimeError) as error:
            return f"a worker cannot be started: {error}"
        with self._lock:
            self._processes[number] = process
            if self._closed.is_set():
                process.kill()
        try:
            self.models = process.loaded().models
        except EOFError as error:
            return str(error) or "a worker ended while it loaded its models"
        self._loaded.add(number)
        self._failing.discard(number)
        return None

    def _give_up(self, why: str) -> None:
        self.failure = why
        with self._lock:
            self._refusing = True
            while self._waiting:
                self._waiting.popleft().answer.set_exception(_busy(why))

    def _count(self, change: int) -> None:
        with self._lock:
            self.running += change

    def _late(self) -> ProblemError:
        return ProblemError("deadline", f"the answer was not ready within {self._settings.deadline:g} seconds")


def _busy(why: str) -> ProblemError:
    return ProblemError("busy", f"{why}: try again in a second", headers={"Retry-After": "1"})
