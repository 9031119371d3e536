"""One large JSON array, element by element."""

import json
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.readers.files import MAX_BYTES, open_bytes
from tersely.evaluate.readers.item import Fault

_CHUNK = 1 << 18
_OPENING = re.compile(r"\s*\[")
_GAP = re.compile(r"[\s,]*")
# What `surrogateescape` makes of bytes that are not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def elements(path: Path, beginning: re.Pattern[str]) -> Iterator[tuple[int, Any] | Fault]:
    """Give each element and its number from 1.

    `beginning` is how an element begins, so that the next can be found after a broken one. It must not match
    within an element. A key in its quotes does not, as quotes within a string are escaped.
    """
    number = 1
    try:
        with open_bytes(path) as raw, TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as stream:
            for value in _elements(stream, beginning):
                yield Fault(path, number, str(value)) if isinstance(value, InputError) else (number, value)
                number += 1
    except InputError as error:
        yield Fault(path, number, str(error))


def _elements(stream: TextIOWrapper, beginning: re.Pattern[str]) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    text = stream.read(_CHUNK)
    opening = _OPENING.match(text)
    if not opening:
        raise InputError("not a JSON list")
    at = opening.end()
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if text.startswith("]", at):
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            following = beginning.search(text, at + 1)
            if following:
                yield InputError("broken JSON")
                at = following.start()
                continue
            # Twice as much each time, so that a long element is not tried again and again.
            more = stream.read(max(_CHUNK, len(text) - at)) if len(text) - at < MAX_BYTES else ""
            if not more:
                raise InputError("broken JSON: the list does not end") from None
            text, at = text[at:] + more, 0
            continue
        yield InputError("not UTF-8") if _NOT_UTF8.search(text, at, end) else value
        at = end
