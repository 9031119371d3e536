"""Datasets of articles in files: stories of CNN/DailyMail, the New York Times, and tables in Parquet."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.datasets import DatasetReader, Record, list_folder, make_document, make_id, make_reference
from tersely.errors import InputError, MissingExtraError
from tersely.io.lines import Fault, read_text
from tersely.io.tables import plain_columns, read_rows
from tersely.text import Document, Language, split_sentences

_HIGHLIGHT = re.compile(r"^[^\S\n]*@highlight[^\S\n]*$", re.MULTILINE)
_COLUMNS = ("article", "text", "highlights", "summary", "id")
_DOCUMENTS = re.compile(r"(.+_)?(?:corefner|text|texts|documents|docs|articles)")
_ABSTRACTS = ("abstracts", "abstract", "summaries")
_CLAUSE = re.compile(r"(?<=;)\s+")
_BEGIN, _END = "#begin document", "#end document"
_WORD = 3  # the column of words in CoNLL-2012
# CoNLL-2012 escapes brackets, as the Penn Treebank does.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


class Story(DatasetReader):
    """CNN/DailyMail `.story` files: paragraphs, then `@highlight` blocks (Hermann et al., 2015).

    The article is everything before the first line `@highlight`, in paragraphs separated by blank lines. Each such
    line is followed by one highlight, which is one sentence of the reference. Both are verbatim: a lead-in such as
    `(CNN) -- ` is kept, and a missing full stop, as in most highlights, is not added. The id is the name of the file
    without its ending. The path is a `.story` file, a pattern, or a folder of such files (`cnn/stories`).
    """

    name = "story"
    endings = (".story",)

    def accepts(self, path: Path) -> bool:
        """Look at the ending of the first file."""
        return any(file.suffix == ".story" for file in self.files(path)[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield one record per file."""
        for file in self.files_or_error(path):
            try:
                record: Record | Fault = _story(file, language)
            except InputError as error:
                record = Fault(file, 1, str(error))
            yield record


def _story(file: Path, language: Language | None) -> Record:
    article, *highlights = _HIGHLIGHT.split(read_text(file))
    document = make_document(article.strip(), language, "article")
    return Record(file.stem, document, tuple(text.strip() for text in highlights if text.strip()))


class Nyt(DatasetReader):
    """A folder of documents and a folder of abstracts, with one file per article, named alike in both.

    The layout is that of `berkeley-doc-summarizer` (Durrett et al., 2016), which makes it from LDC2008T19:

        nyt/eval_corefner/1818952     nyt/train_corefner/...
        nyt/eval_abstracts/1818952    nyt/train_abstracts/...

    The folder of documents is named `corefner`, `text`, `texts`, `documents`, `docs` or `articles`, that of abstracts
    `abstracts`, `abstract` or `summaries`; both may start with the same split and `_`. The path is the folder that
    holds such a pair or, if it holds several, the folder of documents: `nyt/eval_corefner`. Files are in the CoNLL-2012
    format, as there, or plain text. A plain abstract is split at `; ` into clauses, which are the sentences of the
    reference; they are verbatim, including marks such as `(M)` at the end. The id is the name of the file without its
    ending. Every file in the folder is read: which articles belong to the split is up to you.
    """

    name = "nyt"

    def accepts(self, path: Path) -> bool:
        """Look at the names of the folders."""
        return bool(_pairs(path))

    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield one record per document."""
        pairs = _pairs(path)
        if not pairs:
            raise InputError(f"{path} holds no pair of folders such as text and abstracts")
        if len(pairs) > 1:
            raise InputError(f"{path} holds {len(pairs)} folders of documents: choose one, such as {pairs[0][0]}")
        documents, abstracts = pairs[0]
        for file in list_folder(documents):
            if file.is_file() and not file.name.startswith("."):
                yield _article(file, abstracts / file.name, language)


def _pairs(path: Path) -> list[tuple[Path, Path]]:
    """Return the folders of documents at `path`, each with the folder of abstracts beside it."""
    if not path.is_dir():
        return []
    # A path such as `.` or `..` does not show the name of the folder.
    path = path if path.name.strip(".") else path.resolve()
    pairs = []
    for folder in [path, *list_folder(path)]:
        name = _DOCUMENTS.fullmatch(folder.name)
        if name and folder.is_dir():
            beside = (folder.parent / f"{name[1] or ''}{title}" for title in _ABSTRACTS)
            pairs += [(folder, abstracts) for abstracts in beside if abstracts.is_dir()][:1]
    return pairs


def _article(file: Path, abstract: Path, language: Language | None) -> Record | Fault:
    at = file
    try:
        text = read_text(file)
        document = make_document(_conll_sentences(text) if _is_conll(text) else text, language, "text")
        at = abstract
        reference = _abstract(read_text(abstract), document)
    except InputError as error:
        return Fault(at, 1, str(error))
    return Record(file.stem, document, reference)


def _abstract(text: str, document: Document) -> tuple[str, ...]:
    if _is_conll(text):
        sentences = _conll_sentences(text)
    else:
        split = (text[start:end] for start, end in split_sentences(text, document.language))
        sentences = [clause for sentence in split for clause in _CLAUSE.split(sentence)]
    if not sentences:
        raise InputError("the abstract is empty")
    return tuple(sentences)


def _is_conll(text: str) -> bool:
    return text.startswith(_BEGIN)


def _conll_sentences(text: str) -> list[str]:
    """Return the sentences of a CoNLL-2012 file, with a space between words.

    Each line is a word, in the fourth of its columns, which white space separates; a blank line ends a sentence.

    >>> _conll_sentences("#begin document (1); part 000\\n1 0 0 It\\n1 0 1 rains\\n\\n1 0 0 -LRB-\\n#end document\\n")
    ['It rains', '(']
    """
    sentences: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((_BEGIN, _END)):
            continue
        columns = line.split()
        if not columns:
            sentences.append([])
        elif len(columns) <= _WORD:
            raise InputError(f"line {number} has no column of words")
        else:
            sentences[-1].append(_BRACKETS.get(columns[_WORD], columns[_WORD]))
    return [" ".join(words) for words in sentences if words]


class Parquet(DatasetReader):
    """Parquet files with the columns `article`, `highlights` and `id`, or `text`, `summary` and `id`.

    `article` or `text` is split into sentences, or is a list of sentences, which is kept. Each line of `highlights` is
    one sentence of the reference; `summary` is split into sentences unless it is a list. Only the first column is
    needed. Without `id`, it is the name of the file and the number of the row from 0. Other columns of texts and whole
    numbers become the record's `fields`. The path is a file, a pattern (`3.0.0/test-*.parquet`), or a folder, in which
    every file is read, whatever its split. Hugging Face's `cnn_dailymail` has this format.
    """

    name = "parquet"
    endings = (".parquet",)

    def accepts(self, path: Path) -> bool:
        """Look at the ending of the first file."""
        return any(file.suffix == ".parquet" for file in self.files(path)[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Record | Fault]:
        """Yield one record per row."""
        for file in self.files_or_error(path):
            number = 1
            try:
                plain = plain_columns(file)
                text = "text" if "text" in plain and "article" not in plain else "article"
                further = [name for name in plain if name not in _COLUMNS]
                for row in read_rows(file, [text], [name for name in _COLUMNS if name != text] + further):
                    yield _row(file, number, row, text, language)
                    number += 1
            except InputError as error:
                yield Fault(file, number, str(error))
            except MissingExtraError:
                # Two extras bring pyarrow; evaluation needs the rest of this one, too.
                raise MissingExtraError("reading Parquet", "eval") from None


def _row(file: Path, number: int, row: dict[str, Any], text: str, language: Language | None) -> Record | Fault:
    try:
        values = {name: scalar.as_py() for name, scalar in row.items()}
        document = make_document(values[text], language, text)
        name = make_id(values.get("id"), f"{file.stem}.{number - 1}")
        fields = {key: value for key, value in values.items() if key not in _COLUMNS}
        return Record(name, document, _highlights(values, document.language), fields=fields)
    except UnicodeDecodeError:
        return Fault(file, number, "not UTF-8")
    except InputError as error:
        return Fault(file, number, str(error))


def _highlights(values: dict[str, Any], language: Language) -> tuple[str, ...]:
    if "highlights" not in values:
        return make_reference(values.get("summary"), language, "summary")
    if not isinstance(values["highlights"], str):
        raise InputError("highlights is not a string")
    return tuple(filter(None, (line.strip() for line in values["highlights"].splitlines())))
