"""Files on a disk or in an object store: how they are named and opened, and written whole or not at all."""

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from tersely.errors import InputError, MissingExtraError

# These show a file only when it is closed, and have no folders.
_OBJECT_STORES = ("s3", "gcs", "abfs")
_SAMPLED = 1 << 16  # bytes in each block of the sample of a file


def write_whole(path: str | Path, content: bytes | Callable[[IO[bytes]], None]) -> None:
    """Replace a file in one step, so that nobody ever reads half of it, not even after a power failure.

    `content` is the bytes, or a function that writes them to a stream. A pipe or a device is written to directly,
    and a link stays a link: the file it points to is replaced. An existing file keeps its mode and its owner. If it
    has several names (hard links), all of them show the new content; the file is then overwritten, not replaced.
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
            if place.is_file() and place.stat().st_nlink > 1:
                _overwrite(place, temporary)
                return
            _keep_mode(place, temporary)
            put_in_place(temporary, place)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _keep_mode(place: Path, temporary: Path) -> None:
    """Give a file that is about to replace another one its mode, and its owner if that is allowed."""
    with suppress(FileNotFoundError):
        before = place.stat()
        if hasattr(os, "chown"):
            with suppress(PermissionError):
                os.chown(temporary, before.st_uid, before.st_gid)
        temporary.chmod(before.st_mode & 0o7777)


def _overwrite(place: Path, temporary: Path) -> None:
    """Fill a file that has several names; if that fails, it has its old content again."""
    before, data = place.read_bytes(), temporary.read_bytes()
    with place.open("r+b", buffering=0) as stream:
        try:
            _fill(stream, data)
        except BaseException:
            with suppress(OSError):
                _fill(stream, before)
            raise
    temporary.unlink()


def _fill(stream: IO[bytes], data: bytes) -> None:
    stream.seek(0)
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.truncate(len(data))
    os.fsync(stream.fileno())


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


def sample_hash(stream: IO[bytes], blocks: int) -> str:
    """Return a hash of blocks that are spread over a file, its start and its end among them; of a small one, all."""
    raw = getattr(stream, "raw", stream)  # no more than a block is read
    last, digest = max(0, raw.seek(0, os.SEEK_END) - _SAMPLED), hashlib.sha256()
    for place in sorted({last * number // (blocks - 1) for number in range(blocks)}):
        raw.seek(place)
        digest.update(raw.read(_SAMPLED))
    return digest.hexdigest()


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


def pyarrow() -> Any:
    """Return pyarrow, or say which extra brings it."""
    try:
        import pyarrow as module
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "batch") from None
    return module


def is_remote(path: str) -> bool:
    """Tell whether a path has a scheme, like `s3://bucket/folder`."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that means the same file in every process; links are kept."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100


def filesystem(path: str) -> tuple[Any, str]:
    """Return the file system of a path with a scheme, and the path in it."""
    pa = pyarrow()
    try:
        system_and_path: tuple[Any, str] = pa.fs.FileSystem.from_uri(path)
    except pa.ArrowException:
        try:
            from fsspec.core import url_to_fs  # type: ignore[import-untyped, unused-ignore]

            system, inner = url_to_fs(path)
        except (ImportError, ValueError) as error:
            raise InputError(f"{path} cannot be opened: {error}") from None
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), inner
    except OSError as error:  # the store was asked for the bucket's region
        raise InputError(f"{path} cannot be opened: {error}") from None
    return system_and_path


def open_file(path: str) -> IO[bytes]:
    """Open a file to read its bytes."""
    if is_remote(path):
        system, inner = filesystem(path)
        return io.BufferedReader(system.open_input_file(inner), 1 << 20)
    return Path(path).open("rb", buffering=1 << 20)


class Store:
    """A folder to write to; its files are whole or not there at all."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._remote: tuple[Any, str] | None = filesystem(folder) if is_remote(folder) else None

    def write(self, name: str, content: bytes | Callable[[IO[bytes]], None]) -> None:
        """Write a file: its bytes, or a function that writes them to a stream and may close it."""
        if self._remote:
            self._write_remote(*self._remote, name, content)
            return
        path = Path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)

    def _write_remote(self, system: Any, folder: str, name: str, content: bytes | Callable[[IO[bytes]], None]) -> None:
        path = f"{folder}/{name}"
        parent = path.rpartition("/")[0]
        atomic = system.type_name in _OBJECT_STORES
        temporary = path if atomic else f"{parent}/{unfinished_name()}"
        if not atomic:
            system.create_dir(parent, recursive=True)
        with system.open_output_stream(temporary) as out:
            if isinstance(content, bytes):
                out.write(content)
            else:
                content(out)
        if not atomic:
            system.move(temporary, path)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None if there is no such file."""
        try:
            if self._remote:
                system, inner = self._remote
                with system.open_input_stream(f"{inner}/{name}") as stream:
                    data: bytes = stream.read()
                    return data
            return Path(self.folder, name).read_bytes()
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            if self._remote:
                system, inner = self._remote
                system.delete_file(f"{inner}/{name}")
            else:
                Path(self.folder, name).unlink()

    def look(self, name: str) -> tuple[int, str | None]:
        """Return the size of a file, -1 if there is none, and its SHA-256, unless it would have to be fetched."""
        if self._remote:
            system, inner = self._remote
            info = system.get_file_info(f"{inner}/{name}")
            return (info.size if info.is_file else -1), None
        path = Path(self.folder, name)
        return (path.stat().st_size, sha256(path)) if path.is_file() else (-1, None)

    def holds(self, name: str, size: int, digest: str | None) -> bool:
        """Tell whether a file is there with this size and, if it is known, this SHA-256."""
        if not self._remote and size != (path.stat().st_size if (path := Path(self.folder, name)).is_file() else -1):
            return False  # without reading it
        return self.look(name) == (size, digest)

    def names(self, under: str = "") -> list[str]:
        """List the finished files of the folder, or of one inside it, in sorted order."""
        return [name for name in self._all_names(under) if not is_unfinished(name)]

    def tidy(self, under: str) -> None:
        """Remove a folder inside the folder, and the unfinished files that killed processes left behind."""
        leftovers = [name for name in self._all_names() if is_unfinished(name)]
        with suppress(FileNotFoundError):
            if self._remote:
                system, inner = self._remote
                for name in leftovers:
                    system.delete_file(f"{inner}/{name}")
                system.delete_dir(f"{inner}/{under}")
            else:
                for name in leftovers:
                    Path(self.folder, name).unlink()
                from shutil import rmtree

                rmtree(Path(self.folder, under))

    def _all_names(self, under: str = "") -> list[str]:
        if self._remote:
            system, inner = self._remote
            selector = pyarrow().fs.FileSelector(f"{inner}/{under}".rstrip("/"), allow_not_found=True)
            return sorted(info.base_name for info in system.get_file_info(selector))
        path = Path(self.folder, under)
        return sorted(child.name for child in path.iterdir()) if path.is_dir() else []
