"""What goes wrong, as problem details (RFC 9457): a kind that programs tell apart, and a line for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

MEDIA_TYPE = "application/problem+json"

# Each kind with its status and what to do about it; the page at /docs explains them under these names.
KINDS: dict[str, tuple[int, str]] = {
    "invalid-json": (400, "The body is not JSON in UTF-8. Nothing was read from it."),
    "unauthorized": (401, "This server wants a token: send 'Authorization: Bearer TOKEN'."),
    "not-found": (404, "There is nothing at this address."),
    "method-not-allowed": (405, "This address does not know this method; the header Allow names those it knows."),
    "body-timeout": (408, "The body did not arrive in time. Send it again."),
    "too-large": (413, "The body is larger than this server takes. Send less at once."),
    "unsupported-media-type": (415, "Bodies are application/json in UTF-8, not compressed."),
    "invalid-request": (422, "A field is wrong; 'errors' names it and says how."),
    "internal": (500, "The server failed. The log has the reason under this request id."),
    "busy": (503, "All workers are busy and the queue is full, or the server starts or stops. Try again later."),
    "deadline": (504, "The answer was not ready in time. Send a shorter text, or fewer documents at once."),
}
_BY_STATUS = {status: kind for kind, (status, _) in KINDS.items()}


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


def of_status(status: int, detail: str, headers: Mapping[str, str]) -> ProblemError:
    """Return the problem for a status that the framework decided on."""
    return ProblemError(_BY_STATUS.get(status, "internal"), detail, headers=headers)
