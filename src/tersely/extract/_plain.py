"""Plain text in any common encoding."""

import unicodedata
from collections import Counter

from tersely.errors import InputError, MissingExtraError
from tersely.extract.extracted import Reading
from tersely.extract.forms import Given

# A byte order mark that nothing but its encoding begins with.
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
# What people have besides UTF-8; fewer candidates are told apart faster and better.
_CODECS = "gb18030 big5 cp932 euc_jp euc_kr cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 koi8_r iso8859_2".split()
_TITLES = {"cp932": "Shift_JIS", "big5": "Big5", "gb18030": "GB18030", "cp1252": "Windows-1252"}
_SAMPLE = 60_000


def decode(data: bytes, charset: str | None = None) -> tuple[str, str | None]:
    """Return the text of bytes, and the name of their encoding if it had to be found out.

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
    codec = _found(data)
    if codec is None:
        raise InputError("is not text in any common encoding: convert it to UTF-8 first")
    return data.decode(codec, "replace"), _TITLES.get(codec, codec.replace("_", "-").upper())


def _without_mark(data: bytes) -> str | None:
    """Return the text of UTF-16 without a byte order mark: it has zeros in every other byte, and reads as text."""
    sample = data[: _SAMPLE & ~1]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or 40 * max(even, odd) <= len(sample):
        return None
    try:
        text = data.decode("utf-16le" if odd > even else "utf-16be")
    except UnicodeDecodeError:
        return None
    latin = 5 * max(even, odd) > len(sample)
    return text if _reads_as_text(text[:_SAMPLE]) and (latin or _in_one_script(sample, text[:_SAMPLE])) else None


def _reads_as_text(text: str) -> bool:
    """Tell whether a text has no characters but those that people write; control characters are in binary data."""
    return all(letter.isprintable() or letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)


def _in_one_script(data: bytes, text: str) -> bool:
    """Tell whether most of the letters beyond ASCII are of one script, and the bytes are not plainly ASCII.

    Two letters of ASCII read as one Chinese character.
    """
    ascii_bytes = sum(32 <= byte < 127 for byte in data)
    letters = (
        unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha() and letter > "\x7f"
    )
    scripts = Counter("CJK" if script in ("HIRAGANA", "KATAKANA") else script for script in letters)
    return 4 * ascii_bytes < 3 * len(data) and 3 * max(scripts.values(), default=0) > 2 * scripts.total() >= 20


def _found(data: bytes) -> str | None:
    """Find out the encoding of a text from its beginning."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        raise MissingExtraError("reading text that is not UTF-8", "files") from None
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    if sample.isascii():  # the first other letter comes late
        other = next(i for i, byte in enumerate(data) if byte > 127)
        sample = data[max(0, data.rfind(b"\n", 0, other) + 1) :][:_SAMPLE]
    found = from_bytes(sample, cp_isolation=_CODECS)
    best = found.best()
    if best is None:
        return None
    # Most texts of Western Europe could be of Central Europe just as well.
    western = (
        match.chaos <= best.chaos and match.coherence >= best.coherence and "cp1252" in match.could_be_from_charset
        for match in found
    )
    return "cp1252" if any(western) else best.encoding


def decode_given(given: Given) -> tuple[str, list[str]]:
    """Return the text of a file with line feeds only, and a note about its encoding if it had to be found out."""
    text, codec = decode(given.data, given.charset)
    return text.replace("\r\n", "\n").replace("\r", "\n"), [f"read as {codec}"] if codec else []


def read_text(given: Given) -> Reading:
    """Take a plain text as it is."""
    text, codec = decode(given.data, given.charset)
    return Reading(text=text, notes=[f"read as {codec}"] if codec else [])
