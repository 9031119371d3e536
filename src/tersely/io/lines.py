"""JSON Lines, plain, gzip or zstd: one object per line, with every line that is not one reported."""

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

from tersely.errors import InputError, MissingExtraError

Object = dict[str, Any]

# Far longer than any document; a file with a longer line is not what its reader expects.
MAX_BYTES = 64_000_000
GZIP_MARK = b"\x1f\x8b"
# A file that several threads compressed begins with a frame to skip, of one of sixteen kinds.
ZSTD_MARKS = (b"\x28\xb5\x2f\xfd", *(bytes([kind]) + b"\x2a\x4d\x18" for kind in range(0x50, 0x60)))


@dataclass(frozen=True)
class Fault:
    """A record that cannot be read.

    `line` counts from 1: lines, or records in a format without lines. A fault of a whole file is at line 1.

    >>> print(Fault(Path("dev.jsonl"), 3, "no text"))
    dev.jsonl:3: no text
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def read_objects(path: Path) -> Iterator[tuple[int, Object] | Fault]:
    """Yield each object of a file with the number of its line; blank lines are skipped."""
    number = 0
    try:
        with open_unpacked(path) as stream:
            for number, line in enumerate(_lines(stream), 1):
                if line.strip():
                    try:
                        item: tuple[int, Object] | Fault = (number, parse_object(line))
                    except InputError as error:
                        item = Fault(path, number, str(error))
                    yield item
    except InputError as error:
        yield Fault(path, number + 1, str(error))


def first_object(path: Path) -> Object | None:
    """Return the first object of a file, which shows the kind of the file.

    Broken lines before it are skipped, but no more than `MAX_BYTES` are read.
    """
    with suppress(InputError), open_unpacked(path) as stream:
        remaining = MAX_BYTES
        while remaining and (line := stream.readline(remaining)):
            remaining -= len(line)
            with suppress(InputError):
                return parse_object(line)
    return None


def parse_object(line: bytes) -> Object:
    """Return the JSON object of one line.

    >>> parse_object(b'{"text": "It rains."}')
    {'text': 'It rains.'}
    """
    if len(line) > MAX_BYTES:
        raise InputError(f"longer than {MAX_BYTES // 1_000_000} MB")
    text = decode(line).strip()
    if not text.startswith("{"):
        raise InputError("not a JSON object")
    try:
        value: Object = json.loads(text, object_pairs_hook=without_doubles)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(f"broken JSON at column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError):
        raise InputError("broken JSON: a number too long, or nested too deep") from None
    return value


def without_doubles(pairs: list[tuple[str, Any]]) -> Object:
    """Make an object of pairs, and refuse two values for one key: nobody can know which one is right."""
    value: Object = {}
    for key, field in pairs:
        if key in value:
            raise InputError(f"the key '{key[:50]}' is there twice")
        value[key] = field
    return value


def decode(raw: bytes) -> str:
    """Decode UTF-8; a byte order mark is not part of the text."""
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}") from None


def read_text(path: Path) -> str:
    """Return the text of a file of at most `MAX_BYTES`, plain or compressed."""
    with open_unpacked(path) as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise InputError(f"longer than {MAX_BYTES // 1_000_000} MB")
    return decode(raw)


@contextmanager
def open_unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, plain, gzip or zstd by its content; anything that goes wrong with it then is an `InputError`."""
    try:
        with path.open("rb") as raw:
            start = raw.peek(4)[:4]
            if start.startswith(GZIP_MARK):
                with gzip.open(raw) as stream:
                    yield cast(IO[bytes], stream)
            elif start in ZSTD_MARKS:
                yield unpacked_zstd(raw)
            else:
                yield raw
    except EOFError:
        raise InputError("the compressed file ends too early: it is truncated") from None
    except (zlib.error, gzip.BadGzipFile):
        raise InputError("the gzip file is broken") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":  # the module that defines it may not be installed
            raise InputError("the zstd file is broken") from None
        raise


def unpacked_zstd(raw: IO[bytes]) -> IO[bytes]:
    """Return the unpacked bytes of a zstd stream."""
    return io.BufferedReader(_ZstdReader(raw), 1 << 20)


def zstandard() -> Any:
    """Return the module for zstd, or say which extra brings it."""
    try:
        import zstandard as module
    except ImportError:
        raise MissingExtraError("reading and writing .zst files", "batch") from None
    return module


def to_json(value: Any, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Return JSON that stays readable in every script; a lone surrogate is escaped, as UTF-8 cannot hold it.

    `default` turns a value that JSON has no form for into one that it has.

    >>> to_json({"text": "雨"})
    '{"text": "雨"}'
    """
    text = _dump(value, indent, default, ascii_only=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _dump(value, indent, default, ascii_only=True)
    return text


def _dump(value: Any, indent: int | None, default: Callable[[Any], Any] | None, ascii_only: bool) -> str:
    if indent is None or default is not None:
        return json.dumps(value, ensure_ascii=ascii_only, indent=indent, default=default)
    return _indented(value, " " * indent, ascii_only)


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _indented(value: Any, step: str, ascii_only: bool, outer: str = "\n") -> str:
    """Return what `json.dumps` does with an indent, only faster.

    The fast encoder of the standard library knows no indent, but it takes any separator: it writes an object that
    holds no other in one go, and a list of such objects as well.
    """
    inner = outer + step
    separator = f",{inner}"
    write = _encoder(separator, ascii_only)
    if not isinstance(value, dict | list | tuple) or not value:
        return write(value)
    if isinstance(value, dict):
        if _is_flat(value):
            return f"{{{inner}{write(value)[1:-1]}{outer}}}"
        items = [
            write({key: item})[1:-1]
            if type(item) in _SCALARS
            else write({key: 0})[1:-2] + _indented(item, step, ascii_only, inner)
            for key, item in value.items()
        ]
        return f"{{{inner}{separator.join(items)}{outer}}}"
    if all(map(_is_flat, value)):
        deep = inner + step
        # No string holds a line break that is not escaped: this stands between two objects and nowhere else.
        content = _encoder(f",{deep}", ascii_only)(value)[2:-2].replace(f"}},{deep}{{", f"{inner}}},{inner}{{{deep}")
        return f"[{inner}{{{deep}{content}{inner}}}{outer}]"
    return f"[{inner}{separator.join([_indented(item, step, ascii_only, inner) for item in value])}{outer}]"


def _is_flat(value: Any) -> bool:
    """Tell whether a value is an object with something in it, but no list and no other object."""
    return isinstance(value, dict) and bool(value) and _SCALARS.issuperset(map(type, value.values()))


@cache
def _encoder(separator: str, ascii_only: bool) -> Callable[[Any], str]:
    return json.JSONEncoder(ensure_ascii=ascii_only, separators=(separator, ": ")).encode


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream; a line that is too long is cut to just above the limit."""
    while line := stream.readline(MAX_BYTES + 1):
        rest = line
        while len(rest) > MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES + 1)
        yield line


# Four bytes may stand for 128 kB: reading this much at a time unpacks to no more than 64 MB.
_STEP = 1 << 11


class _ZstdReader(io.RawIOBase):
    """All frames of a stream; the reader of the module accepts a file that was cut off."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._module = raw, zstandard()
        self._frame: Any = None
        self._packed = b""
        self._unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._unpacked:
            self._packed = self._packed or self._raw.read(_STEP)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the zstd file ends too early")
                return 0
            self._frame = self._frame or self._module.ZstdDecompressor().decompressobj()
            self._unpacked = memoryview(self._frame.decompress(self._packed))
            self._packed = b""
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        piece, self._unpacked = self._unpacked[: len(buffer)], self._unpacked[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
