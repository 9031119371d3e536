"""The text to summarize: a file, standard input, a web page."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tersely.errors import InputError, MissingExtraError
from tersely.io.lines import Fault, read_objects

# Far more than anybody reads; a larger text is not one document.
MAX_BYTES = 200_000_000
_SECONDS = 30
# What people try most often, and what to do instead.
_OTHERS = {
    b"%PDF-": "a PDF: extract its text first (pdftotext)",
    b"PK\x03\x04": "an archive or an office document: save it as text first",
    b"\x1f\x8b": "compressed: unpack it first (gunzip -c)",
}
# Possessive, because a text that begins with many comments would otherwise take forever.
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*+<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL
)


def read_source(source: str) -> str:
    """Return the text of a file, of standard input (`-`), or of a page at an http(s) address."""
    if source.startswith(("http://", "https://")):
        return _page_text(_download(source), source)
    raw = _standard_input() if source == "-" else _file(Path(source))
    name = "standard input" if source == "-" else source
    if Path(source).suffix.lower() in (".html", ".htm") or _HTML.match(raw[:2000]):
        return _page_text(raw, name)
    return _decode(raw, name)


def read_sources(names: Sequence[str], named: bool = False) -> str | list[dict[str, object]]:
    """Return the text of one input, or several texts with the names of their inputs, as one always is if `named`.

    A file of JSON Lines has a source on each line. Without a name, standard input is read.
    """
    found: list[dict[str, object]] = []
    for name in names or ("-",):
        if name.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst")) and not name.startswith(("http://", "https://")):
            found += _json_lines(Path(name))
        else:
            found.append({"id": name, "text": read_source(name)})
            if len(names) < 2 and not named:
                return str(found[0]["text"])
    return found


def _json_lines(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for item in read_objects(path):
        if isinstance(item, Fault):
            raise InputError(str(item))
        line, value = item
        if not isinstance(value.get("text"), str):
            raise InputError(f"{path}:{line}: no text: a source needs 'text', a string")
        name = value.get("id", line)
        found.append({"id": str(name), "text": value["text"], "title": value.get("title")})
    return found


def _standard_input() -> bytes:
    if sys.stdin is None:  # Python's way to say that it was closed before the start
        raise InputError("standard input is closed: name a file")
    if sys.stdin.isatty():
        print("Reading from the terminal; end with Ctrl-D.", file=sys.stderr)  # noqa: T201
    return _bounded(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return _bounded(stream.read(MAX_BYTES + 1), str(path))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory, not a text file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _bounded(raw: bytes, name: str) -> bytes:
    if len(raw) > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB: split it into documents first")
    return raw


def _decode(raw: bytes, name: str) -> str:
    for mark, what in _OTHERS.items():
        if raw.startswith(mark):
            raise InputError(f"{name} is {what}")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name} is UTF-16, not UTF-8: convert it first (iconv -f UTF-16 -t UTF-8)")
    try:
        # A byte order mark is not part of the text.
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise InputError(f"{name} is not UTF-8 at byte {error.start} (0x{byte:02x}): convert it first") from None


def _download(address: str) -> bytes:
    from http.client import HTTPException
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(address, headers={"User-Agent": "tersely"}), timeout=_SECONDS) as answer:
            return _bounded(answer.read(MAX_BYTES + 1), address)
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{address} cannot be fetched: {reason}") from None


def _page_text(raw: bytes, name: str) -> str:
    try:
        from trafilatura import extract
    except ImportError:
        raise MissingExtraError("reading a web page", "html") from None
    text = extract(raw, include_comments=False, include_tables=False)
    if not text:
        raise InputError(f"{name} has no text to summarize: no article was found in the page")
    # Each line is a paragraph; a single line feed would read as a wrapped line.
    return str(text).replace("\n", "\n\n")
