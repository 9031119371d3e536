"""A real service on a port of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from tersely.serve.run import Server
from tersely.serve.settings import Settings


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait for what must come, however slow the machine is."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


@contextmanager
def running(**how: Any) -> Iterator[Server]:
    """A service in a thread, with its models loaded."""
    server = Server(Settings(**({"port": 0, "workers": 1} | how)))
    thread = Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started and server.pool.ready)
        yield server
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def client_of(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=60) as client:
        yield client


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A worker that stands still: what it was given takes as long as the test wants."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def command(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`tersely serve` in a process of its own, with its models loaded, and its address."""
    with (folder / "log").open("w") as log:
        call = [sys.executable, "-m", "tersely", "serve", "--port", "0", "--workers", "1", *arguments]
        process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[-1]
        until(lambda: httpx.get(f"{address}/readyz").status_code == 200)
        yield process, address
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def workers_of(pid: int) -> list[int]:
    """The worker processes of a server, found from outside."""
    children = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and _parent(int(p.name)) == pid]
    return [child for child in children if "multiprocessing-fork" in Path(f"/proc/{child}/cmdline").read_text()]


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
