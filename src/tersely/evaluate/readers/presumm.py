"""The tokenized JSON shards of PreSumm and BertSum (Liu and Lapata, 2019)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.readers.fields import make_document
from tersely.evaluate.readers.files import files, files_or_error, open_bytes
from tersely.evaluate.readers.item import Fault, Item
from tersely.evaluate.readers.json_array import elements
from tersely.evaluate.record import Record
from tersely.text import Language

__all__ = ["Presumm"]

_ENDINGS = (".json", ".json.gz")
_RECORD = re.compile(r'\{\s*"(?:src|tgt)"\s*:')
_LOOK = 4096


class Presumm:
    """PreSumm's JSON shards, `cnndm.test.0.json`: `src` and `tgt`, lists of sentences of tokens.

    Each file is one list of `{"src": [[token, ...], ...], "tgt": [[token, ...], ...]}`. A sentence is its tokens
    with a space between; the id is the name of the shard and the number of the record in it, from 0:
    `cnndm.test.0.17`. The path is a shard, a pattern (`cnndm.test.*.json`), or a folder, all of whose shards are
    read, whatever their split. PreSumm's `.bert.pt` files are pickles, which can run code when loaded: they are
    never loaded.
    """

    def accepts(self, path: Path) -> bool:
        """Tell by how the first shard begins."""
        return _is_pickled(path) or any(map(_looks_right, files(path, *_ENDINGS)[:1]))

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read the shards in sorted order."""
        if _is_pickled(path):
            raise InputError(f"{path}: .pt files are pickles, which are never loaded: give PreSumm's .json files")
        for file in files_or_error(path, *_ENDINGS):
            shard = file.name.removesuffix(".gz").removesuffix(".json")
            for item in elements(file, _RECORD):
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
        with open_bytes(file) as stream:
            head = stream.read(_LOOK).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    except InputError:
        return False
    return head.startswith("[") and bool(_RECORD.match(head[1:].lstrip()))


def _record(value: Any, name: str, language: Language | None) -> Record:
    if not isinstance(value, dict) or "src" not in value:
        raise InputError("no text: 'src' is not given")
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
