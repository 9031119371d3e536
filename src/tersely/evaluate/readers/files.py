"""Which files a path means, and opening them."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from tersely.errors import InputError

# Far more than any document; beyond it a file is surely not what its reader expects.
MAX_BYTES = 64_000_000
_GZIP = b"\x1f\x8b"


def files(path: Path, *endings: str) -> list[Path]:
    """List the files of a path in sorted order: a file, a folder's files of these endings, a pattern's matches."""
    if path.is_dir():
        return [each for each in listing(path) if each.name.endswith(endings) and each.is_file()]
    if path.exists():
        return [path]
    return sorted(each for each in path.parent.glob(path.name) if each.is_file()) if is_pattern(path) else []


def files_or_error(path: Path, *endings: str) -> list[Path]:
    """List the files of a path, of which there must be at least one."""
    found = files(path, *endings)
    if not found:
        raise InputError(f"{path} holds no {' or '.join(endings)} file")
    return found


def listing(folder: Path) -> list[Path]:
    """List what is in a folder, in sorted order."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from None


def is_pattern(path: Path) -> bool:
    """Tell whether a path's last part is a pattern, such as `test-*.parquet`."""
    return not path.exists() and any(mark in path.name for mark in "*?[")


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, plain or gzip by its content; whatever goes wrong with it then is an `InputError`."""
    try:
        with path.open("rb") as raw:
            if raw.peek(2)[:2] == _GZIP:
                with gzip.open(raw) as stream:
                    yield cast(IO[bytes], stream)
            else:
                yield raw
    except EOFError:
        raise InputError("the gzip file ends too early: it is truncated") from None
    except (zlib.error, gzip.BadGzipFile):
        raise InputError("the gzip file is broken") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from None


def read_text(path: Path) -> str:
    """Return the text of a small file."""
    with open_bytes(path) as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise InputError(f"longer than {MAX_BYTES // 1_000_000} MB")
    return decode(raw)


def decode(raw: bytes) -> str:
    """Decode UTF-8; a byte order mark is not part of the text."""
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}") from None
