"""The parts of the service by themselves."""

import asyncio
import json
import logging
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pytest

from tersely import Summarizer
from tersely.encode._base import Matrix
from tersely.score.centroid import Centroid
from tersely.select.knapsack import Knapsack
from tersely.serve.app import make_app
from tersely.serve.context import Context
from tersely.serve.logs import JsonLines
from tersely.serve.memory import Memory, Remembering
from tersely.serve.metrics import Metrics
from tersely.serve.pool import Pool, WorkerFailedError
from tersely.serve.settings import Settings


class Counting:
    """An encoder that counts how often it is asked."""

    name = fingerprint = "counting"
    asked = 0

    def encode(self, sentences: Sequence[str]) -> Matrix:
        self.asked += 1
        return np.eye(len(sentences), 8, dtype=np.float32)


def test_a_second_budget_for_a_text_encodes_nothing() -> None:
    encoder = Counting()
    summarizer = Remembering.of(Summarizer("counted", Centroid(), Knapsack(), encoder))
    memory = Memory()
    text = "One fish. Two fish. Red fish. Blue fish."
    summaries = [summarizer.summarize(memory.document(text, None), max_sentences=n).text for n in (1, 2, 3)]
    assert encoder.asked == 1
    plain = Summarizer("counted", Centroid(), Knapsack(), encoder)
    assert summaries == [plain.summarize(text, max_sentences=n).text for n in (1, 2, 3)]
    memory.document("Another text.", None)
    summarizer.summarize(memory.document(text, "en"), max_sentences=1)
    assert encoder.asked == 5  # in another language it may be another document


def test_memory_is_bounded() -> None:
    memory = Memory(characters=100)
    first = memory.document("a" * 60, None)
    memory.document("b" * 30, None)
    assert memory.document("a" * 60, None) is first
    memory.document("c" * 30, None)  # b was asked for least recently
    assert memory.document("a" * 60, None) is first
    big = memory.document("d" * 1000, None)
    assert memory.document("d" * 1000, None) is big
    assert memory.document("a" * 60, None) is not first


def get(app: Any, path: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://tersely") as client:
            return await client.get(path)

    return wait_for(ask())


def wait_for(task: Coroutine[Any, Any, Any]) -> Any:
    # In a thread of its own: the browser of other tests has an event loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, task).result()


def test_it_is_not_ready_before_its_models_are_loaded_nor_while_it_ends() -> None:
    settings = Settings(workers=1)
    pool = Pool(settings)
    app = make_app(settings, pool)
    assert get(app, "/healthz").status_code == 200
    assert get(app, "/readyz").status_code == get(app, "/v1/models").status_code == 503
    pool.start()
    try:
        while not pool.ready:
            assert get(app, "/readyz").status_code in (200, 503)
        assert get(app, "/readyz").status_code == 200
        pool.refuse()
        assert get(app, "/readyz").status_code == 503
        with pytest.raises(Exception, match="busy"):
            wait_for(pool.answer("summarize", {}, ""))
    finally:
        pool.close()


def test_what_nobody_foresaw_in_a_worker_is_told_without_the_text() -> None:
    pool = Pool(Settings(workers=1))
    pool.start()
    try:
        with pytest.raises(WorkerFailedError) as raised:
            wait_for(pool.answer("no such task", {"text": "zebra"}, "zebra"))
        assert raised.value.failed.kind == "KeyError"
        assert "work.py" in raised.value.failed.frames[-1]
        assert pool.replaced == 0
    finally:
        pool.close()


def test_what_nobody_foresaw_in_the_server_is_a_problem_and_a_line_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(*_: Any) -> None:
        raise ValueError("zebra")

    answer = get(Context(broken, Metrics(Pool(Settings())), frozenset({"/"})), "/")
    assert (answer.status_code, answer.json()["type"]) == (500, "/docs#internal")
    [line] = [json.loads(JsonLines().format(r)) for r in caplog.records if r.levelno == logging.ERROR]
    assert line["error"] == "ValueError"
    assert line["request_id"] == answer.json()["request_id"]
    assert "broken" in line["traceback"][-1]
    assert "zebra" not in json.dumps(line)


def test_an_exception_in_a_library_is_logged_without_its_message() -> None:
    raised = (ValueError, ValueError("zebra"), None)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "failed", (), raised)
    assert json.loads(JsonLines().format(record))["error"] == "ValueError"
    assert "zebra" not in JsonLines().format(record)
