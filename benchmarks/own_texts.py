"""What training on your own texts brings, printed as Markdown: the default model beside the trained one.

The texts to train on are unlabeled, and none of them is measured: where a set has no others of its kind, it is cut into
halves by a hash of its texts, and each half is measured with the model trained on the other one.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tersely.datasets import KINDS, SUITE, DevSet, Record
from tersely.evaluate.measures import interval
from tersely.evaluate.run import evaluate
from tersely.learn.bias import BiasConfig, export_bias
from tersely.learn.corpus import Corpus, beginning, read_records
from tersely.paper.config import read_config
from tersely.text import Document

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))
# The sets, and the file and source of other texts of their kind, if there are any.
SETS = {
    "dev_cail": None,
    "en_email": None,
    "en_pubmed": ("train_genres", "bmc"),
    "en_earnings": ("train_genres", "earnings"),
    "en_judgement_in": ("train_genres", "judgement-in"),
    "dev_bbc": ("en/train", "bbc"),
    "dev_cnndm": ("en/train", "cnndm"),
}


def main() -> None:
    """Print the table."""
    if not DATA.is_dir():
        sys.exit(f"there is no data at {DATA}: set TERSELY_DATA to the folder that has it")
    print("| set | trained on | bias | default, R-1 | trained, R-1 | difference (95 %) |\n|---|---|---|---|---|---|")
    for dev in (*SUITE, *KINDS):
        if dev.name in SETS and dev.path(DATA).is_file():
            print(row(dev), flush=True)


def row(dev: DevSet) -> str:
    """Return the row of one set, at the first of its budgets in characters, or the only one."""
    records, like = list(dev.records(DATA)), SETS[dev.name]
    if like is None:
        halves = [[record for record in records if side(record) == part] for part in (0, 1)]
        parts = [(halves[1 - part], [record.document for record in halves[part]]) for part in (0, 1)]
        what = "each half on the other"
    else:
        file, source = like
        texts = read_records(DATA / f"{file}.jsonl.gz", {"source": [source]})
        parts = [(records, [record.document for record in texts])]
        what = f"{len(parts[0][1]):,} others"
    found = [measure(dev, *part) for part in parts]
    default, trained = (np.concatenate([one[k] for one in found]) for k in (0, 1))
    low, high = interval(trained - default)
    biases = ", ".join(dict.fromkeys(one[2] for one in found))
    return (
        f"| {dev.name} | {what} | {biases} | {default.mean():.1f} | {trained.mean():.1f} "
        f"| {(trained - default).mean():+.2f} ({low:+.2f}, {high:+.2f}) |"
    )


def side(record: Record) -> int:
    """Return the half that a record is in."""
    return sha256(record.document.text.encode("utf-8", "surrogatepass")).digest()[0] % 2


def measure(dev: DevSet, records: Sequence[Record], texts: Iterable[Document]) -> tuple[np.ndarray, np.ndarray, str]:
    """Return ROUGE-1 of every record with the default and with a model trained on texts, and its bias."""
    config = read_config("news")
    assert isinstance(config, BiasConfig)
    corpus = Corpus.of((beginning(text, config.sentences), ()) for text in texts)
    budget = next((budget for budget in dev.budgets if budget.unit == "chars"), dev.budgets[0])
    with TemporaryDirectory() as folder:
        out = Path(folder) / "trained"
        biases = {shown.language: shown.bias for shown in export_bias(config, corpus, out, "make own-texts")}
        results = evaluate(records, ["editor", str(out)], [budget], alternatives=dev.alternatives)
    learned = biases.get(dev.language)
    return results[0].f1("rouge1"), results[1].f1("rouge1"), "none" if learned is None else f"{learned:g}"


if __name__ == "__main__":
    main()
