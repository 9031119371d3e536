"""The application: its routes, what each error becomes, and the layers around it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tersely import __version__
from tersely.serve import api, observe, site
from tersely.serve.bodies import invalid_fields
from tersely.serve.middleware import GONE, BodyLimit, Context, Cors, Head, Tokens, respond
from tersely.serve.observe import Metrics
from tersely.serve.options import DeskWork, ServeOptions
from tersely.serve.problems import ProblemError, busy, internal, of_status
from tersely.serve.site import document
from tersely.workers.queue import BusyError, LateError, WorkQueue


def make_queue(options: ServeOptions) -> WorkQueue:
    """Return the queue of the workers that answer requests."""
    return WorkQueue(
        DeskWork(options.models, options.tokenizer, options.encoder),
        workers=options.workers,
        places=options.queue,
        deadline=options.deadline,
        report=observe.warning,
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
    app.include_router(api.router(queue, metrics))
    app.include_router(site.router(document(app, with_tokens=bool(options.tokens))))
    foreseen = (ProblemError, RequestValidationError, HTTPException, BusyError, LateError, ClientDisconnect)
    for kind in (*foreseen, Exception):
        app.add_exception_handler(kind, _handle)
    return _layers(app, options, metrics, queue)


def _layers(app: FastAPI, options: ServeOptions, metrics: Metrics, queue: WorkQueue) -> ASGIApp:
    """Wrap the application in its layers; the last one here is the first that a request meets."""
    sizes = dict.fromkeys(api.WITH_JSON, options.max_body) | dict.fromkeys(api.WITH_FILE, options.max_file)
    layered: ASGIApp = BodyLimit(Head(app), sizes, frozenset(api.WITH_JSON), options.deadline)
    layered = Tokens(layered, options.tokens)
    if options.cors:
        layered = Cors(
            layered,
            allow_origins=options.cors,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    return Context(layered, metrics, frozenset(api.ROUTES + site.ROUTES), lambda: queue.closing)


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
            known = {404: "there is nothing at this address", 405: "this address does not support this method"}
            detail = known.get(error.status_code, str(error.detail))
            return of_status(error.status_code, detail, error.headers or {})
        case BusyError():
            return busy(str(error))
        case LateError():
            return ProblemError("deadline", str(error))
        case _:
            return internal()
