"""Problems as HTTP responses, wherever they come up."""

import asyncio
import json
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tersely.serve.problems import MEDIA_TYPE, ProblemError

_LINGER_SECONDS, _LINGER_BYTES = 1.0, 16_000_000


def respond(problem: ProblemError, scope: Scope) -> Response:
    """Return the response of a problem, with the id under which the log has the request."""
    request_id = scope.get("state", {}).get("request_id", "")
    body = json.dumps(problem.to_dict() | {"request_id": request_id}, ensure_ascii=False)
    return Response(body.encode("utf-8", "replace"), problem.status, dict(problem.headers), MEDIA_TYPE)


async def refuse(problem: ProblemError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request whose body was not read to its end, and close the connection."""
    problem.headers = {**problem.headers, "Connection": "close"}
    response = respond(problem, scope)
    await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    # The answer is out. To close while the client is still sending would take it away again before it is read.
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    left = _LINGER_BYTES
    while left > 0:
        event = await receive()
        if event["type"] == "http.disconnect" or not event.get("more_body", False):
            return
        left -= len(event.get("body", b""))
