"""Quality and speed beside sumy in one run: three sentences of each of the first 150 documents of dev_cnndm.

Prints Markdown. All systems get the same sentences, already split; reading the words is part of the time. One process,
one thread, one document at a time. The systems take turns, and the fastest of the rounds counts.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import fmean

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, unused-ignore]

from tersely.datasets import SUITE, Record
from tersely.evaluate.measures import Tokenization, rouge
from tersely.evaluate.systems import load_system
from tersely.options import Budget

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = {
    "editor": "**tersely** (the default)",
    "lead": "the first three sentences",
    "sumy-lexrank": "sumy LexRank",
    "sumy-lsa": "sumy LSA",
    "sumy-textrank": "sumy TextRank",
}
BUDGET = Budget(3, "sentences")
DOCUMENTS = 150


def main() -> None:
    """Print one row per system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help=f"how many; default {DOCUMENTS}")
    parser.add_argument("--rounds", type=int, default=3, help="times each system runs; default 3")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA to a folder with en/dev_cnndm.jsonl.gz")
    seconds: dict[str, list[float]] = {system: [] for system in SYSTEMS}
    quality: dict[str, tuple[float, float]] = {}
    for _ in range(args.rounds):
        for system in SYSTEMS:
            records = read(args.documents)
            spent, chosen = run(system, records)
            seconds[system].append(spent)
            quality[system] = scores(records, chosen)
    print(f"| three sentences of {args.documents} news articles | ROUGE-1 | ROUGE-2 | documents per second |")
    print("|---|---:|---:|---:|")
    for system, name in SYSTEMS.items():
        r1, r2 = quality[system]
        print(f"| {name} | {r1:.1f} | {r2:.1f} | {args.documents / min(seconds[system]):.0f} |")


def read(documents: int) -> list[Record]:
    """Read the documents again, so that no system profits from words that another one has read."""
    [dev] = (dev for dev in SUITE if dev.name == "dev_cnndm")
    return list(dev.records(DATA, documents))


def run(system: str, records: list[Record]) -> tuple[float, list[list[int]]]:
    """Return the seconds a system takes for all documents, and the sentences it chooses in each."""
    extract = load_system(system).extract
    extract(read(1)[0], BUDGET)  # pays for imports and loading
    # On a busy machine the threads of a BLAS library wait for each other, and sumy's LSA would pay for it.
    with threadpool_limits(1):
        started = time.perf_counter()
        chosen = [list(extract(record, BUDGET).chosen) for record in records]
        return time.perf_counter() - started, chosen


def scores(records: list[Record], chosen: list[list[int]]) -> tuple[float, float]:
    """Return the mean F1 of ROUGE-1 and ROUGE-2, times 100."""
    tokens = Tokenization().tokens
    found = []
    for record, places in zip(records, chosen, strict=True):
        reference = [tokens(sentence, "en") for sentence in record.reference]
        found.append(rouge(reference, [tokens(record.document.texts[place], "en") for place in places]))
    return 100 * fmean(s["rouge1"].f1 for s in found), 100 * fmean(s["rouge2"].f1 for s in found)


if __name__ == "__main__":
    main()
