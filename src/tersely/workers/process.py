"""One worker process, as its parent sees it: started afresh, asked with a deadline, gone when its parent is gone."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection
from threading import Condition, Thread
from time import monotonic
from typing import Any, Protocol

# Each worker does one job at a time, on one core.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Work(Protocol):
    """The work of workers. It is pickled and sent to each of them; each then calls `load` once."""

    def load(self) -> Callable[[Any], Any]:
        """Load whatever the work needs, and return the function that does one job.

        If that function has an attribute `card`, the worker sends it to its parent as soon as it is loaded.
        """
        ...


@dataclass(frozen=True)
class Loaded:
    """The first message of a worker that has loaded its work."""

    card: Any = None


class LoadError(Exception):
    """The work cannot be loaded; the message says why."""


class Worker:
    """A process that loads its work once, then does one job at a time.

    It knows the same modules as its parent, but shares no signals and no threads with it. It ends when its parent
    does, however that happens.
    """

    def __init__(self, work: bytes) -> None:
        """Start the process and send it its pickled work; do not wait for it to load."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tersely.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as stdin, self._process.stdout as stdout:
            self._jobs = Connection(os.dup(stdin.fileno()), readable=False)
            # For `multiprocessing.connection.wait`: it is ready when there is something to receive.
            self.results = Connection(os.dup(stdout.fileno()), writable=False)
        self.pid = self._process.pid
        self._send(work)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return not self.results.closed and self._process.poll() is None

    def give(self, job: Any) -> None:
        """Send a job. Where the process is dead, `receive` says so."""
        self._send(pickle.dumps(job))

    def receive(self) -> Any:
        """Wait for the next message: `Loaded` first, then one result per job.

        An `EOFError` says that the process has ended, a `LoadError` that it cannot load its work.
        """
        try:
            message = self.results.recv()
        except OSError as error:
            raise EOFError from error
        if isinstance(message, LoadError):
            raise message
        return message

    def ask(self, job: Any, until: float) -> Any:
        """Return the result of a job; a `TimeoutError` says that it was not there by `until` (monotonic seconds).

        A process that is late is killed: it may not even take the job, and whatever waits for it then ends, too.
        """
        _WATCHDOG.watch(self, until)
        try:
            self._jobs.send_bytes(pickle.dumps(job))
            result = self.receive()
        except (EOFError, OSError) as error:
            raise (TimeoutError if monotonic() >= until else EOFError) from error
        finally:
            _WATCHDOG.release(self)
        if monotonic() >= until:  # it is being killed
            raise TimeoutError
        return result

    def kill(self) -> None:
        """End the process at once; any thread may do it."""
        self._process.kill()

    def close(self) -> str:
        """End the process, forget it, and return how it ended."""
        self._process.kill()
        self.results.close()
        self._jobs.close()
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _send(self, data: bytes) -> None:
        with suppress(OSError):
            self._jobs.send_bytes(data)


class _Watchdog:
    """Kills each worker that is late, in one thread for all of them.

    It sleeps until the earliest deadline that it knew when it fell asleep, and is woken only for an earlier one.
    """

    def __init__(self) -> None:
        self._deadlines: dict[Worker, float] = {}
        self._changed, self._wakes, self._thread = Condition(), inf, Thread(target=self._run, daemon=True)

    def watch(self, worker: Worker, until: float) -> None:
        """Kill a worker at a time, unless it is released before."""
        with self._changed:
            self._deadlines[worker] = until
            if self._thread.ident is None:
                self._thread.start()
            elif until < self._wakes:
                self._changed.notify()

    def release(self, worker: Worker) -> None:
        """Let a worker live."""
        with self._changed:
            self._deadlines.pop(worker, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = monotonic()
                for worker in [worker for worker, until in self._deadlines.items() if until <= now]:
                    del self._deadlines[worker]
                    worker.kill()
                self._wakes = min(self._deadlines.values(), default=inf)
                # No system can wait for arbitrarily long.
                self._changed.wait(min(self._wakes - now, 3600.0))


_WATCHDOG = _Watchdog()
