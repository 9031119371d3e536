"""A folder to write to, on a disk or in an object store: its files are whole or not there at all."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import IO, Any
from uuid import uuid4

from tersely.batch.arrow import pyarrow
from tersely.batch.files import filesystem, is_remote
from tersely.batch.manifest import put_in_place

_OBJECT_STORES = ("s3", "gcs", "abfs")


class Store:
    """A folder, named by a path or by an address with a scheme."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._remote: tuple[Any, str] | None = filesystem(folder) if is_remote(folder) else None

    def write(self, name: str, fill: Callable[[IO[bytes]], None]) -> None:
        """Have a file filled, then put it in its place; `fill` may close the stream."""
        if self._remote:
            self._write_remote(*self._remote, name, fill)
            return
        path = Path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(_beside(path.name))
        with temporary.open("wb") as stream:
            fill(stream)
        put_in_place(temporary, path)

    def _write_remote(self, system: Any, folder: str, name: str, fill: Callable[[IO[bytes]], None]) -> None:
        path = f"{folder}/{name}"
        before, _, last = path.rpartition("/")
        # An object store has no folders, and shows a file when it is closed; elsewhere a finished file is moved.
        # What an error leaves there half written is noted nowhere, and written over.
        atomic = system.type_name in _OBJECT_STORES
        temporary = path if atomic else f"{before}/{_beside(last)}"
        if not atomic:
            system.create_dir(before, recursive=True)
        with system.open_output_stream(temporary) as out:
            fill(out)
        if not atomic:
            system.move(temporary, path)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, or None where there is no such file."""
        try:
            if self._remote:
                system, inner = self._remote
                with system.open_input_stream(f"{inner}/{name}") as stream:
                    data: bytes = stream.read()
                    return data
            return Path(self.folder, name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, under: str = "") -> list[str]:
        """List the files in the folder, or in one in it, in sorted order, without what was left half written."""
        return [name for name in self._all_names(under) if not _is_unfinished(name)]

    def tidy(self, under: str) -> None:
        """Remove a folder in the folder, and what killed processes have left half written."""
        left = [name for name in self._all_names() if _is_unfinished(name)]
        with suppress(FileNotFoundError):
            if self._remote:
                system, inner = self._remote
                for name in left:
                    system.delete_file(f"{inner}/{name}")
                system.delete_dir(f"{inner}/{under}")
            else:
                for name in left:
                    Path(self.folder, name).unlink()
                rmtree(Path(self.folder, under))

    def _all_names(self, under: str = "") -> list[str]:
        if self._remote:
            system, inner = self._remote
            fs = pyarrow().fs
            selector = fs.FileSelector(f"{inner}/{under}".rstrip("/"), allow_not_found=True)
            return sorted(info.base_name for info in system.get_file_info(selector))
        path = Path(self.folder, under)
        return sorted(each.name for each in path.iterdir()) if path.is_dir() else []


def _beside(name: str) -> str:
    """Name what is being written; an actor of a run that was just killed may still be at the same part."""
    return f".{name}.{uuid4().hex}.tmp"


def _is_unfinished(name: str) -> bool:
    return name.startswith(".") and name.endswith(".tmp")
