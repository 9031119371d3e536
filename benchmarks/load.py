"""The service under load: closed-loop clients on loopback, each with one request at a time. Prints Markdown."""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tersely import Document

EXAMPLES = Path(__file__).parents[1] / "examples"
SENTENCES = 25
REPEATS = 0.25  # the share of requests for a text that was asked for before, with another budget
PATIENCE = 60  # seconds after which a client calls it a hang


@dataclass
class Tally:
    """What became of the requests of one run."""

    seconds: float = 0.0
    times: dict[int, list[float]] = field(default_factory=dict)  # by status; 0: no answer

    def add(self, status: int, seconds: float) -> None:
        """Count one request."""
        self.times.setdefault(status, []).append(seconds)

    @property
    def total(self) -> int:
        """How many requests there were."""
        return sum(map(len, self.times.values()))

    def share(self, *statuses: int) -> float:
        """Return the percentage of requests with one of these statuses."""
        return 100 * sum(len(self.times.get(status, ())) for status in statuses) / max(self.total, 1)

    def milliseconds(self, status: int, part: float) -> float:
        """Return the time within which this part of the requests with a status was answered."""
        times = sorted(self.times.get(status, [0.0]))
        return 1000 * times[min(int(part * len(times)), len(times) - 1)]


def bodies(seed: int) -> Iterator[bytes]:
    """Make requests without end: 25 sentences of the examples in a new order, a few budgets, some texts again."""
    chance = random.Random(seed)
    sources = [Document.from_text(path.read_text("utf-8")).texts for path in sorted(EXAMPLES.glob("*.txt"))]
    recent: list[str] = []
    for number in range(sys.maxsize):
        if recent and chance.random() < REPEATS:
            text = chance.choice(recent)
        else:
            text = " ".join(chance.choices(chance.choice(sources), k=SENTENCES - 1)) + f" Text {seed}-{number}."
            recent = [*recent[-9:], text]
        yield json.dumps({"text": text, "max_chars": chance.randint(200, 600)}).encode()


async def client(address: str, texts: Iterator[bytes], tally: Tally, goes_on: Callable[[], bool]) -> None:
    """Send one request after the other over one connection."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    head = "POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    reader, writer = await asyncio.open_connection(host, port)
    while goes_on():
        body = next(texts)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                writer.write(f"{head}{len(body)}\r\n\r\n".encode() + body)
                answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"content-length: (\d+)", answer, re.IGNORECASE)
                await reader.readexactly(int(length[1]) if length else 0)
                status = int(answer.split()[1])
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            writer.close()
            reader, writer = await asyncio.open_connection(host, port)
            status = 0
        tally.add(status, time.perf_counter() - started)
    writer.close()


def load(address: str, clients: int, seconds: float = PATIENCE * 10, requests: int = sys.maxsize) -> Tally:
    """Let this number of clients ask at once, for a time or a number of requests."""
    tally = Tally()
    started = time.perf_counter()

    def goes_on() -> bool:
        return time.perf_counter() - started < seconds and tally.total + clients <= requests

    async def everyone() -> None:
        asking: list[Awaitable[None]] = [
            client(address, bodies(random.randrange(10**9)), tally, goes_on) for _ in range(clients)
        ]
        await asyncio.gather(*asking)

    asyncio.run(everyone())
    tally.seconds = time.perf_counter() - started
    return tally


@contextmanager
def service(*options: str) -> Iterator[tuple[int, str]]:
    """Start the service, wait until its models are loaded, and give its process id and address."""
    call = [sys.executable, "-m", "tersely", "serve", "--port", "0", *options]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[-1]
        load(address, 1, requests=20)  # waits in the queue until the models are loaded
        yield process.pid, address
    finally:
        process.terminate()
        process.wait()


def megabytes(pid: int) -> float:
    """Return the resident memory of a process and of all that it started."""
    below = [int(pid) for task in Path(f"/proc/{pid}/task").glob("*/children") for pid in task.read_text().split()]
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(map(megabytes, below))


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", default="1,2,4,8,16,32,64", help="clients at once")
    parser.add_argument("--seconds", type=float, default=8, help="for each level")
    parser.add_argument("--requests", type=int, default=5000, help="for the memory")
    parser.add_argument("--options", default="", help="further options of tersely serve")
    given = parser.parse_args()
    random.seed(42)
    options = given.options.split()
    levels = [int(level) for level in given.levels.split(",")]
    print(
        f"Texts of {SENTENCES} sentences, {100 * REPEATS:.0f} % of them asked for before; {os.cpu_count()} cores, "
        "shared by the service and its clients.\n"
    )
    with service(*options) as (pid, address):
        throughput(address, levels, given.seconds)
        memory(pid, address, given.requests)
    with service(*options, "--queue", "8") as (_, address):
        saturation(address, max(levels), given.seconds)


def throughput(address: str, levels: list[int], seconds: float) -> None:
    """Print how speed and latency change with the number of clients."""
    print("| clients | requests/s | p50, ms | p99, ms | errors |\n|---|---|---|---|---|")
    for level in levels:
        tally = load(address, level, seconds)
        p50, p99 = tally.milliseconds(200, 0.5), tally.milliseconds(200, 0.99)
        rate = len(tally.times.get(200, ())) / tally.seconds
        print(f"| {level} | {rate:.0f} | {p50:.1f} | {p99:.1f} | {100 - tally.share(200):.2f} % |", flush=True)


def memory(pid: int, address: str, requests: int) -> None:
    """Print the memory of the service before, on the way, and after many requests."""
    print("\n| requests | memory of all processes, MB |\n|---|---|")
    done = 0
    for part in (0, requests // 10, requests - requests // 10):
        done += load(address, 8, requests=part).total if part else 0
        print(f"| {done:,} | {megabytes(pid):.0f} |", flush=True)


def saturation(address: str, clients: int, seconds: float) -> None:
    """Print what happens to clients that are far too many for the queue and come back at once."""
    tally = load(address, clients, seconds)
    middle, late = tally.milliseconds(200, 0.5), tally.milliseconds(200, 0.99)
    slowest = 1000 * max(max(times) for times in tally.times.values())
    print(f"\n{clients} clients, a queue of 8, refused ones come back at once:\n")
    print(
        "| requests | answered | 503 | other | p50 / p99 of the answered, ms | p99 of the refused, ms | slowest, ms |"
    )
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {tally.total:,} | {tally.share(200):.1f} % | {tally.share(503):.1f} % "
        f"| {100 - tally.share(200, 503):.2f} % | {middle:.0f} / {late:.0f} "
        f"| {tally.milliseconds(503, 0.99):.0f} | {slowest:.0f} |"
    )


if __name__ == "__main__":
    main()
