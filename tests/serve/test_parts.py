"""The parts of the service, each on its own."""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import numpy as np
import pytest

from apart import run_apart
from serve.service import until
from tersely import Document, Summarizer, candidates
from tersely.encode import Matrix
from tersely.models import DEFAULT
from tersely.read.reader import Network
from tersely.score.classic import Centroid
from tersely.score.question import Answering
from tersely.select.knapsack import Knapsack
from tersely.serve.desk import Desk, Memory, Remembering
from tersely.serve.middleware import Context
from tersely.serve.problems import FailureError, JsonLines, Metrics, Reply
from tersely.serve.schema import FrontierBody, SummarizeBody
from tersely.serve.server import ServeOptions, make_app, make_queue
from tersely.workers.queue import BusyError, WorkQueue

ONE = ServeOptions(workers=1)


class Counting:
    """An encoder that counts its calls."""

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
    assert encoder.asked == 5  # in another language it may be split differently


STORY = "The mayor of Kelsby resigned on Monday. She gave no reason. The council elects a new mayor in May. Rain fell."
SOURCES = [
    {"id": "a", "text": STORY, "title": None},
    {"id": 2, "text": "The quay is closed. It floods.", "title": "Quay"},
]


@pytest.mark.parametrize("text", [STORY, SOURCES])
@pytest.mark.parametrize("query", [None, "Why did the mayor resign?"])
def test_a_second_budget_costs_the_default_model_only_the_choice(
    text: Any, query: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def counted(*args: Any, **how: Any) -> Any:
            calls[name] += 1
            return work(*args, **how)

        monkeypatch.setattr(owner, name, counted)

    desk = Desk((DEFAULT,))
    for owner, name in (
        (Network, "__call__"),
        (Document, "from_text"),
        (candidates, "distinct"),
        (Answering, "answer"),
    ):
        count(owner, name)
    monkeypatch.setattr(Document, "from_text", staticmethod(Document.from_text))
    asked = {"text": json.loads(json.dumps(text)), "query": query}
    answers = [summary_of(desk, **asked, max_chars=limit) for limit in (60, 90)]
    first = calls.copy()
    assert first["__call__"] == 1
    answers += [summary_of(desk, **asked, max_chars=limit) for limit in (120, 60)]
    frontier = FrontierBody.model_validate(asked).request()
    assert isinstance(desk(("frontier", frontier)), Reply)
    assert calls.pop("distinct") <= 3  # each level is stated once at most, and only when it is asked for
    del first["distinct"]
    assert calls == first
    summary_of(desk, **asked, max_words=20, exclude=[0])  # this is another problem, but the same text
    assert calls["__call__"] == first["__call__"]
    assert answers[0] == answers[3]
    loaded = Summarizer.load()
    plain = [loaded.summarize(text, max_chars=limit, query=query).to_dict() for limit in (60, 90, 120)]
    assert answers[:3] == json.loads(json.dumps(plain))


def summary_of(desk: Desk, **body: Any) -> Any:
    reply = desk(("summarize", SummarizeBody.model_validate(body).request()))
    assert isinstance(reply, Reply), reply
    return json.loads(reply.body)


def test_sources_are_remembered_apart_from_texts_and_from_each_other() -> None:
    memory = Memory()
    documents = [memory.document(text, None) for text in (STORY, SOURCES, SOURCES[:1], SOURCES[::-1], SOURCES)]
    assert documents[1] is documents[4]
    assert len({id(document) for document in documents}) == 4


def test_what_is_kept_with_a_document_is_bounded() -> None:
    desk = Desk((DEFAULT,))
    for number in range(30):
        summary_of(desk, text=STORY, max_chars=60, separator=" " * number)
    document = desk._memory.document(STORY, None)
    assert 1 < len(vars(document)["_fittings"]) < 10


def test_memory_is_bounded() -> None:
    memory = Memory(characters=100)
    first = memory.document("a" * 60, None)
    memory.document("b" * 30, None)
    assert memory.document("a" * 60, None) is first
    memory.document("c" * 30, None)  # drops b, which was used least recently
    assert memory.document("a" * 60, None) is first
    big = memory.document("d" * 1000, None)
    assert memory.document("d" * 1000, None) is big
    assert memory.document("a" * 60, None) is not first


def get(app: Any, path: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path)

    return run_apart(ask())


@contextmanager
def started(queue: WorkQueue) -> Iterator[None]:
    queue.start()
    try:
        yield
    finally:
        queue.close()


def test_building_and_describing_the_app_loads_and_runs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("a model was used")

    for name in ("load", "score", "summarize", "frontier"):
        monkeypatch.setattr(Summarizer, name, fail)
    monkeypatch.setattr(Desk, "__init__", fail)
    app = make_app(ONE, make_queue(ONE))
    assert [get(app, path).status_code for path in ("/", "/docs", "/openapi.json")] == [200, 200, 200]


def test_it_is_not_ready_until_its_models_are_loaded_nor_during_shutdown() -> None:
    queue = make_queue(ONE)
    app = make_app(ONE, queue)
    assert get(app, "/healthz").status_code == 200
    assert get(app, "/readyz").status_code == get(app, "/v1/models").status_code == 503
    with started(queue):
        until(lambda: get(app, "/readyz").status_code == 200)
        assert queue.ready
        queue.refuse()
        assert get(app, "/readyz").status_code == 503
        with pytest.raises(BusyError, match="shutting down"):
            run_apart(queue.ask(("summarize", {}), ""))


def test_a_failure_in_a_worker_is_described_without_the_text() -> None:
    queue = make_queue(ONE)
    with started(queue):
        failed = run_apart(queue.ask(("no such task", {"text": "zebra"}), "zebra"))
        assert isinstance(failed, FailureError)
        assert failed.kind == "KeyError"
        assert "desk.py" in failed.frames[-1]
        assert queue.replaced == 0


def test_a_failure_in_the_server_is_a_problem_and_a_line_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(*_: Any) -> None:
        raise ValueError("zebra")

    answer = get(Context(broken, Metrics(make_queue(ONE)), frozenset({"/"})), "/")
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
