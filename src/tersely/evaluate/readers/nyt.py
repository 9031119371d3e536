"""The New York Times articles of Durrett et al. (2016)."""

import re
from collections.abc import Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers._shared import Item, listing, make_document
from tersely.evaluate.record import Record
from tersely.io.lines import Fault, read_text
from tersely.text import Document, Language, split_sentences

__all__ = ["Nyt"]

_DOCUMENTS = re.compile(r"(.+_)?(?:corefner|text|texts|documents|docs|articles)")
_ABSTRACTS = ("abstracts", "abstract", "summaries")
_CLAUSE = re.compile(r"(?<=;)\s+")
_BEGIN, _END = "#begin document", "#end document"
_WORD = 3
# CoNLL-2012 escapes brackets, as the Penn Treebank does.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


class Nyt:
    """A folder of documents and a folder of abstracts, with one file per article, named alike in both.

    The layout is that of `berkeley-doc-summarizer`, whose preprocessing makes it from LDC2008T19:

        nyt/eval_corefner/1818952     nyt/train_corefner/...
        nyt/eval_abstracts/1818952    nyt/train_abstracts/...

    The folder of documents is named `corefner`, `text`, `texts`, `documents`, `docs` or `articles`, that of abstracts
    `abstracts`, `abstract` or `summaries`; both may start with the same split and `_`. The path is the folder that
    holds such a pair or, if it holds several, the folder of documents: `nyt/eval_corefner`. Files are in the CoNLL-2012
    format, as there, or plain text. A plain abstract is split at `; ` into clauses, which are the sentences of the
    reference; they are verbatim, including marks such as `(M)` at the end. The id is the name of the file without its
    ending. Every file in the folder is read: which articles belong to the split is up to you.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the names of the folders."""
        return bool(_pairs(path))

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per document."""
        pairs = _pairs(path)
        if not pairs:
            raise InputError(f"{path} holds no pair of folders such as text and abstracts")
        if len(pairs) > 1:
            raise InputError(f"{path} holds {len(pairs)} folders of documents: choose one, such as {pairs[0][0]}")
        documents, abstracts = pairs[0]
        for file in listing(documents):
            if file.is_file() and not file.name.startswith("."):
                yield _item(file, abstracts / file.name, language)


def _pairs(path: Path) -> list[tuple[Path, Path]]:
    """Return the folders of documents at `path`, each with the folder of abstracts beside it."""
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
        document = make_document(_conll_sentences(text) if _is_conll(text) else text, language, "text")
        at = abstract
        reference = _reference(read_text(abstract), document)
    except InputError as error:
        return Fault(at, 1, str(error))
    return Record(file.stem, document, reference)


def _reference(text: str, document: Document) -> tuple[str, ...]:
    if _is_conll(text):
        found = _conll_sentences(text)
    else:
        split = (text[start:end] for start, end in split_sentences(text, document.language))
        found = [clause for sentence in split for clause in _CLAUSE.split(sentence)]
    if not found:
        raise InputError("the abstract is empty")
    return tuple(found)


def _is_conll(text: str) -> bool:
    return text.startswith(_BEGIN)


def _conll_sentences(text: str) -> list[str]:
    """Return the sentences of a CoNLL-2012 file, with a space between words.

    Each line is a word, in the fourth of its columns, which white space separates; a blank line ends a sentence.

    >>> _conll_sentences("#begin document (1); part 000\\n1 0 0 It\\n1 0 1 rains\\n\\n1 0 0 -LRB-\\n#end document\\n")
    ['It rains', '(']
    """
    found: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((_BEGIN, _END)):
            continue
        columns = line.split()
        if not columns:
            found.append([])
        elif len(columns) <= _WORD:
            raise InputError(f"line {number} has no column of words")
        else:
            found[-1].append(_BRACKETS.get(columns[_WORD], columns[_WORD]))
    return [" ".join(words) for words in found if words]
