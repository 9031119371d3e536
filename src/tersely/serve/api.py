"""The routes for programs: summaries, frontiers, batches, checks, files, models, and the state of the server."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from tersely.errors import InputError
from tersely.io.lines import without_doubles
from tersely.payload import ShortenedJson
from tersely.serve import schema
from tersely.serve.problems import Metrics, ProblemError, Reply, busy, invalid, invalid_fields
from tersely.serve.schema import BatchBody, FrontierBody, JsonBody, SummarizeBody, VerifyBody
from tersely.text.quotations import Verification
from tersely.workers.queue import WorkQueue

T = TypeVar("T")
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

WITH_JSON, WITH_FILE = ("/v1/summarize", "/v1/frontier", "/v1/batch", "/v1/verify", "/v1/json"), ("/v1/extract",)
ROUTES = (*WITH_JSON, *WITH_FILE, "/v1/models", "/healthz", "/readyz", "/metrics")

_LONG = 100_000  # characters of a text that takes long, however small its summary is

_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.ProblemAnswer, "description": description}
    for status, description in {
        400: "The body is not JSON.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        415: "The body is not declared as JSON, or is compressed.",
        421: "The server is not known by the name in the Host header.",
        422: "A field is wrong; the answer names it.",
        500: "The server failed.",
        503: "All workers are busy and the queue is full: try again after Retry-After seconds.",
        504: "The answer was not ready in time.",
    }.items()
}
_FILE_REFUSED = {status: refusal for status, refusal in _REFUSED.items() if status != 400} | {
    415: {
        "model": schema.ProblemAnswer,
        "description": "The body is compressed or of a type that any page may send, or such files cannot be read.",
    },
    422: {
        "model": schema.ProblemAnswer,
        "description": "The file is broken or has no text; the answer says what is wrong.",
    },
}
# Any file, as it is.
_FILE = {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {
        "model": schema.ProblemAnswer,
        "description": "The models are not loaded yet, or the server is shutting down.",
    }
}


def router(queue: WorkQueue, metrics: Metrics) -> APIRouter:
    """Return the routes; the workers behind the queue answer them."""
    routes = APIRouter(route_class=StrictRoute)

    async def ask(task: str, body: SummarizeBody | FrontierBody | BatchBody | VerifyBody, request: Request) -> Response:
        # The same text goes to the same worker, which may remember it.
        long = not isinstance(body, SummarizeBody | VerifyBody) or body.size > _LONG
        return await answer((task, body.request()), body.key, request, long)

    async def answer(job: tuple[str, dict[str, Any]], key: str | bytes, request: Request, long: bool) -> Response:
        reply = await unless_gone(request, queue.ask(job, key, long))
        if not isinstance(reply, Reply):
            raise reply
        metrics.read(reply.sentences)
        return Response(reply.body, media_type="application/json")

    @routes.post("/v1/summarize", responses=_answers(schema.SummaryAnswer), summary="Summarize a text")
    async def summarize(body: SummarizeBody, request: Request) -> Response:
        """Return the best summary within one budget, byte for byte what 'tersely summarize --format json' writes."""
        return await ask("summarize", body, request)

    @routes.post("/v1/frontier", responses=_answers(schema.FrontierAnswer), summary="All budgets at once")
    async def frontier(body: FrontierBody, request: Request) -> Response:
        """Return how the summary grows with its budget: each step holds from its budget up to the next one."""
        return await ask("frontier", body, request)

    @routes.post("/v1/batch", responses=_answers(schema.BatchAnswer), summary="Summarize many texts")
    async def batch(body: BatchBody, request: Request) -> Response:
        """Summarize up to 100 documents, each a body of /v1/summarize with its own result or error."""
        return await ask("batch", body, request)

    @routes.post("/v1/verify", responses=_answers(Verification), summary="Check a summary against its sources")
    async def verify(body: VerifyBody, request: Request) -> Response:
        """Tell whether each sentence or quotation is in the sources, where, and which are stitched together."""
        return await ask("verify", body, request)

    @routes.post("/v1/json", responses=_answers(ShortenedJson), summary="Shorten the strings inside JSON")
    async def shorten(body: JsonBody, request: Request) -> Response:
        """Return the JSON in `text` within one budget: its long strings keep whole sentences, all else stays."""
        return await ask("json", body, request)

    @routes.post(
        "/v1/extract",
        responses={200: {"model": schema.ExtractAnswer, "description": "The text."}, **_FILE_REFUSED},
        openapi_extra={"requestBody": _FILE},
        summary="Take the text out of a file",
    )
    async def extract(
        request: Request,
        name: Annotated[schema.Name | None, Query(description="The file's name: its ending helps.")] = None,
        field: Annotated[schema.Name | None, Query(description="The column or field that holds the text.")] = None,
    ) -> Response:
        """Return the text of the file that is the body, with its blocks and where they stand; no address is fetched."""
        data, kind = await request.body(), request.headers.get("content-type")
        if not data:
            raise invalid("the body is empty: send the bytes of a file")
        job = ("extract", {"data": data, "name": name, "media_type": kind, "field": field})
        return await answer(job, data, request, long=True)

    @routes.get("/v1/models", response_model=schema.ModelsAnswer, responses=_NOT_READY, summary="Models to choose from")
    async def models() -> Response:
        """List the models that this server has loaded."""
        if not queue.card:
            raise _not_ready()
        return JSONResponse(queue.card)

    @routes.get("/healthz", response_model=schema.StatusAnswer, summary="Whether the server is running")
    async def healthz() -> Response:
        """Answer as long as the process is running."""
        return JSONResponse({"status": "ok"})

    @routes.get(
        "/readyz", response_model=schema.StatusAnswer, responses=_NOT_READY, summary="Whether it can take requests"
    )
    async def readyz() -> Response:
        """Answer 503 until the models are loaded, while no worker can be replaced, and during shutdown."""
        if not queue.ready:
            raise _not_ready()
        return JSONResponse({"status": "ready"})

    @routes.get("/metrics", response_class=PlainTextResponse, summary="Metrics for Prometheus")
    async def figures() -> Response:
        """Return requests by route and status, latency, queue length, requests in flight, sentences, rejections."""
        return Response(metrics.text(), headers={"Content-Type": metrics.media_type})

    return routes


def _answers(model: type) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model, "description": "The answer."}, **_REFUSED}


def _not_ready() -> ProblemError:
    return busy("the models are not loaded yet, or the server is shutting down")


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work, or cancel it if the client disconnects."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    leaving.add_done_callback(lambda _: working.cancel())
    try:
        return await working
    except asyncio.CancelledError:
        if leaving.done() and not leaving.cancelled():
            raise ClientDisconnect from None
        raise
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class StrictRoute(APIRoute):
    """A route that parses its body once and strictly: only UTF-8, no NaN, no doubled key, no lone surrogate.

    Its function takes the body and the request, and nothing else that FastAPI would have to find.
    """

    def get_route_handler(self) -> Handler:
        """Return a handler that calls the function with the checked body; without a body, the usual one."""
        if self.body_field is None:
            return super().get_route_handler()
        model: type[BaseModel] = get_type_hints(self.endpoint)["body"]

        async def strict(request: Request) -> Response:
            try:
                body = model.model_validate(_parse(await request.body()))
            except ValidationError as error:
                raise invalid_fields(error.errors(include_input=False, include_url=False)) from None
            response: Response = await self.endpoint(body, request)
            return response

        return strict


def handlers(routes: APIRouter) -> dict[str, Handler]:
    """Return what answers the routes that take a body as JSON, by their paths."""
    with_body = (route for route in routes.routes if isinstance(route, StrictRoute) and route.body_field)
    return {route.path: route.get_route_handler() for route in with_body}


def _parse(body: bytes) -> Any:
    try:
        text = body.decode("utf-8").removeprefix("\ufeff")
        parsed = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:  # an escape may stand for half a character, which no answer could hold
            json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except InputError as error:
        raise ProblemError("invalid-json", f"{error}: give it once") from None
    except (ValueError, RecursionError) as error:
        raise ProblemError("invalid-json", f"the body is not JSON in UTF-8: {error}") from None
    return parsed


def _refuse_constant(name: str) -> None:
    raise ValueError(f"there is no {name} in JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=without_doubles, parse_constant=_refuse_constant)
