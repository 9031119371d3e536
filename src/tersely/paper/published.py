"""The figures of the paper, read from `published.toml`."""

import tomllib
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

DATASETS = ("cnndm", "nyt", "cnewsum")
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "datasets")


@dataclass(frozen=True)
class PublishedRow:
    """A method on a dataset: its published figures, none if the row is ours alone, and our counterpart.

    That is a model to train, found by the ending of its folder's name, or a system. If there is no such folder, or no
    encoder for a name in braces in the system, it is the system `otherwise`, if there is one. `note` says how our
    counterpart differs, `but` how that other system does; `train` is the configuration of the model.
    """

    method: str
    dataset: str | None
    figures: tuple[float, ...]
    budget: int | None = None
    system: str | None = None
    model: str | None = None
    otherwise: str | None = None
    note: str = ""
    but: str = ""
    train: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One published table; `sentences` are those of a summary, for each dataset, and `why` says where they are from."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    sentences: dict[str, int] = field(default_factory=dict, hash=False)
    why: str = ""


@cache
def published(name: str) -> PublishedTable:
    """Return a table of the paper, with one row per method and dataset.

    >>> published("table2").rows[0].figures
    (54.7, 30.4, 50.8)
    """
    text = (Path(__file__).parent / "published.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)[name]
    rows: list[PublishedRow] = []
    known = {each.name for each in fields(PublishedRow)} - {"dataset", "figures"}
    for line in table["rows"]:
        shared = {key: line[key] for key in line if key in known}
        if "published" in line:
            rows.append(PublishedRow(dataset=line.get("dataset"), figures=tuple(line["published"]), **shared))
        on = [dataset for dataset in DATASETS if dataset in line or dataset in line.get("ours", ())]
        rows += [PublishedRow(dataset=dataset, figures=tuple(line.get(dataset, ())), **shared) for dataset in on]
    more = {"sentences": table.get("sentences", {}), "why": table.get("why", "")}
    return PublishedTable(name, table["title"], tuple(table["columns"]), tuple(rows), **more)
