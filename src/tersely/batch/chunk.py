"""What goes to a worker and what comes back: a few records of one file, and what became of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


class Place(NamedTuple):
    """Where reading goes on: the number of a file, of its next line or row from 1, and of its next byte."""

    file: int = 0
    number: int = 1
    offset: int = 0


@dataclass(frozen=True)
class Chunk:
    """Records that follow each other in one file; `read` is how many bytes of all files are behind its end."""

    start: Place
    end: Place
    read: int

    @property
    def size(self) -> int:
        """How large the records are, in bytes."""
        return 0

    def __len__(self) -> int:
        return self.end.number - self.start.number

    def singles(self) -> "list[Chunk]":
        """Return the same records, each alone."""
        return [self]


@dataclass(frozen=True)
class Lines(Chunk):
    """Lines as they stand in the file; a string stands for one that cannot be read, and says why."""

    body: list[bytes | str]

    @property
    def size(self) -> int:
        """How large the lines are."""
        return sum(map(len, self.body))

    def __len__(self) -> int:
        return len(self.body)

    def singles(self) -> list[Chunk]:
        """Return the same lines, each alone."""
        return [Lines(*_place(self, i), self.read, [line]) for i, line in enumerate(self.body)]


@dataclass(frozen=True)
class Rows(Chunk):
    """Rows of a table, as an Arrow stream."""

    body: bytes

    @property
    def size(self) -> int:
        """How large the rows are."""
        return len(self.body)

    def singles(self) -> list[Chunk]:
        """Return the same rows, each alone."""
        from tersely.batch.arrow import from_stream, to_stream

        table = from_stream(self.body)
        return [Rows(*_place(self, i), self.read, to_stream(table.slice(i, 1))) for i in range(len(self))]


def _place(chunk: Chunk, i: int) -> tuple[Place, Place]:
    start = chunk.start._replace(number=chunk.start.number + i)
    return start, start._replace(number=start.number + 1)


class Failure(NamedTuple):
    """A record that was set aside: its line or row, its id where it has one, and why."""

    number: int
    reason: str
    id: Any = None


@dataclass(frozen=True)
class Result:
    """What became of a chunk: finished bytes, and how many documents they hold; `empty` of them have no summary."""

    data: bytes = b""
    documents: int = 0
    empty: int = 0
    failures: list[Failure] = field(default_factory=list)


class Work(Protocol):
    """What workers do. It is sent to each of them, which then calls `load` once."""

    def load(self) -> Callable[[Chunk], Result]:
        """Load whatever the work needs, and return the function that does it."""
        ...
