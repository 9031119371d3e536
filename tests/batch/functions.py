"""Functions that workers load in tests: they answer at once, and die where a text says so."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from tersely.batch.records import Answer, Type
from tersely.errors import InputError


@dataclass(frozen=True)
class Shout:
    """Writes a text in capitals; `HANG` in it hangs, `KILL` kills the worker, `ONCE` only where no file `marks` is."""

    marks: str = ""

    @property
    def columns(self) -> dict[str, Type]:
        return {"loud": "string", "length": "int64"}

    def load(self) -> Callable[[str], Answer]:
        return self.answer

    def answer(self, text: str) -> Answer:
        if "HANG" in text:
            Event().wait()
        if "KILL" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "ONCE" in text and not Path(self.marks).exists():
            Path(self.marks).touch()
            os._exit(3)
        if "REFUSE" in text:
            raise InputError("refused")
        if "RAISE" in text:
            raise ZeroDivisionError("by nothing")
        return Answer((text.upper(), len(text)), not text)

    def identity(self) -> dict[str, Any]:
        return {"function": "shout"}


class Unloadable(Shout):
    """Cannot be loaded."""

    def load(self) -> Callable[[str], Answer]:
        raise InputError("no such model")


class Dying(Shout):
    """Ends its worker when it is loaded."""

    def load(self) -> Callable[[str], Answer]:
        os._exit(5)


class Printing(Shout):
    """Prints what it hears."""

    def answer(self, text: str) -> Answer:
        print("heard", text, flush=True)
        return super().answer(text)
