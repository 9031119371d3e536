"""Tables and JSON: the texts of one column or field."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from tersely.errors import InputError
from tersely.extract._plain import decode_given
from tersely.extract.extracted import Label, Piece, Reading
from tersely.extract.forms import Given
from tersely.io.tables import read_table

_DEFAULT = "text"
_SHOWN = 12
_LOOKED_AT = 200  # rows or values by which the longest column or field is known


def read_csv(given: Given, delimiter: str | None = None) -> Reading:
    """Read one column of a table with a header: a paragraph for each row.

    Without a name it is the column "text", or else the one whose texts are by far the longest.
    """
    text, notes = decode_given(given)
    names, found = read_table(text, delimiter)
    rows = list(found)
    field: str | None = given.field or _DEFAULT
    if field not in names:
        texts = (pair for row in rows[:_LOOKED_AT] for pair in zip(names, row, strict=False))
        field = None if given.field else _longest(texts)
        if field is None:
            raise InputError(_unknown("column", "--text-column", given.field, names))
        notes.append(f"read its column '{field}'")
    at = names.index(field)
    return Reading([_paragraph(row[at], number) for number, row in enumerate(rows, 1) if len(row) > at], notes)


def read_tsv(given: Given) -> Reading:
    """Read one column of a table with tabs between its columns."""
    return read_csv(given, "\t")


def read_json(given: Given) -> Reading:
    """Read one field of a JSON object, or of each object in a list; dots lead into objects: `article.body`.

    Without a name it is the field "text", or else the one whose texts are by far the longest.
    """
    text, notes = decode_given(given)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    found = [value] if isinstance(value, str) else list(_found(value, (given.field or _DEFAULT).split(".")))
    if not found:
        field = None if given.field else _longest(islice(_texts(value, ()), _LOOKED_AT))
        if field is None:
            first = value[0] if isinstance(value, list) and value else value
            names = list(first) if isinstance(first, dict) else []
            raise InputError(_unknown("field", "--field", given.field, names))
        notes.append(f"read its field '{field}'")
        found = list(_found(value, field.split(".")))
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


def _texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield all texts of a value, each with the dotted name of its field."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(each, (*path, name)) if "." not in name else ()
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, path)
    elif isinstance(value, str) and path:
        yield ".".join(path), value


def _longest(texts: Iterable[tuple[str, str]]) -> str | None:
    """Return the name whose texts have more than twice the characters of any other, or none."""
    lengths: Counter[str] = Counter()
    for name, text in texts:
        lengths[name] += len(text.strip())
    ranked = [*lengths.most_common(2), ("", 0)]
    return ranked[0][0] if ranked[0][1] > 2 * ranked[1][1] else None


def _paragraph(text: str, number: int) -> Piece:
    label: Label = {"row": number}
    # A blank line within a cell is a line break: the cell is one block.
    return Piece("prose", "\n".join(line for line in text.splitlines() if line.strip()), marks=((0, label),))


def _unknown(kind: str, option: str, name: str | None, names: list[str]) -> str:
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    what = f"has no {kind} '{name or _DEFAULT}', but {listed or 'none'}"
    return what if name else f"{what}: name the one that holds the text with {option}"
