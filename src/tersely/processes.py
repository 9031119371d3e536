"""How many processes or threads are worth while, and processes that do not outlive their parent."""

import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent() -> None:
    """End this process, where another has started it, when that one has ended, even by a kill that left no time."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
