"""Try for a long time what a stranger's input could break, and count. Prints Markdown; a broken promise ends with 1.

Generated texts are most of it. The rest: batches and trainings that are killed, full disks, servers that lie or are
slow, and bodies that no honest client sends. Every case has a number; `--only NAME --case NUMBER` tries one again.
"""

import argparse
import json
import os
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Protocol

from soak_harm import Batches, Disks, Files, Trainings
from soak_net import Bodies, Servers
from soak_texts import Selections, Texts


class Part(Protocol):
    """One kind of case; it raises an exception where a promise is broken, and returns what is to be counted."""

    def __init__(self, folder: Path, stack: ExitStack) -> None: ...
    def case(self, chance: Random) -> list[str]:
        """Try one case."""
        ...


# How much of the time each of them gets.
SHARES: dict[type[Part], float] = {
    Texts: 12.0,
    Selections: 2.0,
    Files: 2.0,
    Batches: 2.0,
    Trainings: 2.0,
    Disks: 1.0,
    Servers: 1.0,
    Bodies: 2.0,
}
_BUNDLE = 0.5  # seconds of quick cases before another kind has its turn


def main() -> None:
    """Run until the time is over, and print the counts."""
    given = _arguments()
    counts: dict[str, Counter[str]] = {}
    if given.counts is not None and given.counts.exists():
        counts = {name: Counter(found) for name, found in json.loads(given.counts.read_text("utf-8")).items()}
    if given.case is not None:
        with TemporaryDirectory() as folder, ExitStack() as stack:
            print(_parts(given.only, folder, stack)[0].case(Random(f"{given.seed} {given.case}")))
        return
    jobs = [(given.only, given.seed + job, 60 * given.minutes) for job in range(given.jobs)]
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for results in pool.map(_run, *zip(*jobs, strict=True)):
            for name, counted in results.items():
                counts.setdefault(name, Counter()).update(counted)
    if given.counts is not None:
        given.counts.write_text(json.dumps(counts, indent=1), "utf-8")
    _print(counts)
    sys.exit(any(found["broken"] for found in counts.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; default: one for each core")
    parser.add_argument("--only", choices=[part.__name__.lower() for part in SHARES])
    parser.add_argument("--case", type=int, help="try only this case of one kind, with the seed it had")
    parser.add_argument("--counts", type=Path, help="a file to which the counts of several runs are added")
    return parser.parse_args()


def _parts(only: str | None, folder: str, stack: ExitStack) -> list[Part]:
    """Return all kinds of cases, or one. Each starts what it needs, a server for example, at its first case."""
    return [part(Path(folder), stack) for part in SHARES if only in (None, part.__name__.lower())]


def _run(only: str | None, seed: int, seconds: float) -> dict[str, Counter[str]]:
    """Try cases until the time is over, and return the counts of each kind."""
    counts: dict[str, Counter[str]] = {}
    with TemporaryDirectory() as folder, ExitStack() as stack:
        parts = _parts(only, folder, stack)
        used, numbers = dict.fromkeys(parts, 0.0), dict.fromkeys(parts, 0)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            part = min(parts, key=lambda each: used[each] / SHARES[type(each)])
            name = type(part).__name__.lower()
            began = time.monotonic()
            while time.monotonic() < began + _BUNDLE:
                counts.setdefault(name, Counter()).update(_outcome(part, name, seed, numbers[part]))
                numbers[part] += 1
            used[part] += time.monotonic() - began
    return counts


def _outcome(part: Part, name: str, seed: int, number: int) -> list[str]:
    """Return what is to be counted for one case; a promise that is not kept is shown at once."""
    try:
        return ["cases", *part.case(Random(f"{seed} {number}"))]
    except Exception:
        traceback.print_exc()
        print(f"broken: --seed {seed} --only {name} --case {number}", file=sys.stderr, flush=True)
        return ["cases", "broken"]


def _print(counts: dict[str, Counter[str]]) -> None:
    print("| what | cases | broken promises | of the cases |\n|---|---|---|---|")
    for name, found in counts.items():
        rest = ", ".join(f"{key} {found[key]:,}" for key in sorted(found) if key not in ("cases", "broken"))
        print(f"| {name} | {found['cases']:,} | {found['broken']:,} | {rest} |")


if __name__ == "__main__":
    main()
