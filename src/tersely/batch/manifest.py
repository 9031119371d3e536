"""The manifest: what a run was asked to do, and which parts of it are done. It only grows, a line a part."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, Self

from tersely.batch.chunk import Place
from tersely.batch.files import MANIFEST
from tersely.errors import InputError, UsageError

UNFINISHED = f".{MANIFEST}.tmp"


class Part(NamedTuple):
    """A finished part: its file, from where to where it reaches, and what it holds.

    `errors` is how long errors.jsonl was when the part was finished.
    """

    name: str
    start: Place
    end: Place
    documents: int
    failed: int
    empty: int
    errors: int

    def entry(self) -> dict[str, Any]:
        """Return plain data."""
        return {**self._asdict(), "start": self.start._asdict(), "end": self.end._asdict()}

    @classmethod
    def of(cls, entry: dict[str, Any]) -> "Part":
        """Return the part of plain data."""
        return cls(**{**entry, "start": Place(**entry["start"]), "end": Place(**entry["end"])})


def part_name(*numbers: int) -> str:
    """Name a part so that sorted names are in the input's order, up to ten million of them."""
    return "-".join(["part", *(f"{number:07d}" for number in numbers)])


class Manifest:
    """The manifest of an output folder, which this process alone may write to."""

    def __init__(self, folder: Path, head: dict[str, Any], resume: bool) -> None:
        self.folder, self._path = folder, folder / MANIFEST
        self.parts: list[Part] = []
        self.complete = False
        new = not self._path.exists()
        if new:
            # A run that was killed at once has left no more than a manifest that is not yet one.
            if folder.exists() and (not folder.is_dir() or {each.name for each in folder.iterdir()} - {UNFINISHED}):
                raise UsageError(f"{folder} is there already, and not from this command: name another output")
            folder.mkdir(parents=True, exist_ok=True)
        elif not resume:
            raise UsageError(f"{folder} is there already: add --resume to go on with it, or name another output")
        # Not emptied when it is opened: it may be another's, who has begun at the same moment.
        self._stream = (folder / UNFINISHED).open("a+b") if new else self._path.open("r+b")
        try:
            self._lock()
            if new:
                self._begin(head)
            self._read(head)
        except BaseException:
            self.close()
            raise

    @property
    def end(self) -> Place:
        """Where the next part starts."""
        return self.parts[-1].end if self.parts else Place()

    def add(self, part: Part) -> None:
        """Note a part whose file is in place."""
        self.parts.append(part)
        self._append(part.entry())

    def finish(self) -> None:
        """Note that there is nothing left to do."""
        if not self.complete:
            self._append(complete(self.parts))
        self.complete = True

    def close(self) -> None:
        """Let other processes go on with it."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, head: dict[str, Any]) -> None:
        """Make what is locked the manifest, if nobody else was faster."""
        unfinished = self.folder / UNFINISHED
        if self._path.exists():
            unfinished.unlink(missing_ok=True)
            raise UsageError(f"{self.folder} is being written by another process: let it end first")
        self._stream.truncate(0)
        self._stream.write(line(head))
        self._stream.flush()
        put_in_place(unfinished, self._path)
        self._stream.seek(0)

    def _append(self, entry: dict[str, Any]) -> None:
        self._stream.write(line(entry))
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _lock(self) -> None:
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError:  # Windows: one process at a time, please
            return
        try:
            flock(self._stream, LOCK_EX | LOCK_NB)
        except OSError:
            raise UsageError(f"{self.folder} is being written by another process: let it end first") from None

    def _read(self, head: dict[str, Any]) -> None:
        data = self._stream.read()
        # A process that was killed may have left half a line.
        whole = data[: data.rfind(b"\n") + 1]
        try:
            found, *entries = map(json.loads, whole.splitlines())
            self.complete = bool(entries) and "complete" in entries[-1]
            self.parts = [Part.of(entry) for entry in entries[: len(entries) - self.complete]]
        except (ValueError, TypeError, KeyError):
            raise InputError(f"{self._path} is damaged: name another output") from None
        check_head(found, head, str(self.folder))
        self._stream.seek(len(whole))
        if len(whole) < len(data):
            self._stream.truncate()


def complete(parts: list[Part]) -> dict[str, Any]:
    """Return the last line of a manifest: what there is in all."""
    totals = {what: sum(getattr(part, what) for part in parts) for what in ("documents", "failed", "empty")}
    return {"complete": True, **totals}


def replace_file(path: Path, data: bytes) -> None:
    """Write beside the file, make sure that it is on the disk, and put it in the file's place at once."""
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as stream:
        stream.write(data)
    put_in_place(temporary, path)


def put_in_place(temporary: Path, path: Path) -> None:
    """Make sure that a finished file is on the disk, then give it its name."""
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_head(found: dict[str, Any], head: dict[str, Any], folder: str) -> None:
    """Refuse to go on with what was begun in another way."""
    for what in dict.fromkeys((*found, *head)):
        if found.get(what) != json.loads(json.dumps(head.get(what))):
            raise UsageError(f"{folder} was begun with other {what}: give the same as then, or name another output")


def line(entry: dict[str, Any]) -> bytes:
    """Return an entry as a line; a byte of a file's name that is not UTF-8 is escaped."""
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
