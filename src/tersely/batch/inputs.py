"""The input: which files a path, a folder or a pattern means, and how to open them."""

import glob
import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import IO, Literal, cast, get_args

from tersely.errors import InputError, UsageError
from tersely.io.lines import GZIP_MARK, ZSTD_MARKS, unpacked_zstd
from tersely.io.store import absolute, filesystem, is_remote, open_file
from tersely.io.tables import pyarrow, table_as_lines, table_names

Form = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet", "csv", "tsv"]
FORMS: tuple[Form, ...] = get_args(Form)
TABLES: frozenset[Form] = frozenset(("csv", "tsv"))
# Marks an output folder of this command. Readers of a folder of Parquet files skip names that start with "_".
MANIFEST = "_manifest.jsonl"
_ENDINGS = (*(f".{form}" for form in FORMS), ".ndjson", ".ndjson.gz", ".ndjson.zst")
_MARKS: dict[bytes, Form] = {b"PAR1": "parquet", GZIP_MARK: "jsonl.gz", **dict.fromkeys(ZSTD_MARKS, "jsonl.zst")}


@dataclass(frozen=True)
class InputFile:
    """An input file, with what changes when its content does."""

    path: str
    size: int
    changed: int  # nanoseconds since 1970
    form: Form


def find_files(inputs: Sequence[str], own: Callable[[str], bool] = lambda _: False) -> list[InputFile]:
    """List the files that paths, folders and patterns mean: each once, in sorted order within a folder or a pattern.

    Files that are the run's `own` are left out: the output may be in an input folder.
    """
    paths: dict[str, str] = {}
    for name in inputs:
        for path in _expand_remote(name) if is_remote(name) else _expand(name, own):
            paths.setdefault(absolute(path), path)
    files = [_look(path) for path in paths.values()]
    if len({file.form == "parquet" for file in files}) == 2:
        raise UsageError("the input has both Parquet and other files: run them separately")
    return files


@contextmanager
def open_lines(file: InputFile, offset: int = 0) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file of lines at an offset in its unpacked bytes; yield the unpacked stream, and the file's own."""
    with open_file(file.path) as raw:
        if file.form == "jsonl":
            raw.seek(offset)
            yield raw, raw
            return
        with _unpacked(raw, file.form) as stream:
            while offset:
                offset -= len(stream.read(min(offset, 1 << 20))) or offset
            yield stream, raw


def _unpacked(raw: IO[bytes], form: Form) -> IO[bytes]:
    if form in TABLES:
        return table_as_lines(raw, form)
    return cast(IO[bytes], gzip.open(raw)) if form == "jsonl.gz" else unpacked_zstd(raw)


def column_names(file: InputFile) -> list[str]:
    """Return the names in the first row of a CSV or TSV file."""
    try:
        with open_file(file.path) as raw:
            return table_names(raw, file.form)
    except InputError as error:
        raise InputError(f"{file.path} {error}") from None


def _expand(name: str, own: Callable[[str], bool]) -> list[str]:
    try:
        if Path(name).is_dir():
            ours = (Path(name) / MANIFEST).exists()
            found = [str(each) for each in Path(name).iterdir() if _is_data(each.name, ours)]
        elif Path(name).exists():
            return [name]
        elif any(mark in name for mark in "*?["):
            # Path.glob takes no absolute pattern.
            found = glob.glob(name, recursive=True)  # noqa: PTH207
        else:
            raise InputError(f"{name} does not exist")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None
    # A dangling link stays in, so that it is reported.
    return _or_error(sorted(each for each in found if not Path(each).is_dir() and (own(name) or not own(each))), name)


def _expand_remote(name: str) -> list[str]:
    pa = pyarrow()
    system, inner = filesystem(name)
    try:
        info = system.get_file_info(inner)
        if info.type == pa.fs.FileType.Directory:
            names = sorted(i.base_name for i in system.get_file_info(pa.fs.FileSelector(inner)) if i.is_file)
            ours = MANIFEST in names
            return _or_error([f"{name.rstrip('/')}/{each}" for each in names if _is_data(each, ours)], name)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error}") from None
    if info.type == pa.fs.FileType.NotFound:
        raise InputError(f"{name} does not exist")
    return [name]


def _is_data(name: str, ours: bool) -> bool:
    """Tell whether a file in a folder holds documents; in a folder that this command wrote, only parts do."""
    return name.endswith(_ENDINGS) and not name.startswith(".") and (not ours or name.startswith("part-"))


def _or_error(found: list[str], name: str) -> list[str]:
    if not found:
        raise InputError(f"{name} holds no file that ends in {', '.join(f'.{form}' for form in FORMS)}")
    return found


def _look(path: str) -> InputFile:
    try:
        if not is_remote(path) and not S_ISREG(Path(path).stat().st_mode):
            raise InputError(f"{path} is not a regular file: it can be read only once, so the run could not be resumed")
        with open_file(path) as stream:
            start = stream.read(4)
        named: Form = next((form for form in ("csv", "tsv") if path.lower().endswith(f".{form}")), "jsonl")
        form: Form = next((form for mark, form in _MARKS.items() if start.startswith(mark)), named)
        if path.endswith(".parquet") and form != "parquet":
            raise InputError(f"{path} is not a readable Parquet file")
        if is_remote(path):
            system, inner = filesystem(path)
            info = system.get_file_info(inner)
            return InputFile(path, info.size, info.mtime_ns or 0, form)
        stat = Path(path).stat()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    return InputFile(path, stat.st_size, stat.st_mtime_ns, form)
