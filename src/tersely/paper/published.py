"""The figures of the paper, read from `published.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATASETS = ("cnndm", "nyt", "cnewsum")
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6")


@dataclass(frozen=True)
class PublishedRow:
    """One published row: a method on a dataset, its figures, and our counterpart: a system or a model to train."""

    method: str
    dataset: str | None
    figures: tuple[float, ...]
    budget: int | None = None
    system: str | None = None
    model: str | None = None
    note: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One published table."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    sentences: int | None = None


@cache
def published(name: str) -> PublishedTable:
    """Return a table of the paper, with one row per method and dataset.

    >>> published("table2").rows[0].figures
    (54.7, 30.4, 50.8)
    """
    text = (Path(__file__).parent / "published.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)[name]
    rows: list[PublishedRow] = []
    for line in table["rows"]:
        shared = {key: line[key] for key in ("method", "budget", "system", "model", "note") if key in line}
        if "published" in line:
            rows.append(PublishedRow(dataset=line.get("dataset"), figures=tuple(line["published"]), **shared))
        rows += [PublishedRow(dataset=d, figures=tuple(line[d]), **shared) for d in DATASETS if d in line]
    return PublishedTable(name, table["title"], tuple(table["columns"]), tuple(rows), table.get("sentences"))
