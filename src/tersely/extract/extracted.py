"""The text that was taken out of a file, and where its parts stand in that file."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tersely.text.blocks import Block, Kind, Part, join_parts

if TYPE_CHECKING:
    from tersely.extract.forms import Form
    from tersely.text.document import Document
    from tersely.text.language import Language

Label = dict[str, str | int]


class Placed(NamedTuple):
    """A span of the extracted text, `text[start:end]`, and where it stands in the file.

    The label has a page, a time, a row or a section, or several of them: `{"page": 3, "section": "2 Methods"}`.
    """

    start: int
    end: int
    label: Label


class Piece(NamedTuple):
    """A block as a reader finds it. From each offset in `marks` on, it stands at the place of that label."""

    kind: Kind
    text: str
    level: int = 0
    speaker: str = ""
    marks: tuple[tuple[int, Label], ...] = ()


@dataclass
class Reading:
    """What a reader finds in a file: pieces, or a text whose blocks its lines show, and what is worth saying."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class Extracted:
    """The text of a file, its blocks, and where each part of it stands in the file.

    `form` is what the file is, such as "pdf". `notes` are lines for the reader, such as "read as GB18030".
    """

    form: "Form"
    text: str
    blocks: tuple[Block, ...]
    places: tuple[Placed, ...]
    notes: tuple[str, ...]

    def document(self, language: "Language | None" = None) -> "Document":
        """Return the text as a document to summarize; the language is detected unless given."""
        from tersely.text.document import Document

        if self.form == "text":
            return Document.from_text(self.text, language)
        parts = (Part(kind, self.text[start:end], speaker, level) for kind, start, end, speaker, level in self.blocks)
        return Document.from_blocks(parts, language)

    def place(self, at: int) -> Label:
        """Return the label of the place at which a character of the text stands; it may be empty."""
        i = bisect_right(self._starts, at) - 1
        return self.places[i].label if i >= 0 and at < self.places[i].end else {}

    @cached_property
    def _starts(self) -> list[int]:
        return [place.start for place in self.places]


def as_text(text: str) -> Extracted:
    """Return a text that needs no reading."""
    return assemble("text", Reading(text=text))


def pieces_by_lines(text: str) -> list[Piece]:
    """Return the pieces of a text by the form of its lines."""
    return _pieces(text, blocks_by_lines(text))


def _pieces(text: str, blocks: Iterable[Block]) -> list[Piece]:
    return [Piece(kind, text[start:end], level, speaker) for kind, start, end, speaker, level in blocks]


def blocks_by_lines(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text by the form of its lines."""
    from tersely.text.language import detect_language
    from tersely.text.split import find_blocks

    return find_blocks(text, detect_language(text))


def assemble(form: "Form", reading: Reading) -> Extracted:
    """Join the pieces of a reading, and say where each stands; a heading names the section that it begins."""
    if form == "text":
        text, blocks = reading.text, blocks_by_lines(reading.text)
        pieces = _pieces(text, blocks)
    else:
        pieces = [piece._replace(text=text) for piece in reading.pieces if (text := piece.text.strip())]
        text, blocks = join_parts(Part(kind, own, speaker, level) for kind, own, level, speaker, _ in pieces)
    return Extracted(form, text, blocks, tuple(_joined(_places(pieces, blocks))), tuple(reading.notes))


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
