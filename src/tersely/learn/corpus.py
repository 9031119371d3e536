"""The documents to train on: read from files, cut to their beginning, without repetitions."""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import InputError, UsageError
from tersely.io.lines import Fault, read_text
from tersely.text import Document, Sentence
from tersely.text.length import TokenCounter, count_words

if TYPE_CHECKING:
    from tersely.datasets import Record

# Three sentences to select, and one to leave out.
FEWEST_SENTENCES = 4
FEWEST_DOCUMENTS = 20

_PACKED = ("", ".gz", ".zst")
_TEXTS = tuple(name + packed for name in (".txt", ".md") for packed in _PACKED)

# For each field, the values that a record may have.
Conditions = Mapping[str, Collection[str]]


def read_conditions(arguments: Iterable[str]) -> Conditions:
    """Parse conditions on records; several values of one field are alternatives.

    >>> read_conditions(["source=news", "source=law"])
    {'source': ['news', 'law']}
    """
    values: dict[str, list[str]] = {}
    for condition in arguments:
        field, equals, value = condition.partition("=")
        if not equals:
            raise UsageError(f"--where takes FIELD=VALUE, such as source=news, not '{condition}'")
        values.setdefault(field, []).append(value)
    return values


def read_records(path: Path, conditions: Conditions | None = None) -> "Iterator[Record]":
    """Yield the records of a file that `tersely evaluate` reads, of a text file, or of all such files in a folder.

    A document that is given as a list of sentences keeps them. Summaries are read where there are any. A record that
    cannot be read is an error; one without a text is left out. `conditions` apply to the fields of records.
    """
    from tersely.datasets import EMPTY, data_endings, readers

    if not path.exists():
        raise InputError(f"{path} does not exist")
    if path.is_dir() and not readers()["nyt"].accepts(path):
        endings = (*_TEXTS, *data_endings())
        files = sorted(file for file in path.rglob("*") if file.name.endswith(endings) or _is_document(file))
        if not files:
            raise InputError(f"{path} has no files that 'tersely summarize' or 'tersely evaluate' reads")
        for file in files:
            try:
                yield from read_records(file, conditions)
            except InputError as error:
                if not _is_document(file):
                    raise
                sys.stderr.write(f"tersely: left out: {error}\n")  # a scan among the letters does not stop the rest
    elif path.name.endswith(_TEXTS):
        yield _text_file(path)
    elif _is_document(path):
        yield from _documents(path)
    else:
        for item in readers()[_reader(path)].read(path, None):
            if not isinstance(item, Fault):
                if all(_field(item, name) in values for name, values in (conditions or {}).items()):
                    yield item
            elif item.reason != EMPTY:
                raise InputError(str(item))


def read_texts(path: Path, conditions: Conditions | None = None) -> Iterator[str]:
    """Yield the texts of records."""
    return (record.document.text for record in read_records(path, conditions))


def _text_file(path: Path) -> "Record":
    from tersely.datasets import Record

    try:
        return Record(path.name, Document.from_text(read_text(path)))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _is_document(path: Path) -> bool:
    from tersely.extract import is_document

    return is_document(path.name) and not path.name.endswith(_TEXTS) and path.is_file()


def _documents(path: Path) -> "Iterator[Record]":
    """Yield the document in a file, such as a PDF or an e-mail; each message of a mailbox is one."""
    from tersely.datasets import Record
    from tersely.extract.source import read_source

    file = read_source(str(path))
    if file.form != "mbox":
        yield Record(path.name, file.document())
        return
    messages = groupby(file.blocks, key=lambda block: file.place(block.start).get("message"))
    for number, group in messages:
        blocks = list(group)
        start, end = blocks[0].start, blocks[-1].end
        moved = tuple(block._replace(start=block.start - start, end=block.end - start) for block in blocks)
        yield Record(f"{path.name}:{number}", Document.split(file.text[start:end], moved, file.language))


def _reader(path: Path) -> str:
    """Return the name of the reader of a file; a folder is that of the New York Times."""
    from tersely.datasets import data_endings, detect

    if path.is_dir():
        return "nyt"
    if not path.name.endswith(data_endings()):
        raise InputError(f"{path} is no file that 'tersely summarize' or 'tersely evaluate' reads, and no folder")
    return detect(path, default="jsonl")


def _field(record: "Record", name: str) -> str:
    return str(record.fields.get(name, record.id if name == "id" else None))


def beginning(document: Document, count: int, tokens: int = 0, count_tokens: TokenCounter = count_words) -> Document:
    """Keep the first `count` sentences and, of these, the ones within the first `tokens` unless it is 0.

    `count_tokens` counts the tokens of a sentence, by default its words. The text ends with them, so that later words
    are not seen either. The first sentence is kept however long it is.
    """
    sentences: tuple[Sentence, ...] = document.sentences[:count]
    if tokens:
        used = 0
        for place, text in enumerate(document.texts[:count]):
            used += count_tokens(text)
            if place and used > tokens:
                sentences = sentences[:place]
                break
    if len(sentences) == len(document):
        return document
    return Document(document.text[: sentences[-1].end], document.language, sentences, document.blocks)


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
        conditions: Conditions | None = None,
        tokens: int = 0,
        fewest: int = FEWEST_DOCUMENTS,
        count_tokens: TokenCounter = count_words,
    ) -> "Corpus":
        """Read the documents in `paths`, and keep the beginning of each.

        A document keeps at most `longest` sentences and `tokens`, which `count_tokens` counts. At most `limit`
        documents are read, unless it is 0; fewer than `fewest` are an error. `conditions` select records.
        """
        records = (record for path in paths for record in read_records(path, conditions))
        cut = ((beginning(record.document, longest, tokens, count_tokens), ()) for record in records)
        return cls.of(cut, limit, fewest)

    @classmethod
    def labeled(
        cls,
        records: "Iterable[Record]",
        longest: int,
        count: int,
        limit: int = 0,
        tokens: int = 0,
        fewest: int = FEWEST_DOCUMENTS,
        count_tokens: TokenCounter = count_words,
    ) -> "Corpus":
        """Label the `count` sentences per document that a greedy oracle chooses when it sees the summary.

        `records` without a summary are left out; the other arguments are those of `read`.
        """
        from tersely.evaluate.systems import Oracle
        from tersely.options import Budget

        oracle, budget = Oracle(), Budget(count, "sentences")
        with_summary = (record for record in records if record.reference)
        first = next(with_summary, None)
        if first is None:
            raise InputError("supervised training needs documents with summaries, and none of these has one")
        cut = (
            replace(record, document=beginning(record.document, longest, tokens, count_tokens))
            for record in chain([first], with_summary)
        )
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
        documents_by_text: dict[str, tuple[Document, tuple[int, ...]]] = {}
        read = short = single = repeated = 0
        for document, labels in labeled:
            read += 1
            single += len(document) < 2
            short += len(document) < FEWEST_SENTENCES
            repeated += document.text in documents_by_text
            if len(document) >= FEWEST_SENTENCES:
                documents_by_text.setdefault(document.text, (document, labels))
            if limit and len(documents_by_text) == limit:
                break
        if len(documents_by_text) < fewest:
            raise InputError(_too_few(read, len(documents_by_text), fewest, short, single))
        documents, marked = zip(*documents_by_text.values(), strict=True)
        return cls(documents, short, repeated, marked if any(marked) else ())

    def validated_on(self, validation: "Corpus") -> "Corpus":
        """Return this corpus with the documents of another one to validate on, and never train on these."""
        theirs = {document.text for document in validation.documents}
        learning = [i for i, document in enumerate(self.documents) if document.text not in theirs]
        if not learning:
            raise InputError("every document to train on is in the file to validate on: give another one")
        return Corpus(
            (*(self.documents[i] for i in learning), *validation.documents),
            self.short + validation.short,
            self.repeated + validation.repeated + len(self.documents) - len(learning),
            (*(self.labels[i] for i in learning), *(validation.labels or ((),) * len(theirs))) if self.labels else (),
            len(validation.documents),
        )

    def split(self, held_out: float) -> tuple[Sequence[int], Sequence[int]]:
        """Return the numbers of the documents to train on and to validate on.

        Without documents to validate on, a share `held_out` of the corpus, spread over it, is used.
        """
        return split(len(self.documents), self.validation, held_out)


def split(count: int, validation: int = 0, held_out: float = 0.1) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of the documents to train on and to validate on: the last `validation`, or a share of all.

    >>> split(6, validation=2)
    (range(0, 4), range(4, 6))
    """
    numbers = range(count)
    if validation:
        return numbers[:-validation], numbers[-validation:]
    every = max(2, round(1 / held_out))
    return [i for i in numbers if i % every], [i for i in numbers if not i % every]


def _too_few(read: int, usable: int, fewest: int, short: int, single: int) -> str:
    message = f"{usable} documents of {FEWEST_SENTENCES} or more sentences are too few: at least {fewest} "
    message += f"{'are' if fewest > 1 else 'is'} needed, better thousands; {read} were read"
    if single and single == read:
        return message + ", each of a single sentence: does every 'text' hold a whole document?"
    return message + (f", {short} of them too short" if short else "")
