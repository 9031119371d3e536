"""The tables of the paper, with our measured figures beside the published ones."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

from tersely.datasets import Record
from tersely.errors import extra
from tersely.evaluate.run import SystemResult, evaluate
from tersely.models import model_folder, shipped_models
from tersely.options import Budget
from tersely.paper.human_analyze import RatingReport
from tersely.paper.published import (
    MeasuredSplit,
    PublishedRow,
    PublishedTable,
    find_encoders,
    measure_dataset,
    tokens_of,
)
from tersely.settings import read_toml


@dataclass(frozen=True)
class TableLine:
    """A published row, our figures if they could be measured, and a note that says why not if they could not."""

    row: PublishedRow
    measured: tuple[float, ...] | None
    note: str


def reproduce(
    table: PublishedTable,
    datasets: Mapping[str, MeasuredSplit],
    models: Sequence[Path],
    read: Callable[[MeasuredSplit], Iterable[Record]],
    progress: Callable[[str], Callable[[int], None]],
    encoders: Mapping[str, str] | None = None,
) -> tuple[list[TableLine], list[str]]:
    """Measure every row of `table` that can be measured, and say on which data; a dataset's systems share one run.

    `datasets` has the splits by name, which `read` reads. `models` are folders of trained models, and `encoders` are
    specs by name. `progress` makes a counter of documents from a title.
    """
    if encoders is None:
        encoders = find_encoders(models)
    lines: dict[PublishedRow, TableLine] = {}
    data: list[str] = []
    for dataset, group in groupby(sorted(table.rows, key=lambda r: r.dataset or ""), key=lambda r: r.dataset):
        rows = list(group)
        if table.name == "datasets":
            statistics, note = None, _no_data(dataset)
            if dataset in datasets:
                count_tokens, tokens = tokens_of(dataset, encoders)
                if (measured := measure_dataset(read(datasets[dataset]), count_tokens)) is not None:
                    (count, statistics), note = measured, f"tokens are {tokens}"
                    data.append(_data(dataset, datasets[dataset], count))
            lines |= {row: TableLine(row, statistics, note) for row in rows}
            continue
        choices = {row: choice for row in rows if (choice := _counterpart(row, models, encoders)) is not None}
        figures: dict[tuple[str, Budget], tuple[float, ...]] = {}
        if dataset in datasets and choices:
            budgets = [_budget(row, table) for row in {row.budget: row for row in choices}.values()]
            names = list(dict.fromkeys(name for choice in choices.values() for name in choice.systems))
            results = evaluate(read(datasets[dataset]), names, budgets, progress=progress(f"{table.name} {dataset}"))
            figures = {(r.system, r.budget): _figures(r, table) for r in results}
            data.append(_data(dataset, datasets[dataset], len(results[0].outcomes)))
        for row in rows:
            choice = choices.get(row)
            several = [figures[system, _budget(row, table)] for system in choice.systems] if choice and figures else []
            lines[row] = _line(row, choice, several, dataset)
    return [lines[row] for row in table.rows], data


def _data(dataset: str, part: MeasuredSplit, count: int) -> str:
    return f"data: {dataset}, {part.split} split, {count:,} documents: {part.place}"


@dataclass(frozen=True)
class _Counterpart:
    """The systems whose mean is a row's figure: usually one, for a trained model its best checkpoints."""

    systems: tuple[str, ...]
    note: str


def _counterpart(row: PublishedRow, models: Sequence[Path], encoders: Mapping[str, str]) -> _Counterpart | None:
    if row.model is not None and (checkpoints := _checkpoints(row.folder, models)):
        # Within a length, every row of the paper selects by dynamic programming, whatever the folder would.
        within_length = "+knapsack" if row.budget is not None else ""
        return _Counterpart(tuple(f"{folder}{within_length}" for folder in checkpoints), row.note)
    names = re.findall(r"{(\w+)}", row.system or "")
    specs = {name: encoders.get(f"{row.dataset}-{name}", encoders.get(name)) for name in names}
    if row.system is not None and all(specs.values()):
        return _Counterpart((row.system.format(**specs),), row.note)
    return _Counterpart((row.fallback,), row.fallback_note) if row.fallback is not None else None


def _checkpoints(name: str, models: Sequence[Path]) -> tuple[str, ...]:
    """Return the folders of a trained model and of its next best checkpoints, which the paper averages."""
    for folder in models:
        if not (folder / name / "config.toml").is_file():
            continue
        settings = folder / name / "training.toml"
        training = read_toml(settings).get("training", {}) if settings.is_file() else {}
        if isinstance(training, dict) and training.get("average"):
            return (str(folder / name),)  # its weights are the mean of the best already
        next_best = sorted(path.parent for path in (folder / name).glob("best-*/config.toml"))
        return (str(folder / name), *map(str, next_best))
    return (name,) if name in shipped_models() else ()


def _line(
    row: PublishedRow, choice: _Counterpart | None, several: Sequence[tuple[float, ...]], dataset: str | None
) -> TableLine:
    if choice is None:
        return TableLine(row, None, _missing(row))
    if not several:
        return TableLine(row, None, _no_data(dataset))
    figures = tuple(sum(column) / len(several) for column in zip(*several, strict=True))
    notes = [choice.note] if choice.note else []
    if len(several) > 1:
        rouge1 = ", ".join(f"{checkpoint[0]:.2f}" for checkpoint in several)
        notes.append(f"mean of the {len(several)} best checkpoints, R-1 {rouge1}")
    return TableLine(row, figures, "; ".join(notes))


def _budget(row: PublishedRow, table: PublishedTable) -> Budget:
    if row.budget is not None:
        return Budget(row.budget, "chars")
    return Budget(table.sentences.get(row.dataset or "", 3), "sentences")


def _figures(result: SystemResult, table: PublishedTable) -> tuple[float, ...]:
    figures = tuple(result.mean(measure) for measure in ("rouge1", "rouge2", "rougeLsum"))
    if "length" in table.columns:
        figures += (float(result.lengths.mean()), float(result.lengths.std()))
    return figures


def _missing(row: PublishedRow) -> str:
    if row.model is not None:
        return f"no model folder '{row.folder}' yet; train it, then name MODELS with --models: {row.training}"
    if encoders := re.findall(r"{(\w+)}", row.system or ""):
        example = {"bert": "hub:bert-base-uncased", "gpt2": "gpt2"}.get(encoders[0], "hub:NAME")
        return f"no encoder '{encoders[0]}' yet; name it with --encoder {encoders[0]}={example}"
    return row.note


def _no_data(dataset: str | None) -> str:
    return f"no {dataset} data; name the folder that has it with --data"


def reproduce_knapsack(table: PublishedTable, models: Sequence[Path], say: Callable[[str], None]) -> list[TableLine]:
    """Measure the knapsack networks of Table 1, and read the figures of the other methods that were trained.

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
    notes, rates = [], None
    if published.dataset == "predefined":
        notes.append("published on a distribution of its own")
    if row.model in ("dp", "density", "plain"):
        network = row.folder
        places = [folder / network / inside for folder in models for inside in ("", "model")]
        places.append(model_folder(network))
        folder = next((place for place in places if (place / "config.toml").is_file()), None)
        if folder is None:
            notes.append(f"train it, then name MODELS with --models: {row.training}")
        else:
            knapsack = _learn("tersely.paper.knapsack_measure")
            say(f"measuring {network} on 20,000 fresh problems")
            rates = knapsack.measure_folder(folder)["rounded"]
            notes.append(_network_note(folder))
    elif row.system is not None:
        rates = _learn("tersely.paper.table1").greedy_figures(str(row.dataset))["rounded"]
        notes.append(row.note)
    elif (rates := _trained(row.folder, models)) is None:
        notes.append(f"train it, then name MODELS with --models: {row.training}")
    measured = (100 * rates["error_rate"], 100 * rates["matched_rate"]) if rates else None
    return TableLine(row, measured, "; ".join(notes))


def _network_note(folder: Path) -> str:
    network = read_toml(folder / "config.toml").get("network", {})
    size = f"width {network.get('width')}, {network.get('layers')} layers"
    if network.get("kind") == "paper":
        return f"the paper's network, {size}; the paper: width 768, 8 layers"
    return f"compact network that starts from bounds, {size}; the paper's starts from profits and sizes alone"


def _trained(baseline: str, models: Sequence[Path]) -> dict[str, float] | None:
    table1 = _learn("tersely.paper.table1")
    for folder in models:
        if (folder / baseline / "measures.json").is_file():
            return dict(table1.read_figures(folder / baseline)["rounded"])
    return None


def _learn(module: str) -> Any:
    with extra("measuring knapsack networks", "train"):
        return import_module(module)


def render(table: PublishedTable, lines: Sequence[TableLine], data: Sequence[str] = ()) -> str:
    """Return the table as text: the `data` it was measured on, then lines, each published or measured."""
    out = _head(table, data)
    width = max(len(_label(line.row)) for line in lines)
    for line in lines:
        label = _label(line.row).ljust(width)
        if line.row.figures:
            out.append(f"{label}  published  {_numbers(line.row.figures)}")
            label = " " * width
        if line.measured:
            note = f"  ({line.note})" if line.note else ""
            out.append(f"{label}  measured   {_numbers(line.measured)}{note}")
        else:
            out.append(f"{label}  measured   none: {line.note}")
    return "\n".join(out)


def render_human(table: PublishedTable, report: RatingReport | None) -> str:
    """Return the table of human evaluation: the published rows, then the means of the answers to a form."""
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


def _head(table: PublishedTable, data: Sequence[str] = ()) -> list[str]:
    note = [f"note: {table.note}"] if table.note else []
    return [f"{table.name}: {table.title}", f"columns: {', '.join(table.columns)}", *data, *note, ""]


def _label(row: PublishedRow) -> str:
    return " ".join(str(part) for part in (row.dataset, row.budget, row.method) if part is not None)


def _numbers(figures: Sequence[float]) -> str:
    return "  ".join(f"{figure:6.2f}" if figure == figure else "     -" for figure in figures)
