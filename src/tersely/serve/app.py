"""The application: what each address answers, and the layers around it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tersely import __version__
from tersely.serve import api, logs, pages
from tersely.serve.access import Tokens
from tersely.serve.check import invalid_fields
from tersely.serve.context import GONE, Context
from tersely.serve.head import Head
from tersely.serve.limits import BodyLimit
from tersely.serve.metrics import Metrics
from tersely.serve.openapi import document
from tersely.serve.pool import Pool
from tersely.serve.problems import ProblemError, of_status
from tersely.serve.respond import respond
from tersely.serve.settings import Settings


def make_app(settings: Settings, pool: Pool | None = None) -> ASGIApp:
    """Build the application; the pool starts and ends with it."""
    pool = pool or Pool(settings, logs.warning)
    metrics = Metrics(pool)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        pool.start()
        yield
        pool.close()

    app = FastAPI(
        title="tersely",
        version=__version__,
        description="Fits any text to any length, in the text's own words.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.include_router(api.router(pool, metrics))
    app.include_router(pages.router(document(app, with_tokens=bool(settings.tokens))))
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unforeseen)
    return _layers(app, settings, metrics)


def _layers(app: FastAPI, settings: Settings, metrics: Metrics) -> ASGIApp:
    """Put the layers around it; the last one here is the first that a request meets."""
    layered: ASGIApp = BodyLimit(Head(app), frozenset(api.WITH_BODY), settings.max_body, settings.deadline)
    layered = Tokens(layered, settings.tokens)
    if settings.cors:
        layered = CORSMiddleware(
            layered,
            allow_origins=settings.cors,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    return Context(layered, metrics, frozenset(api.ROUTES + pages.ROUTES))


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, ProblemError)
    return respond(problem, request.scope)


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = {404: "there is nothing at this address", 405: "this address does not know this method"}
    detail = what.get(error.status_code, str(error.detail))
    return respond(of_status(error.status_code, detail, error.headers or {}), request.scope)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return respond(invalid_fields(error.errors()), request.scope)


async def _gone(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return Response(status_code=GONE)


async def _unforeseen(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return respond(ProblemError("internal", "something failed that should not have: the log says more"), request.scope)
