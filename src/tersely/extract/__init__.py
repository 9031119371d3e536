"""Takes the text out of files: what its blocks are, and the page, time or section where each part of it stands."""

from importlib import import_module

from tersely.errors import InputError, TerselyError
from tersely.extract.extracted import Extracted, Placed, Reading, assemble
from tersely.extract.forms import FORMS, Form, Given, detect_form

__all__ = ["FORMS", "Extracted", "Form", "Placed", "extract"]


def extract(
    data: bytes, *, name: str | None = None, media_type: str | None = None, field: str | None = None
) -> Extracted:
    """Take the text out of the bytes of a file.

    What the file is, its content says first, then the ending of its `name`, then its `media_type`, which may have a
    `charset`. `field` is the column of a table, or the field of JSON, that holds the text. No address is ever fetched.

    >>> page = extract(b"<html><p>One red fish. Two blue fish.", name="fish.html")
    >>> page.form, page.text
    ('html', 'One red fish. Two blue fish.')
    """
    given = Given(data, name or "", media_type or "", field)
    called = name or "the file"
    form: Form = "text"
    try:
        form = detect_form(given)
        if form == "text" and given.looks_like and not data.strip():
            raise InputError("is empty")  # noqa: TRY301
        reading = _read(form, given)
        if form != "text" and not (reading.text or any(piece.text.strip() for piece in reading.pieces)):
            raise InputError("has no text")  # noqa: TRY301
    except InputError as error:
        raise InputError(f"{called} {error}") from None
    except TerselyError:
        raise
    except Exception as error:  # the libraries that read formats raise whatever they like at broken files
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"{called} is no readable {FORMS[form].title}: {reason}") from None
    if form == "text" and given.looks_like:
        reading.notes.append(f"named like a {FORMS[given.looks_like].title}, but read as plain text")
    return assemble("text" if reading.text else form, reading)


def _read(form: Form, given: Given) -> Reading:
    """Read a file of a known form; what that needs is imported only now."""
    module = import_module(f"tersely.extract.{FORMS[form].module}")
    reading: Reading = getattr(module, f"read_{form}")(given)
    return reading
