"""JSON Lines of texts and their summaries."""

from collections.abc import Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers._shared import Item, first_object, make_document, make_id, make_reference, read_lines
from tersely.evaluate.record import Record
from tersely.io.lines import Object
from tersely.text import Language

__all__ = ["Jsonl"]

_READ = {"id", "text", "article", "summary"}


class Jsonl:
    """JSON Lines (plain, gzip or zstd) with `text` or `article`, `summary` and `id`.

    The document is `text`, or else `article`. The document and `summary` are each a string, which is split into
    sentences, or a list of sentences, which is kept. `summary` and `id` are optional: without `id`, it is the number
    of the line. Other keys become the record's `fields`. The path is a file, a pattern, or a folder of `.jsonl`,
    `.jsonl.gz` or `.jsonl.zst` files.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the first object, which must not be one of CNewSum."""
        found = first_object(path)
        return found is not None and not {"article", "label"} <= found.keys()

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per line."""

        def make(value: Object, default_id: str) -> Record:
            key = "article" if value.get("text") is None else "text"
            if value.get(key) is None:
                raise InputError("no text: there is neither 'text' nor 'article'")
            document = make_document(value[key], language, key)
            reference = make_reference(value.get("summary"), document.language, "summary")
            fields = {name: each for name, each in value.items() if name not in _READ}
            return Record(make_id(value.get("id"), default_id), document, reference, fields=fields)

        return read_lines(path, make)
