"""Plain text in any common encoding, one column of a table, one field of JSON, and subtitles with their times."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice
from typing import Any, NamedTuple

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

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,60})>")
_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_DASH = re.compile(r"^[-–—]\s?", re.MULTILINE)
# "Ann Lee: Good morning." in the transcript of a meeting
_NAME_FIRST = re.compile(r"(?P<name>[^\W\d_][^\n:.!?]{0,40}):\s+(?=\S)")
_CLOSED = re.compile(r"[.!?…。！？♪\])][\"'”’»]?\Z")
_PAUSE = 4  # seconds without a word that end a paragraph
_LONGEST_TURN = 60  # seconds of a paragraph, if a sentence ends there


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


class _Cue(NamedTuple):
    start: int
    end: int
    speaker: str
    text: str


def read_srt(file: RawFile) -> Contents:
    """Read SRT subtitles; a sentence may go on from one to the next."""
    text, notes = decode_file(file)
    return Contents(list(_joined_cues(_with_speakers(list(_cues(text))))), notes)


read_vtt = read_srt


def _cues(text: str) -> Iterator[_Cue]:
    """Yield the subtitles: a line with times, and the lines below it up to a blank one."""
    times: re.Match[str] | None = None
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if match := _TIMES.match(line):
            times, lines = match, []
        elif line.strip():
            lines.append(line.strip())
        elif times is not None:
            start, end = _seconds(*times.group(1, 2, 3)), _seconds(*times.group(5, 6, 7))
            yield from _turns(start, end, "\n".join(lines))
            times = None


def _with_speakers(cues: list[_Cue]) -> Iterator[_Cue]:
    """Yield the subtitles with the names of their speakers, if names come before what is said, and come again.

    Then one without a name goes on with what the last speaker says.
    """
    names = Counter(name["name"] for cue in cues if not cue.speaker and (name := _NAME_FIRST.match(cue.text)))
    has_names = 2 * sum(times for times in names.values() if times > 1) >= max(names.total(), 2)
    has_names = has_names and 3 * names.total() >= len(cues)
    speaker = ""
    for cue in cues:
        name = _NAME_FIRST.match(cue.text) if has_names and not cue.speaker else None
        speaker = name["name"] if name else speaker
        yield cue._replace(speaker=cue.speaker or speaker, text=cue.text[name.end() :] if name else cue.text)


def _turns(start: int, end: int, text: str) -> Iterator[_Cue]:
    """Yield the words of each speaker in a subtitle; dashes separate speakers without names."""
    voices = _VOICE.split(text)
    if len(voices) > 1:
        for speaker, words in zip(voices[1::2], voices[2::2], strict=True):
            yield _Cue(start, end, speaker.strip(), _unmarked(words))
    elif len(lines := _DASH.split(text)) > 2 and not lines[0].strip():
        yield from (_Cue(start, end, "-", _unmarked(words)) for words in lines[1:])
    else:
        yield _Cue(start, end, "", _unmarked(text))


def _unmarked(text: str) -> str:
    return _DASH.sub("", unescape(_TAG.sub("", text))).strip()


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds)


def _joined_cues(cues: Iterator[_Cue]) -> Iterator[Piece]:
    """Join subtitles to paragraphs; each word keeps the time of its subtitle."""
    paragraph: list[_Cue] = []
    for cue in cues:
        if not cue.text or (paragraph and cue.text == paragraph[-1].text):  # repeated, as when lines roll
            continue
        if paragraph and _ends(paragraph, cue):
            yield _spoken(paragraph)
            paragraph = []
        paragraph.append(cue)
    if paragraph:
        yield _spoken(paragraph)


def _ends(paragraph: list[_Cue], cue: _Cue) -> bool:
    """Tell whether a paragraph ends before a subtitle: at another speaker, after a pause, or when it is long."""
    last = paragraph[-1]
    if cue.speaker != last.speaker or cue.speaker == "-" or cue.start - last.end >= _PAUSE:
        return True
    return cue.start - paragraph[0].start >= _LONGEST_TURN and bool(_CLOSED.search(last.text))


def _spoken(cues: list[_Cue]) -> Piece:
    text, marks = "", []
    for cue in cues:
        text += "\n" if text else ""
        label: Label = {"time": _clock(cue.start)}
        marks.append((len(text), label))
        text += cue.text
    speaker = cues[0].speaker.strip("-")
    return Piece("turn" if speaker else "prose", text, 0, speaker, tuple(marks))


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
