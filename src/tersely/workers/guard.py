"""Ends what a killed process leaves behind: its guard outlives it by a moment, and knows its descendants by a mark."""

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
_ROUNDS, _PAUSE = 25, 0.2


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Mark every process that is started meanwhile, by whomever; if this process dies, its guard kills them.

    A mark is a variable of the environment, which the guard reads in /proc; elsewhere than on Linux it finds none.
    """
    mark = uuid4().hex
    call = [sys.executable, "-P", "-m", "tersely.workers.guard", mark]
    # In a session of its own, so that Ctrl-C does not end it.
    guard = subprocess.Popen(call, stdin=subprocess.PIPE, start_new_session=True)
    os.environ[MARK] = mark
    try:
        yield
    finally:
        del os.environ[MARK]
        guard.communicate(b"done")


def main() -> None:
    """Wait until the other end of standard input is closed, and end what is left, unless all is done."""
    if sys.stdin.buffer.read() == b"done":
        return
    # What is being killed may be about to start another.
    for _ in range(_ROUNDS):
        _end_all(f"{MARK}={sys.argv[1]}".encode())
        sleep(_PAUSE)


def _end_all(wanted: bytes) -> None:
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)


if __name__ == "__main__":
    main()
