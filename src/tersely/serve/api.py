"""What programs ask: summaries, frontiers, batches, models, and how the server is."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tersely.serve import answers
from tersely.serve import metrics as prometheus
from tersely.serve.check import StrictRoute
from tersely.serve.gone import unless_gone
from tersely.serve.metrics import Metrics
from tersely.serve.pool import Pool
from tersely.serve.problems import ProblemError
from tersely.serve.schema import BatchBody, FrontierBody, SummarizeBody

WITH_BODY = ("/v1/summarize", "/v1/frontier", "/v1/batch")
ROUTES = (*WITH_BODY, "/v1/models", "/healthz", "/readyz", "/metrics")

_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": answers.Problem, "description": what}
    for status, what in {
        400: "The body is not JSON.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        415: "The body is not announced as JSON.",
        422: "A field is wrong; the answer names it.",
        500: "The server failed.",
        503: "All workers are busy and the queue is full: try again after Retry-After seconds.",
        504: "The answer was not ready in time.",
    }.items()
}
_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {"model": answers.Problem, "description": "The models are not loaded, or the server is shutting down."}
}


def router(pool: Pool, metrics: Metrics) -> APIRouter:
    """Return the routes, answered by the pool."""
    routes = APIRouter(route_class=StrictRoute)

    async def ask(task: str, body: SummarizeBody | FrontierBody | BatchBody, request: Request) -> Response:
        answer = await unless_gone(request, pool.answer(task, body.request(), body.text))
        metrics.read(answer.sentences)
        return Response(answer.body, media_type="application/json")

    @routes.post("/v1/summarize", responses=_answers(answers.SummaryAnswer), summary="Summarize a text")
    async def summarize(body: SummarizeBody, request: Request) -> Response:
        """Return the best summary within one budget: what 'tersely summarize --format json' writes, byte for byte."""
        return await ask("summarize", body, request)

    @routes.post("/v1/frontier", responses=_answers(answers.FrontierAnswer), summary="All budgets at once")
    async def frontier(body: FrontierBody, request: Request) -> Response:
        """Return how the summary grows with its budget: each step holds from its budget up to the next one."""
        return await ask("frontier", body, request)

    @routes.post("/v1/batch", responses=_answers(answers.BatchAnswer), summary="Summarize many texts")
    async def batch(body: BatchBody, request: Request) -> Response:
        """Summarize up to 100 documents, each a body of /v1/summarize with its own result or error."""
        return await ask("batch", body, request)

    @routes.get(
        "/v1/models", response_model=answers.ModelsAnswer, responses=_NOT_READY, summary="Models to choose from"
    )
    async def models() -> Response:
        """List the models that this server has loaded."""
        if not pool.models:
            raise _not_ready()
        return JSONResponse({"models": pool.models})

    @routes.get("/healthz", response_model=answers.StatusAnswer, summary="Whether the server runs")
    async def healthz() -> Response:
        """Answer as long as the process runs."""
        return JSONResponse({"status": "ok"})

    @routes.get(
        "/readyz", response_model=answers.StatusAnswer, responses=_NOT_READY, summary="Whether to send requests"
    )
    async def readyz() -> Response:
        """Answer 503 until the models are loaded, while no worker can be replaced, and while the server shuts down."""
        if not pool.ready:
            raise _not_ready()
        return JSONResponse({"status": "ready"})

    @routes.get("/metrics", response_class=PlainTextResponse, summary="Figures for Prometheus")
    async def figures() -> Response:
        """Return requests by route and status, latency, queue length, requests in flight, sentences, rejections."""
        return Response(metrics.text(), headers={"Content-Type": prometheus.CONTENT_TYPE})

    return routes


def _answers(model: type) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model, "description": "The answer."}, **_REFUSED}


def _not_ready() -> ProblemError:
    headers = {"Retry-After": "1"}
    return ProblemError("busy", "the models are not loaded, or the server is shutting down", headers=headers)
