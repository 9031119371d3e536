"""Results to standard output or a file; progress to standard error."""

import os
import sys
import time
from collections.abc import Callable

import click

from tersely.errors import InputError
from tersely.io.files import write_whole


def write(text: str, output: str | None) -> None:
    """Write `text`, ended by a line feed, to standard output, or as a whole to the file `output`."""
    data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "replace")
    if output is not None and output != "-":
        write_whole(output, data)
        return
    if sys.stdout is None:  # Python's way to say that it was closed before the start
        raise InputError("standard output is closed: give a file with --output")
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(line: str, end: bool = True) -> None:
    """Print to standard error; if nobody reads it any more, the work goes on."""
    try:
        click.echo(line, nl=end, err=True)
    except OSError:
        listen_no_more()


def listen_no_more() -> None:
    """Discard everything that is printed to standard error from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def draw(line: str, stays: bool) -> None:
    """Show a line: on a terminal over the line before, unless that one stays; elsewhere only if it stays."""
    terminal = _is_terminal()
    if stays or terminal:
        say(("\r\x1b[K" if terminal else "") + line, stays)


class Line:
    """A progress line, due five times a second on a terminal and each minute elsewhere."""

    def __init__(self) -> None:
        self._terminal = _is_terminal()
        self._shown = self.began = time.monotonic()

    def due(self) -> bool:
        """Tell whether it is time to show it again."""
        return time.monotonic() - self._shown >= (0.2 if self._terminal else 60)

    def show(self, line: str) -> None:
        """Show it."""
        self._shown = time.monotonic()
        draw(line, stays=not self._terminal)

    def end(self) -> None:
        """Clear it, to make room for the last words."""
        if self._terminal:
            draw("", stays=False)


def counting(name: str) -> Callable[[int], None]:
    """Return a function that shows how many documents are done."""
    line = Line()

    def show(done: int) -> None:
        if line.due():
            line.show(f"{name}: {done} documents, {done / (time.monotonic() - line.began):.1f} per second")

    return show


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
