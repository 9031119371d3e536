"""Lines as units: none is fused or moved, errors come with their frames, similar ones are counted, the budget holds."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import tersely
from tersely import Summarizer, UsageError, summarize, verify
from tersely.options import UNITS, Unit
from tersely.text.document import Document
from tersely.text.length import measure
from tersely.text.logs import are_logs, read_lines
from tersely.text.sources import Log

DEFAULT = Summarizer.load()
TRACE = [
    "2025-10-10 10:00:12 ERROR job a8f31b failed",
    "Traceback (most recent call last):",
    '  File "/srv/app/worker.py", line 88, in run',
    "    result = handler(job)",
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/in/9931.png'",
]
LOG = "\n".join(
    [
        *(f"2025-10-10 10:00:{i % 60:02d} INFO worker {i % 8} handled job {i * 7919}" for i in range(300)),
        *TRACE,
        *(f"2025-10-10 10:01:{i % 60:02d} INFO worker {i % 8} handled job {i * 104729}" for i in range(300)),
        "300 jobs, 1 failed",
    ]
)
LINES = [
    "INFO up",
    "INFO user anna in 3 ms",
    "INFO user bob in 4 ms",
    "ERROR x failed",
    "  at main(a.py:3)",
    "\tat java.lang.Thread.run(Thread.java:1)",
    "Traceback (most recent call last):",
    "ValueError: 天气",
    "Caused by: Oops: 3",
    "",
    "   ",
    '1.2.3.4 - - [1/Oct/2025] "GET /a HTTP/1.1" 500 3',
    "====",
    "3 passed",
    "😀 \u0301",
    "a\u2028b",
    "}",
]
logs = st.lists(st.sampled_from(LINES), max_size=30).map("\n".join) | st.text(max_size=80)
MARK = re.compile(r"\[\.\.\. \d[\d,]* similar lines?\]")


def counted(text: str) -> int:
    return len(text.split())


@given(logs, st.sampled_from(UNITS), st.integers(1, 120), st.sampled_from(["duplicates", "off", "trigrams"]))
def test_lines_are_whole_in_order_and_within_the_budget(text: str, unit: Unit, limit: int, redundancy: Any) -> None:
    keywords: dict[str, Any] = {f"max_{unit}": limit, "redundancy": redundancy, "tokenizer": counted}
    summary = DEFAULT.summarize(text, split="lines", **keywords)
    length = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit, counted)
    assert length == summary.length <= limit
    if summary.reason == "whole-text-fits":
        assert summary.text == text[len(text) - len(text.lstrip("\n")) :].rstrip() or summary.text in text
        return
    shown = [line for line in summary.text.split("\n") if line and not MARK.fullmatch(line)]
    assert shown == [s.text for s in summary.sentences]
    assert [s.index for s in summary.sentences] == sorted(s.index for s in summary.sentences)
    assert all(text[s.start : s.end] == s.text for s in summary.ranking)
    assert all("\n" not in s.text and s.text.strip() for s in summary.ranking)
    assert not any(MARK.search(s.text) for s in summary.sentences)


@given(logs, st.integers(10, 60))
def test_every_line_is_shown_counted_or_named_as_left_out(text: str, limit: int) -> None:
    document = Log.from_text(text)
    lines = read_lines(document.texts, [len(document)])
    assert sum(lines.similar.values()) <= len(lines.copies)
    assert lines.copies.isdisjoint(lines.similar)
    assert all(0 <= cure < len(document) and cure not in lines.copies for cure in lines.cures if cure != -1)
    summary = DEFAULT.summarize(document, max_chars=limit)
    assert summary.length <= limit


@given(logs, st.sampled_from(["chars", "words", "tokens"]), st.integers(5, 60))
def test_more_of_a_log_repeats_no_line(text: str, unit: str, limit: int) -> None:
    chosen: list[int] = []
    key = None
    for _ in range(40):
        keywords: dict[str, Any] = {f"max_{unit}": limit, "more": key, "tokenizer": counted}
        part = DEFAULT.summarize(text, split="lines", **keywords)
        assert part.length <= limit
        chosen += [s.index for s in part.sentences]
        key = part.more
        if key is None or not part.sentences:
            break
    assert len(chosen) == len(set(chosen))


@given(logs, st.sets(st.integers(0, 4), max_size=3))
def test_included_lines_are_shown_and_the_count_leaves_them_out(text: str, include: set[int]) -> None:
    document = Log.from_text(text)
    include = {i for i in include if i < len(document)}
    lines = read_lines(document.texts, [len(document)], include)
    assert lines.copies.isdisjoint(include)
    summary = DEFAULT.summarize(document, max_chars=10_000, include=include, exclude=())
    assert include <= {s.index for s in summary.sentences}


def test_an_error_comes_with_its_frame_and_similar_lines_are_counted() -> None:
    shown = summarize(LOG, max_chars=420, split="lines").text.splitlines()
    assert [line for line in shown if line in TRACE] == TRACE
    assert "[... 599 similar lines]" in shown
    assert shown[-1] == "300 jobs, 1 failed"
    short = summarize(LOG, max_chars=130, split="lines").text
    assert TRACE[-1] in short
    assert len(short) <= 130


def test_the_frame_nearest_to_the_error_comes_first() -> None:
    lines = ["INFO up", "java.lang.IllegalStateException: no answer", "\tat a.Gateway.charge(Gateway.java:88)"]
    lines += [
        "\tat b.Service.place(Service.java:1)",
        "Caused by: java.io.IOException: closed",
        "\tat c.Socket.read(S.java:2)",
    ]
    shown = summarize("\n".join(lines), max_chars=125, split="lines").text.splitlines()
    assert {lines[1], lines[4]} < set(shown)
    assert lines[2] in shown or lines[5] in shown
    assert lines[3] not in shown


def test_a_status_of_the_server_is_severe_and_no_errors_are_not() -> None:
    hits = [f'10.0.0.{i} - - [10/Oct/2025:13:55:{i}] "GET /{i} HTTP/1.1" 200 {i}' for i in range(10, 50)]
    hits.insert(20, '10.0.0.9 - - [10/Oct/2025:13:55:36] "GET /9 HTTP/1.1" 502 9')
    assert hits[20] in summarize("\n".join(hits), max_chars=100, split="lines").text
    text = "compiled a\n0 errors, 0 warnings in a\n1 error in b\ncompiled b\n" + "compiled c\n" * 3
    assert "1 error in b" in summarize(text, max_chars=20, split="lines").text


def test_a_log_is_known_as_one_and_prose_and_a_chat_are_not(english: str) -> None:
    assert are_logs([Document.from_text(LOG)])
    assert not are_logs([Document.from_text(english)])
    chat = "\n".join(f"[2024-01-05, 12:03:{i}] Anna: It rained again, did it not?" for i in range(10, 40))
    assert not are_logs([Document.from_text(chat)])
    assert summarize(LOG, max_chars=300).text == summarize(LOG, max_chars=300, split="lines").text
    assert summarize(LOG, max_chars=300, split="sentences").model != "lines"


def test_lines_stay_in_their_order_and_apart() -> None:
    wrong: list[dict[str, Any]] = [{"order": "rank"}, {"separator": " "}]
    for keywords in wrong:
        with pytest.raises(UsageError, match="lines stay in their order, and each stays a line"):
            summarize(LOG, max_chars=100, split="lines", **keywords)


def test_a_question_and_pins_choose_lines() -> None:
    assert "9931.png" in summarize(LOG, max_chars=200, split="lines", query="Which png is missing?").text
    assert "ERROR job a8f31b failed" in summarize(LOG, max_chars=400, split="lines", keep="errors").text


def test_what_is_shown_of_a_log_can_be_verified() -> None:
    assert verify(summarize(LOG, max_chars=500, split="lines").text, LOG).ok


def test_several_logs_are_read_together() -> None:
    sources = [{"id": "a", "text": LOG}, {"id": "b", "text": "WARN slow\n  at x()\nINFO up"}]
    summary = summarize(sources, max_chars=700, split="lines", header="{id}:\n")
    assert {s.source for s in summary.sentences} == {"a", "b"}
    assert "a:\n" in summary.text
    assert summary.length <= 700


def test_the_command_and_the_service_choose_the_same_lines(tmp_path: Any) -> None:
    from tersely.serve.desk import Desk
    from tersely.serve.problems import Reply
    from tersely.serve.schema import SummarizeBody

    file = tmp_path / "app.log"
    file.write_text(LOG, encoding="utf-8")
    expected = summarize(LOG, max_chars=300, split="lines")
    run = tersely("summarize", file, "--max-chars", "300", "--split", "lines")
    assert (run.returncode, run.stdout) == (0, expected.text + "\n")
    assert tersely("summarize", file, "--max-chars", "300").stdout == run.stdout  # it is a log
    body = SummarizeBody.model_validate({"text": LOG, "max_chars": 300, "split": "lines"})
    reply = Desk(("editor",))(("summarize", body.request()))
    assert isinstance(reply, Reply)
    assert json.loads(reply.body) == json.loads(expected.to_json())


@pytest.mark.parametrize(
    "line",
    ["a" * 50_000, "a " * 20_000, "0x" * 20_000, "\t" * 20_000 + "a", "=" * 20_000, "(" * 20_000, "a1" * 20_000],
    ids=lambda line: line[:3],
)
def test_a_strange_line_takes_no_time_worth_mentioning(line: str) -> None:
    assert summarize(f"{line}\nERROR x\n{line}", max_chars=20, split="lines").text == "ERROR x"
