"""Files that are whole or not there at all, and their hashes."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from tersely.errors import InputError


def write_whole(path: str | Path, content: bytes | Callable[[IO[bytes]], None]) -> None:
    """Replace a file in one step, so that nobody ever reads half of it, not even after a power failure.

    `content` is the bytes, or a function that writes them to a stream. A pipe or a device is written to directly,
    and a link stays a link: the file it points to is replaced.
    """
    path = Path(path)
    fill = _writer(content) if isinstance(content, bytes) else content
    with one_line_errors(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                fill(stream)
            return
        place = Path(os.path.realpath(path))
        temporary = place.with_name(unfinished_name())
        try:
            with temporary.open("xb") as stream:
                fill(stream)
            put_in_place(temporary, place)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def put_in_place(temporary: Path, path: Path) -> None:
    """Give a finished file its name, once its content is on the disk; then make sure that its name is, too."""
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def unfinished_name() -> str:
    """Return a name for a file that is still being written, unlike any other process's.

    It does not contain the final name, so that a name as long as the system allows still works.
    """
    return f".{uuid4().hex}.tmp"


def is_unfinished(name: str) -> bool:
    """Tell whether a file was left behind by a process that was killed while writing it."""
    return name.startswith(".") and name.endswith(".tmp")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def one_line_errors(path: Path) -> Iterator[None]:
    """Turn a failure to write into one line that names the file and the cause."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def _writer(data: bytes) -> Callable[[IO[bytes]], None]:
    def write(stream: IO[bytes]) -> None:
        stream.write(data)

    return write


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder, and does not need to
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
