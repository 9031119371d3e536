"""A job: its input, its function and its output, checked before any work begins."""

import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from tersely.batch.inputs import (
    DOCUMENT,
    FORMS,
    MANIFEST,
    TABLES,
    Failure,
    Form,
    InputFile,
    column_names,
    common_schema,
    find_files,
)
from tersely.batch.records import RecordWork, TextFunction, first_records, first_schema
from tersely.errors import UsageError
from tersely.io.files import absolute, is_remote, pyarrow

ERRORS = "errors.jsonl"
PART_SIZE = 2_000
# In bytes, in most file systems.
_LONGEST_NAME = 255


@dataclass(frozen=True)
class Job:
    """A function of each text in some files, and the output that it is written to.

    The output is a folder of parts, or one file if its name ends like one. `text`, `id` and `query` are the columns of
    the texts, of their ids and of questions. `to` is the format of the parts, by default that of the first input. A
    document may take `timeout` seconds, by default any number. With `retry`, a run that is resumed also does parts
    again in which documents were set aside.
    """

    inputs: tuple[str, ...]
    output: str
    function: TextFunction
    text: str = "text"
    id: str | None = None
    to: Form | None = None
    part_size: int = PART_SIZE
    resume: bool = False
    timeout: float | None = None
    retry: bool = False
    query: str | None = None

    @cached_property
    def files(self) -> list[InputFile]:
        """The input files."""
        return find_files(self.inputs, self._is_output)

    @cached_property
    def form(self) -> Form:
        """The format of the output."""
        first = self.files[0].form
        return self._ending or self.to or ("jsonl" if first == DOCUMENT else first)

    @property
    def reads_files(self) -> bool:
        """Whether each input file is a document, such as a PDF."""
        return self.files[0].form == DOCUMENT

    @property
    def text_column(self) -> str:
        """The column of the texts, or of the files that hold them."""
        return DOCUMENT if self.reads_files else self.text

    @property
    def _ending(self) -> Form | None:
        # The longest first: .jsonl.gz ends neither in .jsonl nor in .gz alone.
        ending = next((form for form in FORMS[::-1] if self.output.endswith(f".{form}")), None)
        if ending and self.to not in (None, ending):
            raise UsageError(f"the name of the output ends in .{ending}, but --to says {self.to}")
        return ending

    @property
    def _foreign_ending(self) -> str | None:
        """The ending of an output that looks like the name of a file, but of no format that can be written."""
        match = re.search(r"(\.[a-z][a-z0-9]{0,7})+$", Path(self.output).name, re.IGNORECASE)
        folder = self.output.endswith("/") or self.is_one_file or (self.folder / MANIFEST).exists()
        return None if match is None or folder else match[0]

    @property
    def is_one_file(self) -> bool:
        """Whether the parts are joined into one file at the end."""
        return self._ending is not None

    @property
    def place(self) -> str:
        """The folder of the parts; it may be in an object store."""
        return f"{self.output}.parts" if self.is_one_file else self.output.rstrip("/")

    @property
    def folder(self) -> Path:
        """The folder of the parts, on a disk."""
        return Path(self.place)

    @property
    def is_delivered(self) -> bool:
        """Whether the parts are already joined into the one file."""
        return self.is_one_file and Path(self.output).exists()

    @property
    def errors(self) -> str:
        """The file that lists the documents that failed."""
        return f"{self.output}.{ERRORS}" if self.is_one_file else f"{self.place}/{ERRORS}"

    @property
    def work(self) -> RecordWork:
        """The work of the worker processes."""
        columns = (self.text_column, self.id, self.schema, self.query)
        return RecordWork(self.function, self.form, *columns, reads_files=self.reads_files)

    @cached_property
    def schema(self) -> Any:
        """The schema of the output, if the input or the output is Parquet; the names of its columns if it is CSV."""
        if self.form in TABLES:
            return self._header
        if self.files[0].form != "parquet" and self.form != "parquet":
            return None
        schema = common_schema(self.files) if self.files[0].form == "parquet" else first_schema(self.files)
        self._check_columns(schema.names)
        pa = pyarrow()
        for name, kind in self.function.columns.items():
            if name in schema.names:
                raise _exists_already(name)
            schema = schema.append(pa.field(name, pa.type_for_alias(kind)))
        return schema

    @property
    def _header(self) -> list[str]:
        names: list[str] = []
        for file in self.files:
            if file.form in TABLES:
                names += column_names(file)
        if self.files[0].form == "parquet":
            names = common_schema(self.files).names
        names = list(dict.fromkeys([*names, *(name for record in first_records(self.files) for name in record)]))
        self._check_columns(names)
        for name in self.function.columns:
            if name in names:
                raise _exists_already(name)
        return [*names, *self.function.columns]

    def _check_first(self) -> None:
        """Refuse new columns that the first documents have already, before each of them fails for it."""
        names = {name for record in first_records(self.files) for name in record}
        for name in self.function.columns:
            if name in names:
                raise _exists_already(name)

    def _check_columns(self, names: list[str]) -> None:
        path = self.files[0].path
        for name in (self.text_column, self.query):
            if name is not None and names.count(name) != 1:
                count = "two columns" if name in names else "no column"
                raise UsageError(f"{path} has {count} '{name}', but {', '.join(names) or 'none'}")
        if self.id is not None and self.id not in names and self.files[0].form == "parquet":
            raise UsageError(f"{path} has no column '{self.id}', but {', '.join(names)}")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None and self.form != "parquet":
            raise UsageError(f"{path} has two columns '{twice}', but JSON allows only one: write Parquet")

    def _is_output(self, path: str) -> bool:
        """Tell whether this job writes to a path."""
        files = absolute(self.output), absolute(self.errors)
        return absolute(path) in files or Path(absolute(path)).is_relative_to(absolute(self.place))

    def head(self, engine: str) -> dict[str, Any]:
        """Return the description of the job; a run is resumed only by a job with the same one."""
        state = [[file.path, file.size, file.changed, file.sample] for file in self.files]
        options = {
            "text": self.text,
            "id": self.id,
            "to": self.form,
            "part_size": self.part_size,
            "query_column": self.query,
        }
        return {
            "tersely": 5,  # raised whenever parts get other names or documents, or runs are resumed in another way
            "engine": engine,
            "inputs": [file.path for file in self.files],
            "input files": sha256(json.dumps(state).encode()).hexdigest(),
            "options": {**self.function.identity(), **options},
        }

    def error(self, file: int, failure: Failure) -> dict[str, Any]:
        """Return the entry of errors.jsonl for a record that failed."""
        kind = "row" if self.files[file].form in ("parquet", *TABLES) else "line"
        place = {} if self.reads_files else {kind: failure.number}
        name = {} if failure.id is None else {"id": failure.id}
        aside = {"set_aside": True} if failure.set_aside else {}
        return {"file": self.files[file].path, **place, **name, "reason": failure.reason, **aside}

    def check(self, engine: str) -> None:
        """Raise an error for whatever is wrong with the job, as far as that can be known before it runs."""
        if self.part_size < 1:
            raise UsageError(f"a part must have at least one document, not {self.part_size}")
        if self.retry and not self.resume:
            raise UsageError("--retry is for a run that is resumed: add --resume")
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"the timeout must be a number above 0, not {self.timeout}")
        if is_remote(self.output) and (engine == "local" or self.is_one_file):
            need = "an output folder, not a file" if self.is_one_file else "--engine ray"
            raise UsageError(f"{self.output} is in an object store, which needs {need}")
        if (name := self._foreign_ending) is not None:
            endings = ", ".join(f".{form}" for form in FORMS)
            raise UsageError(f"cannot write {name} files, only {endings}; for a folder of this name, end it with /")
        if len(os.fsencode(Path(self.errors if self.is_one_file else self.output).name)) > _LONGEST_NAME:
            raise UsageError("the name of the output is too long: other names are made from it")
        if self.schema is None:
            self._check_first()
        if self.is_one_file and Path(self.output).exists():
            if not self.resume:
                raise UsageError(f"{self.output} exists already: remove it, or choose another output")
            if not (self.folder / MANIFEST).exists() or self.retry:
                raise UsageError(f"{self.output} exists already and is complete: there is nothing to resume")


def _exists_already(name: str) -> UsageError:
    return UsageError(f"the column '{name}' exists already: choose another --summary-column")


@dataclass(frozen=True)
class BatchProgress:
    """The progress of a run: how many documents are done, and which share of the bytes of the input."""

    documents: int
    share: float
