"""Word and OpenDocument texts, presentations, EPUB books and RTF."""

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zipfile import ZipFile

from tersely.errors import InputError, MissingExtraError
from tersely.extract import RawFile
from tersely.extract._markup import blocks_of, html_tree
from tersely.extract._plain import decode
from tersely.extract.extracted import Contents, Label, Piece, at_most, pieces_by_lines

if TYPE_CHECKING:
    from tersely.text.blocks import Kind

# Limits far above the longest books: bytes of mark-up, bytes with pictures, and files in the archive.
MAX_MARKUP, MAX_UNPACKED, MAX_MEMBERS = 50_000_000, 400_000_000, 20_000
_MAX_RTF = 20_000_000
_RTF_BREAK = re.compile(r"(?<!\\)(?=\{|\\f\d)")
_RTF_BINARY = re.compile(rb"\\bin(\d{1,9}) ?")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".svg", ".ttf", ".otf", ".bin")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BREAKS = {f"{_W}tab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
# The beginnings of the names of Word's built-in styles.
_STYLES: "dict[str, Kind]" = {"list": "item", "caption": "caption", "quote": "quote", "intense quote": "quote"}
_OFFICE, _TEXT, _TABLE = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("office", "text", "table")
)
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_XMLENC = b"http://www.w3.org/2001/04/xmlenc#"


def read_docx(file: RawFile) -> Contents:
    """Read a Word document: its body with headings, lists and tables, as if all changes to it were accepted."""
    try:
        from docx import Document
        from lxml.etree import strip_elements
    except ImportError:
        raise MissingExtraError("reading a Word document", "files") from None
    with _opened(file.data):
        document = Document(BytesIO(file.data))
    body = document.element.body
    strip_elements(body, _FALLBACK, with_tail=False)  # what older programs would show
    styles = {style.style_id: (style.name or "").casefold() for style in document.styles}
    return Contents(at_most(_paragraphs(body, styles)))


def _paragraphs(body: Any, styles: dict[str, str]) -> Iterator[Piece]:
    for element in body:
        if element.tag == f"{_W}p":
            yield _paragraph(element, styles)
        elif element.tag == f"{_W}tbl":
            for row in element.iter(f"{_W}tr"):
                cells = (" ".join(map(_text_of, cell.iterchildren(f"{_W}p"))) for cell in row.iterchildren(f"{_W}tc"))
                yield Piece("row", " | ".join(filter(None, (" ".join(cell.split()) for cell in cells))))
        elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):  # parts that can be filled in or are new
            yield from _paragraphs(element, styles)


def _paragraph(element: Any, styles: dict[str, str]) -> Piece:
    text = _text_of(element)
    properties = next(element.iterchildren(f"{_W}pPr"), None)
    if properties is None:
        return Piece("prose", text)
    reference = properties.find(f"{_W}pStyle")
    style = "" if reference is None else styles.get(reference.get(f"{_W}val", ""), "")
    if style.startswith(("heading", "title", "subtitle")):
        return Piece("heading", text, {"title": 1, "subtitle": 2}.get(style) or _digit(style))
    kind: Kind = next((kind for name, kind in _STYLES.items() if style.startswith(name)), "prose")
    listed = kind == "prose" and properties.find(f"{_W}numPr") is not None
    return Piece("item" if listed else kind, text)


def _digit(style: str) -> int:
    return int(style[-1]) if style[-1].isdigit() and style[-1] != "0" else 1


def _text_of(paragraph: Any) -> str:
    """Return the text of a paragraph; deleted words have another tag."""
    runs = paragraph.iter(f"{_W}t", *_BREAKS)
    return "".join([_BREAKS.get(run.tag) or run.text or "" for run in runs]).strip()


def read_odt(file: RawFile) -> Contents:
    """Read an OpenDocument text: its body with headings, lists and tables, without notes and deleted words."""
    with _opened(file.data) as archive:
        root = _xml(archive.read("content.xml"), "an OpenDocument text")
    body = root.find(f"{{*}}body/{_OFFICE}text")
    return Contents([] if body is None else list(_odt_blocks(body, "prose")))


def _odt_blocks(parent: Any, kind: "Kind") -> Iterator[Piece]:
    for element in parent.iterchildren(f"{_TEXT}*", f"{_TABLE}*"):
        name = element.tag.rpartition("}")[2]
        if name == "h":
            level = element.get(f"{_TEXT}outline-level", "1")
            yield Piece("heading", _odt_text(element), min(int(level), 6) if level.isdecimal() else 1)
        elif name == "p":
            style = element.get(f"{_TEXT}style-name", "").casefold()
            caption: Kind = "caption" if style in ("caption", "figure", "illustration") else kind
            yield Piece(caption, _odt_text(element))
        elif name == "table":
            for row in element.iter(f"{_TABLE}table-row"):
                cells = (" ".join(_odt_text(cell).split()) for cell in row.iterchildren(f"{_TABLE}table-cell"))
                yield Piece("row", " | ".join(filter(None, cells)))
        elif name in ("list", "list-item", "list-header", "section"):
            yield from _odt_blocks(element, kind if name == "section" else "item")


def _odt_text(element: Any) -> str:
    """Return the text of a paragraph; notes, comments and deleted words are no part of it."""
    from lxml.etree import iterwalk

    texts: list[str] = []
    walk = iterwalk(element, events=("start", "end"))
    for event, part in walk:
        name = part.tag.rpartition("}")[2] if isinstance(part.tag, str) else "annotation"
        if event == "start" and name in ("note", "annotation", "tracked-changes"):
            walk.skip_subtree()
        elif event == "start":
            blank = {"s": " ", "tab": " ", "line-break": "\n"}.get(name, "")
            texts += [blank, part.text or ""]
        if event == "end" and part is not element:
            texts.append(("\n" if name == "p" else "") + (part.tail or ""))
    return "".join(texts)


def read_pptx(file: RawFile) -> Contents:
    """Read the slides of a presentation in their order: titles are headings, paragraphs are items."""
    pieces: list[Piece] = []
    with _opened(file.data) as archive:
        names = set(archive.namelist())
        relations = _xml(archive.read("ppt/_rels/presentation.xml.rels"), "a presentation")
        targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
        order = _xml(archive.read("ppt/presentation.xml"), "a presentation").iter(f"{_P}sldId")
        for number, slide in enumerate(order, 1):
            name = posixpath.normpath(posixpath.join("/ppt", targets.get(slide.get(f"{_R}id"), ""))).lstrip("/")
            if name in names:
                pieces += _slide(_xml(archive.read(name), "a presentation"), {"slide": number})
    return Contents(pieces)


def _slide(slide: Any, label: Label) -> Iterator[Piece]:
    marks = ((0, label),)
    for shape in slide.iter(f"{_P}sp", f"{_A}tr"):
        if shape.tag == f"{_A}tr":
            cells = (" ".join(_slide_text(cell).split()) for cell in shape.iterchildren(f"{_A}tc"))
            yield Piece("row", " | ".join(filter(None, cells)), marks=marks)
            continue
        place = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
        role = "" if place is None else place.get("type", "body")
        if role in ("dt", "ftr", "sldNum", "hdr"):  # on every slide
            continue
        if role in ("title", "ctrTitle"):
            yield Piece("heading", " ".join(_slide_text(shape).split()), 1, marks=marks)
            continue
        for paragraph in shape.iter(f"{_A}p"):
            yield Piece("item" if role == "body" else "prose", _slide_text(paragraph), marks=marks)


def _slide_text(element: Any) -> str:
    """Return the text of paragraphs; a line break, and the end of a paragraph, is a space."""
    parts = element.iter(f"{_A}t", f"{_A}br", f"{_A}p")
    return "".join(part.text or "" if part.tag == f"{_A}t" else " " for part in parts).strip()


def read_epub(file: RawFile) -> Contents:
    """Read the chapters of a book in their order."""
    with _opened(file.data) as book:
        names = set(book.namelist())
        # Other ways to encrypt only hide fonts.
        if "META-INF/encryption.xml" in names and _XMLENC in book.read("META-INF/encryption.xml"):
            raise InputError("is protected against copying: its text cannot be read")
        return Contents(at_most(_read_chapters(book, names)))


def _read_chapters(book: ZipFile, names: set[str]) -> Iterator[Piece]:
    # A book that names a chapter many times would grow without end; no reader is to show it twice.
    for number, chapter in enumerate(dict.fromkeys(_chapters(book)), 1):
        if chapter in names:
            label: Label = {"chapter": number}
            yield from blocks_of(html_tree(decode(book.read(chapter))[0]), label)


def _chapters(book: ZipFile) -> Iterator[str]:
    """Yield the names of a book's chapters, in the order in which they are read."""
    roots = [root.get("full-path") for root in _xml(book.read("META-INF/container.xml")).iter("{*}rootfile")]
    if not roots or not roots[0]:
        raise InputError("is no readable EPUB: it does not say where its chapters are")
    package = _xml(book.read(roots[0]))
    items = {
        item.get("id"): unquote(item.get("href", ""))
        for item in package.iter("{*}item")
        if "html" in item.get("media-type", "") and "nav" not in item.get("properties", "").split()
    }
    for reference in package.iter("{*}itemref"):
        if items.get(reference.get("idref")) and reference.get("linear") != "no":
            yield posixpath.normpath(posixpath.join(posixpath.dirname(roots[0]), items[reference.get("idref")]))


def _xml(data: bytes, title: str = "an EPUB") -> Any:
    """Parse XML; entities stay as they are, and nothing that it names is loaded."""
    try:
        from lxml.etree import XMLParser, fromstring
    except ImportError:
        raise MissingExtraError(f"reading {title}", "files") from None
    return fromstring(data, XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def read_rtf(file: RawFile) -> Contents:
    """Read an RTF file; its lines show what its blocks are."""
    try:
        from striprtf import striprtf
    except ImportError:
        raise MissingExtraError("reading an RTF file", "files") from None
    if len(file.data) > _MAX_RTF:
        raise InputError(f"is an RTF file of more than {_MAX_RTF // 1_000_000} MB: save it as DOCX first")
    # Line breaks mean nothing in RTF, but end what the library searches, which could take forever.
    lines = _RTF_BREAK.sub("\n", _without_binary(file.data).decode("latin-1"))
    text: str = striprtf.rtf_to_text(lines, errors="replace")
    # Each line is a paragraph; a single line feed would read as a wrapped line.
    return Contents(at_most(map(_row, pieces_by_lines("\n\n".join(text.splitlines())))))


def _row(piece: Piece) -> Piece:
    """Return a row for a line in which the library put a bar after each cell, and any other piece as it is."""
    if not piece.text.endswith("|"):
        return piece
    return Piece("row", " | ".join(cell.strip() for cell in piece.text[:-1].split("|")))


def _without_binary(data: bytes) -> bytes:
    """Leave out pictures that are not written in hexadecimal digits."""
    pieces, at = [], 0
    for picture in _RTF_BINARY.finditer(data):
        if picture.start() >= at:
            pieces.append(data[at : picture.start()])
            at = picture.end() + int(picture[1])
    return b"".join([*pieces, data[at:]])


@contextmanager
def _opened(data: bytes) -> Iterator[ZipFile]:
    """Open an archive, unless the sizes that it announces are beyond any document; zipfile unpacks no more."""
    with ZipFile(BytesIO(data)) as archive:
        members = archive.infolist()
        markup = sum(member.file_size for member in members if not member.filename.lower().endswith(_PICTURES))
        size = sum(member.file_size for member in members)
        if len(members) > MAX_MEMBERS or markup > MAX_MARKUP or size > MAX_UNPACKED:
            raise InputError(f"unpacks to more than {MAX_MARKUP // 1_000_000} MB of text: it is no ordinary document")
        if any(member.flag_bits & 1 for member in members):
            raise InputError("is encrypted: save it without a password first")
        yield archive
