"""The New York Times articles of Durrett et al. (2016)."""

import re
from collections.abc import Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers.conll import is_conll, sentences
from tersely.evaluate.readers.fields import make_document
from tersely.evaluate.readers.files import listing, read_text
from tersely.evaluate.readers.item import Fault, Item
from tersely.evaluate.record import Record
from tersely.text import Document, Language, split_sentences

__all__ = ["Nyt"]

_DOCUMENTS = re.compile(r"(.+_)?(?:corefner|text|texts|documents|docs|articles)")
_ABSTRACTS = ("abstracts", "abstract", "summaries")
_CLAUSE = re.compile(r"(?<=;)\s+")


class Nyt:
    """A folder of documents and one of abstracts, with one file an article, of the same name in both.

    The layout is that of `berkeley-doc-summarizer`, whose preprocessing makes it from LDC2008T19:

        nyt/eval_corefner/1818952     nyt/train_corefner/...
        nyt/eval_abstracts/1818952    nyt/train_abstracts/...

    The folder of documents is named `corefner`, `text`, `texts`, `documents`, `docs` or `articles`, that of
    abstracts `abstracts`, `abstract` or `summaries`; both may begin with the same split and `_`. The path is the
    folder that holds such a pair, or, where there are several, the folder of documents: `nyt/eval_corefner`. A
    file is in the CoNLL-2012 format, as there, or plain text. The clauses of a plain abstract, which `; ` parts,
    are sentences of the reference; they are verbatim, marks such as `(M)` at the end included. The id is the name
    of the file without its ending. Which articles are in the split is told by the files alone: none is left out.
    """

    def accepts(self, path: Path) -> bool:
        """Tell by the names of the folders."""
        return bool(_pairs(path))

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read one record a document."""
        pairs = _pairs(path)
        if not pairs:
            raise InputError(f"{path} holds no pair of folders such as text and abstracts")
        if len(pairs) > 1:
            raise InputError(f"{path} holds {len(pairs)} folders of documents: give one, such as {pairs[0][0]}")
        documents, abstracts = pairs[0]
        for file in listing(documents):
            if file.is_file() and not file.name.startswith("."):
                yield _item(file, abstracts / file.name, language)


def _pairs(path: Path) -> list[tuple[Path, Path]]:
    """Return the folders of documents at `path` that have a folder of abstracts beside them."""
    if not path.is_dir():
        return []
    # A path such as `.` or `..` does not show the name of the folder.
    path = path if path.name.strip(".") else path.resolve()
    found = []
    for folder in [path, *listing(path)]:
        name = _DOCUMENTS.fullmatch(folder.name)
        if name and folder.is_dir():
            beside = (folder.parent / f"{name[1] or ''}{each}" for each in _ABSTRACTS)
            found += [(folder, abstracts) for abstracts in beside if abstracts.is_dir()][:1]
    return found


def _item(file: Path, abstract: Path, language: Language | None) -> Item:
    at = file
    try:
        text = read_text(file)
        document = make_document(sentences(text) if is_conll(text) else text, language, "text")
        at = abstract
        reference = _reference(read_text(abstract), document)
    except InputError as error:
        return Fault(at, 1, str(error))
    return Record(file.stem, document, reference)


def _reference(text: str, document: Document) -> tuple[str, ...]:
    if is_conll(text):
        found = sentences(text)
    else:
        split = (text[start:end] for start, end in split_sentences(text, document.language))
        found = [clause for sentence in split for clause in _CLAUSE.split(sentence)]
    if not found:
        raise InputError("the abstract is empty")
    return tuple(found)
