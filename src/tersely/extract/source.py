"""The texts to summarize, by their names: files, standard input, addresses on the web."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError
from tersely.extract import Extracted, extract_apart
from tersely.extract.extracted import as_text
from tersely.io.lines import Fault, decode, parse_object, read_objects

if TYPE_CHECKING:
    from tersely.text.document import Document
    from tersely.text.language import Language

# Seconds in which a file is read; four times what the largest ones need.
SECONDS = 120.0
# Far more than anybody reads; a larger text is not one document.
MAX_BYTES = 200_000_000


@dataclass(frozen=True)
class Input:
    """One text to summarize, with the name of where it comes from."""

    id: str
    extracted: Extracted
    title: object = None


@dataclass(frozen=True)
class Inputs:
    """The texts to summarize together; `has_names` says whether their sentences are shown with the names."""

    all: tuple[Input, ...]
    has_names: bool

    def document(self, language: "Language | None" = None, in_lines: bool = False) -> "Document":
        """Return the document to summarize; a plain text may be split into lines at once."""
        from tersely.text.sources import Log, as_document

        if in_lines and not self.has_names and self.all[0].extracted.form == "text":
            return Log.from_text(self.all[0].extracted.text, language)
        if not self.has_names:
            return self.all[0].extracted.document(language)
        sources = [{"id": text.id, "text": text.extracted.document(language), "title": text.title} for text in self.all]
        return as_document(sources, language)

    @property
    def notes(self) -> list[str]:
        """The notes about each text, after its name."""
        return [f"{text.id}: {note}" for text in self.all for note in text.extracted.notes]

    @property
    def title(self) -> str:
        """The heading with which the only text begins, or else the names of the texts."""
        text, blocks = self.all[0].extracted.text, self.all[0].extracted.blocks
        if not self.has_names and blocks and blocks[0].kind == "heading":
            return text[blocks[0].start : blocks[0].end].strip("#=* ")
        return ", ".join("standard input" if text.id == "-" else Path(text.id).name for text in self.all)

    def located(self, summary: dict[str, Any]) -> dict[str, Any]:
        """Add to a summary's plain data where each sentence stands in its file, and the texts that were extracted."""
        read = {text.id: text.extracted for text in self.all if text.extracted.form != "text"}
        if not read:  # a plain text is its own extracted text
            return summary
        for name in ("sentences", "ranking"):
            for sentence in summary[name]:
                source = read.get(sentence["source"] if self.has_names else self.all[0].id)
                sentence.update(source.place(sentence["start"]) if source else {})
        return {**summary, "extracted": [{"id": name, "text": source.text} for name, source in read.items()]}


def read_source(source: str, field: str | None = None, seconds: float = SECONDS) -> Extracted:
    """Return the text of a file, of standard input (`-`), or at an http(s) address, which is read within `seconds`."""
    if _is_address(source):
        from tersely.io.web import fetch

        page = fetch(source)
        kind = f"{page.kind}; charset={page.charset}" if page.charset else page.kind
        return extract_apart(page.body, seconds=seconds, name=source, media_type=kind, field=field)
    if source == "-":
        return extract_apart(_standard_input(), seconds=seconds, name="standard input", field=field)
    return extract_apart(_file(Path(source)), seconds=seconds, name=source, field=field)


def read_json(source: str) -> str:
    """Return the text of a JSON file or of standard input (`-`), as it is."""
    name, data = ("standard input", _standard_input()) if source == "-" else (source, _file(Path(source)))
    try:
        return decode(data)
    except InputError as error:
        raise InputError(f"{name} is {error}, as JSON has to be: convert it first") from None


def read_sources(
    names: Sequence[str], has_names: bool = False, field: str | None = None, seconds: float = SECONDS
) -> Inputs:
    """Return the texts of the inputs with these `names`, or of standard input if there are none.

    Several texts have names, and a single one has if `has_names` says so. A file of JSON Lines has a source on each
    line, and so has standard input if its first line is one. `field` holds the text in JSON or a table. Each file is
    read within `seconds`.
    """
    inputs: list[Input] = []
    for name in names or ("-",):
        if name.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst")) and not _is_address(name):
            inputs += _as_sources(read_objects(Path(name)), name, field or "text")
            has_names = True
        elif name == "-" and _is_source((data := _standard_input()).lstrip().partition(b"\n")[0], field or "text"):
            inputs += _as_sources(_objects(data), "standard input", field or "text")
            has_names = True
        elif name == "-":
            text = extract_apart(data, seconds=seconds, name="standard input", field=field)
            inputs.append(Input(name, text))
        else:
            inputs.append(Input(name, read_source(name, field, seconds)))
    return Inputs(tuple(inputs), has_names or len(inputs) != 1)


def _is_address(name: str) -> bool:
    return name[:8].lower().startswith(("http://", "https://"))


def _is_source(line: bytes, field: str) -> bool:
    try:
        return isinstance(parse_object(line).get(field), str)
    except InputError:
        return False


def _objects(data: bytes) -> Iterator[tuple[int, dict[str, Any]] | Fault]:
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            if line.strip():
                yield number, parse_object(line)
        except InputError as error:
            yield Fault(Path("standard input"), number, str(error))


def _as_sources(objects: Iterable[tuple[int, dict[str, Any]] | Fault], name: str, field: str) -> Iterator[Input]:
    for item in objects:
        if isinstance(item, Fault):
            raise InputError(str(item))
        line, value = item
        text = value.get(field)
        if not isinstance(text, str):
            raise InputError(f"{name}:{line}: no text: a source needs '{field}', a string")
        yield Input(str(value.get("id", line)), as_text(text), value.get("title"))


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
        raise InputError(f"{path} is a directory, not a file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _bounded(raw: bytes, name: str) -> bytes:
    if len(raw) > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB: split it into documents first")
    return raw
