"""Unlabeled texts to train on: JSONL, plain or gzip, or folders of text files."""

import gzip
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from tersely.errors import InputError

_TEXTS = (".txt", ".md")
_LINES = (".jsonl", ".jsonl.gz", ".json", ".json.gz")

# The values that a field of a record may have, by the field's name.
Where = Mapping[str, Collection[str]]


def read_texts(path: Path, where: Where) -> Iterator[str]:
    """Yield the texts of a JSONL file, of one text file, or of all such files below a folder, in sorted order.

    Of a JSONL file only the records whose fields have one of the wanted values are read.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.name.endswith(_TEXTS + _LINES))
        if not files:
            raise InputError(f"{path} has no text files (*.txt) and no JSONL files")
        for file in files:
            yield from read_texts(file, where)
        return
    try:
        if path.name.endswith(_TEXTS):
            yield path.read_text(encoding="utf-8-sig")
        elif path.name.endswith(_LINES):
            unpacked = gzip.open if path.suffix == ".gz" else open
            with unpacked(path, "rt", encoding="utf-8-sig") as lines:  # a byte order mark is not part of the text
                yield from _lines(path, lines, where)
        else:
            raise InputError(f"{path} is neither JSONL (.jsonl, .jsonl.gz) nor text (.txt) nor a folder")
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _lines(path: Path, lines: Iterable[str], where: Where) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            text = record["text"]
            if any(str(record.get(field)) not in wanted for field, wanted in where.items()):
                continue
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            text = None
        if not isinstance(text, str):
            raise InputError(f"{path}, line {number}: not a JSON object with a text in the field 'text'")
        yield text
