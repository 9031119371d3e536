"""A guard process ends every process that was started under it, however the process that it guards ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from uuid import uuid4

MARK = "TERSELY_RUN"
# A process that is being killed may be about to start another: the guard ends after a few rounds without any.
_QUIET_ROUNDS, _PAUSE = 3, 0.1


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Mark all processes that are started in this block, also by other libraries; end them after it.

    If this process is killed, its guard ends them all the same. The mark is a variable of the environment, which the
    guard reads in /proc: it works on Linux only.
    """
    mark = uuid4().hex
    call = [sys.executable, "-P", "-m", "tersely.workers.guard", mark]
    # In a session of its own, so that Ctrl-C does not end it.
    guard = subprocess.Popen(call, stdin=subprocess.PIPE, start_new_session=True)
    outer = os.environ.get(MARK)
    os.environ[MARK] = mark
    try:
        yield
    finally:
        if outer is None:
            del os.environ[MARK]
        else:
            os.environ[MARK] = outer
        guard.communicate()


def main() -> None:
    """Wait until the other end of standard input is closed, and end all marked processes."""
    sys.stdin.buffer.read()
    quiet = 0
    while quiet < _QUIET_ROUNDS:
        quiet = 0 if _end_all(f"{MARK}={sys.argv[1]}".encode()) else quiet + 1
        sleep(_PAUSE)


def _end_all(mark: bytes) -> bool:
    """End the processes with a mark, and tell whether there was one."""
    ended = False
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
                ended = True
    return ended


if __name__ == "__main__":
    main()
