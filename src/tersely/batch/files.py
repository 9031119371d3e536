"""Which files an input means, and opening them: plain, gzip or zstd, here or in an object store."""

import glob
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any, Literal, cast

from tersely.batch.arrow import pyarrow
from tersely.batch.zstd import ZstdReader
from tersely.errors import InputError, UsageError

Form = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]
FORMS: tuple[Form, ...] = ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")
ENDINGS = (*(f".{form}" for form in FORMS), ".ndjson", ".ndjson.gz", ".ndjson.zst")
# Readers of a folder of Parquet files leave out what begins so.
MANIFEST = "_manifest.jsonl"
_MARKS: dict[bytes, Form] = {b"PAR1": "parquet", b"\x1f\x8b": "jsonl.gz", b"\x28\xb5\x2f\xfd": "jsonl.zst"}
# What several threads have compressed begins with a frame that is to be skipped, of one of these sixteen kinds.
_MARKS |= {bytes([kind]) + b"\x2a\x4d\x18": "jsonl.zst" for kind in range(0x50, 0x60)}


@dataclass(frozen=True)
class File:
    """An input file, and what changes when its content does."""

    path: str
    size: int
    changed: int  # nanoseconds since 1970
    form: Form


def find_files(inputs: Sequence[str], own: Callable[[str], bool] = lambda _: False) -> list[File]:
    """List the files that files, folders and patterns name; a folder's and a pattern's in sorted order, each once.

    What is the run's `own`, as its output may be in such a folder, is left out.
    """
    paths: dict[str, str] = {}
    for name in inputs:
        for path in _expand(name, own):
            paths.setdefault(absolute(path), path)
    files = [_look(path) for path in paths.values()]
    if len({file.form == "parquet" for file in files}) == 2:
        raise UsageError("the input has both Parquet and JSON Lines: give one kind at a time")
    return files


def is_remote(path: str) -> bool:
    """Tell whether a path has a scheme, as `s3://bucket/folder` has."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that means the same in every process, and is the same for the same file; links are kept."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100


def filesystem(path: str) -> tuple[Any, str]:
    """Return the file system of a path with a scheme, and the path in it."""
    pa = pyarrow()
    try:
        found: tuple[Any, str] = pa.fs.FileSystem.from_uri(path)
    except pa.ArrowException:
        try:
            from fsspec.core import url_to_fs  # type: ignore[import-untyped, unused-ignore]

            system, inner = url_to_fs(path)
        except (ImportError, ValueError) as error:
            raise InputError(f"{path} cannot be opened: {error}") from None
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), inner
    except OSError as error:  # the store is asked for a bucket's region
        raise InputError(f"{path} cannot be opened: {error}") from None
    return found


def open_file(path: str) -> IO[bytes]:
    """Open a file to read its bytes."""
    if is_remote(path):
        system, inner = filesystem(path)
        return io.BufferedReader(system.open_input_file(inner), 1 << 20)
    return Path(path).open("rb", buffering=1 << 20)


@contextmanager
def open_lines(file: File, offset: int = 0) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file at a byte of what it says, and give the stream of that and the stream of the file itself."""
    with open_file(file.path) as raw:
        if file.form == "jsonl":
            raw.seek(offset)
            yield raw, raw
            return
        with _decompressed(raw, file.form) as stream:
            while offset:
                offset -= len(stream.read(min(offset, 1 << 20))) or offset
            yield stream, raw


def _decompressed(raw: IO[bytes], form: Form) -> IO[bytes]:
    if form == "jsonl.gz":
        import gzip

        return cast(IO[bytes], gzip.open(raw))
    return io.BufferedReader(ZstdReader(raw), 1 << 20)


def _expand(name: str, own: Callable[[str], bool]) -> list[str]:
    if is_remote(name):
        return _expand_remote(name)
    try:
        if Path(name).is_dir():
            ours = (Path(name) / MANIFEST).exists()
            found = [str(each) for each in Path(name).iterdir() if each.name.endswith(ENDINGS)]
            found = [each for each in found if _is_data(Path(each).name, ours)]
        elif Path(name).exists():
            return [name]
        elif any(mark in name for mark in "*?["):
            # Path.glob takes no absolute pattern.
            found = glob.glob(name, recursive=True)  # noqa: PTH207
        else:
            raise InputError(f"{name} does not exist")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None
    # A link that leads nowhere stays in, to be told of.
    return _or_error(sorted(each for each in found if not Path(each).is_dir() and (own(name) or not own(each))), name)


def _expand_remote(name: str) -> list[str]:
    pa = pyarrow()
    system, inner = filesystem(name)
    try:
        info = system.get_file_info(inner)
        if info.type == pa.fs.FileType.Directory:
            names = sorted(i.base_name for i in system.get_file_info(pa.fs.FileSelector(inner)) if i.is_file)
            ours = MANIFEST in names
            found = [f"{name.rstrip('/')}/{n}" for n in names if n.endswith(ENDINGS) and _is_data(n, ours)]
            return _or_error(found, name)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error}") from None
    if info.type == pa.fs.FileType.NotFound:
        raise InputError(f"{name} does not exist")
    return [name]


def _is_data(name: str, ours: bool) -> bool:
    """Tell a file of documents from what else is in a folder that an earlier run has written."""
    return not name.startswith(".") and (not ours or name.startswith("part-"))


def _or_error(found: list[str], name: str) -> list[str]:
    if not found:
        raise InputError(f"{name} holds no .jsonl, .jsonl.gz, .jsonl.zst or .parquet file")
    return found


def _look(path: str) -> File:
    try:
        if not is_remote(path) and not S_ISREG(Path(path).stat().st_mode):
            raise InputError(f"{path} is not a file on a disk, and what is read once cannot be gone on with")
        with open_file(path) as stream:
            start = stream.read(4)
        form: Form = next((form for mark, form in _MARKS.items() if start.startswith(mark)), "jsonl")
        if path.endswith(".parquet") and form != "parquet":
            raise InputError(f"{path} is not a readable Parquet file")
        if is_remote(path):
            system, inner = filesystem(path)
            info = system.get_file_info(inner)
            return File(path, info.size, info.mtime_ns or 0, form)
        stat = Path(path).stat()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    return File(path, stat.st_size, stat.st_mtime_ns, form)
