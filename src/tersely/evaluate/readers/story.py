"""CNN/DailyMail as first published: one file per story (Hermann et al., 2015)."""

import re
from collections.abc import Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers._shared import Item, files, files_or_error, make_document
from tersely.evaluate.record import Record
from tersely.io.lines import Fault, read_text
from tersely.text import Language

__all__ = ["Story"]

_HIGHLIGHT = re.compile(r"^[^\S\n]*@highlight[^\S\n]*$", re.MULTILINE)


class Story:
    """CNN/DailyMail `.story` files: paragraphs, then `@highlight` blocks.

    The article is everything before the first line `@highlight`, in paragraphs separated by blank lines. Each such
    line is followed by one highlight, which is one sentence of the reference. Both are verbatim: a lead-in such as
    `(CNN) -- ` is kept, and a missing full stop, as in most highlights, is not added. The id is the name of the file
    without its ending. The path is a `.story` file, a pattern, or a folder of such files (`cnn/stories`).
    """

    def accepts(self, path: Path) -> bool:
        """Look at the ending of the first file."""
        return any(file.suffix == ".story" for file in files(path, ".story")[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per file."""
        for file in files_or_error(path, ".story"):
            try:
                item: Item = _record(file, language)
            except InputError as error:
                item = Fault(file, 1, str(error))
            yield item


def _record(file: Path, language: Language | None) -> Record:
    article, *highlights = _HIGHLIGHT.split(read_text(file))
    document = make_document(article.strip(), language, "article")
    return Record(file.stem, document, tuple(each.strip() for each in highlights if each.strip()))
