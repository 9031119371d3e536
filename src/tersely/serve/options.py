"""The options of `tersely serve`, and the work that they give to its workers."""

import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tersely.errors import InputError, UsageError
from tersely.models import DEFAULT
from tersely.workers.process import cores

if TYPE_CHECKING:
    from tersely.serve.desk import Desk

_DAY = 86_400


@dataclass(frozen=True)
class ServeOptions:
    """Where the service listens, which models it serves, and how much it takes on at once.

    The first of `models`, which are names or folders, is the default. Up to `queue` requests may wait for one of the
    `workers`. `deadline` is in seconds, from a request to its answer.
    """

    models: tuple[str, ...] = (DEFAULT,)
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=cores)
    queue: int = 64
    deadline: float = 30.0
    max_body: int = 2_000_000
    max_file: int = 10_000_000
    tokens: tuple[str, ...] = field(default=(), repr=False)
    cors: tuple[str, ...] = ()
    tokenizer: str | None = None
    encoder: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.deadline <= _DAY:
            raise UsageError(f"the deadline must be above 0 and at most {_DAY} seconds, not {self.deadline}")


@dataclass(frozen=True)
class DeskWork:
    """The work of the service's workers: each loads these models once, then answers at its desk."""

    models: tuple[str, ...]
    tokenizer: str | None = None
    encoder: str | None = None

    def load(self) -> "Desk":
        """Load the models in a worker process."""
        from tersely.serve.desk import Desk  # the server itself needs neither NumPy nor the models

        # A signal often goes to every process of a service; the server decides when its workers end.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        return Desk(self.models, self.tokenizer, self.encoder)


def read_tokens(file: Path) -> tuple[str, ...]:
    """Read the tokens from a file, one per line."""
    try:
        tokens = tuple(filter(None, map(str.strip, file.read_text(encoding="utf-8-sig").splitlines())))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    if not tokens:
        raise InputError(f"{file} has no tokens: write one per line")
    return tokens


def check_origin(origin: str) -> str:
    """Return an origin in the form that browsers send, or say what that form is.

    >>> check_origin("https://example.org")
    'https://example.org'
    """
    with suppress(ValueError):
        parts = urlsplit(origin)
        if origin == "*" or (
            parts.scheme in ("http", "https") and parts.netloc and origin == f"{parts.scheme}://{parts.netloc}"
        ):
            return origin
    raise UsageError(f"--cors takes * or an origin such as https://example.org, without a path, not '{origin}'")
