"""A worker: a process that loads its work once, then does job after job until its parent is gone."""

import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from tersely.workers.process import Loaded, LoadError


def main() -> None:
    """Take the work and then jobs from standard input, and write results to standard output."""
    receive, send = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # nothing that prints may disturb the results
    jobs: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(receive, jobs), daemon=True).start()
    try:
        with _on_one_core():
            do: Callable[[Any], Any] = pickle.loads(jobs.get()).load()
    except Exception as error:
        send.send(LoadError(str(error)))
        return
    send.send(Loaded(getattr(do, "card", None)))
    while True:
        send.send(do(pickle.loads(jobs.get())))


@contextmanager
def _on_one_core() -> Iterator[None]:
    """Show a single core to whatever sizes itself by the number of cores: each other core has its own worker."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[os.getpid() % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _listen(receive: Connection, jobs: SimpleQueue[bytes]) -> None:
    """Take jobs in, and end this process in the middle of one when the parent has ended, however it did."""
    try:
        while True:
            jobs.put(receive.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


if __name__ == "__main__":
    main()
