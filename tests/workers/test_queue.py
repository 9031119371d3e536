"""The bounded queue: who gets a job, who is refused, and what becomes of workers that are late or die."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest

from apart import run_apart
from serve.service import ended, stopped, until
from tersely.workers.queue import BusyError, LateError, WorkerEndedError, WorkQueue, _Ticket
from workers.queue_work import Deadly, Pids, Unloadable


@contextmanager
def running(workers: int, places: int = 2, deadline: float = 60, **how: Any) -> Iterator[WorkQueue]:
    queue = WorkQueue(Pids(), workers=workers, places=places, deadline=deadline, **how)
    queue.start()
    try:
        until(lambda: queue.ready and queue.idle == workers)
        yield queue
    finally:
        queue.close()


def ask(queue: WorkQueue, key: int = 0, long: bool = False) -> Any:
    return run_apart(queue.ask("job", key, long))


def test_the_same_key_goes_to_the_same_worker() -> None:
    with running(workers=3) as queue:
        assert queue.card == "pids"
        for key in (2, 1, 0, 1, 2, 5):  # a small number is its own hash
            assert ask(queue, key) == queue.pids[key % 3]
            until(lambda: queue.idle == 3)


def test_a_job_does_not_wait_for_its_own_worker_if_another_is_free() -> None:
    with running(workers=2) as queue, ThreadPoolExecutor() as threads:
        first, second = queue.pids
        with stopped(second):
            held = threads.submit(ask, queue, 1)
            until(lambda: queue.running == 1)
            assert ask(queue, 1) == first
            assert not held.done()
        assert held.result() == second


def test_long_jobs_leave_one_worker_to_others() -> None:
    with running(workers=2) as queue, ThreadPoolExecutor() as threads:
        first, second = queue.pids
        with stopped(first):
            long = threads.submit(ask, queue, 0, True)
            until(lambda: queue.running == 1)
            other = threads.submit(ask, queue, 1, True)
            until(lambda: queue.waiting == 1)
            assert [ask(queue, key) for key in (0, 1)] == [second, second]
            until(lambda: (queue.running, queue.waiting, queue.idle) == (1, 1, 1))
        assert long.result() == first
        assert other.result() in (first, second)


def test_a_worker_that_dies_of_a_long_job_makes_room_for_the_next() -> None:
    with running(workers=2, deadline=30) as queue, ThreadPoolExecutor() as threads:
        first, second = queue.pids
        with stopped(first):
            long = threads.submit(ask, queue, 0, True)
            until(lambda: queue.running == 1)
            other = threads.submit(ask, queue, 1, True)
            until(lambda: queue.waiting == 1)
            os.kill(first, signal.SIGKILL)
            assert long.result() not in (first, second)
        assert other.result() != first


def test_a_full_queue_refuses_at_once_and_does_what_it_took() -> None:
    with running(workers=1, places=2) as queue, ThreadPoolExecutor() as threads:
        with stopped(queue.pids[0]):
            taken = [threads.submit(ask, queue) for _ in range(3)]
            until(lambda: (queue.running, queue.waiting) == (1, 2))
            with pytest.raises(BusyError, match="all workers are busy and 2 requests are waiting: try again"):
                ask(queue)
        assert [job.result() for job in taken] == queue.pids * 3


def test_a_late_worker_is_killed_and_replaced() -> None:
    said: list[str] = []
    with running(workers=1, deadline=0.1, report=said.append) as queue:
        [late] = queue.pids
        with stopped(late):
            while queue.pids == [late]:  # on a busy machine, a job may be late before the worker gets it
                with pytest.raises(LateError, match=r"no answer within 0\.1 seconds"):
                    ask(queue)
                until(lambda: queue.idle == 1)
        assert ended(late)
        assert queue.replaced == 1
        assert said == [f"worker {late} died (signal 9) and is being replaced"]


def test_a_job_is_tried_once_more_when_its_worker_dies() -> None:
    with running(workers=1) as queue, ThreadPoolExecutor() as threads:
        [first] = queue.pids
        with stopped(first):
            job = threads.submit(ask, queue)
            until(lambda: queue.running == 1)
            os.kill(first, signal.SIGKILL)
            assert job.result() != first
        second = ask(queue)
        assert [second] == queue.pids != [first]
        until(lambda: queue.idle == 1)
        # The death of an idle worker costs no job.
        os.kill(second, signal.SIGKILL)
        until(lambda: ended(second))
        assert ask(queue) not in (first, second)


def test_a_job_that_kills_two_workers_is_given_up() -> None:
    queue = WorkQueue(Deadly(), workers=1, places=1, deadline=60)
    queue.start()
    try:
        with pytest.raises(WorkerEndedError):
            ask(queue)
        until(lambda: queue.replaced == 2)
    finally:
        queue.close()


def test_work_that_cannot_be_loaded_says_why_and_refuses_what_waits() -> None:
    queue = WorkQueue(Unloadable(), workers=2, places=1, deadline=60)
    with ThreadPoolExecutor() as threads:
        job = threads.submit(ask, queue)
        until(lambda: queue.waiting == 1)
        queue.start()
        try:
            with pytest.raises(BusyError, match="there is no such model"):
                job.result()
            assert queue.failure == "there is no such model"
            assert not queue.ready
        finally:
            queue.close()


@pytest.mark.parametrize("leave", [WorkQueue.refuse, WorkQueue.close])
def test_a_closing_queue_refuses_jobs(leave: Callable[[WorkQueue], None]) -> None:
    with running(workers=1) as queue:
        leave(queue)
        assert not queue.ready
        with pytest.raises(BusyError, match="shutting down"):
            ask(queue)


def test_closing_refuses_what_still_waits() -> None:
    queue = WorkQueue(Pids(), workers=1, places=1, deadline=60)
    with ThreadPoolExecutor() as threads:
        job = threads.submit(ask, queue)
        until(lambda: queue.waiting == 1)
        queue.close()
        with pytest.raises(BusyError, match="shutting down"):
            job.result()


@pytest.mark.parametrize(("deadline", "order"), [(600, ["short", "first", "second"]), (1e-9, None)])
def test_short_jobs_pass_long_ones_that_have_not_waited_for_too_long(deadline: float, order: list[str] | None) -> None:
    queue = WorkQueue(Pids(), workers=1, places=3, deadline=deadline)
    for name, long in (("first", True), ("second", True), ("short", False)):
        queue._admit(_Ticket(name, 0, monotonic() + deadline, long))
    taken = [ticket.job for _ in range(3) if (ticket := queue._next(0)) is not None]
    assert taken == (order or ["first", "second", "short"])


def test_a_worker_takes_its_own_jobs_first_until_enough_have_passed() -> None:
    queue = WorkQueue(Pids(), workers=2, places=20, deadline=600)
    for number in range(12):
        queue._admit(_Ticket(number, int(number not in (0, 2)), monotonic() + 600))
    taken = [ticket.job for _ in range(8) if (ticket := queue._next(1)) is not None]
    assert taken == [1, 3, 4, 5, 0, 6, 7, 8]  # four pass the first job, and then four the next
    assert queue._next(0).job == 2  # type: ignore[union-attr]
    assert queue._next(0).job == 9  # type: ignore[union-attr]
