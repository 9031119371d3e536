"""What a body must be before anything looks into it: JSON, and no larger than allowed."""

import asyncio
from email.message import Message

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from tersely.serve.problems import ProblemError
from tersely.serve.respond import refuse


class BodyLimit:
    """Reads the body of a POST to one of the routes and stops as soon as it is too large, however it is sent."""

    def __init__(self, app: ASGIApp, routes: frozenset[str], max_body: int, seconds: float) -> None:
        self._app, self._routes, self._max_body, self._seconds = app, routes, max_body, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in self._routes:
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(Headers(scope=scope), receive)
        except ProblemError as problem:
            await refuse(problem, scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay(body, receive), send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes | None:
        """Return the body; none if the client has gone."""
        _check_type(headers)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > self._max_body:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._read(receive)
        except TimeoutError:
            raise ProblemError("body-timeout", f"the body did not arrive within {self._seconds:g} seconds") from None

    async def _read(self, receive: Receive) -> bytes | None:
        body = bytearray()
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return None
            body += event.get("body", b"")
            if len(body) > self._max_body:
                raise self._too_large()
            if not event.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            "too-large", f"the request is larger than the {self._max_body} bytes that this server takes"
        )


def _check_type(headers: Headers) -> None:
    message = Message()
    message["content-type"] = headers.get("content-type", "text/plain")
    if message.get_content_type() != "application/json":
        raise _unsupported("the body must be application/json: send the header 'Content-Type: application/json'")
    charset = message.get_param("charset", "utf-8")
    if not isinstance(charset, str) or charset.lower() not in ("utf-8", "utf8"):
        raise _unsupported("the body must be in UTF-8")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise _unsupported("the body must not be compressed")


def _unsupported(detail: str) -> ProblemError:
    return ProblemError("unsupported-media-type", detail, headers={"Accept": "application/json"})


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the whole body at once, then what the connection still has to say."""
    events: list[Event] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Event:
        return events.pop() if events else await receive()

    return replay
