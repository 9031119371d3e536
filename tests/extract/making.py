"""Files of every form, made by hand: small, and exactly as hard as a test needs them."""

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from tersely.extract import Extracted

Line = tuple[float, float, float, str]  # x, y, size of the font, text


def pdf(pages: Sequence[Sequence[Line]], more: str = "", packed: bytes = b"") -> bytes:
    """Return a PDF whose pages have lines at given places; `more` goes into the trailer."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[5 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)"
        b"/Supplement 2>>/FontDescriptor 6 0 R>>",
        b"<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880"
        b"/Descent -120/CapHeight 880/StemV 93>>",
    ]
    kids = []
    for lines in pages:
        kids.append(f"{len(objects) + 1} 0 R")
        body, how = (packed, "/Filter/FlateDecode") if packed else (b"".join(map(_shown, lines)), "")
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R/G 4 0 R>>>>"
            + f"/Contents {len(objects) + 2} 0 R>>".encode()
        )
        objects.append(f"<</Length {len(body)}{how}>>stream\n".encode() + body + b"\nendstream")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    return _file(objects, more)


def _shown(line: Line) -> bytes:
    x, y, size, text = line
    if text.isascii() or not any(ord(letter) > 0x2E80 for letter in text):
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
        return f"BT /F {size} Tf {x} {y} Td (".encode() + escaped + b") Tj ET\n"
    return f"BT /G {size} Tf {x} {y} Td <{text.encode('utf-16be').hex()}> Tj ET\n".encode()


def _file(objects: Sequence[bytes], more: str) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer<</Size {len(objects) + 1}/Root 1 0 R{more}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def set_lines(lines: Sequence[str], x: float = 72, top: float = 760, size: float = 10, lead: float = 14) -> list[Line]:
    """Set lines below each other."""
    return [(x, top - lead * i, size, text) for i, text in enumerate(lines)]


def archive(files: dict[str, str | bytes]) -> bytes:
    """Return a zip archive."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def epub(chapters: Sequence[str], more: dict[str, str | bytes] | None = None) -> bytes:
    """Return a book; the names of its chapters have a space in them."""
    items = "".join(
        f'<item id="c{i}" href="text/part%20{i}.xhtml" media-type="application/xhtml+xml"/>'
        for i in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    page = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
            f"<spine>{order}</spine></package>",
            **{f"OPS/text/part {i}.xhtml": page.format(chapter) for i, chapter in enumerate(chapters)},
            **(more or {}),
        }
    )


def docx() -> bytes:
    """Return a Word document with a heading, a list, a table, a caption, and words that were added and deleted."""
    from docx import Document
    from docx.oxml import parse_xml

    made = Document()
    made.add_heading("Harbor report", 0)
    made.add_heading("2 Methods", 1)
    changed = made.add_paragraph("We asked all ")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    changed._p.append(parse_xml(f"<w:del {space}><w:r><w:delText>old </w:delText></w:r></w:del>"))
    changed._p.append(parse_xml(f"<w:ins {space}><w:r><w:t>swimmers.</w:t></w:r></w:ins>"))
    made.add_paragraph("Towels were dry.", style="List Bullet")
    table = made.add_table(2, 2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ("Year", "Fish", "1990", "12"), strict=True
    ):
        cell.text = text
    made.add_paragraph("Figure 1: A fish", style="Caption")
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def blocks(extracted: Extracted) -> list[tuple[str, str]]:
    """Return the kinds and the texts of blocks."""
    return [(block.kind, extracted.text[block.start : block.end]) for block in extracted.blocks]


def labels(extracted: Extracted) -> list[dict[str, str | int]]:
    """Return where each part stands in its file."""
    return [place.label for place in extracted.places]


def article(number: int) -> list[Line]:
    """Return a page of two columns, with a running header and a number."""
    word = "zero one two three".split()[number]
    column = ["The council met to discuss the inter-", "national harbor. A well-known man and a well-"]
    return [
        (72, 810, 8, "Journal of Harbors"),
        (72, 770, 18, f"Part {word}"),
        *set_lines([*column, f"known woman of {word} agreed."], top=740),
        *set_lines(["Nobody voted against it,", "not even the mayor."], x=310, top=740),
        (290, 40, 8, f"Page {number} of 3"),
    ]
