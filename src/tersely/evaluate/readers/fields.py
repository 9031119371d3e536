"""The parts of a record, from whatever values a file has in their places."""

from typing import Any

from tersely.errors import InputError
from tersely.text import Document, Language, split_sentences


def make_document(value: Any, language: Language | None, name: str) -> Document:
    """Make a document of a text, or of a list of its sentences; blank ones are left out."""
    if isinstance(value, str):
        document = Document.from_text(value, language)
    else:
        document = Document.from_sentences(strings(value, name), language)
    if not document.sentences:
        raise InputError("the document is empty")
    return document


def make_reference(value: Any, language: Language, name: str) -> tuple[str, ...]:
    """Return the sentences of a reference: a text is split, a list stays as it is."""
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
    """Return the strings of a list, without the white space around them and without blank ones."""
    if not isinstance(value, list):
        raise InputError(f"{name} is neither a string nor a list of strings")
    for i, each in enumerate(value):
        if not isinstance(each, str):
            raise InputError(f"{name}[{i}] is not a string")
    return [each.strip() for each in value if each.strip()]
