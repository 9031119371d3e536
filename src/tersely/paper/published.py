"""The published figures of the paper, from `published.toml`, and the datasets and encoders to measure ours with."""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from hashlib import sha1
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, UsageError

if TYPE_CHECKING:
    from tersely.datasets import Record
    from tersely.text.length import TokenCounter

DATASETS = ("cnndm", "nyt", "cnewsum")
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "datasets")
# What the datasets are called where they are published.
_DATASET_NAMES = {"cnndm": "cnn[^a-z]*(dm|daily[^a-z]*mail)", "nyt": "(?<![a-z])nyt", "cnewsum": "cnewsum"}
# Words in the names of files and folders that tell the split; NYT calls its test split `eval`.
_SPLITS = {
    "test": {"test", "eval"},
    "validation": {"validation", "valid", "val", "dev"},
    "train": {"train", "training"},
}
# Encoders and language models that rows name in braces.
_NAMES = ("bert", "simcse", "gpt2")


@dataclass(frozen=True)
class PublishedRow:
    """A method on a dataset: its published figures and our counterpart. A row of ours alone has no figures.

    The counterpart is a model to train (`model` is the end of its folder's name) or a `system`. If that folder is
    missing, or an encoder that the system names in braces, `fallback` is the counterpart. `note` says how our system
    differs from the published one; `fallback_note` says the same of `fallback`.
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

    @property
    def folder(self) -> str:
        """The name of the folder of the model."""
        if self.model in ("dp", "density", "plain"):
            return f"knapsack-{self.dataset}-{self.model}"
        return (
            f"{self.model}-{self.dataset}"
            if self.model in ("fptas", "neural", "dqn")
            else f"{self.dataset}-{self.model}"
        )

    @property
    def training(self) -> str:
        """The command that trains the model; TRAIN is the training split, MODELS what --models names."""
        commands = _tables()["train"]
        command = commands.get(f"{self.dataset}-{self.model}", commands[self.model])
        return f"tersely train {command.format(dataset=self.dataset)} --out MODELS/{self.folder}"


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
def _tables() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


@cache
def published(name: str) -> PublishedTable:
    """Return a table of the paper, with one row per method and dataset.

    >>> published("table2").rows[0].figures
    (54.7, 30.4, 50.8)
    """
    table: dict[str, Any] = _tables()[name]
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


@dataclass(frozen=True)
class MeasuredSplit:
    """The part of a dataset that is measured: where it is, which split its name says, and what to read."""

    place: str
    split: str
    paths: tuple[Path, ...]

    def files(self) -> list[Path]:
        """List all files of the split."""
        from tersely.datasets import find_files

        return [file for path in self.paths for file in find_files(path, "")]

    def records(self, limit: int | None, report: Callable[[str], None]) -> "Iterator[Record]":
        """Yield the documents, at most `limit`; `report` gets a line for each that cannot be read."""
        from tersely.datasets import read

        return islice(chain.from_iterable(read(path, report=report) for path in self.paths), limit)


def find_datasets(folder: Path) -> dict[str, MeasuredSplit]:
    """Find the test split of each dataset of the paper in `folder`, or its validation split if there is no other.

    A dataset is known by its name in the path of a file or folder, and a split by its name in the last part of the path
    that has one: `cnn_dailymail/3.0.0/test-*.parquet`, `CNewSum_v2/final/test.simple.label.jsonl`,
    `nyt/eval_corefner`. Stories (`cnn/stories`) are split by a list of URLs, such as `all_test.txt`. Data without a
    known split is refused: it may have been trained on.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: it should hold the datasets, named after {', '.join(DATASETS)}")
    candidates, lists = _candidates(folder)
    datasets = {}
    for dataset in DATASETS:
        places = [path for path in candidates if _dataset_of(path, folder) == dataset]
        splits = {path: _split_of(path, folder) for path in places}
        wanted_split = next((split for split in ("test", "validation") if split in splits.values()), None)
        stories = [path for path in places if not splits[path] and _has_stories(path)]
        if wanted_split:
            # Of several places the one nearest to the folder; of several versions the last.
            nearest = min(len(path.parts) for path, split in splits.items() if split == wanted_split)
            path = max(path for path in places if splits[path] == wanted_split and len(path.parts) == nearest)
            datasets[dataset] = MeasuredSplit(str(path), wanted_split, (path,))
        elif stories and lists:
            datasets[dataset] = _listed(stories, lists)
        elif unknown := [path for path in places if not splits[path] and _is_data(path)]:
            hint = " or put the list of its URLs (all_test.txt) beside it" if stories else ""
            raise InputError(f"{unknown[0]} may hold training data: name its test split, such as {dataset}.test{hint}")
        elif training := [path for path in places if splits[path]]:
            raise InputError(f"{training[0]} is training data: add the test split of {dataset}")
    if not datasets:
        raise InputError(f"{folder} holds none of the datasets {', '.join(DATASETS)}: name files or folders after them")
    return datasets


def _candidates(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return all files (shards as one pattern) and folders that may be a split, and the lists of test URLs."""
    from tersely.datasets import data_endings, readers

    endings = tuple(ending for ending in data_endings() if ending != ".story")
    places: dict[Path, list[Path]] = {}
    lists = []
    for place, inside, names in os.walk(folder):
        inside.sort()
        at = Path(place)
        if any(name.endswith(".story") for name in names) or (not inside and readers()["nyt"].accepts(at)):
            places[at] = [at]
            continue
        for name in sorted(names):
            if name.endswith(".txt") and _words(name) & _SPLITS["test"]:
                lists.append(at / name)
            elif name.endswith(endings):
                places.setdefault(at / re.sub(r"\d+", "*", name), []).append(at / name)
    return [pattern if len(files) > 1 else files[0] for pattern, files in places.items()], lists


def _words(name: str) -> set[str]:
    return set(re.findall("[a-z]+", name.lower()))


def _dataset_of(path: Path, folder: Path) -> str | None:
    for part in reversed(path.relative_to(folder).parts):
        for dataset, name in _DATASET_NAMES.items():
            if re.search(name, part.lower()):
                return dataset
    return "cnndm" if _has_stories(path) else None


def _has_stories(path: Path) -> bool:
    return path.is_dir() and any(path.glob("*.story"))


def _is_data(path: Path) -> bool:
    """Tell whether there is a document at `path`: logs and the files of models have the endings of data, too."""
    from tersely.datasets import read

    try:
        return next(read(path, report=lambda _: None), None) is not None
    except InputError:
        return False


def _split_of(path: Path, folder: Path) -> str | None:
    for part in reversed(path.relative_to(folder).parts):
        splits = [split for split, names in _SPLITS.items() if _words(part) & names]
        if len(splits) == 1:
            return splits[0]
    return None


def _listed(folders: Sequence[Path], lists: Sequence[Path]) -> MeasuredSplit:
    """Return the stories of the URLs in `lists`; the name of a story is the hash of its URL."""
    names = {
        f"{sha1(url.strip().encode(), usedforsecurity=False).hexdigest()}.story"
        for file in lists
        for url in file.read_text(encoding="utf-8", errors="replace").splitlines()
    }
    stories = tuple(file for folder in folders for file in sorted(folder.glob("*.story")) if file.name in names)
    if not stories:
        raise InputError(f"{lists[0]} names no story in {folders[0]}: it should have one URL per line")
    return MeasuredSplit(" and ".join(map(str, folders)) + f" by {', '.join(map(str, lists))}", "test", stories)


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


def tokens_of(dataset: str | None, encoders: Mapping[str, str]) -> tuple["TokenCounter", str]:
    """Return the function that counts the tokens of a dataset's texts, and what they are.

    They are the word pieces of the SimCSE or BERT in `encoders`, by name, or words if neither is there.
    """
    from tersely.encode import load_encoder, pieces_of  # here, because help shows the names of the tables
    from tersely.text.length import count_words

    names = (f"{before}{name}" for name in ("simcse", "bert") for before in (f"{dataset}-", ""))
    spec = next((encoders[name] for name in names if name in encoders), None)
    if spec is None:
        return count_words, "words, and single characters in Chinese; name an encoder, and its word pieces count"
    return pieces_of(load_encoder(spec)), f"word pieces of {spec}"


def measure_dataset(records: "Iterable[Record]", count_tokens: "TokenCounter") -> tuple[int, tuple[float, ...]] | None:
    """Return how many documents there are, and their figures in the order of the columns of Table 7.

    The last of them is Sent-512: how many sentences there are in the first 512 tokens, which `count_tokens` counts.
    """
    from tersely.datasets import SourceLimits

    limits = SourceLimits(max_tokens=512, count_tokens=count_tokens)
    articles, sentences, counts, first_tokens = [], [], [], []
    for record in records:
        articles.append(len(record.document.text))
        sentences += [len(text) for text in record.document.texts]
        counts.append(len(record.document))
        first_tokens.append(len(limits.apply(record).document))
    if not articles:
        return None
    spread = [figure for column in (articles, sentences, counts) for figure in (fmean(column), pstdev(column))]
    return len(articles), (*spread, fmean(first_tokens))
