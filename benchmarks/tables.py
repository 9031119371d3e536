"""Trains every row of the paper's Tables 2 to 5, sized for one core, and measures them all: rows of results/tables.csv.

Finished training runs are kept, and interrupted ones resume. All systems of a dev set are evaluated together. It takes
an hour on one core for each plan. At the end the tables of docs/tables.md are written again.
"""

import argparse
import os
import pickle
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import numpy as np

from pages import write_pages
from table_results import write_results
from table_rows import BASELINES, CONTROLS, PLANS, SEEDS, Plan, Row, rows, seeds
from tersely.datasets import SUITE, Record
from tersely.encode import Cache, Encoder, load_encoder
from tersely.errors import UsageError
from tersely.evaluate.run import SystemResult, evaluate
from tersely.learn.corpus import Corpus, beginning, read_texts
from tersely.learn.training import TrainingProgress
from tersely.paper.config import ScorerConfig
from tersely.paper.export import export
from tersely.paper.train_scorer import train_scorer
from tersely.settings import read_toml
from tersely.text import Document

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))


def main() -> None:
    """Train, evaluate and write, or do only a part of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", choices=[*PLANS], help="English news, Chinese news or court rulings; default: all")
    parser.add_argument("--only", metavar="NAME", help="train this row only")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="seeds for all rows, not each row's own")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "tables", help="folder for training runs")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="folder for vectors; default: inside --folder")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N documents of each dev set")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes to evaluate with")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--train-only", action="store_true")
    part.add_argument("--evaluate-only", action="store_true")
    part.add_argument(
        "--again", choices=[*BASELINES], help="measure this system again, and keep the results of the others"
    )
    part.add_argument("--rows-only", action="store_true", help="write the rows from earlier results")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    for plan in [PLANS[args.plan]] if args.plan else PLANS.values():
        folder = args.folder / plan.name
        if not (args.evaluate_only or args.again or args.rows_only):
            encoder = Cache(args.cache or args.folder / "vectors", load_encoder("use"))
            train_all(plan, folder, encoder, args.seeds, args.only)
        if args.again:
            measure_again(plan, folder, args.again, args.limit, args.workers)
        elif not (args.train_only or args.rows_only):
            measure_all(plan, folder, args.limit, args.workers)
    if not args.train_only:
        write_results(args.folder, DATA)
        write_pages()


def train_all(plan: Plan, folder: Path, encoder: Encoder, asked: list[int] | None, only: str | None) -> None:
    """Train the rows that are not trained yet."""
    wanted = [
        (row, seed)
        for seed in asked or SEEDS[plan.name]
        for row in rows(plan, seed)
        if only in (None, row.name) and (asked or seed in seeds(plan, row))
    ]
    if not wanted:
        sys.exit(f"no row '{only}': choose one of {', '.join(row.name for row in rows(plan, 42))}")
    texts: dict[bool, Corpus] = {}
    for row, seed in wanted:
        out = folder / f"{row.name}-{seed}"
        if finished(out, row.config):
            continue
        labeled = row.config.objective.supervised > 0
        if labeled not in texts:
            texts[labeled] = labeled_corpus(row.config) if labeled else corpus(plan, row.config.data.sentences)
        started = time.monotonic()
        state = train_scorer(row.config, texts[labeled], encoder, out, True, _quietly)
        export(row.config, state, texts[labeled], out)
        last = {name: round(value, 3) for name, value in state.notes["curve"][-1].items()}
        print(f"{plan.name} {out.name}: {time.monotonic() - started:.0f} s, {last}", flush=True)


def finished(folder: Path, config: ScorerConfig) -> bool:
    """Tell whether there is a model; refuse one of another configuration."""
    if not (folder / "config.toml").exists():
        return False
    were = read_toml(folder / "training.toml")
    for name, value in asdict(config).items():
        found = were.get(name)
        if isinstance(value, dict) and isinstance(found, dict):
            found = {key: each for key, each in found.items() if key in value}  # older versions had more settings
        if found != value:
            raise UsageError(f"{folder} was trained with another configuration: remove it, or choose another --folder")
    return True


def _quietly(at: TrainingProgress) -> None:
    del at


def corpus(plan: Plan, longest: int) -> Corpus:
    """Read the first texts of each source, without their summaries."""
    file, step = DATA / plan.texts, 2 if plan.halved else 1
    texts = (
        text
        for source in plan.sources
        for text in islice(read_texts(file, {"source": [source]}), 0, plan.per_source, step)
    )
    return Corpus.of((beginning(Document.from_text(text), longest), ()) for text in texts)


def labeled_corpus(config: ScorerConfig) -> Corpus:
    """Label the sentences of dev_cnn that a greedy oracle chooses, without the documents that are also in dev_cnndm."""
    measured = {record.document.text for record in _dev("dev_cnndm")}
    unmeasured = (record for record in _dev("dev_cnn") if record.document.text not in measured)
    return Corpus.labeled(unmeasured, config.data.sentences, config.selection.count, config.data.documents)


def _dev(name: str, limit: int | None = None, halved: bool = False) -> Iterator[Record]:
    """Yield the records that can be measured; of a set that is halved, those whose texts are not trained on."""
    dev = next(dev for dev in SUITE if dev.name == name)
    records = islice(dev.records(DATA, limit), 1, None, 2) if halved else dev.records(DATA, limit)
    return (record for record in records if record.reference and len(record.document))


def measure_all(plan: Plan, folder: Path, limit: int | None, workers: int) -> None:
    """Evaluate all systems on each dev set, as it is and with the sentences of each document shuffled."""
    models = [str(model) for row in rows(plan, 42) for model in trained(folder, row)]
    for dev in plan.devs:
        started = time.monotonic()
        systems, records = [*BASELINES, *models], list(_dev(dev, limit, plan.halved))
        results = evaluate(records, systems, plan.all_budgets, workers=workers)
        mixed = evaluate(map(shuffled, records), [*CONTROLS, *models], plan.all_budgets, workers=workers)
        named = [[named_by_place(result, folder) for result in some] for some in (results, mixed)]
        (folder / f"{dev}.pickle").write_bytes(pickle.dumps(named))
        print(f"{dev}: {len(systems)} systems, {time.monotonic() - started:.0f} s", flush=True)


def named_by_place(result: SystemResult, folder: Path) -> SystemResult:
    """Name a model by its path inside the folder, such as both-42/best-2, so that the folder can be moved."""
    path = Path(result.system)
    return replace(result, system=str(path.relative_to(folder))) if path.is_relative_to(folder) else result


def measure_again(plan: Plan, folder: Path, system: str, limit: int | None, workers: int) -> None:
    """Evaluate one system that has changed, and keep the results of the others."""
    for dev in plan.devs:
        file = folder / f"{dev}.pickle"
        before, mixed = pickle.loads(file.read_bytes())
        fresh = {
            result.budget: result
            for result in evaluate(_dev(dev, limit, plan.halved), [system], plan.all_budgets, None, workers)
        }
        results = [fresh[result.budget] if result.system == system else result for result in before]
        if len({len(result.outcomes) for result in results}) > 1:
            raise UsageError(f"{file} holds results for other documents: pass the same --limit as before")
        file.write_bytes(pickle.dumps((results, mixed)))
        print(f"{dev}: {system} again", flush=True)


def trained(folder: Path, row: Row) -> list[Path]:
    """Return the models of a row, one per seed, each followed by the checkpoints that the paper's protocol averages."""
    found = sorted(folder.glob(f"{row.name}-[0-9]*"), key=lambda model: int(model.name.rpartition("-")[2]))
    whole = [model for model in found if (model / "config.toml").exists()]
    return [one for model in whole for one in (model, *sorted(model.glob("best-[0-9]")))]


def shuffled(record: Record) -> Record:
    """Shuffle the sentences of a record, always in the same way."""
    texts = record.document.texts
    order = np.random.default_rng([42, *record.id.encode()]).permutation(len(texts))
    return replace(record, document=Document.from_sentences([texts[i] for i in order], record.document.language))


if __name__ == "__main__":
    main()
