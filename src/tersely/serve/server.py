"""Starting the service: its options, the application with its layers, and a server that stops gracefully."""

import errno
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely import __version__
from tersely.errors import InputError, ModelError, UsageError
from tersely.models import DEFAULT, load_model
from tersely.options import DEADLINE, MAX_BODY
from tersely.serve import DeskWork, api, site
from tersely.serve.middleware import GONE, Authorization, BodyLimit, Context, Cors, Head, Hosts, respond
from tersely.serve.problems import (
    Metrics,
    ProblemError,
    busy,
    internal,
    invalid_fields,
    log_warning,
    of_status,
    set_up_log,
)
from tersely.workers.process import cores
from tersely.workers.queue import BusyError, LateError, WorkQueue

_DAY = 86_400
_FORESEEN = (ProblemError, RequestValidationError, HTTPException, BusyError, LateError, ClientDisconnect)


@dataclass(frozen=True)
class ServeOptions:
    """Where the service listens, which models it serves, and how much it takes on at once.

    The first of `models`, which are names or folders, is the default. Up to `queue` requests may wait for one of the
    `workers`. `deadline` is the number of seconds from a request to its answer. `max_body` and `max_file` are the
    largest number of bytes in a request and in a file. If there are `tokens`, requests need one of them. `cors` lists
    the origins whose pages may send requests. `names` are those of this server beside its address; `*` allows any.
    Without tokens, other machines can reach it only if it is `insecure` on purpose. `tokenizer` counts tokens, and
    `encoder` makes vectors for queries.
    """

    models: tuple[str, ...] = (DEFAULT,)
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=cores)
    queue: int = 64
    deadline: float = DEADLINE
    max_body: int = MAX_BODY
    max_file: int = 10_000_000
    tokens: tuple[str, ...] = field(default=(), repr=False)
    cors: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    insecure: bool = False
    tokenizer: str | None = None
    encoder: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.deadline <= _DAY:
            raise UsageError(f"the deadline must be above 0 and at most {_DAY} seconds, not {self.deadline}")


def read_tokens(file: Path) -> tuple[str, ...]:
    """Read the tokens from a file, one per line."""
    try:
        tokens = tuple(filter(None, map(str.strip, file.read_text(encoding="utf-8-sig").splitlines())))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    if not tokens:
        raise InputError(f"{file} has no tokens: write one per line")
    return tokens


def check_origin(origin: str) -> str:
    """Return the origin if it has the form that browsers send; otherwise, raise an error that shows the form.

    >>> check_origin("https://example.org")
    'https://example.org'
    """
    with suppress(ValueError):
        parts = urlsplit(origin)
        if origin == "*" or (
            parts.scheme in ("http", "https") and parts.netloc and origin == f"{parts.scheme}://{parts.netloc}"
        ):
            return origin
    raise UsageError(f"--cors takes * or an origin such as https://example.org, without a path, not '{origin}'")


def check_name(name: str) -> str:
    """Return the name of a host if it is one, without a port; otherwise, raise an error that shows the form.

    >>> check_name("tersely.example.org")
    'tersely.example.org'
    """
    if name == "*" or re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", name):
        return name
    raise UsageError(f"--allow-host takes * or a name such as example.org, without a scheme or a port, not '{name}'")


def make_queue(options: ServeOptions) -> WorkQueue:
    """Return the queue of the workers that answer requests."""
    return WorkQueue(
        DeskWork(options.models, options.tokenizer, options.encoder),
        workers=options.workers,
        places=options.queue,
        deadline=options.deadline,
        report=log_warning,
    )


def make_app(options: ServeOptions, queue: WorkQueue) -> ASGIApp:
    """Build the application; the workers start and end with it, and no model is loaded or used before that."""
    metrics = Metrics(queue)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        queue.start()
        yield
        queue.close()

    app = FastAPI(
        title="tersely",
        version=__version__,
        description="Fits any text to any length, in the text's own words.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    routes = api.router(queue, metrics)
    app.include_router(routes)
    app.include_router(site.router(site.document(app, with_tokens=bool(options.tokens))))
    for kind in (*_FORESEEN, Exception):
        app.add_exception_handler(kind, _handle)
    return _layers(Direct(Head(app), api.handlers(routes)), options, metrics, queue)


def _layers(app: ASGIApp, options: ServeOptions, metrics: Metrics, queue: WorkQueue) -> ASGIApp:
    """Wrap the application in its layers, from the innermost to the outermost."""
    sizes = dict.fromkeys(api.WITH_JSON, options.max_body) | dict.fromkeys(api.WITH_FILE, options.max_file)
    layered: ASGIApp = BodyLimit(app, sizes, frozenset(api.WITH_JSON), options.deadline)
    layered = Authorization(layered, options.tokens)
    if options.cors:
        layered = Cors(
            layered,
            allow_origins=options.cors,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    layered = Hosts(layered, (options.host, *options.names))
    return Context(layered, metrics, frozenset(api.ROUTES + site.ROUTES), lambda: queue.closing)


class Direct:
    """Answers the busiest routes without the framework, which does nothing for them but takes most of the time."""

    def __init__(self, app: ASGIApp, handlers: Mapping[str, api.Handler]) -> None:
        self._app, self._handlers = app, handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in self._handlers:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._handlers[scope["path"]](request)
        except _FORESEEN as error:
            response = await _handle(request, error)
        await response(scope, receive, send)


async def _handle(request: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=GONE)
    return respond(_problem(error), request.scope)


def _problem(error: Exception) -> ProblemError:
    match error:
        case ProblemError():
            return error
        case RequestValidationError():
            return invalid_fields(error.errors())
        case HTTPException():
            details = {404: "there is nothing at this address", 405: "this address does not support this method"}
            detail = details.get(error.status_code, str(error.detail))
            return of_status(error.status_code, detail, error.headers or {})
        case BusyError():
            return busy(str(error))
        case LateError():
            return ProblemError("deadline", str(error))
        case _:
            return internal()


class Server(uvicorn.Server):
    """The HTTP server: it says when it is listening, and stops if the models cannot be loaded."""

    def __init__(self, options: ServeOptions, listening: Callable[[str], None] = lambda _: None) -> None:
        check_models(options.models)
        self.queue = make_queue(options)
        self._socket, self._listening = bind(options.host, options.port), listening
        host, port = self._socket.getsockname()[:2]
        if not (options.tokens or options.insecure or ip_address(host.partition("%")[0]).is_loopback):
            self._socket.close()
            advice = "add --tokens-file FILE, or --insecure if they may use it without a token"
            raise UsageError(f"other machines can reach {options.host}: {advice}")
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        config = uvicorn.Config(
            make_app(options, self.queue),
            lifespan="on",
            log_config=None,
            access_log=False,
            ws="none",
            # Also where httptools is installed: that sets no limit to headers, and answers two lengths by itself.
            http="h11",
            server_header=False,
            # Running requests end by their deadline; a client that does not read its answer is not waited for.
            timeout_graceful_shutdown=int(options.deadline) + 5,
        )
        super().__init__(config)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal arrives; a `ModelError` says why the models could not be loaded."""
        try:
            super().run(sockets or [self._socket])
        finally:
            self.queue.close()
            self._socket.close()
        if self.queue.failure is not None:
            raise ModelError(self.queue.failure)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._listening(self.address)

    async def on_tick(self, counter: int) -> bool:
        """Tell uvicorn whether to stop: also if the models could not be loaded."""
        return await super().on_tick(counter) or self.queue.failure is not None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no more requests, finish the running ones, then stop."""
        self.queue.refuse()
        super().handle_exit(sig, frame)


def serve(options: ServeOptions, listening: Callable[[str], None]) -> None:
    """Run the service until a signal arrives; `listening` gets its address."""
    set_up_log()
    server = Server(options, listening)
    # uvicorn handles signals only while it runs, and raises them again at its end; with this handler, that is harmless.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(number, server.handle_exit)
    server.run()


def check_models(models: tuple[str, ...]) -> None:
    """Find whatever is wrong with the models that can be found without loading them."""
    names = [load_model(model).name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two models are named '{name}': rename one in its config.toml")


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, or say why that failed."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise UsageError(f"unknown host '{host}': give an address of this machine") from None
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is in use: choose another with --port, or 0 for any") from None
        raise InputError(f"cannot listen on port {port} of {host}: {error.strerror}") from None
    return bound
