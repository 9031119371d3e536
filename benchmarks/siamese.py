"""Trains the paper's objectives in many settings with several seeds, and says what each of them learns.

The steps are those of `tersely train scorer`. Each finished run is a row of results/siamese.csv (R-1 on documents as
they are and shuffled, places) and some rows of results/siamese-course.csv (what it was on the way). A run that has a
row is not repeated, so it can be stopped at any time. At the end the tables of docs/siamese.md are written again.
"""

import argparse
import pickle
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from pages import RESULTS, read_rows, update_rows, write_pages
from siamese_rows import SEEDS, changed, configurations
from siamese_trial import DATA, DEVS, Trial, measure_controls, measure_trained
from tersely.encode import Cache, Encoder, load_encoder
from tersely.learn.bias import bias_of
from tersely.learn.corpus import Corpus, beginning
from tersely.paper.batches import Documents, Order
from tersely.paper.config import ScorerConfig, ScorerData
from tersely.paper.networks import ScorerModel
from tersely.paper.objectives import forward
from tersely.paper.selection import Select, selector
from tersely.paper.train_scorer import make_documents, set_rates, start

ROOT = Path(__file__).parents[1]
POINTS, HELD_OUT, STEPS = 6, 256, 12


def main() -> None:
    """Train the settings that have no row yet, or measure, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=[*DEVS], default="en")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rows only")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, metavar="N")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this many minutes")
    parser.add_argument("--rows", type=Path, default=RESULTS, metavar="DIR", help="folder of the rows")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "siamese", help="weights", metavar="DIR")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="folder for vectors; default: inside --folder")
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--gains", action="store_true", help="measure trained rows on whole documents, with and without length control"
    )
    part.add_argument(
        "--controls",
        action="store_true",
        help="measure what needs no training, and the shipped model, on whole documents",
    )
    part.add_argument("--gradients", action="store_true", help="print how large the gradients of rows are, untrained")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    if args.gains:
        measure_trained(args.language, args.folder, args.rows, args.cache)
    elif args.controls:
        measure_controls(args.language, args.folder, args.rows, args.cache)
    elif args.gradients:
        print_gradients(args)
    else:
        train_all(args)
    if args.rows == RESULTS:
        write_pages()


def train_all(args: argparse.Namespace) -> None:
    """Train every setting that has no row yet."""
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    finished = {
        (row["row"], int(row["seed"]))
        for row in read_rows("siamese.csv", args.rows)
        if row["language"] == args.language
    }
    runs = [
        run for run in configurations(args.language, args.seeds, args.only) if (run[0].name, run[1]) not in finished
    ]
    until = time.monotonic() + 60 * args.minutes
    encoder = Cache(args.cache or args.folder / "vectors", load_encoder("use"))
    if not runs:
        return
    read = cache(lambda data: read_corpus(args.language, args.folder, data))
    cut = cache(lambda length: Trial(DEVS[args.language][0], encoder, length))
    for row, seed, config in runs:
        if time.monotonic() > until:
            return
        corpus, dev = read(config.data), cut(config.data.sentences)
        texts = f"{config.data.sentences}-{config.data.documents}"
        teacher = tuned(corpus, config, args.folder / f"teacher-{args.language}-{texts}.txt")
        config = changed(config, {"objective.teacher_scorer": teacher, "objective.teacher_tuned": False})
        weights = args.folder / "weights" / f"{args.language}-{row.name}-{seed}"
        outcome, course = train(config, corpus, encoder, dev, weights)
        names = {"language": args.language, "row": row.name, "seed": str(seed)}
        update_rows("siamese.csv", [*names], [{**names, **_texts(outcome)}], args.rows)
        points = [{**names, **_texts(point)} for point in course]
        update_rows("siamese-course.csv", [*names, "step"], points, args.rows)
        print(row.name, seed, outcome, flush=True)


def _texts(figures: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in figures.items()}


def read_corpus(language: str, folder: Path, data: ScorerData) -> Corpus:
    """Read the first sentences of texts as training runs do; keep all texts, as splitting takes a minute."""
    kept = folder / f"corpus-{language}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(Corpus.read([DATA / language / "train.jsonl.gz"], ScorerData().sentences)))
    whole: Corpus = pickle.loads(kept.read_bytes())
    return Corpus.of(((beginning(document, data.sentences), ()) for document in whole.documents), data.documents)


def tuned(corpus: Corpus, config: ScorerConfig, kept: Path) -> str:
    """Return the teacher, tuned to the corpus; it is the same for all rows, and finding it takes a minute."""
    if not kept.exists():
        mean = (config.selection.shortest + config.selection.longest) / 2
        share = np.mean([min(mean / len(document.text), 1.0) for document in corpus.documents])
        kept.write_text(f"coverage:bias={bias_of(corpus.documents, float(share))}")
    return kept.read_text()


def train(
    config: ScorerConfig, corpus: Corpus, encoder: Encoder, dev: Trial, out: Path
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Train one setting with one seed, keep its scorer, and return the outcome and its course.

    config: the setting, with its seed
    corpus: the texts to learn from
    encoder: the frozen encoder of sentences
    dev: the documents to measure on
    out: where the weights go, without a suffix
    """
    started = time.monotonic()
    learning, held_out = (Order.of(numbers, config) for numbers in corpus.split(config.data.held_out))
    documents = make_documents(config, corpus, encoder, learning)
    columns = encoder.encode(corpus.documents[0].texts).shape[1]
    state = start(config, corpus, encoder, columns, out)
    select, trajectory = selector(config.selection), []
    for step in range(config.training.steps + 1):
        if step % (config.training.steps // (POINTS if config.training.steps > 300 else 3)) == 0:
            last = step == config.training.steps
            with torch.no_grad():
                found = dev.measure(state.network.scorer, config, last)
                trajectory.append(
                    {"step": step, **validated(config, state.network, documents, held_out, select), **found}
                )
        if step < config.training.steps:
            learn(config, state, documents, learning, select, step)
    out.parent.mkdir(exist_ok=True)
    save_file(state.network.scorer.state_dict(), out.with_suffix(".safetensors"))
    places, budgets = (trajectory[-1].pop(name) for name in ("places", "budgets"))
    outcome = {
        "seconds": round(time.monotonic() - started),
        **{name: trajectory[-1][name] for name in ("r1", "shuffled", "first")},
        **dict(zip(("r1_short", "r1_middle", "r1_long"), budgets.values(), strict=True)),
        "places": " ".join(map(str, places)),
    }
    return outcome, trajectory


def learn(config: ScorerConfig, state: Any, documents: Documents, learning: Order, select: Select, step: int) -> None:
    """Take one step."""
    sampling = torch.Generator().manual_seed(config.training.seed * 1_000_003 + step)
    loss = forward(state.network, documents.batch(*learning.at(step)), config, select, sampling).loss
    set_rates(state.optimizer, config.training, step)
    state.optimizer.zero_grad()
    if loss.requires_grad:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), config.training.clip)
        state.optimizer.step()


def print_gradients(args: argparse.Namespace) -> None:
    """Print the median size of a weight's gradient in the scorer, and its norm: medians of the first steps."""
    torch.set_num_threads(1)
    encoder = Cache(args.cache or args.folder / "vectors", load_encoder("use"))
    for row, seed, config in configurations(args.language, args.seeds, args.only):
        config = changed(config, {"training.clip": 1e9})  # as large as they are
        corpus = read_corpus(args.language, args.folder, replace(config.data, documents=STEPS * config.training.batch))
        learning = Order.of(range(len(corpus.documents)), config)
        documents = make_documents(config, corpus, encoder, learning)
        columns = encoder.encode(corpus.documents[0].texts).shape[1]
        state = start(config, corpus, encoder, columns, Path("none"))
        sizes = []
        for step in range(STEPS):
            learn(config, state, documents, learning, selector(config.selection), step)
            weights = [weight.grad.flatten() for weight in state.network.scorer.parameters() if weight.grad is not None]
            sizes.append((float(torch.cat(weights).abs().median()), float(torch.cat(weights).norm())))
        print(row.name, seed, *(f"{size:.1e}" for size in np.median(sizes, axis=0)), flush=True)


def validated(
    config: ScorerConfig, model: ScorerModel, documents: Documents, held_out: Order, select: Select
) -> dict[str, float]:
    """Return loss and cosines on held-out documents."""
    sums: dict[str, float] = {}
    sampling = torch.Generator().manual_seed(config.training.seed)
    batches = held_out.fixed()[: HELD_OUT // config.training.batch]
    for numbers, capacities in batches:
        loss = forward(model, documents.batch(numbers, capacities), config, select, sampling, noisy=False)
        for name, value in {"loss": float(loss.loss), **loss.figures}.items():
            sums[name] = sums.get(name, 0.0) + value / len(batches)
    return {name: round(value, 4) for name, value in sums.items() if name not in ("selects", "leaves")}


if __name__ == "__main__":
    main()
