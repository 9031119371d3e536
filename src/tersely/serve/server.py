"""Starting the service, and stopping it without dropping running requests."""

import errno
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from tersely.errors import InputError, ModelError, UsageError
from tersely.models import load_model
from tersely.serve import observe
from tersely.serve.app import make_app, make_queue
from tersely.serve.options import ServeOptions


class Server(uvicorn.Server):
    """The HTTP server: it says when it is listening, and stops if the models cannot be loaded."""

    def __init__(self, options: ServeOptions, listening: Callable[[str], None] = lambda _: None) -> None:
        check_models(options.models)
        self.queue = make_queue(options)
        self._socket, self._listening = bind(options.host, options.port), listening
        host, port = self._socket.getsockname()[:2]
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        config = uvicorn.Config(
            make_app(options, self.queue),
            lifespan="on",
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            # Running requests end by their deadline; a client that does not read its answer is not waited for.
            timeout_graceful_shutdown=int(options.deadline) + 5,
        )
        super().__init__(config)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal arrives; a `ModelError` says why the models could not be loaded."""
        try:
            super().run(sockets or [self._socket])
        finally:
            self.queue.close()
            self._socket.close()
        if self.queue.failure is not None:
            raise ModelError(self.queue.failure)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._listening(self.address)

    async def on_tick(self, counter: int) -> bool:
        """Say whether to stop."""
        return await super().on_tick(counter) or self.queue.failure is not None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no more requests, finish the running ones, then stop."""
        self.queue.refuse()
        super().handle_exit(sig, frame)


def serve(options: ServeOptions, listening: Callable[[str], None]) -> None:
    """Run the service until a signal arrives; `listening` gets its address."""
    observe.set_up_log()
    server = Server(options, listening)
    # uvicorn handles signals only while it runs, and raises them again at its end; with this handler, that is harmless.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(number, server.handle_exit)
    server.run()


def check_models(models: tuple[str, ...]) -> None:
    """Find whatever is wrong with the models that can be found without loading them."""
    names = [load_model(model).name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two models are named '{name}': rename one in its config.toml")


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, or say why that failed."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise UsageError(f"unknown host '{host}': give an address of this machine") from None
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is in use: choose another with --port, or 0 for any") from None
        raise InputError(f"cannot listen on port {port} of {host}: {error.strerror}") from None
    return bound
