"""The parts of a record, made from the values that a file holds."""

from typing import Any

from tersely.errors import InputError
from tersely.evaluate.record import Record
from tersely.io.lines import Fault
from tersely.text import Document, Language, split_sentences

# What readers yield: a record, or the reason why it cannot be read.
Item = Record | Fault


def make_document(value: Any, language: Language | None, name: str) -> Document:
    """Make a document from a text or from a list of sentences; blank sentences are dropped."""
    if isinstance(value, str):
        document = Document.from_text(value, language)
    else:
        document = Document.from_sentences(strings(value, name), language)
    if not document.sentences:
        raise InputError("the document is empty")
    return document


def make_reference(value: Any, language: Language, name: str) -> tuple[str, ...]:
    """Return the sentences of a reference: a text is split, a list is not."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value[start:end] for start, end in split_sentences(value, language))
    return tuple(strings(value, name))


def make_id(value: Any, default: str) -> str:
    """Return an id as a string."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise InputError("id is neither a string nor a whole number")
    return default if value is None or value == "" else str(value)


def strings(value: Any, name: str) -> list[str]:
    """Return the strings of a list, stripped; blank ones are dropped."""
    if not isinstance(value, list):
        raise InputError(f"{name} is neither a string nor a list of strings")
    for i, each in enumerate(value):
        if not isinstance(each, str):
            raise InputError(f"{name}[{i}] is not a string")
    return [each.strip() for each in value if each.strip()]
