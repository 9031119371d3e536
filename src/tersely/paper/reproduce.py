"""The paper's tables, with our measured figures beside the published ones."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

from tersely.budget import Budget
from tersely.errors import InputError, extra
from tersely.evaluate.human.analyze import RatingReport
from tersely.evaluate.record import Record
from tersely.evaluate.run import SystemResult, evaluate
from tersely.models import model_folder, shipped_models
from tersely.paper.published import DATASETS, PublishedRow, PublishedTable

_TRAIN = "python -m tersely.learn.knapsack.baselines train configs/cpu-knapsack-{0}.toml --out DIR/{0}"


@dataclass(frozen=True)
class TableLine:
    """A published row, our figures if they could be measured, and a note that says what is missing if not."""

    row: PublishedRow
    measured: tuple[float, ...] | None
    note: str


def find_datasets(folder: Path) -> dict[str, Path]:
    """Find each dataset of the paper: a file or folder with `cnndm`, `nyt` or `cnewsum` in its name.

    The test split is preferred, with all its shards; of a folder with several splits, the one for evaluation.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: it should hold the datasets, named after {', '.join(DATASETS)}")
    paths = sorted([*folder.glob("*"), *folder.glob("*/*")], key=lambda p: ("test" not in p.name, len(p.parts), p))
    found = {}
    for dataset in DATASETS:
        own = [path for path in paths if dataset in path.name.lower() and "train" not in path.name]
        if own:
            found[dataset] = _whole_split(own[0])
    return found


def _whole_split(path: Path) -> Path:
    if path.is_dir():
        return next(iter(sorted(path.glob("eval_*corefner"))), path)
    pattern = re.sub(r"\d+(?=\D*$)", "*", path.name)
    return path.with_name(pattern) if len(list(path.parent.glob(pattern))) > 1 else path


def reproduce(
    table: PublishedTable,
    datasets: dict[str, Path],
    models: Sequence[Path],
    read: Callable[[Path], Iterable[Record]],
    progress: Callable[[str], Callable[[int], None]],
) -> list[TableLine]:
    """Measure every row that can be measured; the systems of a dataset share one run."""
    lines: dict[PublishedRow, TableLine] = {}
    for dataset, group in groupby(sorted(table.rows, key=lambda r: r.dataset or ""), key=lambda r: r.dataset):
        rows = list(group)
        systems = {row: system for row in rows if (system := _system(row, models)) is not None}
        found: dict[tuple[str, Budget], tuple[float, ...]] = {}
        if dataset in datasets and systems:
            budgets = [_budget(b, table) for b in dict.fromkeys(row.budget for row in systems)]
            names = list(dict.fromkeys(systems.values()))
            results = evaluate(read(datasets[dataset]), names, budgets, progress=progress(f"{table.name} {dataset}"))
            found = {(r.system, r.budget): _figures(r, table) for r in results}
        for row in rows:
            measured = found.get((systems.get(row, ""), _budget(row.budget, table)))
            note = row.note if measured else _missing(row, row in systems, dataset, datasets)
            lines[row] = TableLine(row, measured, note)
    return [lines[row] for row in table.rows]


def _system(row: PublishedRow, models: Sequence[Path]) -> str | None:
    if row.model is None:
        return row.system
    name = f"{row.dataset}-{row.model}"
    folders = [folder / name for folder in models if (folder / name / "config.toml").is_file()]
    if folders:
        return str(folders[0])
    return name if name in shipped_models() else None


def _budget(budget: int | None, table: PublishedTable) -> Budget:
    return Budget(table.sentences or 3, "sentences") if budget is None else Budget(budget, "chars")


def _figures(result: SystemResult, table: PublishedTable) -> tuple[float, ...]:
    figures = tuple(result.mean(measure) for measure in ("rouge1", "rouge2", "rougeLsum"))
    if "length" in table.columns:
        figures += (float(result.lengths.mean()), float(result.lengths.std()))
    return figures


def _missing(row: PublishedRow, runnable: bool, dataset: str | None, datasets: dict[str, Path]) -> str:
    if row.model is not None and not runnable:
        return f"no model folder '{dataset}-{row.model}' yet; train it, or name its parent folder with --models"
    if runnable and dataset not in datasets:
        return f"no {dataset} data; name the folder that has it with --data"
    return row.note


def reproduce_knapsack(table: PublishedTable, models: Sequence[Path], say: Callable[[str], None]) -> list[TableLine]:
    """Measure the shipped knapsack networks of Table 1, and read the figures of baselines that were trained.

    A method that was published on a distribution of its own is measured on both of ours. `say` gets a line before
    each measurement, which takes a while.
    """
    lines = []
    for row in table.rows:
        datasets = ["cnndm", "cnewsum"] if row.dataset == "predefined" else [str(row.dataset)]
        lines += [_knapsack_line(row, replace(row, dataset=dataset), models, say) for dataset in datasets]
    return lines


def _knapsack_line(
    published: PublishedRow, row: PublishedRow, models: Sequence[Path], say: Callable[[str], None]
) -> TableLine:
    baseline, notes = f"{row.model}-{row.dataset}", []
    if published.dataset == "predefined":
        notes.append("published on a distribution of its own")
    if row.model in ("dp", "density"):
        network = f"knapsack-{row.dataset}-{row.model}"
        knapsack = _learn("tersely.learn.knapsack")
        say(f"measuring {network} on 20,000 fresh problems")
        rates = knapsack.measure_folder(model_folder(network))["rounded"]
    else:
        rates = _trained(baseline, models)
    if rates is None:
        notes.append(f"train it: {_TRAIN.format(baseline)}, then name DIR with --models")
    measured = (100 * rates["error_rate"], 100 * rates["matched_rate"]) if rates else None
    return TableLine(row, measured, "; ".join(notes))


def _trained(baseline: str, models: Sequence[Path]) -> dict[str, float] | None:
    table1 = _learn("tersely.learn.knapsack.baselines.table1")
    for folder in models:
        if (folder / baseline / "measures.json").is_file():
            return dict(table1.read_figures(folder / baseline)["rounded"])
    return None


def _learn(module: str) -> Any:
    with extra("measuring knapsack networks", "train"):
        return import_module(module)


def render(table: PublishedTable, lines: Sequence[TableLine]) -> str:
    """Return the table as text; every line says whether it is published or measured."""
    out = _head(table)
    width = max(len(_label(line.row)) for line in lines)
    for line in lines:
        out.append(f"{_label(line.row).ljust(width)}  published  {_numbers(line.row.figures)}")
        if line.measured:
            note = f"  ({line.note})" if line.note else ""
            out.append(f"{'':<{width}}  measured   {_numbers(line.measured)}{note}")
        else:
            out.append(f"{'':<{width}}  measured   none: {line.note}")
    return "\n".join(out)


def render_human(table: PublishedTable, report: RatingReport | None) -> str:
    """Return the table of human evaluation: the published rows, then what the answers to a form say."""
    out = _head(table)
    out += [f"{row.method:<20}  published  {_numbers(row.figures)}" for row in table.rows]
    if report is None:
        note = "make a form with 'tersely human prepare', collect answers, and name them with --key and --answers"
        return "\n".join([*out, f"{'':<20}  measured   none: {note}"])
    for system in dict.fromkeys(score.system for score in report.scores):
        means = {score.question: score.mean for score in report.scores if score.system == system}
        figures = [means[column] or nan for column in table.columns]
        out.append(f"{system:<20}  measured   {_numbers(figures)}")
    return "\n".join(out)


def _head(table: PublishedTable) -> list[str]:
    return [f"{table.name}: {table.title}", f"columns: {', '.join(table.columns)}", ""]


def _label(row: PublishedRow) -> str:
    return " ".join(str(part) for part in (row.dataset, row.budget, row.method) if part is not None)


def _numbers(figures: Sequence[float]) -> str:
    return "  ".join(f"{figure:6.2f}" if figure == figure else "     -" for figure in figures)
