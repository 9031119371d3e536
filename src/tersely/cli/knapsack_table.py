"""Table 1 of the paper: the shipped knapsack networks measured afresh, other methods where they were trained."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli.extras import extra

if TYPE_CHECKING:
    from tersely.evaluate.published import Row, Table
    from tersely.evaluate.reproduce import Line

_TRAIN = "python -m tersely.learn.knapsack.baselines train configs/cpu-knapsack-{0}.toml --out DIR/{0}"


def knapsack_lines(table: "Table", models: Sequence[Path]) -> "list[Line]":
    """Return a line for every row; a method whose distribution was predefined is measured on both of ours."""
    from dataclasses import replace

    lines = []
    for row in table.rows:
        datasets = ["cnndm", "cnewsum"] if row.dataset == "predefined" else [str(row.dataset)]
        lines += [_line(row, replace(row, dataset=dataset), models) for dataset in datasets]
    return lines


def _line(published: "Row", row: "Row", models: Sequence[Path]) -> "Line":
    from tersely.evaluate.reproduce import Line

    name, note = f"{row.model}-{row.dataset}", ""
    found = (
        _shipped(f"knapsack-{row.dataset}-{row.model}") if row.model in ("dp", "density") else _trained(name, models)
    )
    if found is None:
        note = f"train it: {_TRAIN.format(name)}, then name DIR with --models"
    if published.dataset == "predefined":
        note = "; ".join(filter(None, ["published on a distribution of its own", note]))
    measured = (100 * found["error_rate"], 100 * found["matched_rate"]) if found else None
    return Line(row, measured, note)


def _shipped(name: str) -> dict[str, float]:
    from tersely.models import model_folder

    with extra("measuring a knapsack network", "train"):
        from tersely.learn.knapsack import measure_folder
    click.echo(f"measuring {name} on 20,000 fresh problems", err=True)
    rates: dict[str, float] = measure_folder(model_folder(name))["rounded"]
    return rates


def _trained(name: str, models: Sequence[Path]) -> dict[str, float] | None:
    with extra("reading a baseline's figures", "train"):
        from tersely.learn.knapsack.baselines.table1 import read_figures

    for folder in models:
        if (folder / name / "measures.json").is_file():
            figures: dict[str, Any] = read_figures(folder / name)
            return dict(figures["rounded"])
    return None
