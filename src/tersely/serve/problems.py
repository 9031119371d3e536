"""The results of a worker, and who hears of them.

A client gets an answer or a problem (RFC 9457). An operator sees a log in JSON lines, which never contains any text,
and metrics for Prometheus.
"""

import json
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.workers.queue import WorkQueue

MEDIA_TYPE = "application/problem+json"

# Each kind of problem with its status and what to do about it; /docs lists them under these names.
KINDS: dict[str, tuple[int, str]] = {
    "two-lengths": (400, "The request has both Content-Length and Transfer-Encoding. Send one of them."),
    "invalid-json": (400, "The body is not JSON in UTF-8."),
    "unauthorized": (401, "This server requires a token: send 'Authorization: Bearer TOKEN'."),
    "cors": (403, "This server does not allow a page of that origin to send such a request."),
    "not-found": (404, "There is nothing at this address."),
    "method-not-allowed": (405, "This address does not support this method; the Allow header lists those it does."),
    "body-timeout": (408, "The body did not arrive in time. Send it again."),
    "too-large": (413, "The body is larger than this server accepts. Send less at once."),
    "unsupported-media-type": (
        415,
        "The body must be JSON in UTF-8, or at /v1/extract a file that can be read, with its type; not compressed.",
    ),
    "unknown-host": (421, "This server does not answer under that name; whoever runs it can add it by --allow-host."),
    "invalid-request": (422, "A field or a file is wrong; 'detail' says why, and 'errors' names the field."),
    "internal": (500, "The server failed. The reason is in its log, under this request id."),
    "busy": (
        503,
        "All workers are busy and the queue is full, or the server is starting or stopping. Try again.",
    ),
    "deadline": (504, "The answer was not ready in time. Send a shorter text, or fewer documents at once."),
}
_BY_STATUS = {status: kind for kind, (status, _) in KINDS.items()}
_LONGEST_NAME = 100
# In terms of JSON, with the limit and what to do; the messages of pydantic speak of Python.
_DETAILS = {
    "extra_forbidden": "there is no such field",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "too_long": "may have at most {max_length:,} items: send the others in another request",
    "string_too_long": "may have at most {max_length:,} characters: shorten it",
    "less_than_equal": "must be at most {le:,.10g}",
    "greater_than_equal": "must be at least {ge:,.10g}",
}


@dataclass(frozen=True)
class Reply:
    """The body of an answer, and how many sentences were read for it."""

    body: bytes
    sentences: int


@dataclass(eq=False)
class ProblemError(Exception):
    """A request that gets a problem instead of an answer."""

    kind: str
    detail: str
    fields: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return KINDS[self.kind][0]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: type, title, status, detail, and what is wrong with each field.

        >>> ProblemError("not-found", "there is nothing at /x").to_dict()["title"]
        'Not Found'
        """
        problem = {
            "type": f"/docs#{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        errors = [{"field": name, "detail": detail} for name, detail in self.fields]
        return problem | {"errors": errors} if errors else problem


def invalid(detail: str, *fields: str) -> ProblemError:
    """Return the problem of a request with one thing wrong in these fields."""
    return ProblemError("invalid-request", detail, tuple((name, detail) for name in fields))


def invalid_fields(errors: Sequence[Any]) -> ProblemError:
    """Return the problem that names each wrong field and says what is wrong with it."""
    fields = tuple((_field(error["loc"]), _detail(error)) for error in errors)
    details = "; ".join(f"{name}: {detail}" for name, detail in fields[:3])
    more = f"; and {len(fields) - 3} more" if len(fields) > 3 else ""
    return ProblemError("invalid-request", details + more, fields[:20])


def _field(place: Sequence[str | int]) -> str:
    # pydantic tries a text as a string and as a list, and names both; the client knows only the field.
    names = [str(part) for part in place if part not in ("body", "str", "list[SourceBody]")] or ["body"]
    # Names come from the client and must not break the line.
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in ".".join(names)[:_LONGEST_NAME])


def _detail(error: Any) -> str:
    if tuple(error["loc"]) == ("body",):  # older versions of FastAPI call a body of null a missing field
        return _DETAILS["model_type"]
    text: str = _DETAILS[error["type"]].format(**error.get("ctx", {})) if error["type"] in _DETAILS else error["msg"]
    return text[:1].lower() + text[1:]


def busy(detail: str) -> ProblemError:
    """Return the problem of a request that comes at the wrong moment."""
    return ProblemError("busy", detail, headers={"Retry-After": "1"})


def internal() -> ProblemError:
    """Return the problem of a request during which something failed."""
    return ProblemError("internal", "something failed in the server: its log says what")


def of_status(status: int, detail: str, headers: Mapping[str, str]) -> ProblemError:
    """Return the problem for a status chosen by the framework."""
    return ProblemError(_BY_STATUS.get(status, "internal"), detail, headers=headers)


@dataclass(eq=False)
class FailureError(Exception):
    """An error that nobody foresaw: its type and the place, but not its message, which may quote the text."""

    kind: str
    frames: tuple[str, ...]

    @classmethod
    def of(cls, error: BaseException) -> "FailureError":
        """Describe an error; one that came from a worker is described already.

        >>> FailureError.of(KeyError("what a user wrote"))
        FailureError(kind='KeyError', frames=())
        """
        if isinstance(error, cls):
            return error
        frames = extract_tb(error.__traceback__)
        return cls(type(error).__name__, tuple(f"{f.filename}:{f.lineno} {f.name}" for f in frames))


_LOGGER = logging.getLogger("tersely.serve")
_BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_REJECTED = {401: "token", 408: "slow", 413: "size", 415: "type", 421: "host", 503: "busy", 504: "deadline"}


_write = json.JSONEncoder(ensure_ascii=False).encode


class JsonLines(logging.Formatter):
    """Writes a record as one line; of an exception, only its type and where it was raised."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1] is not None:
            line |= _described(FailureError.of(record.exc_info[1]))
        return _write(line)


def set_up_log() -> None:
    """Write the log of the service and of the HTTP server to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("tersely.serve", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def log_event(event: str, **fields: Any) -> None:
    """Log an ordinary event; unlike `info`, this does not look for the line of code that it comes from."""
    if _LOGGER.isEnabledFor(logging.INFO):
        _LOGGER.handle(_LOGGER.makeRecord(_LOGGER.name, logging.INFO, "", 0, event, (), None, extra={"fields": fields}))


def log_warning(event: str) -> None:
    """Log something that an operator may want to look into."""
    _LOGGER.warning(event, extra={"fields": {}})


def log_failure(error: FailureError, **fields: Any) -> None:
    """Log an error that nobody foresaw."""
    _LOGGER.error("failure", extra={"fields": fields | _described(error)})


def _described(error: FailureError) -> dict[str, Any]:
    return {"error": error.kind, "traceback": list(error.frames)}


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, queue: "WorkQueue") -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest  # not in workers
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

        self.media_type = CONTENT_TYPE_PLAIN_0_0_4
        self._generate = generate_latest
        self._registry = CollectorRegistry()
        self._requests = Counter("tersely_requests", "Requests.", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "tersely_request_seconds", "Time to the answer.", ["route"], buckets=_BUCKETS, registry=self._registry
        )
        self._rejected = Counter("tersely_rejected", "Requests turned away.", ["reason"], registry=self._registry)
        self._sentences = Counter("tersely_sentences", "Sentences read.", registry=self._registry)
        for reason in _REJECTED.values():
            self._rejected.labels(reason)
        gauges: tuple[tuple[str, str, Callable[[], float]], ...] = (
            ("tersely_queue_length", "Requests waiting for a worker.", lambda: queue.waiting),
            ("tersely_in_flight", "Requests that a worker is answering.", lambda: queue.running),
            ("tersely_workers_replaced", "Workers that died and were replaced.", lambda: queue.replaced),
            ("tersely_ready", "Whether the models are loaded.", lambda: queue.ready),
        )
        for name, meaning, value in gauges:
            Gauge(name, meaning, registry=self._registry).set_function(value)

    def finished(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        if status in _REJECTED and route.startswith("/v1/"):
            self._rejected.labels(_REJECTED[status]).inc()

    def read(self, sentences: int) -> None:
        """Count the sentences of a request."""
        self._sentences.inc(sentences)

    def text(self) -> bytes:
        """Return everything in the text format of Prometheus."""
        return self._generate(self._registry)
