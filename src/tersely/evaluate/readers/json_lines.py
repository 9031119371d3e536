"""JSON Lines, one object a line, with every line that is not one set apart."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from tersely.errors import InputError
from tersely.evaluate.readers.files import MAX_BYTES, decode, files, files_or_error, open_bytes
from tersely.evaluate.readers.item import Fault, Item
from tersely.evaluate.record import Record

Object = dict[str, Any]

ENDINGS = (".jsonl", ".jsonl.gz")


def first_object(path: Path) -> Object | None:
    """Return the first object of the files at a path, which tells what they hold."""
    for file in files(path, *ENDINGS)[:1]:
        with suppress(InputError), open_bytes(file) as stream:
            # A file whose first lines are broken is known by the next, but a huge one of another kind is not read.
            left = MAX_BYTES
            while left and (line := stream.readline(left)):
                left -= len(line)
                with suppress(InputError):
                    return _parse(line)
    return None


def read_objects(path: Path, make: Callable[[Object, str], Record]) -> Iterator[Item]:
    """Make a record of each object, with the number of its line for an id if it has no other."""
    found = files_or_error(path, *ENDINGS)
    for file in found:
        # The same number in two files must not be the same id.
        prefix = f"{file.name}:" if len(found) > 1 else ""
        for item in _objects(file):
            if isinstance(item, Fault):
                yield item
                continue
            try:
                made: Item = make(item[1], f"{prefix}{item[0]}")
            except InputError as error:
                made = Fault(file, item[0], str(error))
            yield made


def _objects(path: Path) -> Iterator[tuple[int, Object] | Fault]:
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(_lines(stream), 1):
                if line.strip():
                    try:
                        item: tuple[int, Object] | Fault = (number, _parse(line))
                    except InputError as error:
                        item = Fault(path, number, str(error))
                    yield item
    except InputError as error:
        yield Fault(path, number + 1, str(error))


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Give the lines of a stream; of one that is too long, only so much as shows that it is."""
    while line := stream.readline(MAX_BYTES + 1):
        rest = line
        while len(rest) > MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES + 1)
        yield line


def _parse(line: bytes) -> Object:
    if len(line) > MAX_BYTES:
        raise InputError(f"longer than {MAX_BYTES // 1_000_000} MB")
    text = decode(line).strip()
    if not text.startswith("{"):
        raise InputError("not a JSON object")
    try:
        value: Object = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"broken JSON at column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError):
        raise InputError("broken JSON: a number too long, or nested too deep") from None
    return value
