"""A function for tests: it answers at once, and misbehaves if the text says so."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from tersely.batch.job import Job
from tersely.batch.records import ColumnType, NewValues
from tersely.errors import InputError


@dataclass(frozen=True)
class Shout:
    """Returns a text in capitals; `HANG` hangs, `KILL` kills the worker, `REFUSE` and `RAISE` raise errors.

    `UNLESS PATH` kills the worker unless there is a file at that path.
    """

    @property
    def columns(self) -> dict[str, ColumnType]:
        return {"loud": "string", "length": "int64"}

    def load(self) -> Callable[[str], NewValues]:
        return self.answer

    def answer(self, text: str) -> NewValues:
        if "HANG" in text:
            Event().wait()
        if "KILL" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("UNLESS ") and not Path(text.removeprefix("UNLESS ")).exists():
            os.kill(os.getpid(), signal.SIGKILL)
        if "REFUSE" in text:
            raise InputError("refused")
        if "RAISE" in text:
            raise ZeroDivisionError("by nothing")
        return NewValues((text.upper(), len(text)), not text)

    def identity(self) -> dict[str, Any]:
        return {"function": "shout"}


def job(source: str | Path, output: str | Path, **more: Any) -> Job:
    """Return a job that shouts, with small parts."""
    return Job((str(source),), str(output), Shout(), part_size=10, **more)
