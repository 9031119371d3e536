"""Progress on standard error: a line that is redrawn on a terminal, and written now and then elsewhere."""

import os
import sys
import time
from collections.abc import Callable

import click


def say(line: str, end: bool = True) -> None:
    """Tell who is listening; where nobody is any more, the work goes on all the same."""
    try:
        click.echo(line, nl=end, err=True)
    except OSError:
        listen_no_more()


def listen_no_more() -> None:
    """Let whatever is said from now on be lost."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def draw(line: str, stays: bool) -> None:
    """Show a line: on a terminal over the one before, unless that was to stay; elsewhere only if it stays."""
    terminal = _is_terminal()
    if stays or terminal:
        say(("\r\x1b[K" if terminal else "") + line, stays)


class Line:
    """A line that is due five times a second on a terminal, and every half a minute elsewhere."""

    def __init__(self) -> None:
        self._terminal = _is_terminal()
        self._shown = self.began = time.monotonic()

    def due(self) -> bool:
        """Tell whether it is time to show it."""
        return time.monotonic() - self._shown >= (0.2 if self._terminal else 30)

    def show(self, line: str) -> None:
        """Show it."""
        self._shown = time.monotonic()
        draw(line, stays=not self._terminal)

    def end(self) -> None:
        """Make room for what is said at the end."""
        if self._terminal:
            draw("", stays=False)


def counting(name: str) -> Callable[[int], None]:
    """Return what shows how many documents are done, on a terminal only."""
    started, shown = time.monotonic(), [0.0]

    def show(done: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - shown[0] > 0.2:
            shown[0] = now
            click.echo(f"\r{name}: {done} documents, {done / (now - started):.1f} a second ", nl=False, err=True)

    return show


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
