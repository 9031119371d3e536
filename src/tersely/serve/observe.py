"""What an operator sees: a log in JSON lines that never contains any text, and metrics for Prometheus."""

import json
import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from tersely.serve.problems import FailureError
from tersely.workers.queue import WorkQueue

METRICS_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_LOGGER = logging.getLogger("tersely.serve")
_BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_REJECTED = {401: "token", 408: "slow", 413: "size", 415: "type", 503: "busy", 504: "deadline"}


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
        return json.dumps(line, ensure_ascii=False)


def set_up_log() -> None:
    """Write the log of the service and of the HTTP server to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("tersely.serve", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def info(event: str, **fields: Any) -> None:
    """Log an ordinary event."""
    _LOGGER.info(event, extra={"fields": fields})


def warning(event: str) -> None:
    """Log something that an operator may want to look into."""
    _LOGGER.warning(event, extra={"fields": {}})


def failure(error: FailureError, **fields: Any) -> None:
    """Log something nobody foresaw."""
    _LOGGER.error("failure", extra={"fields": fields | _described(error)})


def _described(error: FailureError) -> dict[str, Any]:
    return {"error": error.kind, "traceback": list(error.frames)}


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, queue: WorkQueue) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("tersely_requests", "Requests.", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "tersely_request_seconds", "Time to the answer.", ["route"], buckets=_BUCKETS, registry=self._registry
        )
        self._rejected = Counter("tersely_rejected", "Requests turned away.", ["reason"], registry=self._registry)
        self._sentences = Counter("tersely_sentences", "Sentences read.", registry=self._registry)
        for reason in _REJECTED.values():
            self._rejected.labels(reason)
        self._gauge("tersely_queue_length", "Requests waiting for a worker.", lambda: queue.waiting)
        self._gauge("tersely_in_flight", "Requests that a worker is answering.", lambda: queue.running)
        self._gauge("tersely_workers_replaced", "Workers that died and were replaced.", lambda: queue.replaced)
        self._gauge("tersely_ready", "Whether the models are loaded.", lambda: queue.ready)

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
        return generate_latest(self._registry)

    def _gauge(self, name: str, what: str, value: Callable[[], float]) -> None:
        Gauge(name, what, registry=self._registry).set_function(value)
