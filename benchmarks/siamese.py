"""A first look at the siamese objectives: readings and ablations, small and short, also on shuffled documents.

Prints Markdown. `--bias` prints instead what position bias the label-free teacher finds in each dev set's texts.
"""

import argparse
import gzip
import itertools
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tersely.cli.train_scorer import labelled_dev
from tersely.encode import load_encoder
from tersely.encode.cache import Cache
from tersely.evaluate.suite import SUITE
from tersely.learn.scorer import Config, Corpus, Dev, read_config, train
from tersely.learn.scorer.teacher import Teacher

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))


def main() -> None:
    """Train every variant and print its row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bias", action="store_true")
    parser.add_argument("--only", help="one variant")
    parser.add_argument("--seeds", type=int, nargs="+", default=[42])
    parser.add_argument("--cache", type=Path, help="where vectors are kept between runs")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    if args.bias:
        print_bias()
        return
    with TemporaryDirectory() as made:
        folder = Path(made)
        texts = write(folder / "train.jsonl", "train", 500)
        dev = labelled_dev(str(write(folder / "dev.jsonl", "dev_cnndm", 60)))
        encoder = Cache(args.cache or folder / "vectors", load_encoder("use"))
        print("| | seed | Rest-Ext + / − | Ext-Doc + / − | first three | R1 | R1 shuffled |")
        print("|---|---|---|---|---|---|---|")
        for seed in args.seeds:
            for name, config in variants(seed).items():
                if args.only in (None, name):
                    print(row(name, config, texts, encoder, dev, folder / f"{seed}-{name}"), flush=True)


def write(file: Path, name: str, count: int) -> Path:
    """Write the first CNN/DailyMail documents of a set into a file of their own."""
    with gzip.open(DATA / "en" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        chosen = itertools.islice((line for line in lines if json.loads(line)["source"] == "cnndm"), count)
        file.write_text("".join(chosen), encoding="utf-8")
    return file


def variants(seed: int) -> dict[str, Config]:
    """Return the configurations that are compared: `cpu-siamese-en`, smaller and shorter, and one change each."""
    full = read_config(ROOT / "configs" / "cpu-siamese-en.toml")
    base = replace(
        full,
        network=replace(full.network, width=64, inner=256),
        siamese=replace(full.siamese, width=64, layers=1, heads=4, inner=256),
        training=replace(
            full.training, steps=150, batch=16, rate=2e-4, siamese_rate=2e-4, validate_every=75, keep=1, seed=seed
        ),
    )
    by_length = replace(base.network, value="length_exp")
    return {
        "as printed (`selected`)": base,
        "`negative_target = own`": replace(base, objective=replace(base.objective, negative_target="own")),
        "`detach_target = false`": replace(base, objective=replace(base.objective, detach_target=False)),
        "`relaxation = softmax`": replace(base, selection=replace(base.selection, relaxation="softmax")),
        "without Ext-Doc": replace(base, objective=replace(base.objective, ext_doc=0.0)),
        "without Rest-Ext": replace(base, objective=replace(base.objective, rest_ext=0.0)),
        "without negatives": replace(base, objective=replace(base.objective, negatives=False)),
        "without predictor": replace(base, siamese=replace(base.siamese, predictor=False)),
        "without sentence encoder": replace(base, siamese=replace(base.siamese, encoder=False)),
        "no positions in any network": replace(
            base,
            siamese=replace(base.siamese, positions=False),
            network=replace(base.network, positions=False),
        ),
        "`perturbed`": replace(base, selection=replace(base.selection, kind="perturbed"), network=by_length),
        "`network` (KTDP)": replace(
            base,
            selection=replace(base.selection, kind="network", folder="knapsack-cnndm-dp"),
            network=by_length,
        ),
    }


def row(name: str, config: Config, texts: Path, encoder: Cache, dev: Dev, out: Path) -> str:
    """Train one variant and return its row: cosines of positives and negatives, places, and ROUGE-1."""
    corpus = Corpus.read([texts], config.data.sentences)
    state = train(config, corpus, encoder, out, False, lambda _: None, dev)
    at = state.notes["curve"][-1]
    rest, doc = (f"{_of(at, term)} / {_of(at, term + '_negative')}" for term in ("rest_ext", "ext_doc"))
    rouge = f"{at['rouge1']:.1f} | {at['rouge1_shuffled']:.1f}"
    return f"| {name} | {config.training.seed} | {rest} | {doc} | {at['first_three']:.0%} | {rouge} |"


def _of(figures: dict[str, float], name: str) -> str:
    return f"{figures[name]:.2f}" if name in figures else ""


def print_bias(rounds: int = 5) -> None:
    """Print the decay of position that the teacher finds, at the suite's budget or 400 characters."""
    budgets = {"dev_bbc": 1000, "dev_inshorts": 350, "dev_xinwenlianbo": 100, "dev_pku": 100, "dev_cail": 200}
    for dev in SUITE:
        documents = [record.document for record in dev.records(DATA)]
        teacher = Teacher.load("repeated", "coverage:decay=1,once=0")
        tuned = teacher.tuned(documents, [budgets.get(dev.name, 400)] * len(documents), rounds)
        print(f"{dev.name}: {tuned.scorer}", flush=True)


if __name__ == "__main__":
    main()
