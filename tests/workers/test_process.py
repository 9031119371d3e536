"""One worker process: asked with a deadline, and gone when its parent is gone."""

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tersely.workers.guard import MARK, nothing_left_behind
from tersely.workers.process import Loaded, LoadError, Worker, cores
from workers.jobs import Carded, Dying, Shouting, Unloadable


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(pickle.dumps(Shouting()))
    yield worker
    worker.close()


def test_a_worker_loads_its_work_once_and_then_does_job_after_job(worker: Worker) -> None:
    assert worker.receive() == Loaded()
    worker.give("a")
    assert worker.receive() == "A"
    assert worker.ask("b", monotonic() + 60) == "B"
    assert worker.alive
    assert worker.close() == "signal 9"
    assert not worker.alive


def test_a_worker_that_is_late_is_killed(worker: Worker) -> None:
    worker.receive()
    with pytest.raises(TimeoutError):
        worker.ask("hang", monotonic() + 0.3)
    with pytest.raises(EOFError):
        worker.receive()
    assert worker.close() == "signal 9"


def test_a_worker_that_dies_in_a_job_says_so_and_not_that_it_was_late(worker: Worker) -> None:
    worker.receive()
    with pytest.raises(EOFError):
        worker.ask("kill", monotonic() + 60)
    worker.give("a")  # giving a job to a dead worker is no error; receiving is
    with pytest.raises(EOFError):
        worker.receive()


def test_a_worker_says_how_its_work_was_loaded() -> None:
    for work, said in ((Unloadable(), LoadError), (Dying(), EOFError)):
        worker = Worker(pickle.dumps(work))
        with pytest.raises(said):
            worker.receive()
        assert worker.close() in ("exit code 0", "exit code 5", "signal 9")
    worker = Worker(pickle.dumps(Carded()))
    assert worker.receive() == Loaded("a card")
    worker.close()


PARENT = """
import os, pickle, signal
from tersely.workers.process import Worker
from workers.jobs import Shouting
worker = Worker(pickle.dumps(Shouting()))
worker.receive()
worker.give("hang")
print(worker.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


LEAVING = """
import os, signal, subprocess, sys
from tersely.workers.guard import nothing_left_behind
call = [sys.executable, "-c", "import signal; signal.pause()"]
with nothing_left_behind():
    child = subprocess.Popen(call, start_new_session=True)
    print(child.pid, flush=True)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    assert child.poll() is None and "TERSELY_RUN" in os.environ
assert child.wait() == -signal.SIGKILL and "TERSELY_RUN" not in os.environ
"""


def test_guards_can_be_nested() -> None:
    with nothing_left_behind():
        outer = os.environ[MARK]
        with nothing_left_behind():
            assert os.environ[MARK] != outer
        assert os.environ[MARK] == outer
    assert MARK not in os.environ


@pytest.mark.parametrize(("how", "code"), [("killed", -9), ("ended", 0)])
def test_nothing_is_left_behind_by_a_process_that_ends_or_is_killed(how: str, code: int) -> None:
    run = subprocess.run([sys.executable, "-c", LEAVING, how], stdout=subprocess.PIPE, text=True, check=False)
    assert run.returncode == code
    wait_for_the_end(run.stdout.strip())


def test_a_worker_does_not_outlive_its_parent_even_in_the_middle_of_a_job() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [*sys.path, str(Path(__file__).parents[1])]))}
    run = subprocess.run([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env=env, check=False)
    assert run.returncode == -9
    wait_for_the_end(run.stdout.strip())


def wait_for_the_end(pid: str) -> None:
    stat = Path("/proc", pid, "stat")
    deadline = monotonic() + 60
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX":
        assert monotonic() < deadline
        time.sleep(0.01)


def test_there_is_at_least_one_core() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
