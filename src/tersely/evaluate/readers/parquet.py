"""CNN/DailyMail as Parquet, in the format of Hugging Face's `cnn_dailymail`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.errors import InputError, MissingExtraError
from tersely.evaluate.readers._shared import Item, files, files_or_error, make_document, make_id
from tersely.evaluate.record import Record
from tersely.io.lines import Fault
from tersely.io.tables import read_rows
from tersely.text import Language

__all__ = ["Parquet"]


class Parquet:
    """Parquet files with the columns `article`, `highlights` and `id`.

    `article` is split into sentences; each line of `highlights` is one sentence of the reference. Without `id`, it is
    the name of the file and the number of the row from 0. The path is a file, a pattern (`3.0.0/test-*.parquet`), or a
    folder, in which every file is read, whatever its split.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the ending of the first file."""
        return any(file.suffix == ".parquet" for file in files(path, ".parquet")[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per row."""
        for file in files_or_error(path, ".parquet"):
            number = 1
            try:
                for row in read_rows(file, ["article", "highlights"], ["id"]):
                    yield _item(file, number, row, language)
                    number += 1
            except InputError as error:
                yield Fault(file, number, str(error))
            except MissingExtraError:
                # Two extras bring pyarrow; whoever evaluates needs the rest of this one, too.
                raise MissingExtraError("reading Parquet", "eval") from None


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
