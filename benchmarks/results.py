"""Measures every scorer on every dev set and writes docs/results.md; takes some minutes on two cores.

Beside the fixed rules and the default model there is, for each set, a model trained on unlabeled texts of its kind.
"""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tersely.evaluate import report
from tersely.evaluate.run import evaluate
from tersely.evaluate.suite import SUITE, DevSet
from tersely.evaluate.tokens import Tokenization
from tersely.learn.corpus import Corpus
from tersely.learn.news import NewsConfig, export_news
from tersely.settings import read_settings

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))
SYSTEMS = (
    *("lead", "news", "coverage", "random", "centroid", "textrank", "textrank@tfidf", "lexrank"),
    *("pacsum", "far", "oracle"),
)
# For each set the unlabeled texts that are like it, by file and source, and how much of a text its summaries are.
LIKE = {
    "dev_cnndm": ("en/train", "cnndm", 0.2),
    "dev_cnn": ("en/train", "cnndm", 0.2),
    "dev_inshorts": ("en/train", "inshorts", 0.23),
    "dev_bbc": ("en/train", "bbc", 0.55),
    "dev_xinwenlianbo": ("zh/train", "xinwenlianbo", 0.2),
    "dev_pku": ("zh/train", "pku", 0.13),
    "dev_cail": ("zh/dev_cail", "", 0.37),  # its own texts, as there are no others; the summaries are not looked at
}
INTRO = """# Results

Every scorer on every dev set, written by `make results`. R-1, R-2 and R-Lsum are the papers' measures. Compare systems
only within a table, by Δ against *lead* (sentences from the beginning, what does not fit skipped): the documents are
samples, and 70 % of `dev_cnndm`'s references were matched back by word overlap, so absolute figures are not those of
the published sets. *news* is the default model; *trained* is the same method (`--config news`) trained on unlabeled
texts of the set's own kind, for its usual share of a text (`LIKE` in `benchmarks/results.py`). The constants of that
method, and the settings of `coverage` (bias 0.4, power 0.7), `pacsum` (beta 0, lambda1 0.7) and `far` (alpha 0.1), were
chosen on these dev sets, so they flatter somewhat; all other settings are the methods' own. Selectors are each
scorer's default: consensus for news and trained, the exact knapsack for textrank, lexrank, centroid and random, greedy
in score order for lead, pacsum and far, and coverage's own.
"""


def main() -> None:
    """Run the suite and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results.md")
    parser.add_argument("--limit", type=int, help="only the first documents of each set")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    started = time.monotonic()
    parts = [INTRO, *(section(dev, args.limit) for dev in SUITE)]
    parts.append(f"Measured in {(time.monotonic() - started) / 60:.0f} minutes on {os.cpu_count()} cores.\n")
    args.out.write_text("\n".join(parts), encoding="utf-8")


def section(dev: DevSet, limit: int | None) -> str:
    """Return one dev set's table."""
    started = time.monotonic()
    with TemporaryDirectory() as made:
        trained = train(dev, Path(made) / "trained")
        results = evaluate(dev.records(DATA, limit), (*SYSTEMS, str(trained)), dev.budgets)
    results = [replace(result, system=Path(result.system).name) for result in results]
    print(f"{dev.name}: {len(results[0].outcomes)} documents, {time.monotonic() - started:.0f} s", flush=True)
    note = report.settings(Tokenization(), len(results[0].outcomes), SYSTEMS[0])
    return f"## {dev.name}\n\n{report.markdown(results, SYSTEMS[0])}\n{note}\n"


def train(dev: DevSet, out: Path) -> Path:
    """Train the default method on unlabeled texts that are like a dev set's."""
    file, source, share = LIKE[dev.name]
    config = replace(read_settings(ROOT / "configs" / "news.toml", NewsConfig), share=share)
    where = {"source": [source]} if source else None
    corpus = Corpus.read([DATA / f"{file}.jsonl.gz"], config.sentences, where=where)
    export_news(config, corpus, out, "benchmarks/results.py")
    return out


if __name__ == "__main__":
    main()
