"""Measure every scorer on every dev set and write docs/results.md; this takes about 40 minutes on two cores.

Besides the fixed rules and the default model, a model is trained for each set on unlabeled texts of the same kind.
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
from tersely.datasets import KINDS, SUITE, DevSet, Record, read
from tersely.evaluate import markdown_table, readability, report
from tersely.evaluate.annotation import labeled
from tersely.evaluate.measures import Tokenization
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
INTRO = """# Results

Every scorer on every dev set, written by `make results`. R-1, R-2 and R-Lsum are the measures that papers report.
Compare systems only within a table, by Δ against *lead*, which takes sentences from the beginning and skips those
that do not fit. The documents are samples, and 70 % of the references of `dev_cnndm` were matched to their texts by
word overlap, so absolute figures differ from those on the published sets. *editor* is the default model, which takes
sentences only with what they need (`--coherence strict`); *editor~off* is the same without that. *news* is coverage of
words with a bias learned from news. *trained* is the same with a bias learned from unlabeled texts of the same kind as
the set (`tersely train scorer`; `LIKE` in `benchmarks/results.py` says which texts); for `dev_cail`, which has no
others, each half is measured with a model that was trained on the other half, without its summaries. The constants of
*news* and the settings of `coverage` (bias 0.4, power 0.7), `pacsum` (beta 0, lambda1 0.7) and `far` (alpha 0.1) were
chosen on these dev sets, so their figures are somewhat flattering; all other settings are those of the published
methods. Each scorer uses its default selector: the exact knapsack for editor, textrank, lexrank, centroid and random,
greedy in score order for lead, pacsum and far, and its own for coverage, news and trained.
"""


def main() -> None:
    """Run the suite and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results.md")
    parser.add_argument("--limit", type=int, metavar="N", help="use only the first N documents of each set")
    parser.add_argument("--again", nargs="+", choices=SYSTEMS, help="measure only these again, and what is trained")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"there is no data at {DATA}: set TERSELY_DATA to the folder that has it")
    started = time.monotonic()
    wanted = frozenset((SYSTEMS[0], *args.again)) if args.again else frozenset((*SYSTEMS, *RULES))
    parts = [INTRO, *(section(dev, args.limit, wanted) for dev in SUITE)]
    parts.append("# Other kinds of text\n\nOf several references, the one that matches best counts.\n")
    parts += [section(dev, args.limit, wanted) for dev in KINDS if dev.path(DATA).is_file()]
    parts.append(reading(wanted))
    minutes = (time.monotonic() - started) / 60
    parts.append(f"Measured in {minutes:.0f} minutes on {os.cpu_count()} cores.\n")
    page = "\n".join(parts)
    if args.again:
        page = merged(args.out.read_text(encoding="utf-8"), page)
    args.out.write_text(page, encoding="utf-8")


def merged(old: str, new: str) -> str:
    """Return the old page with the rows that the new one has of the same section, budget and system."""

    def keyed(page: str) -> Iterator[tuple[tuple[str, ...], str]]:
        heading = ""
        for line in page.split("\n"):
            heading = line if line.startswith("#") else heading
            yield (heading, *(cell.strip() for cell in line.split("|")[1:3])), line

    rows: dict[tuple[str, ...], str] = {key: line for key, line in keyed(new) if len(key) > 1}
    return "\n".join(rows.get(key, line) for key, line in keyed(old))


def section(dev: DevSet, limit: int | None, wanted: frozenset[str]) -> str:
    """Return the table of one dev set."""
    started = time.monotonic()
    records = list(dev.records(DATA, limit))
    with TemporaryDirectory() as made:
        parts = []
        for number, (some, corpus) in enumerate(folds(dev, records) if dev.name in LIKE else [(records, None)]):
            out = Path(made) / str(number) / "trained"
            systems = [name for name in (RULES if corpus is None else SYSTEMS) if name in wanted]
            systems += [] if corpus is None else [str(train(corpus, out))]
            parts.append(evaluate(some, systems, dev.budgets, alternatives=dev.alternatives))
    results = [
        replace(first, system=Path(first.system).name, outcomes=tuple(o for part in parts for o in part[k].outcomes))
        for k, first in enumerate(parts[0])
    ]
    print(f"{dev.name}: {len(results[0].outcomes)} documents, {time.monotonic() - started:.0f} s", flush=True)
    note = report.footnote(Tokenization(), len(results[0].outcomes), SYSTEMS[0])
    return f"## {dev.name}\n\n{report.markdown(results, SYSTEMS[0])}\n{note}\n"


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


def reading(wanted: frozenset[str]) -> str:
    """Return the table of how summaries read."""
    folder = DATA / "reader"
    items, source = labeled(read(folder / "dev.jsonl.gz", strict=True), folder / "dev_labels.jsonl.gz")
    results = readability.evaluate_reading(
        items, [name for name in SYSTEMS[:-1] if name in wanted]
    )  # no references, so no oracle
    note = readability.footnote(results, SYSTEMS[0])
    table = markdown_table(readability.reading_table(results, SYSTEMS[0]))
    return f"# How summaries read\n\n{source}\n\n{table}\n{note}\n"


def train(corpus: Corpus, out: Path) -> Path:
    """Train coverage of words for texts of one kind."""
    export_bias(own_config(), corpus, out, "benchmarks/results.py")
    return out


def own_config() -> BiasConfig:
    """Return the configuration for texts of one's own."""
    return read_settings(ROOT / "configs" / "news.toml", BiasConfig)


if __name__ == "__main__":
    main()
