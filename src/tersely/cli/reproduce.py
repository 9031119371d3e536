"""`tersely reproduce`: the paper's tables and figure, measured beside published."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import device_option, max_source_tokens_option
from tersely.cli._running import counting, stoppable
from tersely.errors import TerselyError, UsageError
from tersely.paper.published import (
    TABLES,
    MeasuredSplit,
    PublishedTable,
    find_datasets,
    find_encoders,
    published,
    tokens_of,
)

if TYPE_CHECKING:
    from tersely.datasets import Record
    from tersely.paper.human_analyze import RatingReport

_FIGURE = "figure-learning-curves"


@click.command("reproduce", short_help="Print a table of the paper, measured beside published.")
@click.argument("target", type=click.Choice([*TABLES, _FIGURE, "all"]))
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder with the datasets, as published or named after cnndm, nyt, cnewsum; test splits are measured.",
)
@click.option(
    "--models",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    multiple=True,
    help="Folder with trained model folders; repeat for several.",
)
@click.option(
    "--encoder",
    "encoders",
    metavar="NAME=SPEC",
    multiple=True,
    help="What 'bert', 'simcse' or 'gpt2' is in a row, such as bert=hub:bert-base-uncased; repeat for several.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents of each dataset.")
@max_source_tokens_option
@device_option
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="table6: the key of the rating form.")
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="table6: the answers of a rater, or results of a platform (CSV); repeat for several.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="figure: the log.jsonl of a training run; repeat for several. With all: those in --models.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Where to write the figure (default: learning-curves.png) or, with all, the report (default: reproduction).",
)
def command(target: str, out: Path | None, log: tuple[Path, ...], **options: Any) -> None:
    """Print a table of the paper, with our measured figures below the published ones.

    The figure of learning curves is written to a PNG file. With all, every table and the figure go into one report,
    DIR/report.md. If it is stopped, run the same command to continue: what is in DIR/parts is not measured again
    unless the data, the models or the options have changed.

    \b
    tersely reproduce table2 --data datasets --max-source-tokens 512
    tersely reproduce figure-learning-curves --log my-network/log.jsonl
    tersely reproduce all --data datasets --models models --out reproduction
    """
    run = Reproduction(**options)
    if target == _FIGURE:
        _draw(log, out or Path("learning-curves.png"))
    elif target == "all":
        with stoppable(lambda: "to continue, run the same command"):
            _report(run, log, out or Path("reproduction"))
    else:
        click.echo(run.table(published(target)))


@dataclass(frozen=True)
class Reproduction:
    """The data, models and options that the tables are measured with."""

    data: Path | None
    models: tuple[Path, ...]
    encoders: tuple[str, ...]
    limit: int | None
    max_source_tokens: int | None
    device: str
    key: Path | None
    answers: tuple[Path, ...]

    def table(self, table: PublishedTable) -> str:
        """Measure a table, and return it as text."""
        from tersely.paper.human_analyze import tests
        from tersely.paper.reproduce import render, render_human, reproduce, reproduce_knapsack

        if table.name == "table1":
            return render(table, reproduce_knapsack(table, self.models, _say))
        if table.name == "table6":
            ratings = _ratings(self.key, self.answers)
            return render_human(table, ratings) + (f"\n\n{tests(ratings)}" if ratings else "")
        # The statistics are those of whole documents.
        read = self._documents if table.name == "datasets" else self._read
        return render(table, *reproduce(table, self.datasets, self.models, read, counting, self._encoders))

    @cached_property
    def _encoders(self) -> dict[str, str]:
        """Find the encoders and language models; they compute on the device, unless they name one."""
        from tersely.encode import on_device

        encoders = find_encoders(self.models, self.encoders)
        placed = {name: on_device(spec, self.device) for name, spec in encoders.items()}
        if self.device == "cpu":
            return placed
        causal = {name: spec for name, spec in placed.items() if name.endswith("gpt2") and "device=" not in spec}
        return placed | {name: f"{spec},device={self.device}" for name, spec in causal.items()}

    @cached_property
    def datasets(self) -> dict[str, MeasuredSplit]:
        """Find the datasets."""
        return find_datasets(self.data) if self.data else {}

    def _documents(self, part: MeasuredSplit) -> "Iterable[Record]":
        return part.records(self.limit, lambda line: _say(f"tersely: {line}"))

    def _read(self, part: MeasuredSplit) -> "Iterable[Record]":
        from tersely.datasets import SourceLimits

        if self.max_source_tokens is None:
            return self._documents(part)
        dataset = next(name for name, split in self.datasets.items() if split is part)
        count_tokens, _ = tokens_of(dataset, self._encoders)
        return map(SourceLimits(self.max_source_tokens, count_tokens=count_tokens).apply, self._documents(part))

    def parts(self) -> dict[str, PublishedTable]:
        """Split the tables by dataset, so that a run that was stopped loses little."""
        parts = {}
        for name in TABLES:
            table = published(name)
            split = (
                list(dict.fromkeys(row.dataset for row in table.rows)) if name not in ("table1", "table6") else [None]
            )
            for dataset in split:
                rows = tuple(row for row in table.rows if dataset in (None, row.dataset))
                parts[f"{name}-{dataset}" if dataset else name] = replace(table, rows=rows)
        return parts

    def fingerprint(self, table: PublishedTable) -> str:
        """Hash all that a part depends on: options, files of its datasets by size and time, and models."""
        from tersely import __version__

        facts: list[object] = [__version__, repr(table), self.encoders, self.limit, self.max_source_tokens]
        datasets = {row.dataset for row in table.rows}
        data = [file for name, part in self.datasets.items() if name in datasets for file in part.files()]
        facts += [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in data]
        models = [file for folder in self.models for file in sorted(folder.rglob("*")) if file.is_file()]
        model_files = (file for file in models if file.suffix in (".toml", ".onnx", ".safetensors", ".json"))
        facts += [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in model_files]
        for file in (self.key, *self.answers) if table.name == "table6" else ():
            facts.append(file and (str(file), sha256(file.read_bytes()).hexdigest()))
        return sha256(repr(facts).encode()).hexdigest()


def _report(run: Reproduction, logs: tuple[Path, ...], out: Path) -> None:
    from tersely import __version__
    from tersely.io.files import write_whole

    (out / "parts").mkdir(parents=True, exist_ok=True)
    splits = (f"{name} ({part.split} split, {part.place})" for name, part in run.datasets.items())
    dataset_names = ", ".join(splits) or "none"
    reads = f"the first {run.max_source_tokens} tokens" if run.max_source_tokens else "whole documents"
    document_count = f"the first {run.limit} documents of each" if run.limit else "all documents"
    text = [
        f"# The paper, measured again by tersely {__version__}",
        f"Datasets: {dataset_names}; {document_count}, {reads}. Models: {', '.join(map(str, run.models)) or 'none'}.",
        "Below each published row stands ours, or what is missing to measure it.",
    ]
    for name, table in run.parts().items():
        text.append(f"## {name}\n\n```\n{_part(run, name, table, out / 'parts' / f'{name}.json')}\n```")
    text.append(f"## {_FIGURE}\n\n" + _figure(run, logs, out / "learning-curves.png"))
    write_whole(out / "report.md", ("\n\n".join(text) + "\n").encode("utf-8", "replace"))
    _say(f"written to {out / 'report.md'}")


def _part(run: Reproduction, name: str, table: PublishedTable, file: Path) -> str:
    """Return a part of the report: the one that is kept if it was made from the same things, or a new one."""
    from tersely.io.files import write_whole

    made_from = run.fingerprint(table)
    if file.is_file():
        stored = json.loads(file.read_text(encoding="utf-8"))
        if stored["made_from"] == made_from:
            return str(stored["table"])
    _say(f"measuring {name}")
    try:
        text = run.table(table)
    except TerselyError as error:
        return f"not measured: {error}"
    write_whole(file, json.dumps({"made_from": made_from, "table": text}).encode())
    return text


def _figure(run: Reproduction, logs: tuple[Path, ...], out: Path) -> str:
    # The logs of knapsack networks have rates in place of a validation loss.
    all_logs = sorted(log for folder in run.models for log in folder.glob("*/log.jsonl"))
    curves = logs or tuple(log for log in all_logs if b'"validation_loss"' in log.read_bytes())
    try:
        _draw(curves, out)
    except TerselyError as error:
        return f"not drawn: {error}"
    return f"![The learning curves of {', '.join(log.parent.name for log in curves)}]({out.name})"


def _say(line: str) -> None:
    click.echo(line, err=True)


def _draw(logs: tuple[Path, ...], out: Path) -> None:
    from tersely.evaluate.report import draw_curves
    from tersely.io.files import write_whole

    if out.suffix.lower() != ".png":
        raise UsageError(f"{out}: the figure is a PNG, so its name must end in .png")
    write_whole(out, draw_curves(logs))
    _say(f"written to {out}")


def _ratings(key: Path | None, answers: tuple[Path, ...]) -> "RatingReport | None":
    from tersely.paper.human_analyze import analyze
    from tersely.paper.human_answers import read_answers, read_key

    if bool(key) != bool(answers):
        raise UsageError("--key and --answers go together")
    if key is None:
        return None
    opened = read_key(key)
    return analyze(opened, read_answers(opened, answers))
