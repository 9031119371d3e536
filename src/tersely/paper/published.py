"""The published figures of the paper, from `published.toml`, and the datasets and encoders to measure ours with."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, UsageError

if TYPE_CHECKING:
    from tersely.datasets import Record

DATASETS = ("cnndm", "nyt", "cnewsum")
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "datasets")
# Encoders and language models that rows name in braces.
_NAMES = ("bert", "simcse", "gpt2")


@dataclass(frozen=True)
class PublishedRow:
    """A method on a dataset: its published figures and our counterpart. A row of ours alone has no figures.

    The counterpart is a model to train (`model` is the end of its folder's name, `train` its configuration) or a
    `system`. If that folder is missing, or an encoder that the system names in braces, `fallback` is the counterpart.
    `note` says how our system differs from the published one; `fallback_note` says the same of `fallback`.
    """

    method: str
    dataset: str | None
    figures: tuple[float, ...]
    budget: int | None = None
    system: str | None = None
    model: str | None = None
    fallback: str | None = None
    note: str = ""
    fallback_note: str = ""
    train: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One published table; `sentences` is the length of a summary for each dataset, and `note` explains it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    sentences: dict[str, int] = field(default_factory=dict, hash=False)
    note: str = ""


@cache
def published(name: str) -> PublishedTable:
    """Return a table of the paper, with one row per method and dataset.

    >>> published("table2").rows[0].figures
    (54.7, 30.4, 50.8)
    """
    text = (Path(__file__).parent / "published.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)[name]
    rows: list[PublishedRow] = []
    columns = {column.name for column in fields(PublishedRow)} - {"dataset", "figures"}
    for line in table["rows"]:
        shared = {key: line[key] for key in line if key in columns}
        if "published" in line:
            rows.append(PublishedRow(dataset=line.get("dataset"), figures=tuple(line["published"]), **shared))
        on = [dataset for dataset in DATASETS if dataset in line or dataset in line.get("ours", ())]
        rows += [PublishedRow(dataset=dataset, figures=tuple(line.get(dataset, ())), **shared) for dataset in on]
    more = {"sentences": table.get("sentences", {}), "note": table.get("note", "")}
    return PublishedTable(name, table["title"], tuple(table["columns"]), tuple(rows), **more)


def find_datasets(folder: Path) -> dict[str, Path]:
    """Find each dataset of the paper: a file or folder with `cnndm`, `nyt` or `cnewsum` in its name.

    The test split is preferred, with all its shards; of a folder with several splits, the one for evaluation.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: it should hold the datasets, named after {', '.join(DATASETS)}")
    paths = sorted([*folder.glob("*"), *folder.glob("*/*")], key=lambda p: ("test" not in p.name, len(p.parts), p))
    datasets = {}
    for dataset in DATASETS:
        candidates = [path for path in paths if dataset in path.name.lower() and "train" not in path.name]
        if candidates:
            datasets[dataset] = _whole_split(candidates[0])
    return datasets


def _whole_split(path: Path) -> Path:
    if path.is_dir():
        return next(iter(sorted(path.glob("eval_*corefner"))), path)
    pattern = re.sub(r"\d+(?=\D*$)", "*", path.name)
    return path.with_name(pattern) if len(list(path.parent.glob(pattern))) > 1 else path


def find_encoders(folders: Sequence[Path], specs: Iterable[str] = ()) -> dict[str, str]:
    """Return encoders and language models by name: those in `specs` (NAME=SPEC), and subfolders with such names.

    >>> find_encoders([], ["bert=hub:bert-base-uncased"])
    {'bert': 'hub:bert-base-uncased'}
    """
    encoders: dict[str, str] = {}
    for folder in folders:
        for name in (f"{before}{name}" for name in _NAMES for before in ("", *(f"{dataset}-" for dataset in DATASETS))):
            if name not in encoders and any((folder / name).glob("*.safetensors")):
                encoders[name] = str(folder / name) if name.endswith("gpt2") else f"hub:{folder / name}"
            elif name not in encoders and (folder / name / "tokenizer.json").is_file():
                encoders[name] = f"onnx:{folder / name}"
    for argument in specs:
        name, equals, spec = argument.partition("=")
        if not equals or name.rpartition("-")[2] not in _NAMES:
            raise UsageError(f"--encoder takes NAME=SPEC with one of the names {', '.join(_NAMES)}, not '{argument}'")
        encoders[name] = spec
    return encoders


def measure_dataset(records: "Iterable[Record]") -> tuple[float, ...] | None:
    """Return the mean and the deviation of characters, characters per sentence and sentences, and Sent-512."""
    from tersely.datasets import SourceLimits  # here, because help shows the names of the tables

    limits = SourceLimits(max_tokens=512)
    articles, sentences, counts, first_tokens = [], [], [], []
    for record in records:
        articles.append(len(record.document.text))
        sentences += [len(text) for text in record.document.texts]
        counts.append(len(record.document))
        first_tokens.append(len(limits.apply(record).document))
    if not articles:
        return None
    spread = [figure for column in (articles, sentences, counts) for figure in (fmean(column), pstdev(column))]
    return (*spread, fmean(first_tokens))
