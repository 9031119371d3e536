"""The layers around the application, outermost first: context, host, tokens, body limit, HEAD."""

import asyncio
import hmac
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.message import Message as MimeHeaders
from hashlib import sha256
from ipaddress import ip_address
from random import getrandbits
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.io.lines import to_json
from tersely.serve.problems import (
    MEDIA_TYPE,
    FailureError,
    Metrics,
    ProblemError,
    internal,
    log_event,
    log_failure,
)

SECURITY = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
# The status that proxies log for a client that disconnected before there was an answer.
GONE = 499
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]/@?#\s]+))(?::[0-9]{0,5})?")
# What a browser lets any page send without asking first.
_SIMPLE = frozenset({"text/plain", "multipart/form-data", "application/x-www-form-urlencoded"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# These reveal nothing and cost nothing; everything else needs a token if the server has any.
_OPEN = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz"})
_LINGER_SECONDS, _LINGER_BYTES = 1.0, 16_000_000


class Context:
    """The outermost layer: whatever happens inside, there is an answer, a line in the log and a count.

    It also gives each request its id and each answer its security headers.
    """

    def __init__(
        self, app: ASGIApp, metrics: Metrics, routes: frozenset[str], closing: Callable[[], bool] = lambda: False
    ) -> None:
        self._app, self._metrics, self._routes, self._closing = app, metrics, routes, closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and make sure that it is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client_id = Headers(scope=scope).get("x-request-id", "")
        request_id = client_id if _REQUEST_ID.fullmatch(client_id) else f"{getrandbits(128):032x}"
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [*SECURITY, (b"x-request-id", request_id.encode())]
                message = {**message, "headers": [*message["headers"], *added]}
                if self._closing():  # so that a client sends nothing more on this connection
                    MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            log_failure(FailureError.of(error), request_id=request_id)
            if not status:
                await respond(internal(), scope)(scope, receive, answer)
        finally:
            self._finish(scope, status or GONE, perf_counter() - started)

    def _finish(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = self._route(scope["path"]), scope["method"]
        self._metrics.finished(route, status, seconds)
        log_event(
            "request",
            request_id=scope["state"]["request_id"],
            method=method if method in _METHODS else "other",
            route=route,
            status=status,
            ms=round(1000 * seconds, 2),
        )

    def _route(self, path: str) -> str:
        """Return a name of the route without anything that a client wrote into the address."""
        if path in self._routes:
            return path
        return "/static" if path.startswith("/static/") else "other"


class Hosts:
    """Lets only requests through that name a known host, and whose end is clear.

    A page of a stranger can lead its own name to this machine, and a browser then takes the service for a part of that
    page. It cannot do so with an IP address or with `localhost`; these are always known, and others are `names`.
    """

    def __init__(self, app: ASGIApp, names: tuple[str, ...]) -> None:
        self._app, self._names = app, {"localhost", *map(str.lower, names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        problem = self._problem(Headers(scope=scope)) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await refuse(problem, scope, receive, send)

    def _problem(self, headers: Headers) -> ProblemError | None:
        if "transfer-encoding" in headers and "content-length" in headers:
            return ProblemError("two-lengths", "send either Content-Length or Transfer-Encoding, not both")
        if "*" in self._names or self._is_known(headers.get("host", "")):
            return None
        return ProblemError(
            "unknown-host", "this server has another name: start it with --allow-host and the name used"
        )

    def _is_known(self, host: str) -> bool:
        parts = _HOST.fullmatch(host.lower())
        if parts is None:
            return False
        if (parts["name"] or "").removesuffix(".") in self._names:
            return True
        with suppress(ValueError):
            ip_address(parts["name"] or parts["ipv6"])
            return True
        return False


class Cors(CORSMiddleware):
    """Tells browsers which other origins may send requests; a refusal is a problem like any other."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser that asks beforehand."""
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        refused = respond(ProblemError("cors", f"{bytes(response.body).decode()}: see --cors"), {})
        for name in ("access-control-allow-origin", "vary"):
            if name in response.headers:
                refused.headers[name] = response.headers[name]
        return refused


class Authorization:
    """Lets only requests with a known bearer token through."""

    def __init__(self, app: ASGIApp, tokens: tuple[str, ...]) -> None:
        self._app = app
        self._digests = [sha256(token.encode()).digest() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or ask for a token."""
        if scope["type"] != "http" or self._is_open(scope["path"]) or self._has_token(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        headers = {"WWW-Authenticate": 'Bearer realm="tersely"'}
        detail = "the token is missing or unknown: send 'Authorization: Bearer TOKEN'"
        await refuse(ProblemError("unauthorized", detail, (), headers), scope, receive, send)

    def _is_open(self, path: str) -> bool:
        return not self._digests or path in _OPEN or path.startswith("/static/")

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        # Headers are decoded as Latin-1; this restores the bytes that were sent.
        digest = sha256(token.strip().encode("latin-1")).digest()
        # Always compare with all of them, so that timing reveals neither which one matches nor how much of it.
        matches = [hmac.compare_digest(digest, expected) for expected in self._digests]
        return scheme.lower() == "bearer" and any(matches)


class BodyLimit:
    """Reads the body of a POST request, but no more of it than the route allows, however it is sent.

    `sizes` has the largest number of bytes for each route; the routes in `with_json` take only JSON. `seconds` is the
    time in which a body must arrive.
    """

    def __init__(self, app: ASGIApp, sizes: Mapping[str, int], with_json: frozenset[str], seconds: float) -> None:
        self._app, self._sizes, self._with_json, self._seconds = app, sizes, with_json, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in self._sizes:
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            _check_packing(headers)
            (_check_type if scope["path"] in self._with_json else _check_preflight)(headers)
            body = await self._body(headers, self._sizes[scope["path"]], receive)
        except ProblemError as problem:
            await refuse(problem, scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay(body, receive), send)

    async def _body(self, headers: Headers, most: int, receive: Receive) -> bytes | None:
        """Return the body, or none if the client has disconnected."""
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > most:
            raise _too_large(most)
        try:
            async with asyncio.timeout(self._seconds):
                return await _read(receive, most)
        except TimeoutError:
            raise ProblemError("body-timeout", f"the body did not arrive within {self._seconds:g} seconds") from None


async def _read(receive: Receive, most: int) -> bytes | None:
    body = bytearray()
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        body += event.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        if not event.get("more_body", False):
            return bytes(body)


def _too_large(most: int) -> ProblemError:
    return ProblemError(
        "too-large", f"the body is larger than the {most:,} bytes that this server accepts: send less at once"
    )


def _check_type(headers: Headers) -> None:
    if headers.get("content-type") == "application/json":
        return
    parsed = MimeHeaders()
    parsed["content-type"] = headers.get("content-type", "text/plain")
    if parsed.get_content_type() != "application/json":
        raise _unsupported("the body must be application/json: send the header 'Content-Type: application/json'")
    charset = parsed.get_param("charset", "utf-8")
    if not isinstance(charset, str) or charset.lower() not in ("utf-8", "utf8"):
        raise _unsupported("the body must be in UTF-8")


def _check_preflight(headers: Headers) -> None:
    parsed = MimeHeaders()
    parsed["content-type"] = headers.get("content-type", "text/plain")
    if parsed.get_content_type() in _SIMPLE:
        detail = (
            "any page may send a body of this type: send 'Content-Type: application/octet-stream' or the file's own"
        )
        raise ProblemError("unsupported-media-type", detail, headers={"Accept": "application/octet-stream"})


def _check_packing(headers: Headers) -> None:
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise _unsupported("the body must not be compressed: send it without 'Content-Encoding'")


def _unsupported(detail: str) -> ProblemError:
    return ProblemError("unsupported-media-type", detail, headers={"Accept": "application/json"})


def _replay(body: bytes, receive: Receive) -> Receive:
    """Deliver the whole body at once, then whatever else the connection brings."""
    events: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return events.pop() if events else await receive()

    return replay


class Head:
    """Answers HEAD like GET; the HTTP server leaves out the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def respond(problem: ProblemError, scope: Scope) -> Response:
    """Return the response for a problem, with the id of the request in the log."""
    request_id = scope.get("state", {}).get("request_id", "")
    body = to_json(problem.to_dict() | {"request_id": request_id})
    return Response(body, problem.status, dict(problem.headers), MEDIA_TYPE)


async def refuse(problem: ProblemError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request whose body has not been read to the end, and close the connection."""
    problem.headers = {**problem.headers, "Connection": "close"}
    response = respond(problem, scope)
    await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    # The answer is on its way, but closing while the client is still sending could discard it before it is read.
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    remaining = _LINGER_BYTES
    while remaining > 0:
        event = await receive()
        if event["type"] == "http.disconnect" or not event.get("more_body", False):
            return
        remaining -= len(event.get("body", b""))
