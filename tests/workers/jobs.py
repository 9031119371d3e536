"""Work for tests: the jobs are words, and some of them are bad for the worker."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from tersely.errors import InputError, MissingExtraError


@dataclass(frozen=True)
class Shouting:
    """Returns words in capitals; a job is one word or a list of them."""

    marks: str = ""

    def load(self) -> Callable[[Any], Any]:
        return self._do

    def _do(self, job: str | list[str]) -> Any:
        return self._shout(job) if isinstance(job, str) else [self._shout(word) for word in job]

    def _shout(self, word: str) -> str:
        match word:
            case "hang":
                Event().wait()
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "once" if not Path(self.marks).exists():
                Path(self.marks).touch()
                os._exit(3)
            case "twice" | "thrice" if self._times(word) <= (2 if word == "twice" else 3):
                os._exit(3)
            case "refuse":
                raise InputError("refused")
            case "extra":
                raise MissingExtraError("shouting", "loud")
            case "raise":
                raise ZeroDivisionError("by nothing")
            case "print":
                print("heard", flush=True)
        return word.upper()

    def _times(self, word: str) -> int:
        """How often a word has come up, this time included."""
        with Path(f"{self.marks}.{word}").open("a+b") as stream:
            stream.write(b".")
            return stream.tell()


class TwoArgumentsError(Exception):
    """An exception that can be pickled, but not unpickled."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def fail(error: Exception) -> None:
    raise error


def refuse_twice() -> None:
    raise TwoArgumentsError("two", "words")


def hold_what_cannot_be_sent() -> None:
    raise ValueError(lambda: None)


class Unloadable(Shouting):
    """Cannot be loaded."""

    def load(self) -> Callable[[Any], Any]:
        raise InputError("no such model")


class Dying(Shouting):
    """Ends its worker when it is loaded."""

    def load(self) -> Callable[[Any], Any]:
        os._exit(5)


class Carded(Shouting):
    """Tells its parent something when it is loaded."""

    def load(self) -> Callable[[Any], Any]:
        def shout(job: str) -> str:
            return job.upper()

        shout.card = "a card"  # type: ignore[attr-defined]
        return shout
