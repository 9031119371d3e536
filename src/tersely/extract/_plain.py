"""Plain text in any common encoding, and the texts of one column of a table or one field of JSON."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from tersely.errors import InputError, MissingExtraError
from tersely.extract import RawFile
from tersely.extract.extracted import Contents, Label, Piece, pieces_by_lines
from tersely.io.tables import read_table

# The byte order marks, and the encoding that each stands for.
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
# The encodings that people use besides UTF-8. With fewer candidates, the guess is faster and better.
_CODECS = "gb18030 big5 cp932 euc_jp euc_kr cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 koi8_r iso8859_2".split()
_TITLES = {"cp932": "Shift_JIS", "big5": "Big5", "gb18030": "GB18030", "cp1252": "Windows-1252"}
_SAMPLE = 60_000
# The least share of zero bytes in UTF-16 text with spaces between its words, and in UTF-16 text in ASCII letters.
_MANY_ZEROS, _LATIN_ZEROS = 1 / 40, 1 / 5
_DEFAULT = "text"  # the column or field to read if none is named
_MOST_LISTED = 12  # names of columns in an error
_SAMPLE_ROWS = 200  # rows or values that show which column or field is the longest


def decode(data: bytes, charset: str | None = None) -> tuple[str, str | None]:
    """Return the text of bytes, and the name of their encoding if it had to be guessed.

    The byte order mark counts first, then what `charset` says, if anything.

    >>> decode("Schön.".encode("utf-16"))
    ('Schön.', None)
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace"), None
    if b"\x00" in data[:_SAMPLE]:
        if (wide := _without_mark(data)) is not None:
            return wide, "UTF-16"
        raise InputError("is not text")
    codec = None
    if charset:
        from tersely.io.web import codec_of

        codec = codec_of(charset)
    for name in (codec, "utf-8") if codec else ("utf-8",):
        try:
            return data.decode(name), None
        except UnicodeDecodeError:
            continue
    codec = _detect_codec(data)
    if codec is None:
        raise InputError("is not text in any common encoding: convert it to UTF-8 first")
    return data.decode(codec, "replace"), _TITLES.get(codec, codec.replace("_", "-").upper())


def _without_mark(data: bytes) -> str | None:
    """Return the text of UTF-16 without a byte order mark: it has zeros in every other byte, and reads as text.

    Chinese has few zeros, at the ends of lines, and reads as Chinese in only one order of its bytes.
    """
    sample = data[: _SAMPLE & ~1]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    share = max(even, odd) / len(sample)
    for codec in sorted(("utf-16be", "utf-16le"), reverse=odd > even)[: 1 if share > _MANY_ZEROS else 2]:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        script = _script(sample, text[:_SAMPLE]) if _reads_as_text(text[:_SAMPLE]) else None
        if script == "CJK" or (script and share > _MANY_ZEROS) or (script is not None and share > _LATIN_ZEROS):
            return text
    return None


def _reads_as_text(text: str) -> bool:
    """Tell whether a text has only characters that people write; binary data has control characters."""
    return all(letter.isprintable() or letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)


def _script(data: bytes, text: str) -> str:
    """Return the script of most letters beyond ASCII, or nothing if there is none or the bytes are plainly ASCII.

    ASCII must be ruled out, because two of its letters read as one Chinese character.
    """
    ascii_bytes = sum(32 <= byte < 127 for byte in data)
    letters = (
        unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha() and letter > "\x7f"
    )
    scripts = Counter("CJK" if script in ("HIRAGANA", "KATAKANA") else script for script in letters)
    script, times = scripts.most_common(1)[0] if scripts else ("", 0)
    return script if 4 * ascii_bytes < 3 * len(data) and 3 * times > 2 * scripts.total() >= 20 else ""


def _detect_codec(data: bytes) -> str | None:
    """Guess the encoding of a text from its beginning."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        raise MissingExtraError("reading text that is not UTF-8", "files") from None
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    if sample.isascii():  # the first other letter comes late
        late = next(i for i, byte in enumerate(data) if byte > 127)
        sample = data[max(0, data.rfind(b"\n", 0, late) + 1) :][:_SAMPLE]
    matches = from_bytes(sample, cp_isolation=_CODECS)
    best = matches.best()
    if best is None:
        return None
    # Most texts of Western Europe could be of Central Europe just as well.
    western = (
        match.chaos <= best.chaos and match.coherence >= best.coherence and "cp1252" in match.could_be_from_charset
        for match in matches
    )
    return "cp1252" if any(western) else best.encoding


def decode_file(file: RawFile) -> tuple[str, list[str]]:
    """Return the text of a file with line feeds only, and a note about its encoding if it had to be guessed."""
    text, codec = decode(file.data, file.charset)
    return text.replace("\r\n", "\n").replace("\r", "\n"), [f"read as {codec}"] if codec else []


def read_text(file: RawFile) -> Contents:
    """Take a plain text as it is."""
    text, codec = decode(file.data, file.charset)
    return Contents(text=text, notes=[f"read as {codec}"] if codec else [])


def read_csv(file: RawFile, delimiter: str | None = None) -> Contents:
    """Read one column of a table with a header: a paragraph for each row.

    If none is named, it is the column "text", or else the one whose texts are by far the longest.
    """
    text, notes = decode_file(file)
    names, table = read_table(text, delimiter)
    rows = list(table)
    field: str | None = file.field or _DEFAULT
    if field not in names:
        texts = (pair for row in rows[:_SAMPLE_ROWS] for pair in zip(names, row, strict=False))
        field = None if file.field else _longest(texts)
        if field is None:
            raise InputError(_unknown("column", "--text-column", file.field, names))
        notes.append(f"read its column '{field}'")
    at = names.index(field)
    return Contents([_paragraph(row[at], number) for number, row in enumerate(rows, 1) if len(row) > at], notes)


def read_tsv(file: RawFile) -> Contents:
    """Read one column of a table with tabs between its columns."""
    return read_csv(file, "\t")


def read_json(file: RawFile) -> Contents:
    """Read one field of a JSON object, or of each object in a list; dots lead into objects: `article.body`.

    If none is named, it is the field "text", or else the one whose texts are by far the longest.
    """
    text, notes = decode_file(file)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    texts = [value] if isinstance(value, str) else list(_at_path(value, (file.field or _DEFAULT).split(".")))
    if not texts:
        field = None if file.field else _longest(islice(_named_texts(value, ()), _SAMPLE_ROWS))
        if field is None:
            first = value[0] if isinstance(value, list) and value else value
            names = list(first) if isinstance(first, dict) else []
            raise InputError(_unknown("field", "--field", file.field, names))
        notes.append(f"read its field '{field}'")
        texts = list(_at_path(value, field.split(".")))
    if len(texts) == 1:
        return Contents(pieces_by_lines(texts[0]), notes)
    return Contents([_paragraph(content, number) for number, content in enumerate(texts, 1)], notes)


def _at_path(value: Any, path: list[str]) -> Iterator[str]:
    """Yield the texts below the fields of `path`, one name per level; every element of a list is searched."""
    if isinstance(value, list):
        for element in value:
            yield from _at_path(element, path)
    elif isinstance(value, dict) and path:
        yield from _at_path(value.get(path[0]), path[1:])
    elif isinstance(value, str) and not path:
        yield value


def _named_texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield all texts of a value, each with the dotted name of its field."""
    if isinstance(value, dict):
        for name, content in value.items():
            yield from _named_texts(content, (*path, name)) if "." not in name else ()
    elif isinstance(value, list):
        for element in value:
            yield from _named_texts(element, path)
    elif isinstance(value, str) and path:
        yield ".".join(path), value


def _longest(texts: Iterable[tuple[str, str]]) -> str | None:
    """Return the name whose texts have more than twice the characters of any other, if there is one."""
    lengths: Counter[str] = Counter()
    for name, text in texts:
        lengths[name] += len(text.strip())
    ranked = [*lengths.most_common(2), ("", 0), ("", 0)]
    return ranked[0][0] if ranked[0][1] > 2 * ranked[1][1] else None


def _paragraph(text: str, number: int) -> Piece:
    label: Label = {"row": number}
    # A blank line within a cell is a line break: the cell is one block.
    return Piece("prose", "\n".join(line for line in text.splitlines() if line.strip()), marks=((0, label),))


def _unknown(kind: str, option: str, name: str | None, names: list[str]) -> str:
    listed = ", ".join(names[:_MOST_LISTED]) + (", ..." if len(names) > _MOST_LISTED else "")
    problem = f"has no {kind} '{name or _DEFAULT}', but {listed or 'none'}"
    return problem if name else f"{problem}: name the one that holds the text with {option}"
