"""What `tersely serve` is told."""

from dataclasses import dataclass, field

from tersely.errors import UsageError
from tersely.models import DEFAULT
from tersely.processes import cores

_DAY = 86_400


@dataclass(frozen=True)
class Settings:
    """Where the service listens, with which models, and how much it takes on at once.

    `queue` requests may wait for one of the `workers`; `deadline` is in seconds, from a request to its answer.
    The first of the `models`, names or folders, is the default.
    """

    models: tuple[str, ...] = (DEFAULT,)
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=cores)
    queue: int = 64
    deadline: float = 30.0
    max_body: int = 2_000_000
    tokens: tuple[str, ...] = field(default=(), repr=False)
    cors: tuple[str, ...] = ()
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.deadline <= _DAY:
            raise UsageError(f"the deadline must be above 0 and at most {_DAY} seconds, not {self.deadline}")
