"""Takes the text out of files: what its blocks are, and the page, time or section where each part of it stands.

A form of files is one row of `FORMS` and a function `read_<form>` in the module that the row names.
"""

import re
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import PurePath
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from tersely.errors import InputError, TerselyError
from tersely.extract.extracted import Contents, Extracted, Placed, assemble
from tersely.workers import LateLimitError, LimitError, apart

__all__ = ["FORMS", "Extracted", "Form", "Placed", "extract", "extract_apart"]

# fmt: off
Form = Literal[
    "text", "markdown", "html", "pdf", "docx", "odt", "pptx", "epub", "rtf", "srt", "vtt", "eml", "mbox", "csv", "tsv",
    "json", "ipynb", "latex", "rst", "asciidoc",
]
# fmt: on


class _Form(NamedTuple):
    """What a form is called, the module that reads it, and the endings and media types of its files."""

    title: str
    module: str
    endings: str
    media: str


FORMS: dict[Form, _Form] = {
    "text": _Form("text file", "_plain", "txt text log", "text/plain"),
    "markdown": _Form("Markdown file", "_markup", "md markdown mdown mkd", "text/markdown text/x-markdown"),
    "html": _Form("web page", "_markup", "html htm xhtml", "text/html application/xhtml+xml"),
    "pdf": _Form("PDF", "_pdf", "pdf", "application/pdf"),
    "docx": _Form(
        "Word document",
        "_office",
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    "odt": _Form("OpenDocument text", "_office", "odt", "application/vnd.oasis.opendocument.text"),
    "pptx": _Form(
        "presentation",
        "_office",
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    "epub": _Form("EPUB", "_office", "epub", "application/epub+zip"),
    "rtf": _Form("RTF file", "_office", "rtf", "application/rtf text/rtf"),
    "srt": _Form("SRT file", "_plain", "srt", "application/x-subrip"),
    "vtt": _Form("VTT file", "_plain", "vtt", "text/vtt"),
    "eml": _Form("e-mail", "_markup", "eml", "message/rfc822"),
    "mbox": _Form("mailbox", "_markup", "mbox", "application/mbox"),
    "csv": _Form("CSV file", "_plain", "csv", "text/csv"),
    "tsv": _Form("TSV file", "_plain", "tsv tab", "text/tab-separated-values"),
    "json": _Form("JSON file", "_plain", "json", "application/json"),
    "ipynb": _Form("notebook", "_markup", "ipynb", "application/x-ipynb+json"),
    "latex": _Form("LaTeX file", "_latex", "tex latex ltx", "text/x-tex application/x-tex application/x-latex"),
    "rst": _Form("reStructuredText file", "_light", "rst rest", "text/x-rst text/prs.fallenstein.rst"),
    "asciidoc": _Form("AsciiDoc file", "_light", "adoc asciidoc", "text/asciidoc text/x-asciidoc"),
}
_BY_ENDING: dict[str, Form] = {end: form for form in FORMS for end in FORMS[form].endings.split()}
_BY_MEDIA: dict[str, Form] = {media: form for form in FORMS for media in FORMS[form].media.split()}
# Forms with a mark in their first bytes; a file without that mark has another form, even if its name says so.
_MARKED: frozenset[Form] = frozenset(("pdf", "docx", "odt", "pptx", "epub", "rtf", "vtt"))
# How files begin that people also try, and what to do instead.
_REFUSED = {
    b"\x1f\x8b": "is compressed: unpack it first (gunzip -c)",
    b"(\xb5/\xfd": "is compressed: unpack it first (zstd -dc)",
    b"BZh": "is compressed: unpack it first (bunzip2 -c)",
    b"\xfd7zXZ": "is compressed: unpack it first (xz -dc)",
    b"\x89PNG": "is a picture: its text must be recognized first (OCR)",
    b"\xff\xd8\xff": "is a picture: its text must be recognized first (OCR)",
    b"GIF8": "is a picture: its text must be recognized first (OCR)",
    b"ID3": "is a recording: it must be transcribed first",
    b"OggS": "is a recording: it must be transcribed first",
    b"RIFF": "is a picture or a recording, not text",
    b"PAR1": "is a Parquet file: summarize its rows with 'tersely batch'",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ARCHIVED = {
    "xl/workbook.xml": "is a spreadsheet: save it as CSV, and name its column",
    "content.xml": "is an OpenDocument file, but no text: save it as PDF first",
}
_SPACE = rb"(?:\xef\xbb\xbf)?\s*"
# Possessive, because a text that begins with many comments would otherwise take forever.
_HTML = re.compile(_SPACE + rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*+<(?:!doctype html|html)\b", re.I | re.DOTALL)
_RTF = re.compile(_SPACE + rb"\{\\rtf")
_VTT = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT(?:\s|\Z)")
_SRT = re.compile(_SPACE + rb"\d{1,6}[ \t]*\r?\n\d{1,3}:\d{2}:\d{2}[,.]\d{1,3} *--> *\d{1,3}:\d{2}:\d{2}")
# The header fields of a message that was sent; whoever writes a letter writes none of them.
_MAIL = re.compile(
    rb"(?:[!-9;-~]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*+)*?"
    rb"(?:received|return-path|delivered-to|message-id|mime-version|dkim-signature|x-mailer):",
    re.IGNORECASE,
)
_MAILBOX = re.compile(rb"From \S[^\n]{0,200}\d{4}[^\n]{0,40}\n(?=[!-9;-~]{1,60}:)")
_PATTERNS: dict[Form, re.Pattern[bytes]] = {
    "html": _HTML,
    "rtf": _RTF,
    "vtt": _VTT,
    "srt": _SRT,
    "mbox": _MAILBOX,
    "eml": _MAIL,
}
_START = 4_000
# What reading a file may take: bytes of memory, and bytes more for each of its own bytes. Books need a tenth of it.
_MEMORY, _MEMORY_PER_BYTE = 2_000_000_000, 20


@dataclass(frozen=True)
class RawFile:
    """The bytes of a file, with its name, its media type, and the column or field that holds the text, if known."""

    data: bytes
    name: str = ""
    media_type: str = ""
    field: str | None = None

    @cached_property
    def ending(self) -> str:
        """The ending of the name, without the dot, in lowercase; an address has one in its path."""
        path = urlsplit(self.name).path if "://" in self.name else self.name
        return PurePath(path).suffix.lstrip(".").lower()

    @cached_property
    def looks_like(self) -> "Form | None":
        """The form that the ending names, if files of that form begin with a mark."""
        form = _BY_ENDING.get(self.ending)
        return form if form in _MARKED else None

    @cached_property
    def media(self) -> str:
        """The media type, without parameters."""
        return self.media_type.partition(";")[0].strip().lower()

    @cached_property
    def charset(self) -> str | None:
        """The encoding that the media type names, if any."""
        if ";" not in self.media_type:
            return None
        from email.message import Message

        message = Message()
        message["Content-Type"] = " ".join(self.media_type.split())
        charset = message.get_param("charset")
        return charset if isinstance(charset, str) else None


def detect_form(file: RawFile) -> Form:
    """Tell the form of a file: by its content, or else by its name, or else by its media type.

    >>> detect_form(RawFile(b"%PDF-1.7", "page.html")), detect_form(RawFile(b"# Fish", "a.md", "text/plain"))
    ('pdf', 'markdown')
    """
    form = _by_content(file.data)
    if form is not None:
        return form
    for claimed in (_BY_ENDING.get(file.ending), _BY_MEDIA.get(file.media)):
        if claimed is not None and claimed not in _MARKED:
            return claimed
    return "json" if file.field is not None and file.data.lstrip()[:1] in (b"{", b"[") else "text"


def is_document(name: str, start: bytes = b"") -> bool:
    """Tell whether a file with this name is one document; a text that starts like JSON Lines is several.

    >>> is_document("a.PDF"), is_document("a.csv"), is_document("a.zip"), is_document("a.txt", b"{")
    (True, False, False, False)
    """
    form = _BY_ENDING.get(RawFile(b"", name).ending)
    return form not in (None, "csv", "tsv", "json") and not (form == "text" and start.lstrip().startswith(b"{"))


def _by_content(data: bytes) -> Form | None:
    start = data[:_START]
    if start.startswith(b"PK\x03\x04"):
        return _archived(data)
    if start.startswith(_OLE):
        raise InputError(_locked(data))
    for mark, advice in _REFUSED.items():
        if start.startswith(mark):
            raise InputError(advice)
    if b"%PDF-" in start[:1024]:
        return "pdf"
    return next((form for form, pattern in _PATTERNS.items() if pattern.match(start)), None)


def _archived(data: bytes) -> Form:
    from io import BytesIO
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
            kind = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except (BadZipFile, OSError, ValueError, RuntimeError):
        raise InputError("is a broken archive or document: it may be cut off") from None
    if "word/document.xml" in names:
        return "docx"
    if "ppt/presentation.xml" in names:
        return "pptx"
    if "content.xml" in names and kind.strip() in (b"", FORMS["odt"].media.encode()):
        return "odt"
    if "META-INF/container.xml" in names:
        return "epub"
    advice = next((text for name, text in _ARCHIVED.items() if name in names), None)
    raise InputError(advice or "is an archive: unpack it, and give a file from it")


def _locked(data: bytes) -> str:
    """Say what is wrong with an OLE container: it holds an old Office file, or an encrypted new one."""
    if "EncryptedPackage".encode("utf-16le") in data:
        return "is encrypted: save it without a password first"
    return "is an old Office file: save it as DOCX first"


def extract(
    data: bytes, *, name: str | None = None, media_type: str | None = None, field: str | None = None
) -> Extracted:
    """Take the text out of the bytes of a file.

    The content of `data` says first what the file is, then the ending of its `name`, then its `media_type`, which may
    have a `charset`. `field` is the column of a table, or the field of JSON, that holds the text. No address is ever
    fetched.

    >>> page = extract(b"<html><p>One red fish. Two blue fish.", name="fish.html")
    >>> page.form, page.text
    ('html', 'One red fish. Two blue fish.')
    """
    file = RawFile(data, name or "", media_type or "", field)
    title = name or "the file"
    form: Form = "text"
    try:
        form = detect_form(file)
        if form == "text" and file.looks_like and not data.strip():
            raise InputError("is empty")  # noqa: TRY301
        contents = _read(form, file)
        if form != "text" and not (contents.text or any(piece.text.strip() for piece in contents.pieces)):
            raise InputError("has no text")  # noqa: TRY301
    except InputError as error:
        raise InputError(f"{title} {error}") from None
    except (TerselyError, MemoryError):
        raise
    except Exception as error:  # the libraries that read formats raise whatever they like at broken files
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"{title} is no readable {FORMS[form].title}: {reason}") from None
    if form == "text" and file.looks_like:
        contents.notes.append(f"named like a {FORMS[file.looks_like].title}, but read as plain text")
    return assemble("text" if contents.text else form, contents)


def extract_apart(
    data: bytes,
    *,
    seconds: float | None = None,
    name: str | None = None,
    media_type: str | None = None,
    field: str | None = None,
) -> Extracted:
    """Take the text out of the bytes of a file from a stranger: in a child process, which may crash or be stopped.

    It has `seconds` to do so, by default any number, and on Linux at most 2 GB of memory and 20 bytes for each byte of
    the file. `name`, `media_type` and `field` are those of `extract`, and so is the result. A plain text in UTF-8 is
    read here: nothing in it is parsed.

    >>> extract_apart(b"<html><p>One red fish. Two blue fish.", name="fish.html", seconds=60).form
    'html'
    """
    memory = _MEMORY + _MEMORY_PER_BYTE * len(data)
    title = name or "the file"
    read = partial(extract, data, name=name, media_type=media_type, field=field)
    if _is_plain(RawFile(data, name or "", media_type or "", field)):
        return read()
    try:
        return apart(read, memory, seconds)
    except LateLimitError:
        more = "give it more time (--timeout), or save its text, and give that"
        raise InputError(f"{title} takes more than {seconds:g} seconds to read: {more}") from None
    except LimitError as error:
        most = f"needs more than {memory / 1e9:.1f} GB of memory, or is broken"
        raise InputError(f"{title} {most} ({error}): save its text, and give that") from None


def _is_plain(file: RawFile) -> bool:
    """Tell whether a file is a text in UTF-8, without a look into archives."""
    try:
        file.data.decode()
        return not file.data.startswith(b"PK") and detect_form(file) == "text"
    except (UnicodeDecodeError, InputError):
        return False


def _read(form: Form, file: RawFile) -> Contents:
    """Read a file of a known form; the module that reads it is imported only now."""
    module = import_module(f"tersely.extract.{FORMS[form].module}")
    contents: Contents = getattr(module, f"read_{form}")(file)
    return contents
