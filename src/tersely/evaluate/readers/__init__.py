"""Datasets in the forms in which they are published become records."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path

from tersely.errors import InputError, UsageError, unknown_name
from tersely.evaluate.readers.files import files, is_pattern
from tersely.evaluate.readers.item import Fault, Item, Reader
from tersely.evaluate.record import Record
from tersely.registry import Registry
from tersely.text import LANGUAGES, Language

_PARTS = ("conll", "fields", "files", "item", "json_array", "json_lines")

READERS: Registry[Reader] = Registry("reader", __name__, skip=_PARTS)


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
    """Read the records of a dataset one by one, so that its size does not matter.

    The path is a file, a folder, or a pattern such as `3.0.0/test-*.parquet`; files come in sorted order. The
    format is told by looking unless `reader` names it. A record that cannot be read is skipped, and one line
    `path:line: reason` goes to `report`; with `strict` that line is an `InputError`. At most `limit` records are
    read.
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
    """Return the name of the reader for what is at `path`."""
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


__all__ = ["READERS", "Reader", "detect", "read"]
