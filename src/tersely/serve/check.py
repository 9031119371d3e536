"""Reading a body: JSON in UTF-8 and nothing else, then field by field."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response

from tersely.serve.problems import ProblemError

B = TypeVar("B", bound=BaseModel)
_LONGEST_NAME = 100
# What pydantic would say in words of Python.
_DETAILS = {
    "extra_forbidden": "there is no such field",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
}


class StrictRoute(APIRoute):
    """A route whose body is parsed strictly: no NaN, no other encoding, no lone surrogate, not too deep."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the usual handler, which gets the parsed body."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            if request.method == "POST":
                request = _Parsed(request.scope, request.receive)
                request.parsed = _parse(await request.body())
            return await handler(request)

        return strict


class _Parsed(Request):
    parsed: Any

    async def json(self) -> Any:
        return self.parsed


def _parse(body: bytes) -> Any:
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise ProblemError("invalid-json", f"the body is not JSON in UTF-8: {error}") from None


def parse_as(kind: type[B], data: Any) -> B:
    """Check plain data that came with others, as one document of a batch."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise invalid_fields(error.errors(include_input=False, include_url=False)) from None


def invalid_fields(errors: Sequence[Any]) -> ProblemError:
    """Return the problem that names each field and what is wrong with it."""
    fields = tuple((_field(error["loc"]), _detail(error)) for error in errors)
    named = "; ".join(f"{name}: {detail}" for name, detail in fields[:3])
    more = f"; and {len(fields) - 3} more" if len(fields) > 3 else ""
    return ProblemError("invalid-request", named + more, fields[:20])


def _field(place: Sequence[str | int]) -> str:
    names = [str(part) for part in place if part != "body"] or ["body"]
    # They are what a client wrote: they shall not break the line.
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in ".".join(names)[:_LONGEST_NAME])


def _detail(error: Any) -> str:
    text: str = _DETAILS.get(error["type"], error["msg"])
    return text[:1].lower() + text[1:]
