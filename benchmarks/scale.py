"""Measure the speed and peak memory of `tersely batch`, next to a plain loop over the library.

Prints Markdown; with --write, puts it into docs/scale.md. The documents are made from the two example texts: 25
sentences each, drawn and changed at random with a fixed seed. Each cell runs in a process of its own, and its memory is
that of all its processes together (PSS: a page that several share counts once). The engines take turns at each size,
and the faster of two rounds counts, so that other load on the machine does not hit just one of them. The scorer is a
fast one, which shows the overhead of everything around it best; the cost of the other models follows from their speed.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- written by benchmarks/scale.py -->", "<!-- end -->"
SIZES = (1_000, 4_000, 16_000)
WAYS = (("loop", 1), ("local", 1), ("local", 2), ("ray", 1), ("ray", 2))
ROUNDS = 2
SCORER, BUDGET, SENTENCES, PART = "coverage", 400, 25, 500
# Scorers, and the number of documents to time each of them on; textrank needs sentence vectors.
MODELS = {
    "default": (None, 200),
    "coverage": ("coverage", 500),
    "lexrank": ("lexrank", 200),
    "textrank": ("textrank", 40),
}
MANY = 10_000_000


def main() -> None:
    """Measure every engine at every size, or run the one cell that --one asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=4, metavar=("WAY", "WORKERS", "INPUT", "OUTPUT"), help=argparse.SUPPRESS)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=SIZES, help="numbers of documents: at least two, growing"
    )
    parser.add_argument("--ways", nargs="+", default=["loop", "local", "ray"], choices=["loop", "local", "ray"])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scale.md")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(one(args.one[0], int(args.one[1]), args.one[2], args.one[3])))
        return
    with tempfile.TemporaryDirectory() as folder:
        text = tables([way for way in WAYS if way[0] in args.ways], tuple(args.sizes), Path(folder))
    print(text)
    if args.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def tables(ways: list[tuple[str, int]], sizes: tuple[int, ...], folder: Path) -> str:
    """Return the measurements, and what they mean for ten million documents."""
    for size in sizes:
        make_corpus(folder / f"{size}.jsonl", size)
    lines = ["| | " + " | ".join(f"{n:,}: s | per second | MB" for n in sizes) + " | steady, per second | parent, µs |"]
    lines.append("|---" * (3 + 3 * len(sizes)) + "|")
    rates: dict[tuple[str, int], float] = {}
    measured = {(size, way): cell for size in sizes for way, cell in turns(ways, folder, size).items()}
    for way, workers in ways:
        cells = [measured[size, (way, workers)] for size in sizes]
        # Between the two largest sizes, so that the start does not count.
        more, (small, large) = sizes[-1] - sizes[-2], cells[-2:]
        rates[way, workers] = more / (large["seconds"] - small["seconds"])
        name = "plain loop" if way == "loop" else f"{way}, {workers} worker{'s'[: workers - 1]}"
        shown = [
            f"{c['seconds']:.1f} | {n / c['seconds']:,.0f} | {c['memory']:.0f}"
            for n, c in zip(sizes, cells, strict=True)
        ]
        parent = 1e6 * (large["parent"] - small["parent"]) / more
        lines.append(f"| {name} | {' | '.join(shown)} | {rates[way, workers]:,.0f} | {parent:,.0f} |")
    gains = [f"{way} {rates[way, 2] / rates[way, 1]:.2f}" for way in ("local", "ray") if (way, 2) in rates]
    if gains:
        lines += ["", f"Steady speed of two workers relative to one: {', '.join(gains)}."]
    corpus = folder / f"{sizes[-1]}.jsonl"
    return "\n".join([*lines, "", *costs(corpus, corpus.stat().st_size / sizes[-1])])


def turns(ways: list[tuple[str, int]], folder: Path, size: int) -> dict[tuple[str, int], dict[str, float]]:
    """Run every engine at one size, round after round, and return the fastest run of each."""
    runs = [
        {way: measure(*way, folder / f"{size}.jsonl", folder / f"{way[0]}-{way[1]}-{size}-{turn}") for way in ways}
        for turn in range(ROUNDS)
    ]
    return {way: min((run[way] for run in runs), key=lambda cell: cell["seconds"]) for way in ways}


def costs(corpus: Path, size: float) -> list[str]:
    """Return how long ten million documents take with several models."""
    from tersely import Summarizer

    with corpus.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, max(count for _, count in MODELS.values()))]
    table = [f"For {MANY:,} such documents ({size * MANY / 1e9:.0f} GB of JSON Lines):", ""]
    table += ["| model | ms per document | core hours | hours on 2 cores | on 64 |", "|---|---|---|---|---|"]
    for name, (scorer, count) in MODELS.items():
        summarizer = Summarizer.load(scorer=scorer)
        summarizer.summarize(texts[0], max_chars=BUDGET)
        started = time.process_time()
        for text in texts[:count]:
            summarizer.summarize(text, max_chars=BUDGET)
        seconds = (time.process_time() - started) / min(count, len(texts))
        hours = seconds * MANY / 3600
        table.append(f"| {name} | {1e3 * seconds:.1f} | {hours:,.1f} | {hours / 2:,.1f} | {hours / 64:,.1f} |")
    return table


def measure(way: str, workers: int, source: Path, output: Path) -> dict[str, float]:
    """Run one cell and watch its memory."""
    command = [sys.executable, __file__, "--one", way, str(workers), str(source), str(output)]
    started, memory = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            memory = max(memory, sum(map(pss, tree(process.pid))))
            time.sleep(0.1)
        seconds = time.perf_counter() - started
        assert process.stdout is not None
        said = process.stdout.read()
    if process.returncode:
        sys.exit(f"{way} with {workers} workers failed")
    found = {"seconds": seconds, "memory": memory, **json.loads(said.splitlines()[-1])}
    print(f"{way} {workers} {source.stem}: {found}", file=sys.stderr, flush=True)
    return found


def one(way: str, workers: int, source: str, output: str) -> dict[str, float]:
    """Summarize a corpus with one engine, and return the processor time of this process alone, in seconds."""
    from tersely.batch.job import Job
    from tersely.batch.records import Summarize

    job = Job((source,), output, Summarize({"scorer": SCORER}, {"max_chars": BUDGET}), part_size=PART)
    if way == "loop":
        loop(source, output)
    elif way == "local":
        from tersely.batch.engine_local import run_local

        run_local(job, workers)
    else:
        from tersely.batch.engine_ray import run_ray

        run_ray(job, workers)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"parent": used.ru_utime + used.ru_stime}


def loop(source: str, output: str) -> None:
    """Do the same with nothing but the library."""
    from tersely import Summarizer

    summarizer = Summarizer.load(scorer=SCORER)
    with Path(source).open(encoding="utf-8") as lines, Path(output).open("w", encoding="utf-8") as out:
        for line in lines:
            record = json.loads(line)
            record["summary"] = summarizer.summarize(record["text"], max_chars=BUDGET).text
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def make_corpus(path: Path, count: int) -> None:
    """Write this many documents, all different."""
    from tersely import Document

    draw = random.Random(7)
    examples = [(ROOT / "examples" / name).read_text(encoding="utf-8") for name in ("harbor.txt", "古城.txt")]
    sources = [(Document.from_text(text).texts, gap) for text, gap in zip(examples, (" ", ""), strict=True)]
    words = sorted(set(examples[0].split()))
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            sentences, gap = sources[number % 4 // 3]
            text = gap.join(changed(draw.choice(sentences), words, draw) for _ in range(SENTENCES))
            out.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")


def changed(sentence: str, words: list[str], draw: random.Random) -> str:
    """Return an English sentence with one word in four replaced, and a Chinese one unchanged."""
    if sentence.isascii() or " " in sentence:
        first, *rest = sentence.split(" ")
        return " ".join([first, *(draw.choice(words).strip(".,") if draw.random() < 0.25 else word for word in rest)])
    return sentence


def tree(root: int) -> Iterator[int]:
    """Yield a process and all its descendants."""
    yield root
    try:
        threads = list(Path(f"/proc/{root}/task").iterdir())
        children = [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from tree(child)


def pss(pid: int) -> float:
    """Return the memory of a process in MB; of shared pages, only its share."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


if __name__ == "__main__":
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    main()
