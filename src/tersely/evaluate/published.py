"""The figures of the paper, read from `published.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATASETS = ("cnndm", "nyt", "cnewsum")
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6")


@dataclass(frozen=True)
class Row:
    """One published line: a method on a dataset, its figures, and what of ours stands in its place."""

    method: str
    dataset: str | None
    figures: tuple[float, ...]
    budget: int | None = None
    system: str | None = None
    model: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """One published table."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    sentences: int | None = None


@cache
def published(name: str) -> Table:
    """Return a table of the paper, a row for every method and dataset.

    >>> published("table2").rows[0]
    Row(method='Oracle', dataset='cnndm', figures=(54.7, 30.4, 50.8), budget=None, system='oracle', model=None, note='')
    """
    text = (Path(__file__).parent / "published.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)[name]
    rows: list[Row] = []
    for line in table["rows"]:
        shared = {key: line.get(key) for key in ("method", "budget", "system", "model")} | {
            "note": line.get("note", "")
        }
        if "published" in line:
            rows.append(Row(dataset=line.get("dataset"), figures=tuple(line["published"]), **shared))
        rows += [Row(dataset=d, figures=tuple(line[d]), **shared) for d in DATASETS if d in line]
    return Table(name, table["title"], tuple(table["columns"]), tuple(rows), table.get("sentences"))
