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
# The share of zeros in UTF-16 with spaces between its words, and with letters of ASCII, at least.
_MANY_ZEROS, _LATIN_ZEROS = 1 / 40, 1 / 5


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
    """Return the text of UTF-16 without a byte order mark: it has zeros in every other byte, and reads as text.

    Chinese has few of them, at the ends of lines, and reads as Chinese in one order of its bytes only.
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
    """Tell whether a text has no characters but those that people write; control characters are in binary data."""
    return all(letter.isprintable() or letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)


def _script(data: bytes, text: str) -> str:
    """Return the script of most letters beyond ASCII, or nothing if there is none or the bytes are plainly ASCII.

    Two letters of ASCII read as one Chinese character.
    """
    ascii_bytes = sum(32 <= byte < 127 for byte in data)
    letters = (
        unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha() and letter > "\x7f"
    )
    scripts = Counter("CJK" if script in ("HIRAGANA", "KATAKANA") else script for script in letters)
    script, times = scripts.most_common(1)[0] if scripts else ("", 0)
    return script if 4 * ascii_bytes < 3 * len(data) and 3 * times > 2 * scripts.total() >= 20 else ""


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
