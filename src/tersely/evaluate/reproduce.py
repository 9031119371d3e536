"""The paper's tables with our measured figures beside the published ones."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan
from pathlib import Path

from tersely.budget import Budget
from tersely.errors import InputError
from tersely.evaluate.human.analyze import Report
from tersely.evaluate.published import DATASETS, Row, Table
from tersely.evaluate.record import Record
from tersely.evaluate.run import Result, evaluate
from tersely.models import shipped_models


@dataclass(frozen=True)
class Line:
    """A published row, ours where it could be measured, and in words what is missing where it could not."""

    row: Row
    measured: tuple[float, ...] | None
    note: str


Progress = Callable[[str], Callable[[int], None]]


def find_datasets(folder: Path) -> dict[str, Path]:
    """Find each dataset of the paper: a file or folder whose name has `cnndm`, `nyt` or `cnewsum` in it.

    Of several, the test split is taken, all its shards by a pattern; of a folder with splits, that of evaluation.
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
    table: Table,
    datasets: dict[str, Path],
    models: Sequence[Path],
    read: Callable[[Path], Iterable[Record]],
    progress: Progress,
) -> list[Line]:
    """Measure every row that can be measured, each dataset's systems in one run."""
    lines: dict[Row, Line] = {}
    for dataset, group in groupby(sorted(table.rows, key=lambda r: r.dataset or ""), key=lambda r: r.dataset):
        rows = list(group)
        systems = {row: system for row in rows if (system := _system(row, models)) is not None}
        if dataset in datasets and systems:
            budgets = [_budget(b, table) for b in dict.fromkeys(row.budget for row in systems)]
            names = list(dict.fromkeys(systems.values()))
            results = evaluate(read(datasets[dataset]), names, budgets, progress=progress(f"{table.name} {dataset}"))
            found = {(r.system, r.budget): _figures(r, table) for r in results}
        else:
            found = {}
        for row in rows:
            measured = found.get((systems.get(row, ""), _budget(row.budget, table)))
            lines[row] = Line(row, measured, row.note if measured else _missing(row, row in systems, dataset, datasets))
    return [lines[row] for row in table.rows]


def render(table: Table, lines: Sequence[Line]) -> str:
    """Return the table as text; ours and the paper's are marked on every line."""
    out = [f"{table.name}: {table.title}", f"columns: {', '.join(table.columns)}", ""]
    width = max(len(_label(line.row)) for line in lines)
    for line in lines:
        label = _label(line.row).ljust(width)
        out.append(f"{label}  published  {_numbers(line.row.figures)}")
        if line.measured:
            out.append(
                f"{' ' * width}  measured   {_numbers(line.measured)}" + (f"  ({line.note})" if line.note else "")
            )
        else:
            out.append(f"{' ' * width}  measured   none: {line.note}")
    return "\n".join(out)


def render_human(table: Table, report: Report | None) -> str:
    """Return the table of human evaluation: the published rows, then what the answers to a form say."""
    out = [f"{table.name}: {table.title}", f"columns: {', '.join(table.columns)}", ""]
    out += [f"{row.method:<20}  published  {_numbers(row.figures)}" for row in table.rows]
    if report is None:
        note = "make a form with 'tersely human prepare', collect answers, and name them with --key and --answers"
        return "\n".join([*out, f"{'':<20}  measured   none: {note}"])
    for system in dict.fromkeys(score.system for score in report.scores):
        means = {score.question: score.mean for score in report.scores if score.system == system}
        figures = [means[column] or nan for column in table.columns]
        out.append(f"{system:<20}  measured   {_numbers(figures)}")
    return "\n".join(out)


def _label(row: Row) -> str:
    return " ".join(str(part) for part in (row.dataset, row.budget, row.method) if part is not None)


def _numbers(figures: Sequence[float]) -> str:
    return "  ".join(f"{figure:6.2f}" if figure == figure else "     -" for figure in figures)


def _system(row: Row, models: Sequence[Path]) -> str | None:
    if row.model is None:
        return row.system
    name = f"{row.dataset}-{row.model}"
    folders = [folder / name for folder in models if (folder / name / "config.toml").is_file()]
    if folders:
        return str(folders[0])
    return name if name in shipped_models() else None


def _budget(budget: int | None, table: Table) -> Budget:
    return Budget(table.sentences or 3, "sentences") if budget is None else Budget(budget, "chars")


def _figures(result: Result, table: Table) -> tuple[float, ...]:
    figures = tuple(result.mean(measure) for measure in ("rouge1", "rouge2", "rougeLsum"))
    if "length" in table.columns:
        figures += (float(result.lengths.mean()), float(result.lengths.std()))
    return figures


def _missing(row: Row, runnable: bool, dataset: str | None, datasets: dict[str, Path]) -> str:
    if row.model is not None and not runnable:
        return f"no model folder '{dataset}-{row.model}' yet; train it, or name its parent folder with --models"
    if not runnable:
        return row.note
    if dataset not in datasets:
        return f"no {dataset} data; name the folder that has it with --data"
    return row.note
