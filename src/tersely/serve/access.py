"""Who may ask: bearer tokens, and the origins of other pages."""

import hmac
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.errors import InputError, UsageError
from tersely.serve.problems import ProblemError
from tersely.serve.respond import refuse

# What tells nothing and costs nothing; everything else needs a token, where there are any.
_OPEN = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz"})


class Tokens:
    """Lets through who has one of the tokens."""

    def __init__(self, app: ASGIApp, tokens: tuple[str, ...]) -> None:
        self._app = app
        self._digests = [sha256(token.encode()).digest() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or ask for a token."""
        if scope["type"] != "http" or self._open(scope["path"]) or self._known(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        headers = {"WWW-Authenticate": 'Bearer realm="tersely"'}
        problem = ProblemError(
            "unauthorized", "a known token is missing: send 'Authorization: Bearer TOKEN'", (), headers
        )
        await refuse(problem, scope, receive, send)

    def _open(self, path: str) -> bool:
        return not self._digests or path in _OPEN or path.startswith("/static/")

    def _known(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        # Headers are read as Latin-1; the bytes of the token are what was sent.
        digest = sha256(token.strip().encode("latin-1")).digest()
        # All of them are compared, so that the time tells neither which one it is nor how much of it is right.
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        return scheme.lower() == "bearer" and any(matches)


def read_tokens(file: Path) -> tuple[str, ...]:
    """Read the tokens, one a line."""
    try:
        tokens = tuple(filter(None, map(str.strip, file.read_text(encoding="utf-8-sig").splitlines())))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    if not tokens:
        raise InputError(f"{file} has no token: write one a line")
    return tokens


def check_origin(origin: str) -> str:
    """Return an origin as browsers send it, or say what it must look like.

    >>> check_origin("https://example.org")
    'https://example.org'
    """
    with suppress(ValueError):
        parts = urlsplit(origin)
        if origin == "*" or (
            parts.scheme in ("http", "https") and parts.netloc and origin == f"{parts.scheme}://{parts.netloc}"
        ):
            return origin
    raise UsageError(f"--cors takes an origin such as https://example.org, without a path, or *, not '{origin}'")
