"""Real services, each on its own port."""

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

from tersely.serve.server import ServeOptions, Server

Process = subprocess.Popen[str]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Poll for something that must happen, however slow the machine is."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def get(address: str) -> httpx.Response:
    """Ask a service, however busy the machine is."""
    return httpx.get(address, timeout=60)


@contextmanager
def running(**how: Any) -> Iterator[Server]:
    """Run a service in a thread, and wait until its models are loaded."""
    server = Server(ServeOptions(**({"port": 0, "workers": 1} | how)))
    thread = Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started and server.queue.ready)
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
    """Halt a worker, so that its job takes as long as the test wants."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def dispositions(handler: signal.Handlers, *numbers: signal.Signals) -> Iterator[None]:
    """Decide what these signals do to the processes started meanwhile; a background job or nohup ignores some."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def command(folder: Path, *arguments: str, ignored: tuple[signal.Signals, ...] = ()) -> Iterator[tuple[Process, str]]:
    """Run `tersely serve` as a process, wait until its models are loaded, and give the process and its address."""
    heard = [number for number in SIGNALS if number not in ignored]
    with (
        (folder / "log").open("w") as log,
        dispositions(signal.SIG_DFL, *heard),
        dispositions(signal.SIG_IGN, *ignored),
    ):
        call = [sys.executable, "-m", "tersely", "serve", "--port", "0", "--workers", "1", *arguments]
        process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[-1]
        until(lambda: get(f"{address}/readyz").status_code == 200)
        yield process, address
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def workers_of(pid: int) -> list[int]:
    """Find the worker processes of a server from outside."""
    children = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and _parent(int(p.name)) == pid]
    return [child for child in children if "tersely.workers" in Path(f"/proc/{child}/cmdline").read_text()]


def ended(pid: int) -> bool:
    """Tell whether a process has ended with all its threads, so that its parent can see it."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z" and len(threads) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
