"""The cost of summaries that only grow: R-1 of the best choice for each budget, and of nested ones. Prints Markdown."""

import argparse
import gzip
import json
import os
import sys
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from tersely import Document, Summarizer
from tersely.evaluate.measures import Tokenization, rouge

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
SETS = ("en/dev_cnndm", "en/dev_bbc")
BUDGETS = (300, 600, 1000)


def main() -> None:
    """Print one row for each set of documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100, help="how many of each set")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA to a folder with {SETS[0]}.jsonl.gz")
    cells = " | ".join(f"{budget} characters: best | nested" for budget in BUDGETS)
    print(f"| documents | {cells} | steps that drop a sentence: best | nested |")
    print("|---" * (3 + 2 * len(BUDGETS)) + "|", flush=True)
    summarizer = Summarizer.load()
    for name in SETS:
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [measure(summarizer, json.loads(line)) for line in islice(lines, args.documents)]
        scores = np.mean([scores for scores, _ in rows], axis=0) * 100
        drops = np.sum([drops for _, drops in rows], axis=0) / len(rows)
        print(f"| {name}, {len(rows)} | " + " | ".join(f"{s:.2f}" for s in scores.ravel()), end=" | ")
        print(" | ".join(f"{d:.1f}" for d in drops) + " |", flush=True)


def measure(summarizer: Summarizer, row: dict[str, object]) -> tuple[list[list[float]], list[int]]:
    """Return R-1 of both kinds at each budget, and in how many steps each kind drops a sentence."""
    words = Tokenization()
    text, reference = str(row["text"]), row["summary"]
    assert isinstance(reference, list)
    target = [words.tokens(sentence, "en") for sentence in reference]
    document = Document.from_text(text)
    kinds = [summarizer.frontier(document), summarizer.frontier(document, nested=True)]
    scores = []
    for budget in BUDGETS:
        found = [kind.at(min(budget, kind.capacity)).sentences for kind in kinds]
        summaries = [[words.tokens(sentence.text, "en") for sentence in one] for one in found]
        scores.append([rouge(target, summary)["rouge1"].f1 for summary in summaries])
    steps = [kind.steps() for kind in kinds]
    drops = [sum(not set(a.chosen) <= set(b.chosen) for a, b in pairwise(one)) for one in steps]
    return scores, drops


if __name__ == "__main__":
    main()
