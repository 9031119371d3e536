"""What a reader gives: a record, or the reason why there is none."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tersely.evaluate.record import Record
from tersely.text import Language


@dataclass(frozen=True)
class Fault:
    """A record that cannot be read.

    `line` counts from 1: lines, or records in a format without lines. A fault of a whole file is at line 1.

    >>> print(Fault(Path("dev.jsonl"), 3, "no text"))
    dev.jsonl:3: no text
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


Item = Record | Fault


class Reader(Protocol):
    """Reads one format. It gives a fault in the place of a record, and leaves to others what to do about it."""

    def accepts(self, path: Path) -> bool:
        """Tell whether what is at `path` looks like this format."""

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read what is at `path`, one record at a time; the language is looked up when it is not given."""
