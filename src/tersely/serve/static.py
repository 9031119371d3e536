"""The files of the page: those that are there when the service starts, and no others."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from tersely.serve.problems import ProblemError

_HERE = Path(__file__).parent
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class File:
    """A file as it is sent."""

    content: bytes
    media_type: str

    def response(self, request: Request) -> Response:
        """Return the file, or that the client has it already."""
        headers = {"ETag": self._etag, "Cache-Control": "no-cache"}
        known = request.headers.get("if-none-match", "")
        if self._etag in known.replace("W/", "").replace(" ", "").split(","):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers | {"Content-Type": self.media_type})

    @cached_property
    def _etag(self) -> str:
        return f'"{sha256(self.content).hexdigest()[:32]}"'


class Files:
    """The files in memory, by their name below /static/."""

    def __init__(self) -> None:
        self._files = {name: File(path.read_bytes(), _TYPES[path.suffix]) for name, path in _found().items()}

    def get(self, name: str) -> File:
        """Return a file, or say that there is none."""
        if name not in self._files:
            raise ProblemError("not-found", "there is no such file")
        return self._files[name]


def _found() -> dict[str, Path]:
    page, own = _HERE / "page", _HERE / "assets"
    return {
        path.relative_to(folder).as_posix(): path
        for folder in (page, own)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
