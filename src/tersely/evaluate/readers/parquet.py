"""CNN/DailyMail as Parquet, the form of Hugging Face's `cnn_dailymail`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.errors import InputError, MissingExtraError
from tersely.evaluate.readers.fields import make_document, make_id
from tersely.evaluate.readers.files import files, files_or_error
from tersely.evaluate.readers.item import Fault, Item
from tersely.evaluate.record import Record
from tersely.text import Language

__all__ = ["Parquet"]

_BATCH = 64
_NEEDED = ("article", "highlights")


class Parquet:
    """Parquet files with the columns `article`, `highlights` and `id`.

    `article` is split into sentences; each line of `highlights` is one sentence of the reference. Without `id`, it
    is the name of the file and the number of the row from 0. The path is a file, a pattern
    (`3.0.0/test-*.parquet`), or a folder, all of whose files are read, whatever their split.
    """

    def accepts(self, path: Path) -> bool:
        """Tell by the ending of the files."""
        return any(file.suffix == ".parquet" for file in files(path, ".parquet")[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read the rows of each file, in batches."""
        for file in files_or_error(path, ".parquet"):
            number = 1
            try:
                for row in _rows(file):
                    yield _item(file, number, row, language)
                    number += 1
            except InputError as error:
                yield Fault(file, number, str(error))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Give the rows, each a scalar a column; whatever is wrong with the file is an `InputError`."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtraError("reading Parquet", "eval") from None
    try:
        with ParquetFile(file) as table:
            names = table.schema_arrow.names
            columns = [name for name in (*_NEEDED, "id") if names.count(name) == 1]
            for name in _NEEDED:
                if name not in columns:
                    raise InputError(f"the column '{name}' is {'doubled' if name in names else 'missing'}")
            for batch in table.iter_batches(_BATCH, columns=columns):
                for i in range(batch.num_rows):
                    yield {name: batch.column(name)[i] for name in columns}
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise InputError("not a readable Parquet file") from None


def _item(file: Path, number: int, row: dict[str, Any], language: Language | None) -> Item:
    try:
        document = make_document(_string(row, "article"), language, "article")
        highlights = (line.strip() for line in _string(row, "highlights").splitlines())
        name = make_id(row["id"].as_py() if "id" in row else None, f"{file.stem}.{number - 1}")
        return Record(name, document, tuple(filter(None, highlights)))
    except UnicodeDecodeError:
        return Fault(file, number, "not UTF-8")
    except InputError as error:
        return Fault(file, number, str(error))


def _string(row: dict[str, Any], name: str) -> str:
    value = row[name].as_py()
    if not isinstance(value, str):
        raise InputError(f"{name} is not a string")
    return value
