"""Starting the service, and ending it without dropping what runs."""

import errno
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from tersely.errors import InputError, ModelError, UsageError
from tersely.models import load_model
from tersely.serve import logs
from tersely.serve.app import make_app
from tersely.serve.pool import Pool
from tersely.serve.settings import Settings


class Server(uvicorn.Server):
    """The HTTP server of one pool: it says when it listens, and ends where the models cannot be loaded."""

    def __init__(self, settings: Settings, listening: Callable[[str], None] = lambda _: None) -> None:
        check_models(settings.models)
        self.pool = Pool(settings, logs.warning)
        self._socket, self._listening = bind(settings.host, settings.port), listening
        host, port = self._socket.getsockname()[:2]
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        config = uvicorn.Config(
            make_app(settings, self.pool),
            lifespan="on",
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            # What runs is finished within its deadline; a client that does not read its answer is not waited for.
            timeout_graceful_shutdown=int(settings.deadline) + 5,
        )
        super().__init__(config)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal ends it; a `ModelError` says why it could not begin."""
        try:
            super().run(sockets or [self._socket])
        finally:
            self.pool.close()
            self._socket.close()
        if self.pool.failure is not None:
            raise ModelError(self.pool.failure)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._listening(self.address)

    async def on_tick(self, counter: int) -> bool:
        """Say whether to end."""
        return await super().on_tick(counter) or self.pool.failure is not None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no more requests, finish those that run, then end."""
        self.pool.refuse()
        super().handle_exit(sig, frame)


def serve(settings: Settings, listening: Callable[[str], None]) -> None:
    """Run the service until a signal ends it; `listening` is told its address."""
    logs.set_up()
    server = Server(settings, listening)
    # From now on, not only from when it listens; and when it is done it hands the signal back, which then does nothing.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup's doing
            signal.signal(number, server.handle_exit)
    server.run()


def check_models(models: tuple[str, ...]) -> None:
    """Say what is wrong with the models as far as it can be told without loading them."""
    names = [load_model(model).name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two models are named '{name}': give one another name in its config.toml")


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address, or say why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise UsageError(f"the host '{host}' is not known: give an address of this machine") from None
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
