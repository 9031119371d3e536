"""Measure every scorer on every dev set: rows of results/rouge.csv and results/reading.csv.

Beside the fixed rules and the default model, a model is trained for each set of news, on unlabeled texts of the same
kind. Each set is written when it is measured. At the end the tables of docs/results.md are written again. It takes
about 40 minutes on two cores.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from own_texts import side
from pages import RESULTS, Line, split_difference, update_rows, write_pages
from tersely.datasets import KINDS, SUITE, DevSet, Record, read
from tersely.evaluate import readability, report
from tersely.evaluate.annotation import labeled
from tersely.evaluate.run import evaluate
from tersely.learn.bias import BiasConfig, export_bias
from tersely.learn.corpus import Corpus, beginning
from tersely.settings import read_settings

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))
SYSTEMS = (
    *(
        "lead",
        "editor",
        "editor~off",
        "news",
        "coverage",
        "random",
        "centroid",
        "textrank",
        "textrank@tfidf",
        "lexrank",
    ),
    *("pacsum", "far", "oracle"),
)
# On other kinds of text: the default, the model of news, and fixed rules.
RULES = (
    *("lead", "editor", "editor~off", "news", "coverage:bias=-0.4", "coverage:bias=0", "coverage:bias=0.4"),
    *("coverage:bias=1.5", "centroid@tfidf", "lexrank", "oracle"),
)
# For each set: the file and source of similar unlabeled texts. Where there are none, each half of a set is measured
# with a model that was trained on the other half, without its summaries.
LIKE: dict[str, Any] = {
    "dev_cnndm": ("en/train", "cnndm"),
    "dev_cnn": ("en/train", "cnndm"),
    "dev_inshorts": ("en/train", "inshorts"),
    "dev_bbc": ("en/train", "bbc"),
    "dev_xinwenlianbo": ("zh/train", "xinwenlianbo"),
    "dev_pku": ("zh/train", "pku"),
    "dev_cail": None,
}


def main() -> None:
    """Measure every set, and write its rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR", help="folder of the rows")
    parser.add_argument("--limit", type=int, metavar="N", help="use only the first N documents of each set")
    parser.add_argument("--again", nargs="+", choices=SYSTEMS, help="measure only these again, and what is trained")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"there is no data at {DATA}: set TERSELY_DATA to the folder that has it")
    chosen = frozenset((SYSTEMS[0], *args.again)) if args.again else frozenset((*SYSTEMS, *RULES))
    for dev in (*SUITE, *(dev for dev in KINDS if dev.path(DATA).is_file())):
        update_rows("rouge.csv", ("set", "budget", "system"), measure(dev, args.limit, chosen), args.out)
    update_rows("reading.csv", ("budget", "system"), reading(chosen), args.out)
    if args.out == RESULTS:
        write_pages()


def measure(dev: DevSet, limit: int | None, chosen: frozenset[str]) -> list[Line]:
    """Return the rows of one dev set."""
    started = time.monotonic()
    records = list(dev.records(DATA, limit))
    with TemporaryDirectory() as models:
        parts = []
        for number, (fold, corpus) in enumerate(folds(dev, records) if dev.name in LIKE else [(records, None)]):
            out = Path(models) / str(number) / "trained"
            systems = [name for name in (RULES if corpus is None else SYSTEMS) if name in chosen]
            systems += [] if corpus is None else [str(train(corpus, out))]
            parts.append(evaluate(fold, systems, dev.budgets, alternatives=dev.alternatives))
    results = [
        replace(first, system=Path(first.system).name, outcomes=tuple(o for part in parts for o in part[k].outcomes))
        for k, first in enumerate(parts[0])
    ]
    documents = len(results[0].outcomes)
    print(f"{dev.name}: {documents} documents, {time.monotonic() - started:.0f} s", flush=True)
    return [rouge_row(dev.name, documents, cells) for cells in report.rows(results, SYSTEMS[0])]


def rouge_row(name: str, documents: int, cells: Sequence[str]) -> Line:
    """Return the row of one result, from the cells of the table that `tersely evaluate` prints."""
    budget, system, r1, r2, rl, rlsum, difference, p, length, fill, over, repeated = cells
    mean, sd = length.rstrip(")").split(" (")
    names = ("r1", "r2", "rl", "rlsum", "delta", "low", "high", "p", "length", "length_sd", "fill", "over", "repeated")
    figures = (r1, r2, rl, rlsum, *split_difference(difference), p, mean, sd, fill.rstrip("%"), over, repeated)
    row = dict(zip(names, figures, strict=True))
    return {"set": name, "documents": str(documents), "budget": budget, "system": system, **row}


def folds(dev: DevSet, records: Sequence[Record]) -> Iterator[tuple[Sequence[Record], Corpus]]:
    """Yield records to measure, with unlabeled texts of the same kind to train on, none of which is among them."""
    longest = own_config().sentences
    if LIKE[dev.name] is None:
        everything = list(dev.records(DATA))
        for half in (0, 1):
            texts = (beginning(record.document, longest) for record in everything if side(record) != half)
            yield [record for record in records if side(record) == half], Corpus.of((text, ()) for text in texts)
    else:
        file, source = LIKE[dev.name]
        yield records, Corpus.read([DATA / f"{file}.jsonl.gz"], longest, conditions={"source": [source]})


def reading(chosen: frozenset[str]) -> list[Line]:
    """Return the rows of how summaries read."""
    folder = DATA / "reader"
    items, _ = labeled(read(folder / "dev.jsonl.gz", strict=True), folder / "dev_labels.jsonl.gz")
    systems = [name for name in SYSTEMS if name in chosen and name != "oracle"]  # there are no references
    results = readability.evaluate_reading(items, systems)
    header, *table = readability.reading_table(results, SYSTEMS[0])
    return [reading_row(len(results[0].outcomes), header, cells) for cells in table]


def reading_row(documents: int, header: Sequence[str], cells: Sequence[str]) -> Line:
    """Return the row of one result; a difference and its p are named after the figure before them."""
    row, figure = {"documents": str(documents)}, ""
    for name, cell in zip(header, cells, strict=True):
        if name.startswith("Δ"):
            parts = zip(("delta", "low", "high"), split_difference(cell), strict=True)
            row |= {f"{part}_{figure}": value for part, value in parts}
        elif name == "p":
            row[f"p_{figure}"] = cell
        else:
            row[name], figure = cell.rstrip("%"), name
    return row


def train(corpus: Corpus, out: Path) -> Path:
    """Train coverage of words for texts of one kind."""
    export_bias(own_config(), corpus, out, "benchmarks/results.py")
    return out


def own_config() -> BiasConfig:
    """Return the configuration for texts of one's own."""
    return read_settings(ROOT / "configs" / "news.toml", BiasConfig)


if __name__ == "__main__":
    main()
