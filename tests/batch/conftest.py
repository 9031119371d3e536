"""Workers in the process of the tests, for what does not depend on processes: to start one takes half a second."""

import pickle
from typing import Any

import pytest

from tersely.workers import ordered
from tersely.workers.process import Loaded, LoadError


class WorkerHere:
    """Does a job as soon as it gets it. Work, jobs and results are pickled, as for any other worker."""

    def __init__(self, work: bytes) -> None:
        self.results, self._said = self, [pickle.dumps(Loaded())]
        try:
            self._do = pickle.loads(work).load()
        except Exception as error:
            self._said = [pickle.dumps(LoadError(str(error)))]

    def give(self, job: Any) -> None:
        self._said.append(pickle.dumps(self._do(pickle.loads(pickle.dumps(job)))))

    def receive(self) -> Any:
        message = pickle.loads(self._said.pop(0))
        if isinstance(message, LoadError):
            raise message
        return message

    def close(self) -> str:
        return "signal 9"

    @property
    def is_heard(self) -> bool:
        return bool(self._said)


def wait(workers: list[WorkerHere], patience: float | None) -> list[WorkerHere]:
    del patience
    return [worker for worker in workers if worker.is_heard]


@pytest.fixture
def processes() -> None:
    """For tests whose texts kill or hang a worker, or that want real ones."""


@pytest.fixture(autouse=True)
def _workers_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no processes, unless a test asks for them."""
    if "processes" not in request.fixturenames:
        monkeypatch.setattr(ordered, "Worker", WorkerHere)
        monkeypatch.setattr(ordered, "wait", wait)
