"""What a worker sends back: an answer, a problem that the client is told about (RFC 9457), or a failure for the log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from traceback import extract_tb
from typing import Any

MEDIA_TYPE = "application/problem+json"

# Each kind of problem with its status and what to do about it; /docs lists them under these names.
KINDS: dict[str, tuple[int, str]] = {
    "invalid-json": (400, "The body is not JSON in UTF-8."),
    "unauthorized": (401, "This server requires a token: send 'Authorization: Bearer TOKEN'."),
    "cors": (403, "This server does not allow a page of that origin to send such a request."),
    "not-found": (404, "There is nothing at this address."),
    "method-not-allowed": (405, "This address does not support this method; the Allow header lists those it does."),
    "body-timeout": (408, "The body did not arrive in time. Send it again."),
    "too-large": (413, "The body is larger than this server accepts. Send less at once."),
    "unsupported-media-type": (
        415,
        "The body must be JSON in UTF-8, or at /v1/extract a file that can be read; not compressed.",
    ),
    "invalid-request": (422, "A field or a file is wrong; 'detail' says why, and 'errors' names the field."),
    "internal": (500, "The server failed. The reason is in its log, under this request id."),
    "busy": (
        503,
        "All workers are busy and the queue is full, or the server is starting or stopping. Try again.",
    ),
    "deadline": (504, "The answer was not ready in time. Send a shorter text, or fewer documents at once."),
}
_BY_STATUS = {status: kind for kind, (status, _) in KINDS.items()}


@dataclass(frozen=True)
class Answer:
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
    """An error nobody foresaw: its type and where it was raised, but not its message, which may quote the text."""

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
