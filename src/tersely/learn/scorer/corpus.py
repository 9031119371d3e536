"""The documents that a scorer is trained on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tersely.errors import InputError
from tersely.learn.texts import Where, read_texts
from tersely.text import Document, Sentence

# Three sentences to select, and one to leave.
FEWEST_SENTENCES = 4
FEWEST_DOCUMENTS = 20


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
        texts = (text for path in paths for text in read_texts(path, where or {}))
        return cls.of(((beginning(Document.from_text(text), longest), ()) for text in texts), limit)

    @classmethod
    def of(cls, labeled: Iterable[tuple[Document, tuple[int, ...]]], limit: int = 0) -> "Corpus":
        """Keep what can be trained on of documents and the sentences that are labeled in them.

        A document that was there before is left out: it could be in training and in validation at once.
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
    """Keep the first sentences; the text ends with them, so that words beyond are not seen either."""
    if len(document) <= count:
        return document
    kept: tuple[Sentence, ...] = document.sentences[:count]
    return Document(document.text[: kept[-1].end], document.language, kept)


def _too_few(read: int, kept: int, short: int, single: int) -> str:
    message = f"{kept} documents of {FEWEST_SENTENCES} or more sentences are too few: at least {FEWEST_DOCUMENTS} "
    message += f"are needed, and thousands are good; {read} were read"
    if single and single == read:
        return message + ", each of one sentence only: is a whole document in each 'text'?"
    return message + (f", {short} of them shorter" if short else "")
