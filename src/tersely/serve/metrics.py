"""What Prometheus is told."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from tersely.serve.pool import Pool

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_REJECTED = {401: "token", 408: "slow", 413: "size", 415: "type", 503: "busy", 504: "deadline"}


class Metrics:
    """Counts of one app, in a registry of its own."""

    def __init__(self, pool: Pool) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("tersely_requests", "Requests.", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "tersely_request_seconds", "Time to the answer.", ["route"], buckets=_BUCKETS, registry=self._registry
        )
        self._rejected = Counter("tersely_rejected", "Requests turned away.", ["reason"], registry=self._registry)
        self._sentences = Counter("tersely_sentences", "Sentences read.", registry=self._registry)
        for reason in _REJECTED.values():
            self._rejected.labels(reason)
        self._gauge("tersely_queue_length", "Requests that wait for a worker.", lambda: pool.waiting)
        self._gauge("tersely_in_flight", "Requests that a worker works on.", lambda: pool.running)
        self._gauge("tersely_workers_replaced", "Workers that ended and were replaced.", lambda: pool.replaced)
        self._gauge("tersely_ready", "Whether the models are loaded.", lambda: pool.ready)

    def finished(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        if status in _REJECTED and route.startswith("/v1/"):
            self._rejected.labels(_REJECTED[status]).inc()

    def read(self, sentences: int) -> None:
        """Count the sentences of a document."""
        self._sentences.inc(sentences)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)

    def _gauge(self, name: str, what: str, value: Callable[[], float]) -> None:
        Gauge(name, what, registry=self._registry).set_function(value)
