"""More requests than the workers can handle, and workers that fail: always an answer, never a hang."""

import json
import os
import signal
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import urlsplit

import httpx

from serve.service import ended, get, running, stopped, until
from tersely.serve.server import Server

BODY = {"text": "One fish. Two fish. Red fish.", "max_chars": 9}


def ask(server: Server, **change: Any) -> httpx.Response:
    return httpx.post(f"{server.address}/v1/summarize", json=BODY | change, timeout=60)


def figure(server: Server, name: str) -> float:
    lines = get(f"{server.address}/metrics").text.splitlines()
    [value] = [line.rpartition(" ")[2] for line in lines if line.rpartition(" ")[0] == name]
    return float(value)


def test_a_full_queue_answers_503_at_once_and_waiting_requests_are_answered() -> None:
    with running(workers=1, queue=2) as server, ThreadPoolExecutor() as threads:
        with stopped(server.queue.pids[0]):
            accepted: list[Future[httpx.Response]] = [threads.submit(ask, server) for _ in range(3)]
            until(lambda: (server.queue.running, server.queue.waiting) == (1, 2))
            assert (figure(server, "tersely_in_flight"), figure(server, "tersely_queue_length")) == (1, 2)
            refused = [ask(server) for _ in range(5)]
            # Whatever needs no worker still works.
            assert get(f"{server.address}/readyz").status_code == 200
        assert [answer.result().status_code for answer in accepted] == [200, 200, 200]
        assert {(answer.status_code, answer.headers["retry-after"]) for answer in refused} == {(503, "1")}
        assert refused[0].json()["type"] == "/docs#busy"
        assert figure(server, 'tersely_rejected_total{reason="busy"}') == 5
        assert figure(server, 'tersely_requests_total{route="/v1/summarize",status="503"}') == 5
        assert figure(server, "tersely_sentences_total") == 9


def test_a_late_request_gets_504_and_its_worker_is_replaced(folder: Path, tmp_path: Path) -> None:
    model = copytree(folder, tmp_path / "model")
    with (
        running(workers=1, queue=1, models=(str(model),), deadline=1.0) as server,
        ThreadPoolExecutor() as threads,
    ):
        [pid] = server.queue.pids
        away = model.rename(tmp_path / "away")  # so that no other worker is in time for the second request
        with stopped(pid):
            late = [threads.submit(ask, server) for _ in range(2)]
            assert [(a.result().status_code, a.result().json()["type"]) for a in late] == [(504, "/docs#deadline")] * 2
            until(lambda: ended(pid))
        assert server.queue.waiting == 0
        away.rename(model)
        until(lambda: ask(server).status_code == 200)
        assert server.queue.pids != [pid]
        address = urlsplit(server.address)
        with socket.create_connection((address.hostname, address.port), timeout=60) as slow:
            slow.sendall(
                b"POST /v1/batch HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
            )
            assert slow.recv(12) == b"HTTP/1.1 408"
        assert figure(server, "tersely_workers_replaced") >= 1


def test_a_worker_too_stuck_to_receive_a_large_request_is_replaced() -> None:
    with running(workers=1, deadline=1.0) as server:
        [pid] = server.queue.pids
        with stopped(pid):
            assert ask(server, text="One fish. " * 100_000).status_code == 504
            until(lambda: ended(pid))
        until(lambda: ask(server).status_code == 200)


def test_it_is_not_ready_while_no_worker_can_be_replaced(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    copytree(folder, model)
    with running(workers=1, models=(str(model),), deadline=1.0) as server:
        [pid] = server.queue.pids
        model.rename(tmp_path / "away")
        os.kill(pid, signal.SIGKILL)
        assert ask(server).status_code == 504
        until(lambda: get(f"{server.address}/readyz").status_code == 503)
        (tmp_path / "away").rename(model)
        until(lambda: get(f"{server.address}/readyz").status_code == 200)
        until(lambda: ask(server).status_code == 200)


def test_a_client_that_disconnects_leaves_the_queue() -> None:
    with running(workers=1, queue=1) as server, ThreadPoolExecutor() as threads:
        with stopped(server.queue.pids[0]):
            first = threads.submit(ask, server)
            until(lambda: server.queue.running == 1)
            impatient = HTTPConnection(urlsplit(server.address).netloc)
            impatient.request("POST", "/v1/summarize", json.dumps(BODY), {"Content-Type": "application/json"})
            until(lambda: server.queue.waiting == 1)
            impatient.close()
            until(lambda: server.queue.waiting == 0)
            second = threads.submit(ask, server)
            until(lambda: server.queue.waiting == 1)
        assert (first.result().status_code, second.result().status_code) == (200, 200)
        assert figure(server, 'tersely_requests_total{route="/v1/summarize",status="499"}') == 1


def test_a_killed_worker_is_replaced() -> None:
    with running(workers=1) as server, ThreadPoolExecutor() as threads:
        [first] = server.queue.pids
        with stopped(first):
            answer = threads.submit(ask, server)
            until(lambda: server.queue.running == 1)
            os.kill(first, signal.SIGKILL)
            assert answer.result().status_code == 200
        assert ask(server).status_code == 200
        [second] = server.queue.pids
        # An idle worker loses no request.
        os.kill(second, signal.SIGKILL)
        until(lambda: ended(second))
        assert ask(server).status_code == 200
        assert len({first, second, *server.queue.pids}) == 3


def test_a_text_goes_to_its_own_worker_if_that_is_free() -> None:
    texts = (f"Fish number {i}. Another one." for i in count())
    text = next(text for text in texts if hash(text) % 2 == 1)
    with running(workers=2) as server, ThreadPoolExecutor() as threads:
        until(lambda: server.queue.idle == 2)
        with stopped(server.queue.pids[1]):
            held = threads.submit(ask, server, text=text)
            until(lambda: server.queue.running == 1)
            # While its worker is busy, the other one answers.
            assert ask(server, text=text).status_code == 200
            # Worker 0 was free all the time, but worker 1 got the first request and still has it.
            until(lambda: server.queue.idle == 1)
            assert server.queue.running == 1
        assert held.result().status_code == 200
