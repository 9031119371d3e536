"""Writing results: to standard output, or to a file that is whole or not there at all."""

import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from tersely.errors import InputError


def write(text: str, output: str | None) -> None:
    """Write `text`, ended by a line feed, to standard output or whole to the file `output`."""
    data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "replace")
    if output is None or output == "-":
        if sys.stdout is None:  # Python's way to say that it was closed before the start
            raise InputError("standard output is closed: give a file with --output")
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_file(Path(output), data)


def write_file(path: Path, data: bytes) -> None:
    """Replace the file at once, so that nobody ever reads half of it; a pipe or a device is written to as it is."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        # Of a link, what it leads to is replaced, not the link.
        place = Path(os.path.realpath(path))
        with NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", delete=False) as stream:
            temporary = Path(stream.name)
            try:
                stream.write(data)
                stream.flush()
                # The mode a plain open() would have given.
                umask = os.umask(0)
                os.umask(umask)
                temporary.chmod(0o666 & ~umask)
                temporary.replace(place)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
