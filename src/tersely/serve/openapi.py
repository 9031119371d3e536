"""The OpenAPI document, with a real answer beside each example."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tersely.models import DEFAULT
from tersely.serve.examples import REQUESTS
from tersely.serve.problems import MEDIA_TYPE
from tersely.serve.schema import BatchBody, FrontierBody, SummarizeBody
from tersely.serve.work import Desk

_BODIES: dict[str, type[SummarizeBody | FrontierBody | BatchBody]] = {
    "summarize": SummarizeBody,
    "frontier": FrontierBody,
    "batch": BatchBody,
}
_NO_TOKEN = ("/healthz", "/readyz")


def document(app: FastAPI, *, with_tokens: bool) -> dict[str, Any]:
    """Return the document of the app's routes."""
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for path, operations in found["paths"].items():
        for operation in operations.values():
            if with_tokens and path not in _NO_TOKEN:
                operation["security"] = [{"token": []}]
                operation["responses"]["401"] = _problem("The token is missing or not known.")
            for status, response in operation["responses"].items():
                if not status.startswith("2"):
                    response["content"] = _problem("")["content"]
    if with_tokens:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for task, answer in _answers().items():
        answers = found["paths"][f"/v1/{task}"]["post"]["responses"]
        answers["200"]["content"]["application/json"]["example"] = answer
    return found


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


def _answers() -> dict[str, Any]:
    desk = Desk((DEFAULT,))
    requests = {task: body.model_validate(REQUESTS[task]).request() for task, body in _BODIES.items()}
    return {task: json.loads(desk.answer(task, request).body) for task, request in requests.items()}
