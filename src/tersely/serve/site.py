"""The routes for people: the page, its files, and the reference."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from tersely.serve.problems import ProblemError
from tersely.serve.reference import render

ROUTES = ("/", "/docs", "/openapi.json")

_HERE = Path(__file__).parent
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}


def router(openapi: dict[str, Any]) -> APIRouter:
    """Return the routes; they serve the files that exist now and no others."""
    routes = APIRouter(include_in_schema=False)
    files = {
        path.relative_to(folder).as_posix(): File(path.read_bytes(), _TYPES[path.suffix])
        for folder in (_HERE / "page", _HERE / "assets")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    document = File(json.dumps(openapi, ensure_ascii=False, indent=2).encode(), "application/json")

    @routes.get("/")
    async def page(request: Request) -> Response:
        return files["index.html"].response(request)

    @routes.get("/static/{name:path}")
    async def static(request: Request, name: str) -> Response:
        if name not in files:
            raise ProblemError("not-found", "there is no such file")
        return files[name].response(request)

    @routes.get("/openapi.json")
    async def description(request: Request) -> Response:
        return document.response(request)

    @routes.get("/docs")
    async def reference(request: Request) -> Response:
        html = render(openapi, str(request.base_url).rstrip("/"))
        return File(html.encode(), _TYPES[".html"]).response(request)

    return routes


@dataclass(frozen=True)
class File:
    """A file in memory."""

    content: bytes
    media_type: str

    def response(self, request: Request) -> Response:
        """Return the file, or 304 if the client already has it."""
        headers = {"ETag": self._etag, "Cache-Control": "no-cache"}
        known = request.headers.get("if-none-match", "")
        if self._etag in known.replace("W/", "").replace(" ", "").split(","):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers | {"Content-Type": self.media_type})

    @cached_property
    def _etag(self) -> str:
        return f'"{sha256(self.content).hexdigest()[:32]}"'
