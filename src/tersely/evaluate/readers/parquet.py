"""CNN/DailyMail as Parquet, in the format of Hugging Face's `cnn_dailymail`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.errors import InputError, MissingExtraError
from tersely.evaluate.readers._shared import Item, files, files_or_error, make_document, make_id, make_reference
from tersely.evaluate.record import Record
from tersely.io.lines import Fault
from tersely.io.tables import plain_columns, read_rows
from tersely.text import Language

__all__ = ["Parquet"]

_READ = ("article", "text", "highlights", "summary", "id")


class Parquet:
    """Parquet files with the columns `article`, `highlights` and `id`, or `text`, `summary` and `id`.

    `article` or `text` is split into sentences, or is a list of sentences, which is kept. Each line of `highlights` is
    one sentence of the reference; `summary` is split into sentences unless it is a list. Only the first column is
    needed. Without `id`, it is the name of the file and the number of the row from 0. Other columns of texts and whole
    numbers become the record's `fields`. The path is a file, a pattern (`3.0.0/test-*.parquet`), or a folder, in which
    every file is read, whatever its split.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the ending of the first file."""
        return any(file.suffix == ".parquet" for file in files(path, ".parquet")[:1])

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per row."""
        for file in files_or_error(path, ".parquet"):
            number = 1
            try:
                plain = plain_columns(file)
                text = "text" if "text" in plain and "article" not in plain else "article"
                others = [name for name in plain if name not in _READ]
                for row in read_rows(file, [text], [name for name in _READ if name != text] + others):
                    yield _item(file, number, row, text, language)
                    number += 1
            except InputError as error:
                yield Fault(file, number, str(error))
            except MissingExtraError:
                # Two extras bring pyarrow; whoever evaluates needs the rest of this one, too.
                raise MissingExtraError("reading Parquet", "eval") from None


def _item(file: Path, number: int, row: dict[str, Any], text: str, language: Language | None) -> Item:
    try:
        values = {name: scalar.as_py() for name, scalar in row.items()}
        document = make_document(values[text], language, text)
        name = make_id(values.get("id"), f"{file.stem}.{number - 1}")
        fields = {key: value for key, value in values.items() if key not in _READ}
        return Record(name, document, _reference(values, document.language), fields=fields)
    except UnicodeDecodeError:
        return Fault(file, number, "not UTF-8")
    except InputError as error:
        return Fault(file, number, str(error))


def _reference(values: dict[str, Any], language: Language) -> tuple[str, ...]:
    if "highlights" not in values:
        return make_reference(values.get("summary"), language, "summary")
    if not isinstance(values["highlights"], str):
        raise InputError("highlights is not a string")
    return tuple(filter(None, (line.strip() for line in values["highlights"].splitlines())))
