"""HEAD: what GET would answer, without its body."""

from starlette.types import ASGIApp, Receive, Scope, Send


class Head:
    """Answers HEAD wherever there is an answer to GET; the HTTP server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
