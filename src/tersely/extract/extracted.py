"""The text that was taken out of a file, and where its parts stand in that file."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tersely.errors import InputError
from tersely.text.blocks import Block, Kind, Part, join_parts

if TYPE_CHECKING:
    from tersely.extract import Form
    from tersely.text.document import Document, Sentence
    from tersely.text.language import Language

Label = dict[str, str | int]
# Ten times what the longest books have; each block takes time in all that follows.
MAX_BLOCKS = 100_000
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_BREAKS = re.compile(r" ?\n\s*")


class Placed(NamedTuple):
    """A span of the extracted text, `text[start:end]`, and where it stands in the file.

    The label has a page, a time, a row or a section, or several of them: `{"page": 3, "section": "2 Methods"}`.
    """

    start: int
    end: int
    label: Label


class Piece(NamedTuple):
    """A block as a reader finds it. Each of its `marks` is an offset and the label of the place from there on.

    No sentence ends within the spans of `unbroken`, such as inline code.
    """

    kind: Kind
    text: str
    level: int = 0
    speaker: str = ""
    marks: tuple[tuple[int, Label], ...] = ()
    unbroken: tuple[tuple[int, int], ...] = ()


@dataclass
class Contents:
    """What a reader finds in a file: pieces, or a text whose lines show its blocks, and notes for the user."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class Extracted:
    """The text of a file, its blocks, and where each part of it stands in the file.

    `form` is what the file is, such as "pdf". `notes` are lines for the reader, such as "read as GB18030". `language`
    is the detected language of the text. No sentence ends within the spans of `unbroken`.
    """

    form: "Form"
    text: str
    blocks: tuple[Block, ...]
    places: tuple[Placed, ...]
    notes: tuple[str, ...]
    language: "Language"
    unbroken: tuple[tuple[int, int], ...] = ()

    def document(self, language: "Language | None" = None) -> "Document":
        """Return the text as a document to summarize, in the detected language unless another one is given."""
        from tersely.text.document import Document

        blocks = self.blocks
        if self.form == "text" and language not in (None, self.language):
            from tersely.text.split import find_blocks

            blocks = find_blocks(self.text, language)  # which lines are headings depends on the language
        document = Document.split(self.text, blocks, language or self.language)
        if not self.unbroken:
            return document
        return replace(document, sentences=tuple(_rejoined(document.sentences, self.unbroken)))

    def place(self, at: int) -> Label:
        """Return the label of the place of the character at `at`; it may be empty."""
        i = bisect_right(self._starts, at) - 1
        return self.places[i].label if i >= 0 and at < self.places[i].end else {}

    @cached_property
    def _starts(self) -> list[int]:
        return [place.start for place in self.places]


def at_most(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces of a document, unless they are more than anybody writes."""
    several = list(islice(pieces, MAX_BLOCKS + 1))
    if len(several) > MAX_BLOCKS:
        raise InputError(f"has more than {MAX_BLOCKS:,} paragraphs: split it into documents first")
    return several


def tidied(text: str) -> str:
    """Return a text without needless white space; line breaks stay.

    >>> tidied(" It \\t rains. \\n\\n It snows. ")
    'It rains.\\nIt snows.'
    """
    # Blanks first: a line break would otherwise be looked for after each blank of a long row of them.
    return _BREAKS.sub("\n", _BLANKS.sub(" ", text)).strip()


def as_text(text: str) -> Extracted:
    """Return a text that needs no reading."""
    return assemble("text", Contents(text=text))


def pieces_by_lines(text: str) -> list[Piece]:
    """Return the pieces of a text by the form of its lines."""
    return _pieces(text, blocks_by_lines(text)[1])


def _pieces(text: str, blocks: Iterable[Block]) -> list[Piece]:
    return [Piece(block.kind, text[block.start : block.end], block.level, block.speaker) for block in blocks]


def blocks_by_lines(text: str) -> "tuple[Language, tuple[Block, ...]]":
    """Return the language of a text, and its blocks by the form of its lines."""
    from tersely.text.language import detect_language
    from tersely.text.split import find_blocks

    language = detect_language(text)
    return language, find_blocks(text, language)


def assemble(form: "Form", contents: Contents) -> Extracted:
    """Join the pieces of a file, and say where each stands; a heading names the section that it begins."""
    from tersely.text.language import detect_language

    if form == "text":
        text = contents.text
        language, blocks = blocks_by_lines(text)
        pieces = _pieces(text, blocks)
    else:
        pieces = [piece._replace(text=text) for piece in contents.pieces if (text := piece.text.strip())]
        text, blocks = join_parts(
            Part(piece.kind, piece.text, piece.speaker, piece.level, _time(piece)) for piece in pieces
        )
        language = detect_language(text)
    places = tuple(_joined(_places(pieces, blocks)))
    spans = tuple(
        (block.start + start, block.start + end)
        for piece, block in zip(pieces, blocks, strict=True)
        for start, end in piece.unbroken
    )
    return Extracted(form, text, blocks, places, tuple(contents.notes), language, spans)


def _rejoined(sentences: "Iterable[Sentence]", spans: Iterable[tuple[int, int]]) -> "Iterator[Sentence]":
    """Join sentences again that were parted within one of the spans; both are in the order of the text."""
    waiting = iter(spans)
    start, end = next(waiting, (0, 0))
    last: Sentence | None = None
    for sentence in sentences:
        while end and last is not None and end <= last.end:
            start, end = next(waiting, (0, 0))
        if last is not None and start < last.end < end:
            last = last._replace(end=sentence.end)
            continue
        if last is not None:
            yield last
        last = sentence
    if last is not None:
        yield last


def _time(piece: Piece) -> str:
    return str(piece.marks[0][1].get("time", "")) if piece.marks else ""


def _places(pieces: Iterable[Piece], blocks: Iterable[Block]) -> Iterable[Placed]:
    section: Label = {}
    for piece, block in zip(pieces, blocks, strict=True):
        if piece.kind == "heading":
            section = {"section": " ".join(piece.text.strip("#=*_ \t").split())}
        marks = piece.marks or ((0, {}),)
        ends = [block.start + offset for offset, _ in marks[1:]] + [block.end]
        start = block.start
        for (_, label), end in zip(marks, ends, strict=True):
            if end > start:
                yield Placed(start, end, {**label, **section})
            start = max(start, end)


def _joined(places: Iterable[Placed]) -> Iterable[Placed]:
    """Join neighbors with the same label, and leave out those without one."""
    last: Placed | None = None
    for place in places:
        if last is not None and last.label == place.label:
            last = last._replace(end=place.end)
            continue
        if last is not None and last.label:
            yield last
        last = place
    if last is not None and last.label:
        yield last
