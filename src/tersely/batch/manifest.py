"""The manifest of an output: what a run was asked to do, and which parts are done. It grows by one line per part."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from tersely.batch.chunks import Place
from tersely.batch.inputs import MANIFEST
from tersely.batch.records import json_line
from tersely.errors import InputError, TerselyError, UsageError
from tersely.io.files import put_in_place
from tersely.io.store import Store

# One name for all: of two processes that begin at the same moment, one locks the other out.
_UNFINISHED = f".{MANIFEST}.tmp"


class Part(NamedTuple):
    """A finished part: its file, where in the input it starts and ends, and what it holds.

    Of the documents that failed, `set_aside` might do better another time. In the manifest, an entry also has the lines
    of errors.jsonl that belong to the part. There is no hash of a file in an object store.
    """

    name: str
    start: Place
    end: Place
    documents: int
    failed: int
    empty: int
    set_aside: int
    size: int
    sha256: str | None

    def entry(self, errors: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return plain data for the manifest."""
        return {**self._asdict(), "start": self.start._asdict(), "end": self.end._asdict(), "errors": errors}

    @classmethod
    def from_entry(cls, entry: dict[str, Any]) -> "Part":
        """Return the part that an entry describes."""
        known = {name: entry[name] for name in cls._fields}
        return cls(**{**known, "start": Place(**entry["start"]), "end": Place(**entry["end"])})

    def is_done(self, store: Store, retry: bool) -> bool:
        """Tell whether its file is there and whole, and no document of it is to be tried again."""
        return not (retry and self.set_aside) and store.holds(self.name, self.size, self.sha256)


class Totals(NamedTuple):
    """What all runs of a job did together."""

    documents: int
    failed: int
    empty: int

    @classmethod
    def of(cls, parts: Sequence[Part]) -> "Totals":
        """Add up what parts hold."""
        return cls(*(sum(getattr(part, name) for part in parts) for name in cls._fields))


def part_name(*numbers: int) -> str:
    """Name a part so that names sort in the order of the input, for up to ten million parts."""
    return "-".join(["part", *(f"{number:07d}" for number in numbers)])


class Manifest:
    """The manifest of an output folder; only this process may write to that folder."""

    def __init__(self, folder: Path, head: dict[str, Any], resume: bool) -> None:
        self.folder, self._path = folder, folder / MANIFEST
        self._parts: dict[str, Part] = {}
        self._lines: dict[str, int] = {}  # where the last entry of each part begins
        self.complete = False
        new = not self._path.exists()
        if new:
            # A run that was killed right at its start left at most an unfinished manifest.
            if folder.exists() and (not folder.is_dir() or {each.name for each in folder.iterdir()} - {_UNFINISHED}):
                raise foreign(str(folder))
            folder.mkdir(parents=True, exist_ok=True)
        elif not resume:
            raise not_resumed(str(folder))
        # Opened without emptying it: it may belong to another process that began at the same moment.
        self._stream = (folder / _UNFINISHED).open("a+b") if new else self._path.open("r+b")
        try:
            self._lock()
            if new:
                self._begin(head)
            self._read(head)
        except BaseException:
            self.close()
            raise

    @property
    def parts(self) -> list[Part]:
        """The finished parts, in the order of the input."""
        return list(self._parts.values())

    @property
    def end(self) -> Place:
        """Where the next part starts."""
        return next(reversed(self._parts.values())).end if self._parts else Place()

    def add(self, part: Part, errors: Sequence[dict[str, Any]]) -> None:
        """Note a part whose file is in place, with its lines of errors.jsonl; it replaces one of the same name."""
        line = self._append(part.entry(errors))
        self._parts[part.name], self._lines[part.name], self.complete = part, line, False

    def errors(self) -> Iterator[bytes]:
        """Yield the lines of errors.jsonl, in the order of the input."""
        for name, part in self._parts.items():
            if part.failed:
                self._stream.seek(self._lines[name])
                yield from map(json_line, json.loads(self._stream.readline())["errors"])

    def finish(self) -> None:
        """Note that there is nothing left to do."""
        if not self.complete:
            self._append(complete(self.parts))
        self.complete = True

    def close(self) -> None:
        """Let other processes resume the run."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, head: dict[str, Any]) -> None:
        """Turn the locked file into the manifest, unless another process was faster."""
        unfinished = self.folder / _UNFINISHED
        if self._path.exists():
            unfinished.unlink(missing_ok=True)
            raise self._taken()
        self._stream.truncate(0)
        self._stream.write(json_line(head))
        self._stream.flush()
        put_in_place(unfinished, self._path)
        self._stream.seek(0)

    def _append(self, entry: dict[str, Any]) -> int:
        at = self._stream.seek(0, os.SEEK_END)
        self._stream.write(json_line(entry))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return at

    def _lock(self) -> None:
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError:  # Windows has no such lock
            return
        try:
            flock(self._stream, LOCK_EX | LOCK_NB)
        except OSError:
            raise self._taken() from None

    def _taken(self) -> UsageError:
        return UsageError(f"another process is writing to {self.folder}: wait until it ends")

    def _read(self, head: dict[str, Any]) -> None:
        try:
            check_head(json.loads(self._stream.readline()), head, str(self.folder))
            at = self._stream.tell()
            while (line := self._stream.readline()).endswith(b"\n"):
                entry = json.loads(line)
                self.complete = "complete" in entry
                if not self.complete:
                    part = Part.from_entry(entry)
                    self._parts[part.name], self._lines[part.name] = part, at
                at += len(line)
        except TerselyError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError(f"{self._path} is damaged: choose another output") from None
        if line:  # a killed process left half of one
            self._stream.truncate(at)


def complete(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the last entry of a manifest: the totals."""
    return {"complete": True, **Totals.of(parts)._asdict()}


def check_head(found: dict[str, Any], head: dict[str, Any], folder: str) -> None:
    """Refuse to resume a run with a different engine, input or options."""
    head = json.loads(json.dumps(head))
    for what in dict.fromkeys((*found, *head)):
        old, new = found.get(what), head.get(what)
        if old == new:
            continue
        if what == "engine":
            raise UsageError(f"{folder} was started with --engine {old}: resume with the same engine")
        if isinstance(old, dict) and isinstance(new, dict):
            names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
            what = f"{what} ({', '.join(names)})"
        raise UsageError(f"{folder} was started with different {what}: use the same ones, or choose another output")


def foreign(folder: str) -> UsageError:
    """Return the error for a folder that this command did not write."""
    return UsageError(f"{folder} exists already and is not from this command: choose another output")


def not_resumed(folder: str) -> UsageError:
    """Return the error for a run that was begun before."""
    return UsageError(f"{folder} exists already: add --resume to continue it, or choose another output")
