"""Ctrl-C that waits for the end of a step, so that what is saved is never half a step."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """Within this context the first SIGINT only sets `asked`; the second one interrupts at once."""

    def __enter__(self) -> Self:
        self.asked = False
        # Python delivers signals to the main thread, and only there may a handler be set.
        self._here = threading.current_thread() is threading.main_thread()
        self._before: Any = signal.signal(signal.SIGINT, self._ask) if self._here else None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._here:
            signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
