"""PDF: the lines of its text layer, and where they stand on their pages."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from ctypes import c_int, create_string_buffer
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

from tersely.errors import InputError, MissingExtraError
from tersely.extract import RawFile
from tersely.extract._pages import HYPHEN, PageLine, pieces_of, readable_lines
from tersely.extract.extracted import Contents

# Half a minute of work; a longer file is not one document.
MAX_PAGES = 3_000
MAX_CHARS = 30_000_000
# Bytes to which the streams of text and drawings may unpack. Pictures do not count: nobody unpacks them.
MAX_UNPACKED = 200_000_000
_STEP = 1 << 20
_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 1_000  # bytes before a stream in which its dictionary stands
# PDFium writes one of these marks for a hyphen at the end of a line, where the word goes on in the next line.
_WORD = re.compile(r"([^\s\ufffe\x02]+)([\ufffe\x02]?)")
_BULLET = re.compile(r"[\x7f-\x9f]")  # as it comes from a font that does not say what its letters are
_WRONG_PASSWORD = 4
# The widest gap between two words of a line, in heights of a letter; a wider one begins a column or a cell.
_GAP = 1.5
_FIXED = re.compile(rb"mono|courier|consol|typewriter|cmtt|menlo", re.IGNORECASE)
_LOCK = Lock()  # PDFium works for one thread at a time


class _Word(NamedTuple):
    text: str
    start: float  # the left edge
    end: float  # the right edge
    base: float  # the lower edge of its first letter
    height: float
    at: int


def read_pdf(file: RawFile) -> Contents:
    """Read the text layer of a PDF: paragraphs and headings, without running headers and page numbers."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("reading a PDF", "files") from None
    _check_streams(file.data)
    with _LOCK:
        try:
            document = pypdfium2.PdfDocument(file.data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _WRONG_PASSWORD or "password" in str(error):
                raise InputError("is encrypted: save it without a password first") from None
            raise InputError("is no readable PDF: it is broken or cut off") from None
        try:
            pages = _pages(document)
        finally:
            document.close()
    bare = [number for number, lines in enumerate(pages, 1) if not lines]
    if len(bare) == len(pages):
        raise InputError("has no text layer, as a scan has none: recognize its text first (ocrmypdf)")
    notes = [f"{len(bare)} of {len(pages)} pages have no text, page {bare[0]} first"] if bare else []
    return Contents(pieces_of(readable_lines(pages)), notes)


def _check_streams(data: bytes) -> None:
    """Refuse a file whose streams unpack to far more than anybody writes."""
    room = MAX_UNPACKED
    for stream in _STREAM.finditer(data):
        if data.endswith(b"end", 0, stream.start()):
            continue
        dictionary = data[max(0, stream.start() - _DICTIONARY) : stream.start()].rpartition(b" obj")[2]
        if b"Flate" not in dictionary or b"/Image" in dictionary:
            continue
        if dictionary.count(b"/FlateDecode") > 1:
            raise InputError("is packed twice, as no ordinary PDF is")
        room -= _unpacked_size(data, stream.end(), room)
        if room < 0:
            raise InputError(f"unpacks to more than {MAX_UNPACKED // 1_000_000} MB")


def _unpacked_size(data: bytes, start: int, most: int) -> int:
    """Return the size of a packed stream, or any larger size than `most`."""
    unpack, size, packed = zlib.decompressobj(), 0, memoryview(data)[start:]
    at = 0
    try:
        while size <= most and not unpack.eof and (unpack.unconsumed_tail or at < len(packed)):
            piece = unpack.unconsumed_tail or packed[at : at + _STEP]
            at += 0 if unpack.unconsumed_tail else _STEP
            size += len(unpack.decompress(piece, _STEP))
    except zlib.error:  # encrypted or broken: PDFium says more about it
        pass
    return size


def _pages(document: Any) -> list[list[PageLine]]:
    if len(document) > MAX_PAGES:
        raise InputError(f"has {len(document):,} pages, more than {MAX_PAGES:,}: split it into documents first")
    pages: list[list[PageLine]] = []
    room = MAX_CHARS
    for number in range(len(document)):
        page = document[number]
        letters = page.get_textpage()
        text = _text(letters)
        room -= len(text)
        if room < 0:
            raise InputError(f"has more than {MAX_CHARS // 1_000_000} million characters: split it first")
        pages.append(list(_lines(_words(letters, text), letters, number + 1)))
        letters.close()
        page.close()
    return pages


def _text(letters: Any) -> str:
    """Return the letters of a page; each stands at its number in PDFium."""
    import pypdfium2.raw as raw

    count = letters.count_chars()
    if count <= 0:
        return ""
    text: str = letters.get_text_range()
    if len(text) == count:
        return text
    codes = (raw.FPDFText_GetUnicode(letters, i) for i in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)


def _words(letters: Any, text: str) -> Iterator[_Word]:
    """Yield the words of a page with their places; those that do not run from left to right are left out."""
    import pypdfium2.raw as raw

    box = raw.FS_RECTF()
    for match in _WORD.finditer(text):
        at, end = match.start(), match.end(1) - 1
        raw.FPDFText_GetLooseCharBox(letters, at, box)
        start, base, height = box.left, box.bottom, box.top - box.bottom
        raw.FPDFText_GetLooseCharBox(letters, end, box)
        if height > 0 and box.right > start and abs(box.bottom - base) < height:
            word = "•" if _BULLET.fullmatch(match[1]) else match[1]
            yield _Word(word + (HYPHEN if match[2] else ""), start, box.right, base, height, at)


def _lines(words: Iterator[_Word], letters: Any, page: int) -> Iterator[PageLine]:
    """Join the words that stand on one line, and its columns or cells with each other."""
    import pypdfium2.raw as raw

    cells: list[list[_Word]] = []
    for word in words:
        before = cells[-1][-1] if cells else None
        if before is None or _is_below(before, word) or word.start < before.start:
            if cells:
                yield _line(cells, raw, letters, page)
            cells = [[word]]
        elif word.start - before.end > _GAP * before.height:
            cells.append([word])
        else:
            cells[-1].append(word)
    if cells:
        yield _line(cells, raw, letters, page)


def _is_below(before: _Word, word: _Word) -> bool:
    """Tell whether a word stands on another line; a bullet is small and may stand a little higher or lower."""
    small, large = sorted((before.height, word.height))
    return abs(word.base - before.base) > min(small, large / 2)


def _line(cells: list[list[_Word]], raw: Any, letters: Any, page: int) -> PageLine:
    first, last = cells[0][0], cells[-1][-1]
    sizes: Counter[float] = Counter()  # the number of a footnote is smaller than its text
    for word in chain.from_iterable(cells):
        sizes[round(2 * raw.FPDFText_GetFontSize(letters, word.at) or word.height) / 2] += len(word.text)
    return PageLine(
        page,
        tuple(" ".join(word.text for word in cell) for cell in cells),
        tuple((cell[0].start, cell[-1].end) for cell in cells),
        first.base,
        sizes.most_common(1)[0][0],
        raw.FPDFText_GetFontWeight(letters, first.at) >= 600,
        _is_fixed(raw, letters, first.at) and _is_fixed(raw, letters, last.at),
    )


def _is_fixed(raw: Any, letters: Any, at: int) -> bool:
    """Tell by the name of its font whether a letter is as wide as all others, as in code."""
    name = create_string_buffer(64)
    raw.FPDFText_GetFontInfo(letters, at, name, len(name), c_int())
    return bool(_FIXED.search(name.value))
