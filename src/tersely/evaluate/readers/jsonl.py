"""JSON Lines of texts and their summaries."""

from collections.abc import Iterator
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluate.readers.fields import make_document, make_id, make_reference
from tersely.evaluate.readers.item import Item
from tersely.evaluate.readers.json_lines import Object, first_object, read_objects
from tersely.evaluate.record import Record
from tersely.text import Language

__all__ = ["Jsonl"]


class Jsonl:
    """JSON Lines, plain or gzip: `text` or `article`, `summary`, `id`.

    The document is `text`, else `article`; it and `summary` are each a string, which is split into sentences, or a
    list of sentences, which stays as it is. `summary` and `id` may be missing: a record's id is then the number of
    its line. Other keys are ignored. The path is a file, a pattern, or a folder of `.jsonl` or `.jsonl.gz` files.
    """

    def accepts(self, path: Path) -> bool:
        """Tell by the first object, which must not be one of CNewSum."""
        found = first_object(path)
        return found is not None and not {"article", "label"} <= found.keys()

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read every line that holds an object."""

        def make(value: Object, number: str) -> Record:
            key = "article" if value.get("text") is None else "text"
            if value.get(key) is None:
                raise InputError("no text: neither 'text' nor 'article' is given")
            document = make_document(value[key], language, key)
            reference = make_reference(value.get("summary"), document.language, "summary")
            return Record(make_id(value.get("id"), number), document, reference)

        return read_objects(path, make)
