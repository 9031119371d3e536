"""Tables and JSON: the texts of one column or field."""

import json
from collections.abc import Iterator
from typing import Any

from tersely.errors import InputError
from tersely.extract._plain import decode_given
from tersely.extract.extracted import Label, Piece, Reading
from tersely.extract.forms import Given
from tersely.io.tables import read_table

_DEFAULT = "text"
_SHOWN = 12


def read_csv(given: Given, delimiter: str | None = None) -> Reading:
    """Read one column of a table with a header: a paragraph for each row."""
    text, notes = decode_given(given)
    names, rows = read_table(text, delimiter)
    field = given.field or _DEFAULT
    if field not in names:
        raise InputError(_unknown("column", given.field, names))
    at = names.index(field)
    return Reading([_paragraph(row[at], number) for number, row in enumerate(rows, 1) if len(row) > at], notes)


def read_tsv(given: Given) -> Reading:
    """Read one column of a table with tabs between its columns."""
    return read_csv(given, "\t")


def read_json(given: Given) -> Reading:
    """Read one field of a JSON object, or of each object in a list; dots lead into objects: `article.body`."""
    text, notes = decode_given(given)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    field = given.field or _DEFAULT
    found = [value] if isinstance(value, str) else list(_found(value, field.split(".")))
    if not found:
        first = value[0] if isinstance(value, list) and value else value
        raise InputError(_unknown("field", given.field, list(first) if isinstance(first, dict) else []))
    if len(found) == 1:
        from tersely.extract.extracted import pieces_by_lines

        return Reading(pieces_by_lines(found[0]), notes)
    return Reading([_paragraph(each, number) for number, each in enumerate(found, 1)], notes)


def _found(value: Any, path: list[str]) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _found(each, path)
    elif isinstance(value, dict) and path:
        yield from _found(value.get(path[0]), path[1:])
    elif isinstance(value, str) and not path:
        yield value


def _paragraph(text: str, number: int) -> Piece:
    label: Label = {"row": number}
    # A blank line within a cell is a line break: the cell is one block.
    return Piece("prose", "\n".join(line for line in text.splitlines() if line.strip()), marks=((0, label),))


def _unknown(kind: str, name: str | None, names: list[str]) -> str:
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    what = f"has no {kind} '{name or _DEFAULT}', but {listed or 'none'}"
    return what if name else f"{what}: name the one that holds the text with --text-column"
