"""A job: what is to be read, done and written, checked before any work begins."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from tersely.batch.chunk import Failure
from tersely.batch.convert import first_schema
from tersely.batch.files import FORMS, MANIFEST, File, Form, absolute, find_files, is_remote
from tersely.batch.manifest import replace_file
from tersely.batch.parts import join
from tersely.batch.read import CHUNK, common_schema
from tersely.batch.records import Records, TextFunction
from tersely.errors import UsageError

ERRORS = "errors.jsonl"
PART_SIZE = 2_000


@dataclass(frozen=True)
class Job:
    """Files in, files out, and a function of each text between them.

    The output is a folder of parts, or one file where its name ends as such a file's does. `to` is the form of the
    parts, by default that of the first input. A document may take so many seconds as `timeout` says, or any number.
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

    @cached_property
    def files(self) -> list[File]:
        """The input's files."""
        return find_files(self.inputs, self._is_own)

    @cached_property
    def form(self) -> Form:
        """The form of what is written."""
        return self._ending or self.to or self.files[0].form

    @property
    def _ending(self) -> Form | None:
        # The longest first: .jsonl.gz ends neither in .jsonl nor in .gz alone.
        ending = next((form for form in FORMS[::-1] if self.output.endswith(f".{form}")), None)
        if ending and self.to not in (None, ending):
            raise UsageError(f"the output's name ends in .{ending}, but --to says {self.to}")
        return ending

    @property
    def place(self) -> str:
        """The folder of the parts; it may be in an object store."""
        return f"{self.output}.parts" if self._ending else self.output.rstrip("/")

    @property
    def folder(self) -> Path:
        """The folder of the parts, on a disk."""
        return Path(self.place)

    @property
    def errors(self) -> str:
        """Where the documents are listed that failed."""
        return f"{self.output}.{ERRORS}" if self._ending else f"{self.place}/{ERRORS}"

    @property
    def work(self) -> Records:
        """What workers do."""
        return Records(self.function, self.form, self.text, self.id, self.schema)

    @property
    def chunk(self) -> int:
        """How many records go to a worker at once."""
        return min(CHUNK, self.part_size)

    def _is_own(self, path: str) -> bool:
        """Tell whether a path is one that this job writes to."""
        files = absolute(self.output), absolute(self.errors)
        return absolute(path) in files or Path(absolute(path)).is_relative_to(absolute(self.place))

    @cached_property
    def schema(self) -> Any:
        """The schema of what is written, where what is read or written is Parquet."""
        if self.files[0].form != "parquet" and self.form != "parquet":
            return None
        schema = common_schema(self.files) if self.files[0].form == "parquet" else first_schema(self.files)
        if schema.names.count(self.text) != 1:
            what = "two columns" if self.text in schema.names else "no column"
            raise UsageError(f"{self.files[0].path} has {what} '{self.text}', but {', '.join(schema.names) or 'none'}")
        if self.id is not None and self.id not in schema.names and self.files[0].form == "parquet":
            raise UsageError(f"{self.files[0].path} has no column '{self.id}', but {', '.join(schema.names)}")
        twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
        if twice is not None and self.form != "parquet":
            raise UsageError(f"{self.files[0].path} has two columns '{twice}', and a line of JSON one: write Parquet")
        for name, kind in self.function.columns.items():
            if name in schema.names:
                raise UsageError(f"there is a column '{name}' already: choose another --summary-column")
            schema = schema.append(_field(name, kind))
        return schema

    def head(self, engine: str) -> dict[str, Any]:
        """Return what must be the same for a run to be gone on with."""
        state = [[file.path, file.size, file.changed] for file in self.files]
        options = {"text": self.text, "id": self.id, "to": self.form, "part_size": self.part_size}
        return {
            "tersely": 2,  # as long as parts have the same names and documents
            "engine": engine,
            "inputs": [file.path for file in self.files],
            "input files": sha256(json.dumps(state).encode()).hexdigest(),
            "options": {**self.function.identity(), **options},
        }

    def error_line(self, file: int, failure: Failure) -> bytes:
        """Return the line of errors.jsonl for a record that failed."""
        kind = "row" if self.files[file].form == "parquet" else "line"
        name = {} if failure.id is None else {"id": failure.id}
        entry = {"file": self.files[file].path, kind: failure.number, **name, "reason": failure.reason}
        return json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"

    def check(self, engine: str) -> None:
        """Say what is wrong with the job, as far as that can be known before it runs."""
        if self.part_size < 1:
            raise UsageError(f"a part must have at least one document, not {self.part_size}")
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"the timeout must be a number above 0, not {self.timeout}")
        if is_remote(self.output) and (engine == "local" or self._ending):
            what = "a folder" if self._ending else "--engine ray"
            raise UsageError(f"{self.output} is in an object store: that takes {what}")
        _ = self.schema
        if self._ending and not self.resume and Path(self.output).exists():
            raise UsageError(f"{self.output} is there already: remove it, or name another output")
        if self._ending and self.resume and Path(self.output).exists() and not (self.folder / MANIFEST).exists():
            raise UsageError(f"{self.output} is there already, and whole: there is nothing to resume")

    def join(self, parts: Sequence[str]) -> None:
        """Put the finished parts together, where one file was asked for."""
        if self._ending:
            paths = [self.folder / part for part in parts]
            # Where a part is gone, an earlier run was killed while it removed what it had joined.
            if not Path(self.output).exists() or all(path.exists() for path in paths):
                errors = self.folder / ERRORS
                if errors.exists():
                    replace_file(Path(self.errors), errors.read_bytes())
                join(paths, Path(self.output), self.form, self.schema)
            for each in self.folder.iterdir():
                # The manifest is the last to go: as long as it is there, there is something left to do.
                if each.name != MANIFEST:
                    shutil.rmtree(each) if each.is_dir() else each.unlink()
            shutil.rmtree(self.folder)


def _field(name: str, kind: str) -> Any:
    from tersely.batch.arrow import pyarrow

    pa = pyarrow()
    return pa.field(name, pa.type_for_alias(kind))
