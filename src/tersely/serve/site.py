"""The routes for people: the page, its files, and the reference of the interface, made from the OpenAPI document."""

import json
import shlex
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response

from tersely.serve.problems import KINDS, MEDIA_TYPE, ProblemError
from tersely.serve.schema import EXAMPLES

ROUTES = ("/", "/docs", "/openapi.json")

_FOLDER = Path(__file__).parent
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}
_NO_TOKEN = ("/healthz", "/readyz")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tersely: reference</title>
<link rel="icon" href="/static/icon.svg">
<link rel="stylesheet" href="/static/reference.css">
<script src="/static/reference.js" defer></script>
</head>
<body>
<header>
<h1>{title} <small>{version}</small></h1>
<p>{description} <a href="/">Open the page</a> or <a href="/openapi.json">the OpenAPI document</a>.</p>
</header>
<nav aria-label="Contents"><ul>{contents}</ul></nav>
<main>
{operations}
<section id="problems">
<h2>Problems</h2>
<p>Errors are problem details (RFC 9457, application/problem+json): <code>type</code> ends in one of these names,
<code>detail</code> is a line for people, <code>errors</code> names each wrong field, and <code>request_id</code>
finds the request in the log.</p>
<dl>{problems}</dl>
</section>
</main>
</body>
</html>
"""


def router(openapi: dict[str, Any]) -> APIRouter:
    """Return the routes; they serve the files that exist now and no others."""
    routes = APIRouter(include_in_schema=False)
    files = {
        path.relative_to(folder).as_posix(): File(path.read_bytes(), _TYPES[path.suffix])
        for folder in (_FOLDER / "page", _FOLDER / "assets")
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
        tags = request.headers.get("if-none-match", "")
        if self._etag in tags.replace("W/", "").replace(" ", "").split(","):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers | {"Content-Type": self.media_type})

    @cached_property
    def _etag(self) -> str:
        return f'"{sha256(self.content).hexdigest()[:32]}"'


def document(app: FastAPI, *, with_tokens: bool) -> dict[str, Any]:
    """Return the OpenAPI document of the routes, with a real answer for each example."""
    openapi = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for path, operations in openapi["paths"].items():
        for operation in operations.values():
            if with_tokens and path not in _NO_TOKEN:
                operation["security"] = [{"token": []}]
                operation["responses"]["401"] = _problem("The token is missing or unknown.")
            for status, response in operation["responses"].items():
                if not status.startswith("2"):
                    response["content"] = _problem("")["content"]
    if with_tokens:
        openapi["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for task, example in EXAMPLES.items():
        answers = openapi["paths"][f"/v1/{task}"]["post"]["responses"]
        answers["200"]["content"]["application/json"]["example"] = example["answer"]
    return openapi


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/ProblemAnswer"}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


def render(openapi: dict[str, Any], base: str) -> str:
    """Return the reference page; `base` is the address that its commands use."""
    operations = [(p, m, o) for p, methods in openapi["paths"].items() for m, o in methods.items()]
    info = openapi["info"]
    return _PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info["description"]),
        contents="".join(_entry(*operation) for operation in operations),
        operations="\n".join(_operation(openapi, base, *operation) for operation in operations),
        problems="".join(
            f'<dt id="{kind}"><code>{kind}</code> {status}</dt><dd>{escape(meaning)}</dd>'
            for kind, (status, meaning) in KINDS.items()
        ),
    )


def _entry(path: str, method: str, operation: dict[str, Any]) -> str:
    return (
        f'<li><a href="#{_anchor(path)}"><code>{method.upper()} {path}</code></a> {escape(operation["summary"])}</li>'
    )


def _anchor(path: str) -> str:
    return path.strip("/").replace("/", "-")


def _operation(openapi: dict[str, Any], base: str, path: str, method: str, operation: dict[str, Any]) -> str:
    body = _body(openapi, operation)
    file = "requestBody" in operation and not body
    statuses = "".join(
        f"<dt>{status}</dt><dd>{escape(answer['description'])}</dd>"
        for status, answer in operation["responses"].items()
    )
    parts = [
        f'<section id="{_anchor(path)}">',
        f"<h2><code>{method.upper()} {path}</code></h2>",
        f"<p>{escape(operation['description'])}</p>",
        _code(_curl(base + path, body, "security" in operation, file), copy=True),
        _fields(body) if body else "",
        _example(operation),
        f"<details><summary>Statuses</summary><dl>{statuses}</dl></details>",
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def _body(openapi: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the body, if there is one; a file has none."""
    if "application/json" not in operation.get("requestBody", {}).get("content", {}):
        return None
    name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    schema: dict[str, Any] = openapi["components"]["schemas"][name]
    return schema


def _curl(address: str, body: dict[str, Any] | None, token: bool, file: bool) -> str:
    parts = [f"curl -s {shlex.quote(address + ('?name=report.pdf' if file else ''))}"]
    if token:
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if file:
        parts.append("-H 'Content-Type: application/pdf' --data-binary @report.pdf")
    if body:
        parts.append("-H 'Content-Type: application/json'")
        parts.append(f"-d {shlex.quote(json.dumps(body['examples'][0], ensure_ascii=False))}")
    return " \\\n  ".join(parts)


def _code(text: str, copy: bool = False) -> str:
    button = '<button type="button" class="copy" hidden>Copy</button>' if copy else ""
    return f'<div class="code">{button}<pre tabindex="0"><code>{escape(text)}</code></pre></div>'


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = "".join(
        f"<tr><th scope='row'><code>{name}</code></th><td>{escape(_kind(field))}</td>"
        f"<td>{'required' if name in required else escape(json.dumps(field.get('default')))}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in schema["properties"].items()
    )
    head = (
        "<tr>" + "".join(f"<th scope='col'>{title}</th>" for title in ("field", "type", "default", "meaning")) + "</tr>"
    )
    return f'<div class="table" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _kind(schema: dict[str, Any]) -> str:
    """Name the type of a field in a few words.

    >>> _kind({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'integer or null'
    >>> _kind({"type": "array", "items": {"$ref": "#/components/schemas/SourceBody"}})
    'list of objects'
    """
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}s" if schema.get("items") else "list"
    return "object" if "$ref" in schema else str(schema.get("type", "anything"))


def _example(operation: dict[str, Any]) -> str:
    example = operation["responses"]["200"]["content"].get("application/json", {}).get("example")
    if example is None:
        return ""
    answer = json.dumps(example, ensure_ascii=False, indent=2)
    return f"<details><summary>Answer</summary>{_code(answer)}</details>"
