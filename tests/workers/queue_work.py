"""Work for the workers of a queue under test; the workers import it from here."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pids:
    """Work whose every result is the worker's process id, and whose card is `card`."""

    card: str = "pids"

    def load(self) -> Callable[[Any], int]:
        def pid(_: Any) -> int:
            return os.getpid()

        pid.card = self.card  # type: ignore[attr-defined]
        return pid


class Deadly:
    """Work whose every job kills its worker."""

    def load(self) -> Callable[[Any], Any]:
        return lambda _: os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Unloadable:
    """Work that cannot be loaded."""

    def load(self) -> Callable[[Any], Any]:
        raise ValueError("there is no such model")
