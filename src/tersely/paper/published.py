"""The figures of the paper, read from `published.toml`, and the datasets and encoders that ours are measured with."""

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


def find_encoders(folders: Sequence[Path], given: Iterable[str] = ()) -> dict[str, str]:
    """Return encoders and language models by name: `given` as NAME=SPEC, or the folders of such names among models.

    >>> find_encoders([], ["bert=hub:bert-base-uncased"])
    {'bert': 'hub:bert-base-uncased'}
    """
    found: dict[str, str] = {}
    for folder in folders:
        for name in (f"{before}{name}" for name in _NAMES for before in ("", *(f"{each}-" for each in DATASETS))):
            if name not in found and any((folder / name).glob("*.safetensors")):
                found[name] = str(folder / name) if name.endswith("gpt2") else f"hub:{folder / name}"
            elif name not in found and (folder / name / "tokenizer.json").is_file():
                found[name] = f"onnx:{folder / name}"
    for one in given:
        name, equals, spec = one.partition("=")
        if not equals or name.rpartition("-")[2] not in _NAMES:
            raise UsageError(f"--encoder takes NAME=SPEC with one of the names {', '.join(_NAMES)}, not '{one}'")
        found[name] = spec
    return found


def measure_dataset(records: "Iterable[Record]") -> tuple[float, ...] | None:
    """Return the mean and the deviation of characters, characters per sentence and sentences, and Sent-512."""
    from tersely.datasets import SourceLimits  # here, because help shows the names of the tables

    limits = SourceLimits(max_tokens=512)
    articles, sentences, counts, within = [], [], [], []
    for record in records:
        articles.append(len(record.document.text))
        sentences += [len(text) for text in record.document.texts]
        counts.append(len(record.document))
        within.append(len(limits.apply(record).document))
    if not articles:
        return None
    spread = [figure for column in (articles, sentences, counts) for figure in (fmean(column), pstdev(column))]
    return (*spread, fmean(within))
