"""The process of one worker: it loads the models, then answers one request after the other."""

import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from traceback import extract_tb
from typing import Any

from tersely.errors import TerselyError
from tersely.processes import end_with_parent
from tersely.serve.problems import ProblemError
from tersely.serve.work import Answer, Desk


@dataclass(frozen=True)
class Ready:
    """The models are loaded; this is what they are."""

    models: list[dict[str, Any]]


@dataclass(frozen=True)
class Failed:
    """Something unforeseen: its type and where, but not its message, which may hold some of the text."""

    kind: str
    frames: tuple[str, ...]

    @classmethod
    def of(cls, error: BaseException) -> "Failed":
        """Describe an error.

        >>> Failed.of(KeyError("what a user wrote"))
        Failed(kind='KeyError', frames=())
        """
        frames = extract_tb(error.__traceback__)
        return cls(type(error).__name__, tuple(f"{f.filename}:{f.lineno} {f.name}" for f in frames))


Reply = Answer | ProblemError | Failed


def main(connection: Connection, models: tuple[str, ...], tokenizer: str | None) -> None:
    """Answer what comes over the connection until it is closed; a string says why the models cannot be loaded."""
    # A signal is often sent to the whole group of processes: the server decides when its workers end.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent()
    try:
        desk = Desk(models, tokenizer)
    except TerselyError as error:
        connection.send(str(error))
        return
    connection.send(Ready(desk.card))
    while True:
        try:
            task, request = connection.recv()
        except EOFError:
            return
        connection.send(_reply(desk, task, request))


def _reply(desk: Desk, task: str, request: dict[str, Any]) -> Reply:
    try:
        return desk.answer(task, request)
    except ProblemError as problem:
        return problem
    except Exception as error:
        return Failed.of(error)
