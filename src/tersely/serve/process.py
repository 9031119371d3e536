"""A worker process, as its server sees it."""

from multiprocessing import get_context
from multiprocessing.connection import wait
from threading import Timer
from time import monotonic
from typing import Any

from tersely.serve import worker
from tersely.serve.settings import Settings

# Spawned, not forked: a fork would copy the server's threads half way through their work.
_CONTEXT = get_context("spawn")


class WorkerProcess:
    """A process that loads the models and then answers one request at a time."""

    def __init__(self, settings: Settings) -> None:
        self._connection, theirs = _CONTEXT.Pipe()
        arguments = (theirs, settings.models, settings.tokenizer)
        self._process = _CONTEXT.Process(target=worker.main, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self.pid = self._process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return not self._connection.closed and self._process.is_alive()

    def loaded(self) -> worker.Ready:
        """Wait until the models are loaded; an `EOFError` says that they will not be, and why where it is known."""
        reply = self._receive()
        if isinstance(reply, worker.Ready):
            return reply
        raise EOFError(reply)

    def ask(self, task: str, request: dict[str, Any], until: float) -> worker.Reply:
        """Return the reply; a `TimeoutError` says that it was not there in time, an `EOFError` that it will not be."""
        # A worker that stands still may not even take the request: what waits for it, wherever, ends when it is killed.
        late = Timer(max(until - monotonic(), 0), self.kill)
        late.start()
        try:
            self._connection.send((task, request))
            reply: worker.Reply = self._receive()
        except (EOFError, OSError) as error:
            raise (TimeoutError if monotonic() >= until else EOFError) from error
        finally:
            late.cancel()
        if monotonic() >= until:  # it is being killed
            raise TimeoutError
        return reply

    def kill(self) -> None:
        """End the process at once; any thread may do it."""
        self._process.kill()

    def close(self) -> None:
        """End the process and forget it."""
        self._process.kill()
        self._process.join()
        self._connection.close()

    def _receive(self) -> Any:
        wait([self._connection, self._process.sentinel])
        # What was said before the process ended is still there to be read.
        if not self._connection.poll():
            raise EOFError
        try:
            return self._connection.recv()
        except OSError as error:
            raise EOFError from error
