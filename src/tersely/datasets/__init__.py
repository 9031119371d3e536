"""Datasets of texts and their summaries, in the formats in which they are published.

Training and evaluation read all data through `read` and `readers`. A format is one class, a `DatasetReader`, in
`json_lines` or `articles`; nothing else lists the formats.
"""

import re
import sys
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from tersely.errors import InputError, UsageError, unknown_name
from tersely.io.lines import Fault
from tersely.options import Budget, Unit
from tersely.text import LANGUAGES, Document, Language, Sentence, split_sentences
from tersely.text.language import HAN, KANA
from tersely.text.length import TokenCounter, count_words

# The reason of a fault that training ignores: it has no use for a document without text.
EMPTY = "the document is empty"
# The modules with readers. They import this one, so they are imported when a dataset is first read.
_MODULES = ("json_lines", "articles")
# A Han character is a word by itself; any other word ends at the next white space or Han character.
_REST_OF_WORD = re.compile(rf"(?<=[{HAN}{KANA}])|[^\s{HAN}{KANA}]*")


@dataclass(frozen=True)
class Record:
    """A document, the sentences of its reference, and the indices of labeled sentences if the dataset has them.

    `fields` has whatever else the dataset says about the document, under the dataset's names.
    """

    id: str
    document: Document
    reference: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict, hash=False)


class DatasetReader(ABC):
    """Reads one format; a subclass is all that a new format needs.

    `name` is what `--reader` takes, and `endings` are the endings of the format's files.
    """

    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def accepts(self, path: Path) -> bool:
        """Tell whether the data at `path` looks like this format."""

    @abstractmethod
    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield one record at a time, or a fault in place of a record that cannot be read.

        Without a `language`, that of each text is detected.
        """

    def files(self, path: Path) -> list[Path]:
        """List the files of this format at a path, which may be a file, a folder or a pattern."""
        return find_files(path, *self.endings)

    def files_or_error(self, path: Path) -> list[Path]:
        """List the files of this format at a path; there must be at least one."""
        files = self.files(path)
        if not files:
            raise InputError(f"{path} holds no {' or '.join(self.endings)} file")
        return files


@cache
def readers() -> Mapping[str, DatasetReader]:
    """Return the readers of all formats by their names, in alphabetical order."""
    modules = [import_module(f"{__name__}.{module}") for module in _MODULES]
    types = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    formats = (part for part in types if issubclass(part, DatasetReader) and hasattr(part, "name"))
    return {part.name: part() for part in sorted(formats, key=lambda part: part.name)}


def data_endings() -> tuple[str, ...]:
    """Return the endings of the files of all formats."""
    return tuple(ending for reader in readers().values() for ending in reader.endings)


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

    `path` is a file, a folder, or a pattern such as `3.0.0/test-*.parquet`; files are read in sorted order. The
    format is detected unless `reader` names it, and so is the `language` of each text. A record that cannot be read
    is skipped, and `report` gets one line `path:line: reason`; with `strict`, that line is raised as an `InputError`.
    At most `limit` records are read.
    """
    place = Path(path)
    if language is not None and language not in LANGUAGES:
        raise unknown_name("language", language, LANGUAGES)
    if limit is not None and limit < 0:
        raise UsageError(f"the limit of records is {limit}: it cannot be below 0")
    try:
        exists = place.exists() or (_is_pattern(place) and bool(find_files(place)))
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}") from None
    if not exists:
        raise InputError(f"{place} does not exist")
    name = reader or detect(place)
    if name not in readers():
        raise unknown_name("reader", name, list(readers()))
    return islice(_records(readers()[name].read(place, language), strict, report), limit)


def detect(path: Path, default: str | None = None) -> str:
    """Return the name of the reader that fits the data at `path`, or the `default` if there is one and none fits.

    Readers for files with the ending of `path` are tried first, then all others.
    """
    names = list(readers())
    for name in sorted(names, key=lambda name: not path.name.endswith(readers()[name].endings)):
        if readers()[name].accepts(path):
            return name
    if default is not None:
        return default
    if path.is_file() and path.stat().st_size == 0:
        raise InputError(f"{path} is empty")
    raise InputError(f"{path} is in no known format: choose a reader from {', '.join(names)}")


def _records(items: Iterator[Record | Fault], strict: bool, report: Callable[[str], None]) -> Iterator[Record]:
    for item in items:
        if not isinstance(item, Fault):
            yield item
        elif strict:
            raise InputError(str(item))
        else:
            report(str(item))


def find_files(path: Path, *endings: str) -> list[Path]:
    """List the files at a path in sorted order: the file itself, a folder's files with these `endings`, or matches."""
    if path.is_dir():
        return [file for file in list_folder(path) if file.name.endswith(endings) and file.is_file()]
    if path.exists():
        return [path]
    return sorted(file for file in path.parent.glob(path.name) if file.is_file()) if _is_pattern(path) else []


def list_folder(folder: Path) -> list[Path]:
    """List the contents of a folder in sorted order."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from None


def _is_pattern(path: Path) -> bool:
    """Tell whether the last part of a path is a pattern such as `test-*.parquet`."""
    return not path.exists() and any(mark in path.name for mark in "*?[")


def make_document(value: Any, language: Language | None, name: str) -> Document:
    """Make a document from a text or from a list of sentences; blank sentences are dropped.

    `name` is the field that holds `value`, for errors.
    """
    if isinstance(value, str):
        document = Document.from_text(value, language)
    else:
        document = Document.from_sentences(_strings(value, name), language)
    if not document.sentences:
        raise InputError(EMPTY)
    return document


def make_reference(value: Any, language: Language, name: str) -> tuple[str, ...]:
    """Return the sentences of a reference: a text is split, a list is not."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value[start:end] for start, end in split_sentences(value, language))
    return tuple(_strings(value, name))


def make_id(value: Any, default: str) -> str:
    """Return an id as a string."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise InputError("id is neither a string nor a whole number")
    return default if value is None or value == "" else str(value)


def _strings(value: Any, name: str) -> list[str]:
    """Return the strings of a list, stripped; blank ones are dropped."""
    if not isinstance(value, list):
        raise InputError(f"{name} is neither a string nor a list of strings")
    for i, text in enumerate(value):
        if not isinstance(text, str):
            raise InputError(f"{name}[{i}] is not a string")
    return [text.strip() for text in value if text.strip()]


@dataclass(frozen=True)
class SourceLimits:
    """Limits on the sentences that a system gets to see; the text and the reference stay whole.

    They apply in PreSumm's order: sentences of fewer than `min_words` words are dropped, longer ones are cut after
    `max_words` words, the first `max_sentences` remain, and of these the ones within the first `max_tokens` tokens.
    A document never becomes empty: if no sentence has `min_words` words, all remain, and the first sentence remains
    however many tokens it has. Tokens are words unless `count_tokens` counts something else.

    The paper uses `SourceLimits(max_tokens=512)`, PreSumm `SourceLimits(512, 100, min_words=6, max_words=200)`.
    """

    max_tokens: int | None = None
    max_sentences: int | None = None
    min_words: int = 0
    max_words: int | None = None
    count_tokens: TokenCounter = field(default=count_words, repr=False)

    def __post_init__(self) -> None:
        for name in ("max_tokens", "max_sentences", "max_words"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}: it must be at least 1")
        if self.min_words < 0 or (self.max_words is not None and self.max_words < self.min_words):
            raise UsageError(f"min_words is {self.min_words}: it must be between 0 and max_words")

    def apply(self, record: Record) -> Record:
        """Return the record with the sentences that remain; labels of dropped sentences are dropped."""
        usable = islice(self._usable(record.document), self.max_sentences)
        remaining = list(self._within_tokens(record.document, usable))
        places = {index: place for place, (index, _) in enumerate(remaining)}
        labels = tuple(places[label] for label in record.labels if label in places)
        document = replace(record.document, sentences=tuple(sentence for _, sentence in remaining))
        return replace(record, document=document, labels=labels)

    def _usable(self, document: Document) -> Iterator[tuple[int, Sentence]]:
        """Yield each sentence that is long enough, cut if it is too long, with its index."""
        lengths = [count_words(text) for text in document.texts]
        shortest = self.min_words if max(lengths, default=0) >= self.min_words else 0
        for index, (sentence, length) in enumerate(zip(document.sentences, lengths, strict=True)):
            if length < shortest:
                continue
            if self.max_words is not None and length > self.max_words:
                yield index, _cut(document.text, sentence, self.max_words)
            else:
                yield index, sentence

    def _within_tokens(
        self, document: Document, sentences: Iterator[tuple[int, Sentence]]
    ) -> Iterator[tuple[int, Sentence]]:
        used = 0
        for place, (index, sentence) in enumerate(sentences):
            if self.max_tokens is not None:
                used += self.count_tokens(document.text[sentence.start : sentence.end])
                if place and used > self.max_tokens:
                    return
            yield index, sentence


def _cut(text: str, sentence: Sentence, words: int) -> Sentence:
    """End a sentence after this number of words."""
    uncut = text[sentence.start : sentence.end]
    # The shortest beginning with that many words ends inside the last of them.
    size = bisect_left(range(len(uncut)), words, key=lambda size: count_words(uncut[:size]))
    rest = _REST_OF_WORD.match(uncut, size)
    return Sentence(sentence.start, sentence.start + (rest.end() if rest else size))


@dataclass(frozen=True)
class DevSet:
    """A file of documents with references, and the budgets at which summaries are measured.

    Its folder is that of its language unless `folder` names another. With `alternatives`, a list of references is
    several summaries instead of the sentences of one.
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

# The dev sets of the quality reports.
SUITE = (
    DevSet("dev_cnndm", "en", _ENGLISH),
    DevSet("dev_cnn", "en", _ENGLISH),
    DevSet("dev_inshorts", "en", (*_ENGLISH, Budget(58, "words"))),
    DevSet("dev_bbc", "en", (*_ENGLISH, Budget(170, "words"))),
    DevSet("dev_xinwenlianbo", "zh", _chars(100, 150, 200)),
    DevSet("dev_pku", "zh", _chars(100, 150, 200)),
    DevSet("dev_cail", "zh", _chars(200, 300)),
)


def _genre(name: str, limit: int, unit: Unit) -> DevSet:
    language: Language = "fr" if name.startswith("fr") else "id" if name.startswith("id") else "en"
    return DevSet(name, language, (Budget(limit, unit),), "genres", alternatives=True)


# Other kinds of text than news, and news in other languages; each at the length of its references.
KINDS = (
    _genre("en_email", 1, "sentences"),
    _genre("en_tldr", 1, "sentences"),
    _genre("en_pubmed", 210, "words"),
    _genre("en_acl", 160, "words"),
    _genre("en_judgement_in", 600, "words"),
    _genre("en_earnings", 60, "words"),
    _genre("en_meeting_qmsum", 110, "words"),
    _genre("en_dialogue", 25, "words"),
    _genre("en_story", 400, "words"),
    _genre("fr_news", 40, "words"),
    _genre("id_news", 50, "words"),
)

__all__ = ["EMPTY", "KINDS", "SUITE", "DatasetReader", "DevSet", "Record", "SourceLimits", "detect", "read", "readers"]
