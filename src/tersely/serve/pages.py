"""What people look at: the page, its files, and the reference."""

import json
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from tersely.serve.reference import render
from tersely.serve.static import File, Files

ROUTES = ("/", "/docs", "/openapi.json")


def router(openapi: dict[str, Any]) -> APIRouter:
    """Return the routes; the files are those that are there now."""
    routes = APIRouter(include_in_schema=False)
    files = Files()
    written = File(json.dumps(openapi, ensure_ascii=False, indent=2).encode(), "application/json")

    @routes.get("/")
    async def page(request: Request) -> Response:
        return files.get("index.html").response(request)

    @routes.get("/static/{name:path}")
    async def static(request: Request, name: str) -> Response:
        return files.get(name).response(request)

    @routes.get("/openapi.json")
    async def document(request: Request) -> Response:
        return written.response(request)

    @routes.get("/docs")
    async def reference(request: Request) -> Response:
        page = render(openapi, str(request.base_url).rstrip("/"))
        return File(page.encode(), "text/html; charset=utf-8").response(request)

    return routes
