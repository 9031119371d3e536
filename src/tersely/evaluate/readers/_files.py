"""Which files a path stands for, and the records of JSON Lines files."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers._fields import Item
from tersely.evaluate.record import Record
from tersely.io import lines
from tersely.io.lines import Fault, Object

_JSONL = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def files(path: Path, *endings: str) -> list[Path]:
    """List the files of a path in sorted order: the file itself, a folder's files with these endings, or matches."""
    if path.is_dir():
        return [each for each in listing(path) if each.name.endswith(endings) and each.is_file()]
    if path.exists():
        return [path]
    return sorted(each for each in path.parent.glob(path.name) if each.is_file()) if is_pattern(path) else []


def files_or_error(path: Path, *endings: str) -> list[Path]:
    """List the files of a path; there must be at least one."""
    found = files(path, *endings)
    if not found:
        raise InputError(f"{path} holds no {' or '.join(endings)} file")
    return found


def listing(folder: Path) -> list[Path]:
    """List the contents of a folder in sorted order."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from None


def is_pattern(path: Path) -> bool:
    """Tell whether the last part of a path is a pattern such as `test-*.parquet`."""
    return not path.exists() and any(mark in path.name for mark in "*?[")


def first_object(path: Path) -> Object | None:
    """Return the first object of the JSON Lines files at a path, which shows what they hold."""
    return next((lines.first_object(file) for file in files(path, *_JSONL)), None)


def read_lines(path: Path, make: Callable[[Object, str], Record]) -> Iterator[Item]:
    """Make a record of each object; `make` gets the object, and an id in case the object has none."""
    found = files_or_error(path, *_JSONL)
    for file in found:
        # The id is the number of the line, so with several files it needs the name of the file.
        prefix = f"{file.name}:" if len(found) > 1 else ""
        for item in lines.read_objects(file):
            if isinstance(item, Fault):
                yield item
                continue
            try:
                made: Item = make(item[1], f"{prefix}{item[0]}")
            except InputError as error:
                made = Fault(file, item[0], str(error))
            yield made
