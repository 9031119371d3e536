"""Worker processes: one process, a pool that keeps the order (batch, evaluate), a queue with deadlines (serve).

Here is what is done apart, in a child process with limits; it loads nothing that a short command would wait for.
"""

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

_COPIES = sys.platform == "linux"
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG, in prctl of Linux


class LimitError(Exception):
    """What was done apart took too long, took too much memory, or crashed."""


class LateLimitError(LimitError):
    """It took too long."""


def apart(do: Callable[[], T], memory: int, seconds: float | None = None) -> T:
    """Call a function in a child process, and return its result or raise its exception.

    The child may take `memory` bytes more than this process has, where the system can say so (Linux), and any number
    of `seconds` unless some are given. Beyond that, or if it crashes, there is a `LimitError`. It ends when this
    process ends, however that happens. On Linux it is a copy of this process, and starts in a few milliseconds;
    elsewhere it starts afresh. Results, and there the function as well, are pickled.
    """
    until = None if seconds is None else monotonic() + seconds
    result, error = _ask_copy(do, memory, until) if _COPIES else _ask_worker(do, until)
    if isinstance(error, MemoryError):
        raise LimitError("out of memory")
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


def _outcome(do: Callable[[], Any]) -> bytes:
    """Return the pickled result of a function, and None, or else None and its exception."""
    try:
        return pickle.dumps((do(), None))
    except Exception as error:
        try:
            pickle.loads(sent := pickle.dumps((None, error)))
        except Exception:  # an exception may hold anything
            return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
        return sent


def _ask_copy(do: Callable[[], Any], memory: int, until: float | None) -> Any:
    import select
    import signal
    import warnings

    parent, (receiving, sending) = os.getpid(), os.pipe()
    with warnings.catch_warnings():
        # Other threads are no danger here: the copy takes no lock that one of them may hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if not pid:
        try:
            _limit(memory, parent)
            with os.fdopen(sending, "wb") as stream:
                stream.write(_outcome(do))
        finally:
            os._exit(0)
    pieces: list[bytes] = []
    try:
        os.close(sending)
        poll = select.poll()
        poll.register(receiving, select.POLLIN)
        while not pieces or pieces[-1]:
            if not poll.poll(None if until is None else max(0.0, 1000 * (until - monotonic()))):
                raise LateLimitError("too late")  # noqa: TRY301
            pieces.append(os.read(receiving, 1 << 20))
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(receiving)
        code = _ended(pid)
    if code:
        raise LimitError(f"signal {code}")
    if not pieces[0]:
        raise LimitError("out of memory")
    return pickle.loads(b"".join(pieces))


def _ended(pid: int) -> int:
    """Wait for the end of a child, and return the signal that ended it, or 0."""
    try:
        return os.waitpid(pid, 0)[1] & 0x7F
    except ChildProcessError:  # this process does not wait for its children
        return 0


def _limit(memory: int, parent: int) -> None:
    """Limit the memory of this process, let it end with its parent, and let it end without a word if it crashes."""
    import ctypes
    import faulthandler
    import resource
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + memory
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([most, *limits]), hard))


class _Calls:
    """The work of a worker that calls whatever function it gets."""

    def load(self) -> Callable[[Callable[[], Any]], bytes]:
        return _outcome


def _ask_worker(do: Callable[[], Any], until: float | None) -> Any:
    from tersely.workers.process import Worker

    worker = Worker(pickle.dumps(_Calls()))
    try:
        worker.receive()
        if until is None:
            worker.give(do)
            return pickle.loads(worker.receive())
        return pickle.loads(worker.ask(do, until))
    except TimeoutError:
        raise LateLimitError("too late") from None
    except EOFError:
        raise LimitError(worker.close()) from None
    finally:
        worker.close()
