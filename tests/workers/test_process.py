"""One worker process: asked with a deadline, and gone when its parent is gone; and what is done apart."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from serve.service import ended, until
from tersely import workers
from tersely.errors import InputError, MissingExtraError
from tersely.workers import LateLimitError, LimitError, apart
from tersely.workers.guard import MARK, nothing_left_behind
from tersely.workers.process import _WATCHDOG, Loaded, LoadError, Worker, cores
from workers.jobs import Carded, Dying, Shouting, Unloadable, fail, hold_what_cannot_be_sent, refuse_twice


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


@pytest.mark.parametrize("size", [1, 1_000_000])  # a pipe holds the first, and blocks who sends the second
def test_a_worker_that_neither_reads_nor_answers_is_killed(worker: Worker, size: int) -> None:
    worker.receive()
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        worker.ask("a" * size, monotonic() + 0.3)
    assert worker.close() == "signal 9"


def test_each_worker_has_its_own_deadline(worker: Worker) -> None:
    late = Worker(pickle.dumps(Shouting()))
    with ThreadPoolExecutor() as threads:
        for process in (worker, late):
            process.receive()
        waiting = threads.submit(worker.ask, "hang", monotonic() + 600)
        until(lambda: worker in _WATCHDOG._deadlines)
        with pytest.raises(TimeoutError):
            late.ask("hang", monotonic() + 0.2)
        assert late.close() == "signal 9"
        assert worker.alive
        worker.kill()
        with pytest.raises(EOFError):
            waiting.result()


def test_a_worker_that_was_in_time_is_not_killed_later(worker: Worker) -> None:
    worker.receive()
    assert worker.ask("a", monotonic() + 60) == "A"
    assert worker not in _WATCHDOG._deadlines


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
from tersely import workers
from tersely.errors import InputError, MissingExtraError
from tersely.workers import LateLimitError, LimitError, apart
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
    until(lambda: ended(int(run.stdout)))


def test_a_worker_does_not_outlive_its_parent_even_in_the_middle_of_a_job() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [*sys.path, str(Path(__file__).parents[1])]))}
    run = subprocess.run([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env=env, check=False)
    assert run.returncode == -9
    until(lambda: ended(int(run.stdout)))


linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a child")
ENOUGH = 500_000_000


@pytest.fixture(params=["copy", "afresh"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "afresh":
        monkeypatch.setattr(workers, "_COPIES", False)
    elif sys.platform != "linux":
        pytest.skip("a copy of a process is only safe on Linux")


@pytest.mark.usefixtures("_both_ways")
def test_what_is_done_apart_returns_its_result_or_raises_its_exception() -> None:
    assert apart(partial(pow, 2, 5), ENOUGH) == 32
    assert len(apart(partial(bytes, 5_000_000), ENOUGH, 600)) == 5_000_000
    for error in (InputError("refused"), MissingExtraError("reading", "files")):
        with pytest.raises(type(error), match=str(error).split()[0]):
            apart(partial(fail, error), ENOUGH, 600)
    for broken in (refuse_twice, hold_what_cannot_be_sent):
        with pytest.raises(RuntimeError, match=r"TwoArgumentsError: two words|ValueError"):
            apart(broken, ENOUGH)


@pytest.mark.usefixtures("_both_ways")
def test_what_is_done_apart_may_crash_or_hang_and_is_then_over(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LimitError, match="signal 6"):
        apart(os.abort, ENOUGH)
    with pytest.raises(LateLimitError):
        apart(signal.pause, ENOUGH, 0.2)
    with pytest.raises(LimitError, match="out of memory"):
        apart(partial(fail, MemoryError()), ENOUGH)
    assert capfd.readouterr().err == ""


@linux
def test_what_is_done_apart_has_a_limit_to_its_memory() -> None:
    limit = 100_000_000
    with pytest.raises(LimitError, match="out of memory"):
        apart(partial(bytearray, 2 * limit), limit)
    assert len(bytearray(2 * limit)) == 2 * limit  # it was the child's limit, not this process's


@linux
def test_an_interruption_ends_what_is_done_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = tmp_path / "pid"

    def hang() -> None:
        pid.with_name("new").write_text(str(os.getpid()))
        pid.with_name("new").rename(pid)
        signal.pause()

    def interrupt() -> float:
        """Be the clock, which is asked once before the child starts, and then by the parent that waits for it."""
        if calls.pop():
            until(pid.exists)
            os.kill(os.getpid(), signal.SIGINT)
        return monotonic()

    calls = [True, False]
    monkeypatch.setattr(workers, "monotonic", interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            apart(hang, ENOUGH, 600)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not Path("/proc", pid.read_text()).exists()


ORPHANED = """
import os, signal
from tersely.workers import apart
def orphan():
    print(os.getpid(), flush=True)
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()
apart(orphan, 500_000_000)
"""


@linux
def test_what_is_done_apart_does_not_outlive_its_parent() -> None:
    run = subprocess.run([sys.executable, "-c", ORPHANED], stdout=subprocess.PIPE, text=True, check=False)
    assert run.returncode == -9
    until(lambda: ended(int(run.stdout)))


def test_there_is_at_least_one_core() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
