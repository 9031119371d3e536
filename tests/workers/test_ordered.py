"""Workers that keep the order: bounds, errors, and what becomes of a worker that dies."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, repeat
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import InputError, MissingExtraError, ModelError
from tersely.workers import ordered as module
from tersely.workers.ordered import AHEAD, JobError, OrderedPool, Rescue, WorkerDiedError, ordered
from tersely.workers.process import Loaded
from workers.jobs import Dying, Shouting, Unloadable

RESCUE = Rescue(split=lambda words: [[word] for word in words], give_up=lambda words, reason: (words, reason))


def rescued(pool: OrderedPool, jobs: list[list[str]]) -> tuple[list[str], dict[str, str]]:
    """Run lists of words, and return the results and why words were given up."""
    loud, given_up, done = [], {}, []
    for job, results in pool.run(jobs):
        done.append(job)
        for result in results:
            if isinstance(result, tuple):
                [word], reason = result
                given_up[word] = reason
            else:
                loud += result
    assert done == jobs
    return loud, given_up


def children(pid: int) -> set[int]:
    """The processes that a process has started."""
    started: set[int] = set()
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            started.update(map(int, file.read_text().split()))
    return started


def test_results_come_in_order() -> None:
    words = [f"w{i}" for i in range(60)]
    assert list(ordered(Shouting(), words, workers=3)) == [word.upper() for word in words]
    assert list(ordered(Shouting(), [], workers=3)) == []


def test_a_pool_can_be_used_again_even_after_a_run_that_was_stopped() -> None:
    jobs = [[f"t{i}", f"u{i}"] for i in range(20)]
    with OrderedPool(Shouting(), 2, RESCUE) as pool:
        for _ in range(2):
            assert rescued(pool, jobs) == ([f"{c}{i}" for i in range(20) for c in "TU"], {})
        assert rescued(pool, []) == ([], {})
        stopped = pool.run(jobs)
        next(stopped)
        stopped.close()  # type: ignore[attr-defined]
        assert rescued(pool, [["a"], ["b"]]) == (["A", "B"], {})


def test_no_more_jobs_are_taken_than_the_look_ahead_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first job is done only when no other worker has anything left to do."""

    class Instant:
        """A worker that answers when `wait` lets it."""

        def __init__(self, _: bytes) -> None:
            self.results, self.job, self.said = self, -1, [Loaded()]

        def give(self, job: int) -> None:
            self.job = job
            self.said.append(job)

        def receive(self) -> Any:
            return self.said.pop()

        def close(self) -> str:
            return ""

    def wait(workers: list[Instant], _: float | None) -> list[Instant]:
        talking = [worker for worker in workers if worker.said]
        return [worker for worker in talking if worker.job != 0 or worker.said[0] != 0] or talking

    def endless() -> Iterator[int]:
        for job in count():
            assert job < given + AHEAD * 2
            taken.append(job)
            yield job

    monkeypatch.setattr(module, "Worker", Instant)
    monkeypatch.setattr(module, "wait", wait)
    given = 0
    taken: list[int] = []
    for given, result in enumerate(ordered(Shouting(), endless(), workers=2), 1):
        assert result == given - 1
        # While the first job was under way, the other worker did all that the bound allows.
        assert given > 1 or taken == list(range(AHEAD * 2))
        if given == 50:
            break


def test_an_error_in_a_job_is_raised_in_the_parent() -> None:
    with pytest.raises(InputError, match=r"^refused$"):
        list(ordered(Shouting(), ["a", "refuse"], workers=2))
    with pytest.raises(MissingExtraError, match=r"tersely\[loud\]"):
        list(ordered(Shouting(), ["extra"], workers=1))
    with pytest.raises(JobError, match=r"^ZeroDivisionError: by nothing") as raised:
        list(ordered(Shouting(), ["a", "raise"], workers=2))
    assert "_shout" in raised.value.__notes__[0]  # where it happened


def test_a_dead_worker_is_an_error_where_nothing_else_is_said() -> None:
    before = children(os.getpid())
    results = ordered(Shouting(), ["a", "kill", *repeat("a", 99)], workers=2)
    assert next(results) == "A"
    said = r"^a process was killed \(signal 9\), perhaps out of memory: try fewer --workers$"
    with pytest.raises(WorkerDiedError, match=said):
        list(results)
    assert children(os.getpid()) <= before


def test_a_job_that_kills_its_worker_is_given_up_after_two_tries() -> None:
    jobs = [["a", "b"], ["c", "kill", "d", "raise", "e"], ["refuse"], ["f"]]
    with OrderedPool(Shouting(), 2, RESCUE) as pool:
        loud, given_up = rescued(pool, jobs)
    assert loud == list("ABCDEF")
    assert given_up == {
        "kill": "its worker process died (signal 9)",
        "raise": "ZeroDivisionError: by nothing",
        "refuse": "refused",
    }


def test_a_job_that_takes_too_long_is_given_up_and_the_others_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now, wait = 0.0, module.wait

    def wait_or_pass(results: list[Any], patience: float | None) -> list[Any]:
        """Let all the time pass at once when every job that is under way hangs, and none before."""
        nonlocal now
        busy = [seat.task.job for seat in pool._seats if seat.task]
        assert patience == (100 if busy else None)
        if not busy or not all("hang" in job for job in busy):
            return wait(results)
        now += 100
        return []

    with monkeypatch.context() as patch, OrderedPool(Shouting(), 2, RESCUE, timeout=100) as pool:
        patch.setattr(module, "monotonic", lambda: now)
        patch.setattr(module, "wait", wait_or_pass)
        loud, given_up = rescued(pool, [["a", "b"], ["c", "hang", "d"], ["e"]])
    assert (loud, given_up) == (list("ABCDE"), {"hang": "it took more than 100 s"})
    with OrderedPool(Shouting(), 1, timeout=1e300) as pool:
        assert list(pool.run(["a"])) == [("a", ["A"])]


@pytest.mark.parametrize("job", [["a", "once", "b"], ["once"]])
def test_a_worker_that_dies_once_is_replaced_and_its_job_is_done_again(tmp_path: Path, job: list[str]) -> None:
    mark = tmp_path / "mark"
    with OrderedPool(Shouting(str(mark)), 1, RESCUE) as pool:
        assert rescued(pool, [job]) == ([word.upper() for word in job], {})
    assert mark.exists()


def test_a_worker_that_is_killed_while_idle_is_replaced() -> None:
    with OrderedPool(Shouting(), 1, RESCUE) as pool:
        assert rescued(pool, [["a"]]) == (["A"], {})
        [seat] = pool._seats
        os.kill(seat.worker.pid, signal.SIGKILL)
        assert rescued(pool, [["b"]]) == (["B"], {})


@pytest.mark.parametrize(("work", "said"), [(Unloadable(), "no such model"), (Dying(), "exit code 5")])
def test_work_that_cannot_be_loaded_ends_the_run(work: Shouting, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        list(ordered(work, "abc", workers=2))


def test_what_a_job_prints_does_not_disturb_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(ordered(Shouting(), ["print"], workers=1)) == ["PRINT"]
    assert "heard" in capfd.readouterr().err


# A background job may start with SIGINT ignored, so the script sets its own handler.
ENDLESS = """
import signal
from itertools import repeat
from tersely.workers.ordered import ordered
from workers.jobs import Shouting
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    for word in ordered(Shouting(), repeat("a"), workers=2):
        print(word, flush=True)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_all_workers_at_once_and_quietly() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [*sys.path, str(Path(__file__).parents[1])]))}
    call, pipes = [sys.executable, "-c", ENDLESS], {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(call, text=True, env=env, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        workers = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the whole group
        try:
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (said.splitlines()[-1], errors) == ("stopped", "")
    assert len(workers) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_workers_end_when_their_results_are_wanted_no_more() -> None:
    results = ordered(Shouting(), repeat("a"), workers=2)
    next(results)
    pool = results.gi_frame.f_locals["pool"]  # type: ignore[attr-defined]
    workers = [seat.worker for seat in pool._seats]
    results.close()  # type: ignore[attr-defined]
    assert len(workers) == 2
    assert not any(worker.alive for worker in workers)


def test_a_piece_is_given_up_only_if_its_worker_died_at_it_alone_twice(tmp_path: Path) -> None:
    # One dies with its whole job and once more alone, the other also at its second try alone.
    with OrderedPool(Shouting(str(tmp_path / "mark")), 2, RESCUE) as pool:
        loud, given_up = rescued(pool, [["a", "thrice", "b"], ["kill"], ["c", "twice"]])
    assert (loud, list(given_up)) == (["A", "B", "C", "TWICE"], ["thrice", "kill"])


def test_the_second_try_after_a_death_runs_beside_nothing_else(tmp_path: Path) -> None:
    with OrderedPool(Shouting(str(tmp_path / "mark")), 3, RESCUE) as pool:
        seen = []

        def hand_out() -> None:
            original()
            suspects = [seat.task for seat in pool._seats if seat.task and seat.task.tries]
            seen.append((len(suspects), sum(seat.task is not None for seat in pool._seats)))

        original, pool._hand_out = pool._hand_out, hand_out  # type: ignore[method-assign]
        loud, given_up = rescued(pool, [["a"], ["kill"], *([f"w{i}"] for i in range(30))])
    assert (len(loud), list(given_up)) == (31, ["kill"])
    assert (1, 1) in seen
    assert {busy for suspects, busy in seen if suspects} == {1}
