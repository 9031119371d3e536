"""The service: summaries over HTTP, and the page (extra `serve`).

A request passes the layers (`middleware`), then its route (`api`), which reads its body (`schema`) and puts it into the
queue of the workers (`tersely.workers.queue`); in a worker, the `desk` answers it. `server` puts these together.
"""

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tersely.serve.desk import Desk


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
