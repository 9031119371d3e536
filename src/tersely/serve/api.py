"""The routes for programs: summaries, frontiers, batches, models, and the state of the server."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from tersely.serve import bodies
from tersely.serve.bodies import BatchBody, FrontierBody, SummarizeBody
from tersely.serve.observe import METRICS_TYPE, Metrics
from tersely.serve.problems import Answer, ProblemError, busy
from tersely.workers.queue import WorkQueue

T = TypeVar("T")

WITH_BODY = ("/v1/summarize", "/v1/frontier", "/v1/batch")
ROUTES = (*WITH_BODY, "/v1/models", "/healthz", "/readyz", "/metrics")

_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": bodies.Problem, "description": what}
    for status, what in {
        400: "The body is not JSON.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        415: "The body is not declared as JSON.",
        422: "A field is wrong; the answer names it.",
        500: "The server failed.",
        503: "All workers are busy and the queue is full: try again after Retry-After seconds.",
        504: "The answer was not ready in time.",
    }.items()
}
_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {"model": bodies.Problem, "description": "The models are not loaded yet, or the server is shutting down."}
}


def router(queue: WorkQueue, metrics: Metrics) -> APIRouter:
    """Return the routes; the workers behind the queue answer them."""
    routes = APIRouter(route_class=StrictRoute)

    async def ask(task: str, body: SummarizeBody | FrontierBody | BatchBody, request: Request) -> Response:
        # The same text goes to the same worker, which may remember it.
        reply = await unless_gone(request, queue.ask((task, body.request()), body.key))
        if not isinstance(reply, Answer):
            raise reply
        metrics.read(reply.sentences)
        return Response(reply.body, media_type="application/json")

    @routes.post("/v1/summarize", responses=_answers(bodies.SummaryAnswer), summary="Summarize a text")
    async def summarize(body: SummarizeBody, request: Request) -> Response:
        """Return the best summary within one budget, byte for byte what 'tersely summarize --format json' writes."""
        return await ask("summarize", body, request)

    @routes.post("/v1/frontier", responses=_answers(bodies.FrontierAnswer), summary="All budgets at once")
    async def frontier(body: FrontierBody, request: Request) -> Response:
        """Return how the summary grows with its budget: each step holds from its budget up to the next one."""
        return await ask("frontier", body, request)

    @routes.post("/v1/batch", responses=_answers(bodies.BatchAnswer), summary="Summarize many texts")
    async def batch(body: BatchBody, request: Request) -> Response:
        """Summarize up to 100 documents, each a body of /v1/summarize with its own result or error."""
        return await ask("batch", body, request)

    @routes.get("/v1/models", response_model=bodies.ModelsAnswer, responses=_NOT_READY, summary="Models to choose from")
    async def models() -> Response:
        """List the models that this server has loaded."""
        if not queue.card:
            raise _not_ready()
        return JSONResponse({"models": queue.card})

    @routes.get("/healthz", response_model=bodies.StatusAnswer, summary="Whether the server is running")
    async def healthz() -> Response:
        """Answer as long as the process is running."""
        return JSONResponse({"status": "ok"})

    @routes.get(
        "/readyz", response_model=bodies.StatusAnswer, responses=_NOT_READY, summary="Whether it can take requests"
    )
    async def readyz() -> Response:
        """Answer 503 until the models are loaded, while no worker can be replaced, and during shutdown."""
        if not queue.ready:
            raise _not_ready()
        return JSONResponse({"status": "ready"})

    @routes.get("/metrics", response_class=PlainTextResponse, summary="Metrics for Prometheus")
    async def figures() -> Response:
        """Return requests by route and status, latency, queue length, requests in flight, sentences, rejections."""
        return Response(metrics.text(), headers={"Content-Type": METRICS_TYPE})

    return routes


def _answers(model: type) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model, "description": "The answer."}, **_REFUSED}


def _not_ready() -> ProblemError:
    return busy("the models are not loaded yet, or the server is shutting down")


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work; cancel it if the client disconnects, so that nobody waits behind it."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class StrictRoute(APIRoute):
    """A route that parses its body strictly: no NaN, no encoding but UTF-8, no lone surrogate, no deep nesting."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the usual handler, but give it the parsed body."""
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
