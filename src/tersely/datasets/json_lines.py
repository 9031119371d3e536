"""Datasets in JSON: lines of texts and summaries, CNewSum, and the shards of PreSumm."""

import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, ClassVar

from tersely.datasets import EMPTY, DatasetReader, Record, find_files, make_document, make_id, make_reference, readers
from tersely.errors import InputError
from tersely.io import lines
from tersely.io.lines import MAX_BYTES, Fault, Object, open_unpacked
from tersely.text import Document, Language
from tersely.text.language import HAN

_READ = {"id", "text", "article", "summary"}
_TOKENIZED = re.compile(rf"[{HAN}] +[{HAN}]")
_SPACE = re.compile(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])")

_PACKED = re.compile(r"\.json(\.gz|\.zst)?$")
# Bytes at the beginning of a shard that show its format.
_HEAD = 4096
_CHUNK = 1 << 18
_OPENING = re.compile(r"\s*\[")
_GAP = re.compile(r"[\s,]*")
# How a record begins, to find the next one after a broken one. Within a string the quotes would be escaped.
_RECORD = re.compile(r'\{\s*"(?:src|tgt)"\s*:')
# What `surrogateescape` makes of bytes that are not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class JsonLinesReader(DatasetReader):
    """Reads JSON Lines with one document per line; `keys` are those by which a special format is recognized."""

    endings = (".jsonl", ".jsonl.gz", ".jsonl.zst")
    keys: ClassVar[frozenset[str]] = frozenset()

    def accepts(self, path: Path) -> bool:
        """Look at the keys of the first object."""
        first = next((lines.first_object(file) for file in self.files(path)), None)
        if first is None:
            return False
        if self.keys:
            return self.keys <= first.keys()
        special = (reader.keys for reader in readers().values() if isinstance(reader, JsonLinesReader))
        return not any(keys and keys <= first.keys() for keys in special)

    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield one record per line."""
        files = self.files_or_error(path)
        for file in files:
            # The default id is the number of the line, so with several files it needs the name of the file.
            prefix = f"{file.name}:" if len(files) > 1 else ""
            for item in lines.read_objects(file):
                if isinstance(item, Fault):
                    yield item
                    continue
                number, value = item
                try:
                    record: Record | Fault = self.record(value, f"{prefix}{number}", language)
                except InputError as error:
                    record = Fault(file, number, str(error))
                yield record

    @abstractmethod
    def record(self, value: Object, default_id: str, language: Language | None) -> Record:
        """Make a record of the object of one line; `default_id` is for an object without an id."""


class Jsonl(JsonLinesReader):
    """JSON Lines (plain, gzip or zstd) with `text` or `article`, `summary` and `id`.

    The document is `text`, or else `article`. The document and `summary` are each a string, which is split into
    sentences, or a list of sentences, which is kept. `summary` and `id` are optional: without `id`, it is the number
    of the line. Other keys become the record's `fields`. The path is a file, a pattern, or a folder of `.jsonl`,
    `.jsonl.gz` or `.jsonl.zst` files.
    """

    name = "jsonl"

    def record(self, value: Object, default_id: str, language: Language | None) -> Record:
        """Make a record of the object of one line."""
        key = "article" if value.get("text") is None else "text"
        if value.get(key) is None:
            raise InputError("no text: there is neither 'text' nor 'article'")
        document = make_document(value[key], language, key)
        reference = make_reference(value.get("summary"), document.language, "summary")
        fields = {name: content for name, content in value.items() if name not in _READ}
        return Record(make_id(value.get("id"), default_id), document, reference, fields=fields)


class Cnewsum(JsonLinesReader):
    """CNewSum's JSON Lines with `article`, `summary`, `label` and `id` (Wang et al., 2021).

    The files are `CNewSum_v2/final/test.simple.label.jsonl` and the like: `article` is a list of sentences, `summary` a
    string, and `label` lists the indices, from 0, of the sentences that the extractive oracle chose; they become the
    labels of the record. The sentences are tokenized, with a space after each token. These spaces come from the
    tokenizer and would count against a budget in characters, so a record with a space between two Han characters loses
    all spaces except those between two Latin letters (`New York`). Any other record is kept verbatim. The language is
    Chinese unless another one is given.
    """

    name = "cnewsum"
    keys = frozenset(("article", "label"))

    def record(self, value: Object, default_id: str, language: Language | None) -> Record:
        """Make a record of the object of one line."""
        sentences, summary = value.get("article"), value.get("summary")
        if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
            raise InputError("article is not a list of strings")
        if any(map(_TOKENIZED.search, sentences)):
            sentences = [_SPACE.sub("", sentence) for sentence in sentences]
            summary = _SPACE.sub("", summary) if isinstance(summary, str) else summary
        indices = [i for i, sentence in enumerate(sentences) if sentence.strip()]
        if not indices:
            raise InputError(EMPTY)
        document = Document.from_sentences([sentences[i].strip() for i in indices], language or "zh")
        reference = make_reference(summary, document.language, "summary")
        return Record(make_id(value.get("id"), default_id), document, reference, _labels(value, sentences, indices))


def _labels(value: Object, sentences: Sequence[str], indices: list[int]) -> tuple[int, ...]:
    """Return the labels of an article, whose sentences at `indices` are the sentences of its document."""
    labels = value.get("label")
    if labels is None:
        return ()
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        raise InputError("label is not a list of indices")
    for label in labels:
        if not 0 <= label < len(sentences):
            raise InputError(f"label {label} is not the index of a sentence")
    places = {index: place for place, index in enumerate(indices)}
    return tuple(places[label] for label in labels if label in places)


class Presumm(DatasetReader):
    """PreSumm's JSON shards, such as `cnndm.test.0.json`, with `src` and `tgt`: lists of tokenized sentences.

    Each file is one list of `{"src": [[token, ...], ...], "tgt": [[token, ...], ...]}`. The tokens of a sentence are
    joined by spaces; the id is the name of the shard and the number of the record in it, from 0: `cnndm.test.0.17`. The
    path is a shard, a pattern (`cnndm.test.*.json`), or a folder, in which every shard is read, whatever its split.
    PreSumm (Liu and Lapata, 2019) also has `.bert.pt` files. They are pickles, which can run code when they are
    loaded, so they are never loaded.
    """

    name = "presumm"
    endings = (".json", ".json.gz", ".json.zst")

    def accepts(self, path: Path) -> bool:
        """Look at the beginning of the first shard."""
        return self._is_pickled(path) or any(map(_is_shard, self.files(path)[:1]))

    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield the records of each shard, in sorted order."""
        if self._is_pickled(path):
            raise InputError(f"{path}: .pt files are pickles, which are never loaded: use PreSumm's .json files")
        for file in self.files_or_error(path):
            shard = _PACKED.sub("", file.name)
            for item in _elements(file):
                if isinstance(item, Fault):
                    yield item
                    continue
                number, value = item
                try:
                    record: Record | Fault = _record(value, f"{shard}.{number - 1}", language)
                except InputError as error:
                    record = Fault(file, number, str(error))
                yield record

    def _is_pickled(self, path: Path) -> bool:
        files = find_files(path, ".pt", *self.endings)
        return bool(files) and all(file.suffix == ".pt" for file in files)


def _is_shard(file: Path) -> bool:
    try:
        with open_unpacked(file) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    except InputError:
        return False
    return head.startswith("[") and bool(_RECORD.match(head[1:].lstrip()))


def _record(value: Any, name: str, language: Language | None) -> Record:
    if not isinstance(value, dict) or "src" not in value:
        raise InputError("no text: there is no 'src'")
    document = make_document(_joined(value["src"], "src"), language, "src")
    reference = _joined(value.get("tgt", []), "tgt")
    return Record(name, document, tuple(sentence for sentence in reference if sentence.strip()))


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
