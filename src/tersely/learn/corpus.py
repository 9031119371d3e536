"""The documents to train on: read from files, cut to their first sentences, each kept once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, UsageError
from tersely.io.lines import Fault, read_objects, read_text
from tersely.io.tables import read_rows
from tersely.text import Document, Sentence

if TYPE_CHECKING:
    from tersely.evaluate.record import Record

# Three sentences to select, and one to leave out.
FEWEST_SENTENCES = 4
FEWEST_DOCUMENTS = 20

_PACKED = ("", ".gz", ".zst")
_TEXTS = tuple(name + packed for name in (".txt", ".md") for packed in _PACKED)
_LINES = tuple(name + packed for name in (".jsonl", ".json") for packed in _PACKED)
_TABLE = ".parquet"

# For each field, the values that a record may have.
Where = Mapping[str, Collection[str]]


def read_where(conditions: Iterable[str]) -> Where:
    """Parse conditions on records; several values of one field are alternatives.

    >>> read_where(["source=news", "source=law"])
    {'source': ['news', 'law']}
    """
    found: dict[str, list[str]] = {}
    for condition in conditions:
        field, equals, value = condition.partition("=")
        if not equals:
            raise UsageError(f"--where takes FIELD=VALUE, such as source=news, not '{condition}'")
        found.setdefault(field, []).append(value)
    return found


def read_texts(path: Path, where: Where | None = None) -> Iterator[str]:
    """Yield the texts of a JSONL, Parquet or text file, or of all such files below a folder, in sorted order.

    JSONL and text files may be compressed by gzip or zstd. `where` applies to the records of JSONL and Parquet.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.name.endswith((*_TEXTS, *_LINES, _TABLE)))
        if not files:
            raise InputError(f"{path} has no text files (*.txt), no JSONL files and no Parquet files")
        for file in files:
            yield from read_texts(file, where)
    elif path.name.endswith(_TEXTS):
        try:
            yield read_text(path)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    elif path.name.endswith((*_LINES, _TABLE)):
        for line, record in _records(path, where or {}):
            if any(str(record.get(field)) not in wanted for field, wanted in (where or {}).items()):
                continue
            text = record.get("text")
            if not isinstance(text, str):
                raise InputError(str(Fault(path, line, "no text in the field 'text'")))
            yield text
    else:
        raise InputError(f"{path} is neither JSONL (.jsonl) nor Parquet (.parquet) nor text (.txt) nor a folder")


def _records(path: Path, where: Where) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield records with their numbers, from 1; the first fault ends it."""
    if path.name.endswith(_TABLE):
        rows = enumerate(read_rows(path, ["text"], [field for field in where if field != "text"]), 1)
        try:
            for number, row in rows:
                yield number, {name: scalar.as_py() for name, scalar in row.items()}
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        return
    for item in read_objects(path):
        if isinstance(item, Fault):
            raise InputError(str(item))
        yield item


@dataclass(frozen=True)
class Corpus:
    """Documents of at least four sentences, each once, and how many were left out; for supervision, their labels."""

    documents: tuple[Document, ...]
    short: int = 0
    repeated: int = 0
    labels: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def read(cls, paths: Iterable[Path], longest: int, limit: int = 0, where: Where | None = None) -> "Corpus":
        """Read and split texts, and keep the first `longest` sentences of each; at most `limit` unless it is 0."""
        texts = (text for path in paths for text in read_texts(path, where))
        return cls.of(((beginning(Document.from_text(text), longest), ()) for text in texts), limit)

    @classmethod
    def labeled(cls, records: "Iterable[Record]", longest: int, count: int, limit: int = 0) -> "Corpus":
        """Label the `count` sentences per document that a greedy oracle chooses when it sees the summary."""
        from tersely.budget import Budget
        from tersely.evaluate.systems import Oracle

        oracle, budget = Oracle(), Budget(count, "sentences")
        with_summary = (record for record in records if record.reference)
        first = next(with_summary, None)
        if first is None:
            raise InputError("supervised training needs documents with summaries, and none of these has one")
        cut = (replace(one, document=beginning(one.document, longest)) for one in chain([first], with_summary))
        return cls.of(((record.document, tuple(oracle.choose(record, budget))) for record in cut), limit)

    @classmethod
    def of(cls, labeled: Iterable[tuple[Document, tuple[int, ...]]], limit: int = 0) -> "Corpus":
        """Keep the documents that can be trained on, with the labeled sentences of each.

        A repeated document is left out: it could be in training and in validation at once.
        """
        kept: dict[str, tuple[Document, tuple[int, ...]]] = {}
        read = short = single = repeated = 0
        for document, labels in labeled:
            read += 1
            single += len(document) < 2
            short += len(document) < FEWEST_SENTENCES
            repeated += document.text in kept
            if len(document) >= FEWEST_SENTENCES:
                kept.setdefault(document.text, (document, labels))
            if limit and len(kept) == limit:
                break
        if len(kept) < FEWEST_DOCUMENTS:
            raise InputError(_too_few(read, len(kept), short, single))
        documents, marked = zip(*kept.values(), strict=True)
        return cls(documents, short, repeated, marked if any(marked) else ())

    def split(self, held_out: float) -> tuple[Sequence[int], Sequence[int]]:
        """Return the documents to train on and those to validate on, spread evenly over the corpus."""
        every = max(2, round(1 / held_out))
        numbers = range(len(self.documents))
        return [i for i in numbers if i % every], [i for i in numbers if not i % every]


def beginning(document: Document, count: int) -> Document:
    """Keep the first sentences; the text ends with them, so that later words are not seen either."""
    if len(document) <= count:
        return document
    kept: tuple[Sentence, ...] = document.sentences[:count]
    return Document(document.text[: kept[-1].end], document.language, kept, document.blocks)


def _too_few(read: int, kept: int, short: int, single: int) -> str:
    message = f"{kept} documents of {FEWEST_SENTENCES} or more sentences are too few: at least {FEWEST_DOCUMENTS} "
    message += f"are needed, better thousands; {read} were read"
    if single and single == read:
        return message + ", each of a single sentence: does every 'text' hold a whole document?"
    return message + (f", {short} of them too short" if short else "")
