"""Around every request: its id, the headers of every answer, a line in the log, and what nobody foresaw."""

import re
from time import perf_counter
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.serve import logs
from tersely.serve.metrics import Metrics
from tersely.serve.pool import WorkerFailedError
from tersely.serve.problems import ProblemError
from tersely.serve.respond import respond
from tersely.serve.worker import Failed

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
# The status of a request whose client went away before there was an answer, as proxies have it.
GONE = 499
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Context:
    """The outermost layer: whatever happens within it, there is an answer, a line in the log and a count."""

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: frozenset[str]) -> None:
        self._app, self._metrics, self._routes = app, metrics, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and see to it that it is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update({**SECURITY, "X-Request-ID": request_id})
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            failed = error.failed if isinstance(error, WorkerFailedError) else Failed.of(error)
            logs.failure(failed, request_id=request_id)
            if not status:
                problem = ProblemError("internal", "something failed that should not have: the log says more")
                await respond(problem, scope)(scope, receive, answer)
        finally:
            self._finish(scope, status or GONE, perf_counter() - started)

    def _finish(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = self._route(scope["path"]), scope["method"]
        self._metrics.finished(route, status, seconds)
        logs.info(
            "request",
            request_id=scope["state"]["request_id"],
            method=method if method in _METHODS else "other",
            route=route,
            status=status,
            ms=round(1000 * seconds, 2),
        )

    def _route(self, path: str) -> str:
        """Return a name that has nothing of what a client may have written into the address."""
        if path in self._routes:
            return path
        return "/static" if path.startswith("/static/") else "other"
