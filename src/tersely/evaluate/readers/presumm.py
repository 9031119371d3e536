"""The tokenized JSON shards of PreSumm and BertSum (Liu and Lapata, 2019)."""

import json
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.readers._shared import Item, files, files_or_error, make_document
from tersely.evaluate.record import Record
from tersely.io.lines import MAX_BYTES, Fault, open_unpacked
from tersely.text import Language

__all__ = ["Presumm"]

_PACKED = re.compile(r"\.json(\.gz|\.zst)?$")
_ENDINGS = (".json", ".json.gz", ".json.zst")
_LOOK = 4096
_CHUNK = 1 << 18
_OPENING = re.compile(r"\s*\[")
_GAP = re.compile(r"[\s,]*")
# How a record begins, to find the next one after a broken one. Within a string the quotes would be escaped.
_RECORD = re.compile(r'\{\s*"(?:src|tgt)"\s*:')
# What `surrogateescape` makes of bytes that are not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class Presumm:
    """PreSumm's JSON shards, such as `cnndm.test.0.json`, with `src` and `tgt`: lists of tokenized sentences.

    Each file is one list of `{"src": [[token, ...], ...], "tgt": [[token, ...], ...]}`. The tokens of a sentence are
    joined by spaces; the id is the name of the shard and the number of the record in it, from 0: `cnndm.test.0.17`. The
    path is a shard, a pattern (`cnndm.test.*.json`), or a folder, in which every shard is read, whatever its split.
    PreSumm's `.bert.pt` files are pickles, which can run code when they are loaded, so they are never loaded.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the beginning of the first shard."""
        return _is_pickled(path) or any(map(_looks_right, files(path, *_ENDINGS)[:1]))

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield the records of each shard, in sorted order."""
        if _is_pickled(path):
            raise InputError(f"{path}: .pt files are pickles, which are never loaded: use PreSumm's .json files")
        for file in files_or_error(path, *_ENDINGS):
            shard = _PACKED.sub("", file.name)
            for item in _elements(file):
                if isinstance(item, Fault):
                    yield item
                    continue
                number, value = item
                try:
                    made: Item = _record(value, f"{shard}.{number - 1}", language)
                except InputError as error:
                    made = Fault(file, number, str(error))
                yield made


def _is_pickled(path: Path) -> bool:
    return bool(files(path, ".pt")) and all(file.suffix == ".pt" for file in files(path, ".pt", *_ENDINGS))


def _looks_right(file: Path) -> bool:
    try:
        with open_unpacked(file) as stream:
            head = stream.read(_LOOK).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    except InputError:
        return False
    return head.startswith("[") and bool(_RECORD.match(head[1:].lstrip()))


def _record(value: Any, name: str, language: Language | None) -> Record:
    if not isinstance(value, dict) or "src" not in value:
        raise InputError("no text: there is no 'src'")
    document = make_document(_joined(value["src"], "src"), language, "src")
    reference = _joined(value.get("tgt", []), "tgt")
    return Record(name, document, tuple(each for each in reference if each.strip()))


def _joined(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        raise InputError(f"{name} is not a list of sentences")
    for sentence in value:
        if not isinstance(sentence, list) or not all(isinstance(token, str) for token in sentence):
            raise InputError(f"a sentence of {name} is not a list of tokens")
    return [" ".join(sentence) for sentence in value]


def _elements(path: Path) -> Iterator[tuple[int, Any] | Fault]:
    """Yield each element of a shard with its number from 1."""
    number = 1
    try:
        with open_unpacked(path) as raw, TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as stream:
            for value in _parse(stream):
                yield Fault(path, number, str(value)) if isinstance(value, InputError) else (number, value)
                number += 1
    except InputError as error:
        yield Fault(path, number, str(error))


def _parse(stream: TextIOWrapper) -> Iterator[Any]:
    """Yield the elements of a JSON list piece by piece, as it may be larger than memory."""
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
            following = _RECORD.search(text, at + 1)
            if following:
                yield InputError("broken JSON")
                at = following.start()
                continue
            # Read twice as much each time, so that a long element is not parsed again and again.
            more = stream.read(max(_CHUNK, len(text) - at)) if len(text) - at < MAX_BYTES else ""
            if not more:
                raise InputError("broken JSON: the list does not end") from None
            text, at = text[at:] + more, 0
            continue
        yield InputError("not UTF-8") if _NOT_UTF8.search(text, at, end) else value
        at = end
