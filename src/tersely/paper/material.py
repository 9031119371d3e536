"""What the tables are measured with: datasets and encoders by name, and the statistics of a dataset."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tersely.errors import InputError, UsageError
from tersely.evaluate.record import Record, SourceLimits
from tersely.paper.published import DATASETS

# Encoders and language models that rows name in braces.
_NAMES = ("bert", "simcse", "gpt2")


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


def measure_dataset(records: Iterable[Record]) -> tuple[float, ...] | None:
    """Return the mean and the deviation of characters, characters per sentence and sentences, and Sent-512."""
    limits = SourceLimits(max_tokens=512)
    articles, sentences, counts, within = [], [], [], []
    for record in records:
        articles.append(len(record.document.text))
        sentences += [len(text) for text in record.document.texts]
        counts.append(len(record.document))
        within.append(len(limits.apply(record).document))
    if not articles:
        return None
    spread = [figure for column in (articles, sentences, counts) for figure in (np.mean(column), np.std(column))]
    return (*map(float, spread), float(np.mean(within)))
