"""Datasets in the forms in which they are published become records; and the dev sets of the quality reports."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Protocol

from tersely.errors import InputError, UsageError, unknown_name
from tersely.evaluate.readers._shared import EMPTY, Item, files, is_pattern
from tersely.evaluate.record import Record
from tersely.io.lines import Fault
from tersely.options import Budget, Unit
from tersely.settings import Registry
from tersely.text import LANGUAGES, Language


class Reader(Protocol):
    """Reads one format. For a record that cannot be read it yields a fault, and the caller decides what to do."""

    def accepts(self, path: Path) -> bool:
        """Tell whether the data at `path` looks like this format."""

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record at a time; without a language, that of each text is detected."""


READERS: Registry[Reader] = Registry("reader", __name__)


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def read(
    path: str | PathLike[str],
    *,
    reader: str | None = None,
    language: Language | None = None,
    strict: bool = False,
    report: Callable[[str], None] = _to_stderr,
    limit: int | None = None,
) -> Iterator[Record]:
    """Yield the records of a dataset one by one; it may be larger than memory.

    The path is a file, a folder, or a pattern such as `3.0.0/test-*.parquet`; files are read in sorted order. The
    format is detected unless `reader` names it. A record that cannot be read is skipped, and `report` gets one line
    `path:line: reason`; with `strict`, that line is raised as an `InputError`. At most `limit` records are read.
    """
    place = Path(path)
    if language is not None and language not in LANGUAGES:
        raise unknown_name("language", language, LANGUAGES)
    if limit is not None and limit < 0:
        raise UsageError(f"the limit of records is {limit}: it cannot be below 0")
    try:
        found = place.exists() or (is_pattern(place) and bool(files(place)))
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}") from None
    if not found:
        raise InputError(f"{place} does not exist")
    chosen = READERS.create(reader or detect(place))
    return islice(_records(chosen.read(place, language), strict, report), limit)


def detect(path: Path) -> str:
    """Return the name of the reader that fits the data at `path`."""
    names = READERS.names()
    for name in names:
        if READERS.create(name).accepts(path):
            return name
    if path.is_file() and path.stat().st_size == 0:
        raise InputError(f"{path} is empty")
    raise InputError(f"{path} is in no known format: choose a reader from {', '.join(names)}")


def _records(items: Iterator[Item], strict: bool, report: Callable[[str], None]) -> Iterator[Record]:
    for item in items:
        if not isinstance(item, Fault):
            yield item
        elif strict:
            raise InputError(str(item))
        else:
            report(str(item))


@dataclass(frozen=True)
class DevSet:
    """A file of documents with references, and the budgets at which summaries are measured.

    Its folder is that of its language unless another is given. With `alternatives`, a list of references is several.
    """

    name: str
    language: Language
    budgets: tuple[Budget, ...]
    folder: str = ""
    alternatives: bool = False

    def path(self, folder: Path) -> Path:
        """Return the path of the set in a data folder."""
        return folder / (self.folder or self.language) / f"{self.name}.jsonl.gz"

    def records(self, folder: Path, limit: int | None = None) -> Iterator[Record]:
        """Read the records of the set."""
        return read(self.path(folder), language=self.language, limit=limit)


def _chars(*limits: int) -> tuple[Budget, ...]:
    return tuple(Budget(limit, "chars") for limit in limits)


_ENGLISH = (Budget(3, "sentences"), *_chars(300, 400, 450, 500))

SUITE = (
    DevSet("dev_cnndm", "en", _ENGLISH),
    DevSet("dev_cnn", "en", _ENGLISH),
    DevSet("dev_inshorts", "en", (*_ENGLISH, Budget(58, "words"))),
    DevSet("dev_bbc", "en", (*_ENGLISH, Budget(170, "words"))),
    DevSet("dev_xinwenlianbo", "zh", _chars(100, 150, 200)),
    DevSet("dev_pku", "zh", _chars(100, 150, 200)),
    DevSet("dev_cail", "zh", _chars(200, 300)),
)


def _kind(name: str, limit: int, unit: Unit) -> DevSet:
    language: Language = "fr" if name.startswith("fr") else "id" if name.startswith("id") else "en"
    return DevSet(name, language, (Budget(limit, unit),), "genres", alternatives=True)


# Other kinds of text than news, and news in other languages; each at the length of its references.
KINDS = (
    _kind("en_email", 1, "sentences"),
    _kind("en_tldr", 1, "sentences"),
    _kind("en_pubmed", 210, "words"),
    _kind("en_acl", 160, "words"),
    _kind("en_judgement_in", 600, "words"),
    _kind("en_earnings", 60, "words"),
    _kind("en_meeting_qmsum", 110, "words"),
    _kind("en_dialogue", 25, "words"),
    _kind("en_story", 400, "words"),
    _kind("fr_news", 40, "words"),
    _kind("id_news", 50, "words"),
)

__all__ = ["EMPTY", "KINDS", "READERS", "SUITE", "DevSet", "Reader", "detect", "read"]
