"""The documents to train on: read from any files that can be evaluated, cut to their beginning, each kept once."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import InputError, UsageError
from tersely.io.lines import Fault, read_text
from tersely.text import Document, Sentence
from tersely.text.length import count_words

if TYPE_CHECKING:
    from tersely.datasets import Record

# Three sentences to select, and one to leave out.
FEWEST_SENTENCES = 4
FEWEST_DOCUMENTS = 20

_PACKED = ("", ".gz", ".zst")
_TEXTS = tuple(name + packed for name in (".txt", ".md") for packed in _PACKED)

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


def read_records(path: Path, where: Where | None = None) -> "Iterator[Record]":
    """Yield what `tersely evaluate` reads, text files, and all such files below a folder, in sorted order.

    A document that is given as a list of sentences keeps them. Summaries are read where there are any. A record that
    cannot be read is an error; one without a text is left out. `where` applies to the fields of records.
    """
    from tersely.datasets import EMPTY, data_endings, readers

    if not path.exists():
        raise InputError(f"{path} does not exist")
    if path.is_dir() and not readers()["nyt"].accepts(path):
        files = sorted(file for file in path.rglob("*") if file.name.endswith((*_TEXTS, *data_endings())))
        if not files:
            raise InputError(f"{path} has no text files (*.txt) and no files that 'tersely evaluate' reads")
        for file in files:
            yield from read_records(file, where)
    elif path.name.endswith(_TEXTS):
        yield _text_file(path)
    else:
        for item in readers()[_reader(path)].read(path, None):
            if not isinstance(item, Fault):
                if all(_field(item, name) in wanted for name, wanted in (where or {}).items()):
                    yield item
            elif item.reason != EMPTY:
                raise InputError(str(item))


def read_texts(path: Path, where: Where | None = None) -> Iterator[str]:
    """Yield the texts of records."""
    return (record.document.text for record in read_records(path, where))


def _text_file(path: Path) -> "Record":
    from tersely.datasets import Record

    try:
        return Record(path.name, Document.from_text(read_text(path)))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _reader(path: Path) -> str:
    """Return the name of the reader of a file or, for that of the New York Times, of a folder."""
    from tersely.datasets import data_endings, detect

    if path.is_dir():
        return "nyt"
    if not path.name.endswith(data_endings()):
        raise InputError(f"{path} is neither JSONL (.jsonl) nor Parquet (.parquet) nor text (.txt) nor a folder")
    return detect(path, default="jsonl")


def _field(record: "Record", name: str) -> str:
    return str(record.fields.get(name, record.id if name == "id" else None))


def beginning(document: Document, count: int, tokens: int = 0) -> Document:
    """Keep the first sentences and, of these, the ones within the first `tokens` words unless it is 0.

    The text ends with them, so that later words are not seen either. The first sentence is kept however long it is.
    """
    kept: tuple[Sentence, ...] = document.sentences[:count]
    if tokens:
        totals = list(accumulate(map(count_words, document.texts[:count])))
        kept = kept[: max(bisect_right(totals, tokens), 1)]
    if len(kept) == len(document):
        return document
    return Document(document.text[: kept[-1].end], document.language, kept, document.blocks)


@dataclass(frozen=True)
class Corpus:
    """Documents of at least four sentences, each once, and how many were left out; for supervision, their labels.

    The last `validation` documents are those to validate on, if they were given.
    """

    documents: tuple[Document, ...]
    short: int = 0
    repeated: int = 0
    labels: tuple[tuple[int, ...], ...] = ()
    validation: int = 0

    @classmethod
    def read(
        cls,
        paths: Iterable[Path],
        longest: int,
        limit: int = 0,
        where: Where | None = None,
        tokens: int = 0,
        fewest: int = FEWEST_DOCUMENTS,
    ) -> "Corpus":
        """Read documents, and keep the beginning of each; at most `limit` unless it is 0."""
        records = (record for path in paths for record in read_records(path, where))
        return cls.of(((beginning(record.document, longest, tokens), ()) for record in records), limit, fewest)

    @classmethod
    def labeled(
        cls,
        records: "Iterable[Record]",
        longest: int,
        count: int,
        limit: int = 0,
        tokens: int = 0,
        fewest: int = FEWEST_DOCUMENTS,
    ) -> "Corpus":
        """Label the `count` sentences per document that a greedy oracle chooses when it sees the summary."""
        from tersely.evaluate.systems import Oracle
        from tersely.options import Budget

        oracle, budget = Oracle(), Budget(count, "sentences")
        with_summary = (record for record in records if record.reference)
        first = next(with_summary, None)
        if first is None:
            raise InputError("supervised training needs documents with summaries, and none of these has one")
        cut = (replace(one, document=beginning(one.document, longest, tokens)) for one in chain([first], with_summary))
        choices = ((record.document, tuple(oracle.choose(record, budget))) for record in cut)
        return cls.of(choices, limit, fewest)

    @classmethod
    def of(
        cls,
        labeled: Iterable[tuple[Document, tuple[int, ...]]],
        limit: int = 0,
        fewest: int = FEWEST_DOCUMENTS,
    ) -> "Corpus":
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
        if len(kept) < fewest:
            raise InputError(_too_few(read, len(kept), fewest, short, single))
        documents, marked = zip(*kept.values(), strict=True)
        return cls(documents, short, repeated, marked if any(marked) else ())

    def validated_on(self, other: "Corpus") -> "Corpus":
        """Return this corpus with other documents to validate on; those are left out of training if they are in it."""
        theirs = {document.text for document in other.documents}
        own = [i for i, document in enumerate(self.documents) if document.text not in theirs]
        if not own:
            raise InputError("every document to train on is in the file to validate on: give another one")
        return Corpus(
            (*(self.documents[i] for i in own), *other.documents),
            self.short + other.short,
            self.repeated + other.repeated + len(self.documents) - len(own),
            (*(self.labels[i] for i in own), *(other.labels or ((),) * len(theirs))) if self.labels else (),
            len(other.documents),
        )

    def split(self, held_out: float) -> tuple[Sequence[int], Sequence[int]]:
        """Return the documents to train on and those to validate on: the given ones, or some spread over the corpus."""
        numbers = range(len(self.documents))
        if self.validation:
            return numbers[: -self.validation], numbers[-self.validation :]
        every = max(2, round(1 / held_out))
        return [i for i in numbers if i % every], [i for i in numbers if not i % every]


def _too_few(read: int, kept: int, fewest: int, short: int, single: int) -> str:
    message = f"{kept} documents of {FEWEST_SENTENCES} or more sentences are too few: at least {fewest} "
    message += f"{'are' if fewest > 1 else 'is'} needed, better thousands; {read} were read"
    if single and single == read:
        return message + ", each of a single sentence: does every 'text' hold a whole document?"
    return message + (f", {short} of them too short" if short else "")
