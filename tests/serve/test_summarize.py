"""The service gives the same answers as the library and the command."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import tersely
from strategies import anything, prose
from tersely import Summarizer, verify
from tersely.extract import extract
from tersely.models import DEFAULT
from tersely.text.length import measure

UNITS = ("chars", "words", "sentences", "bytes")
# JSON in UTF-8 cannot hold a lone surrogate.
texts = st.one_of(prose, anything.map(lambda text: text.encode("utf-8", "ignore").decode()))


def command(text: str, *options: str) -> bytes:
    return tersely("summarize", "--format", "json", *options, stdin=text).stdout.encode()


@pytest.mark.parametrize(
    ("name", "body", "options"),
    [
        ("english", {"max_chars": 280}, ["--max-chars", "280"]),
        ("chinese", {"ratio": 0.2, "order": "rank"}, ["--ratio", "0.2", "--order", "rank"]),
        (
            "english",
            {"max_words": 60, "include": [3], "exclude": [0, 1], "separator": " | ", "redundancy": "trigrams"},
            [*"--max-words 60 --include 3 --exclude 0 --exclude 1 --redundancy trigrams --separator".split(), " | "],
        ),
        ("odd", {"max_bytes": 40, "language": "other"}, ["--max-bytes", "40", "--lang", "other"]),
        ("empty", {"max_sentences": 3}, ["--max-sentences", "3"]),
        (
            "english",
            {"max_words": 40, "query": "When will the harbor close?", "omission": "[...]"},
            ["--max-words", "40", "--query", "When will the harbor close?", "--omission", "[...]"],
        ),
        (
            "english",
            {"max_words": 90, "query": "When will the harbor close?", "fill": True},
            ["--max-words", "90", "--query", "When will the harbor close?", "--fill"],
        ),
    ],
)
def test_the_answer_is_what_the_command_prints_byte_for_byte(
    client: httpx.Client, english: str, chinese: str, name: str, body: dict[str, Any], options: list[str]
) -> None:
    odd = "😀 is not in the plane! e\u0301 is two.\r\nTwo “quotes”… \u2028And <b>markup</b> & so on."
    text = {"english": english, "chinese": chinese, "odd": odd, "empty": ""}[name]
    answer = client.post("/v1/summarize", json={"text": text, **body})
    assert answer.status_code == 200
    assert answer.content == command(text, *options)


def test_sources_give_the_answer_of_the_library(client: httpx.Client, english: str, chinese: str) -> None:
    sources = [{"id": "en", "text": english}, {"id": 7, "text": chinese, "title": "古城"}]
    how: dict[str, Any] = {"max_chars": 300, "header": "{title}:\n", "query": "Who may drive in the 古城?"}
    answer = client.post("/v1/summarize", json={"text": sources, **how})
    assert answer.json() == Summarizer.load().summarize(sources, **how).to_dict()
    twice = client.post("/v1/summarize", json={"text": [sources[0], sources[0]], "max_chars": 9})
    assert (twice.status_code, twice.json()["detail"]) == (422, "two sources have the id 'en': give each its own")
    plain = client.post("/v1/summarize", json={"text": english, "max_chars": 9, "header": "{id}"})
    assert plain.status_code == 422


def test_a_users_own_model_gives_the_answer_of_the_command(client: httpx.Client, english: str, folder: Path) -> None:
    answer = client.post("/v1/summarize", json={"text": english, "max_chars": 300, "model": "ranked"})
    assert answer.content == command(english, "--max-chars", "300", "--model", str(folder))
    models = client.get("/v1/models").json()["models"]
    assert [(m["name"], m["default"]) for m in models] == [(DEFAULT, True), ("ranked", False)]
    assert answer.json()["model"] == {"name": "ranked", "fingerprint": models[1]["fingerprint"]}


@given(text=texts, unit=st.sampled_from(UNITS), limit=st.integers(1, 120))
def test_every_summary_fits_and_is_verbatim(client: httpx.Client, text: str, unit: Any, limit: int) -> None:
    answer = client.post("/v1/summarize", json={"text": text, f"max_{unit}": limit}).json()
    length = len(answer["sentences"]) if unit == "sentences" else measure(answer["text"], unit)
    assert length <= limit
    for sentence in answer["sentences"] + answer["ranking"]:
        assert text[sentence["start"] : sentence["end"]] == sentence["text"]


@given(text=texts, unit=st.sampled_from(UNITS), data=st.data())
def test_a_frontier_has_the_summary_of_every_budget(
    client: httpx.Client, text: str, unit: Any, data: st.DataObject
) -> None:
    frontier = client.post("/v1/frontier", json={"text": text, "unit": unit}).json()
    budgets = [step["budget"] for step in frontier["steps"]]
    assert budgets == sorted(set(budgets))
    budget = data.draw(st.integers(1, frontier["capacity"]))
    step = [step for step in frontier["steps"] if step["budget"] <= budget][-1]
    summary = client.post("/v1/summarize", json={"text": text, f"max_{unit}": budget}).json()
    assert step["length"] <= budget
    if frontier["points"] is None:
        assert step["chosen"] == [sentence["index"] for sentence in summary["sentences"]]
        assert step["length"] == summary["length"]


def test_a_frontier_is_the_same_as_in_the_library(client: httpx.Client, chinese: str) -> None:
    how: dict[str, Any] = {"unit": "words", "include": [1], "exclude": [2], "limit": 150}
    frontier = Summarizer.load().frontier(chinese, **how)
    answer = client.post("/v1/frontier", json={"text": chinese, "points": 7, **how}).json()
    assert (answer.pop("points"), answer.pop("model")["name"]) == (7, DEFAULT)
    assert answer == json.loads(json.dumps(frontier.to_dict(frontier.steps(7))))


def test_the_frontier_of_a_long_document_is_bounded_and_says_so(client: httpx.Client) -> None:
    text = " ".join(f"The {i}th of the ships came in with {i * i} tons of salt." for i in range(300))
    answer = client.post("/v1/frontier", json={"text": text, "limit": 1_000_000_000, "points": 1000}).json()
    assert len(answer["sentences"]) == 300
    assert len(answer["steps"]) <= answer["points"] + 2 == 62
    assert answer["steps"][-1]["budget"] == answer["capacity"] == len(text)
    nested = client.post("/v1/frontier", json={"text": text, "nested": True}).json()
    sets = [set(step["chosen"]) for step in nested["steps"]]
    assert nested["points"] is None
    assert all(before < after for before, after in pairwise(sets))
    assert len(sets[-1]) == 300


def test_each_document_of_a_batch_has_its_own_result_or_error(client: httpx.Client, english: str) -> None:
    good = {"text": english, "max_chars": 200}
    wrong = [{"text": english}, {"max_chars": 5}, "text", None, good | {"include": [999]}, good | {"model": "x"}]
    results = client.post("/v1/batch", json={"documents": [good, *wrong, good]}).json()["results"]
    summary = client.post("/v1/summarize", json=good).json()
    assert results[0] == results[-1] == {"summary": summary}
    fields = [result["error"]["errors"][0]["field"] for result in results[1:-1]]
    assert fields == ["max_chars", "text", "body", "body", "include", "model"]
    assert {result["error"]["status"] for result in results[1:-1]} == {422}


def test_a_batch_may_have_at_most_100_documents(client: httpx.Client) -> None:
    document = {"text": "One. Two.", "max_sentences": 1}
    assert len(client.post("/v1/batch", json={"documents": [document] * 100}).json()["results"]) == 100
    refused = client.post("/v1/batch", json={"documents": [document] * 101})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "documents")


def test_a_summary_is_checked_against_its_sources(client: httpx.Client) -> None:
    sources = [{"id": "a", "text": "It rained. The river\nrose."}, {"id": "b", "text": "It fell."}]
    body = {"summary": "The river rose. It was blue.", "text": sources}
    assert client.post("/v1/verify", json=body).json() == json.loads(verify(body["summary"], sources).to_json())
    refused = client.post("/v1/verify", json={"summary": "\n" * 60_000, "text": "\n" * 60_000})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "text")


def test_the_service_keeps_named_patterns_and_takes_no_regular_expression(client: httpx.Client) -> None:
    body = {"text": "It rained all day long. The wall costs $5. Nobody spoke.", "max_chars": 20, "keep": ["amounts"]}
    assert client.post("/v1/summarize", json=body).json()["text"] == "The wall costs $5."
    for wrong, detail in (({"max_chars": 5}, "the pins need 18 of 5 chars"), ({"keep": ["(a+)+$"]}, "'amounts'")):
        refused = client.post("/v1/summarize", json=body | wrong)
        assert refused.status_code == 422
        assert detail in refused.json()["detail"]
        assert refused.json()["errors"][0]["field"].startswith("keep")


README = b"# Fish\n\nOne red fish swims in the\nsea. Two blue fish sleep.\n\n- They eat at noon.\n- Nobody asks why.\n"


def test_the_blocks_of_a_file_give_the_summary_of_the_file(client: httpx.Client, english: str) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    file = client.post("/v1/extract?name=a.md", content=README, headers=headers).json()
    source = {"text": file["text"], "blocks": file["blocks"]}
    document = extract(README, name="a.md").document()
    answer = client.post("/v1/summarize", json=source | {"max_chars": 60}).json()
    assert answer == json.loads(Summarizer.load().summarize(document, max_chars=60).to_json())
    assert client.post("/v1/summarize", json={"text": file["text"], "max_chars": 60}).json() != answer
    several = [{"id": "a", **source}, {"id": "b", "text": english}]
    answer = client.post("/v1/summarize", json={"text": several, "max_chars": 200}).json()
    sources = [{"id": "a", "text": document}, {"id": "b", "text": english}]
    assert answer == json.loads(Summarizer.load().summarize(sources, max_chars=200).to_json())


@pytest.mark.parametrize(
    "blocks",
    [
        [{"kind": "prose", "start": 0, "end": 99}],
        [{"kind": "prose", "start": 5, "end": 5}],
        [{"kind": "prose", "start": -1, "end": 5}],
        [{"kind": "turn", "start": 0, "end": 5, "label": 6}],
        [{"kind": "prose", "start": 4, "end": 9}, {"kind": "prose", "start": 0, "end": 3}],
    ],
)
def test_blocks_lie_in_the_text_one_after_another(client: httpx.Client, blocks: list[dict[str, Any]]) -> None:
    answer = client.post("/v1/summarize", json={"text": "One fish. Two.", "blocks": blocks, "max_chars": 9})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["blocks"]
