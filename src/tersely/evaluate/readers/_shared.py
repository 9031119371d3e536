"""What the readers share: the files of a path, the records of JSON Lines, the parts of a record."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.record import Record
from tersely.io import lines
from tersely.io.lines import Fault, Object
from tersely.text import Document, Language, split_sentences

# What readers yield: a record, or the reason why it cannot be read.
Item = Record | Fault

# The reason of a fault that is none for training, which has no use for such a document anyway.
EMPTY = "the document is empty"
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


def make_document(value: Any, language: Language | None, name: str) -> Document:
    """Make a document from a text or from a list of sentences; blank sentences are dropped."""
    if isinstance(value, str):
        document = Document.from_text(value, language)
    else:
        document = Document.from_sentences(strings(value, name), language)
    if not document.sentences:
        raise InputError(EMPTY)
    return document


def make_reference(value: Any, language: Language, name: str) -> tuple[str, ...]:
    """Return the sentences of a reference: a text is split, a list is not."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value[start:end] for start, end in split_sentences(value, language))
    return tuple(strings(value, name))


def make_id(value: Any, default: str) -> str:
    """Return an id as a string."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise InputError("id is neither a string nor a whole number")
    return default if value is None or value == "" else str(value)


def strings(value: Any, name: str) -> list[str]:
    """Return the strings of a list, stripped; blank ones are dropped."""
    if not isinstance(value, list):
        raise InputError(f"{name} is neither a string nor a list of strings")
    for i, each in enumerate(value):
        if not isinstance(each, str):
            raise InputError(f"{name}[{i}] is not a string")
    return [each.strip() for each in value if each.strip()]
