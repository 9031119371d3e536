"""The workers: order, bounds, and what becomes of a worker that dies."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from batch.functions import Dying, Printing, Shout, Unloadable
from tersely.batch.chunk import Chunk, Lines, Place
from tersely.batch.pool import Pool
from tersely.batch.records import Records
from tersely.errors import ModelError


def chunks(*texts: list[str]) -> list[Chunk]:
    found, number = [], 1
    for group in texts:
        body: list[bytes | str] = [json.dumps({"text": text}).encode() for text in group]
        found.append(Lines(Place(0, number), Place(0, number + len(group)), 0, body))
        number += len(group)
    return found


def run(pool: Pool, given: list[Chunk]) -> tuple[list[str], dict[int, str]]:
    loud: list[str] = []
    failures: dict[int, str] = {}
    order = []
    for chunk, results in pool.run(given):
        order.append(chunk)
        for result in results:
            loud += [json.loads(line)["loud"] for line in result.data.splitlines()]
            failures |= {failure.number: failure.reason for failure in result.failures}
    assert order == given
    return loud, failures


def test_results_come_in_order_and_a_pool_can_be_used_again() -> None:
    given = chunks(*([f"t{i}", f"u{i}"] for i in range(40)))
    with Pool(Records(Shout(), "jsonl"), 3) as pool:
        for _ in range(2):
            assert run(pool, given) == ([f"{c}{i}" for i in range(40) for c in "TU"], {})
        assert run(pool, []) == ([], {})


def test_chunks_are_read_only_a_little_ahead_of_what_is_taken() -> None:
    taken = 0

    def endless() -> Iterator[Chunk]:
        nonlocal taken
        while True:
            taken += 1
            yield chunks(["a"])[0]

    with Pool(Records(Shout(), "jsonl"), 2) as pool:
        for given, _ in enumerate(pool.run(endless()), 1):
            assert taken - given <= 10
            if given == 50:
                break


def test_a_document_that_kills_its_worker_is_set_aside_after_two_tries() -> None:
    given = chunks(["a", "b"], ["c", "KILL", "d", "KILL", "e"], ["KILL"], ["f"], ["REFUSE", "g"])
    with Pool(Records(Shout(), "jsonl"), 2) as pool:
        loud, failures = run(pool, given)
    assert loud == list("ABCDEFG")
    assert sorted(failures) == [4, 6, 8, 10]
    assert failures[4] == "a worker ended at this document, twice (signal 9)"


def test_a_document_that_takes_too_long_is_set_aside_and_the_others_are_done() -> None:
    with Pool(Records(Shout(), "jsonl"), 2, timeout=1) as pool:
        loud, failures = run(pool, chunks(["a", "b"], ["c", "HANG", "d"], ["e"]))
    assert loud == list("ABCDE")
    assert failures == {4: "a worker ended at this document, twice (it took more than 1 s)"}
    with Pool(Records(Shout(), "jsonl"), 1, timeout=1e300) as pool:
        assert run(pool, chunks(["a"])) == (["A"], {})


def test_a_worker_that_dies_once_is_replaced_and_its_documents_are_done_again(tmp_path: Path) -> None:
    for given in (chunks(["a", "ONCE", "b"]), chunks(["ONCE"])):
        mark = tmp_path / str(len(given[0]))
        with Pool(Records(Shout(str(mark)), "jsonl"), 1) as pool:
            loud, failures = run(pool, given)
        assert mark.exists()
        assert (len(loud), failures) == (len(given[0]), {})


def test_a_worker_that_is_killed_while_idle_is_replaced() -> None:
    with Pool(Records(Shout(), "jsonl"), 1) as pool:
        assert run(pool, chunks(["a"])) == (["A"], {})
        [worker] = pool._workers
        os.kill(worker.process.pid, signal.SIGKILL)
        assert run(pool, chunks(["b"])) == (["B"], {})


@pytest.mark.parametrize(("function", "said"), [(Unloadable(), "no such model"), (Dying(), "exit code 5")])
def test_work_that_cannot_be_loaded_ends_the_run(function: Shout, said: str) -> None:
    with Pool(Records(function, "jsonl"), 2) as pool, pytest.raises(ModelError, match=said):
        run(pool, chunks(["a"], ["b"], ["c"]))


def test_what_a_document_prints_does_not_disturb_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    with Pool(Records(Printing(), "jsonl"), 1) as pool:
        assert run(pool, chunks(["a"])) == (["A"], {})
    assert "heard" in capfd.readouterr().err
