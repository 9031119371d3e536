"""Bodies that no honest client sends: each gets a problem that says what is wrong, and the service keeps running."""

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tersely.serve.desk import Memory
from tersely.serve.problems import KINDS, ProblemError
from tersely.serve.schema import BatchBody, SummarizeBody
from tersely.text.split import split_sentences

GOOD = {"text": "One fish. Two fish.", "max_chars": 9}
JSON = {"Content-Type": "application/json"}


def post(client: httpx.Client, content: bytes, **headers: str) -> httpx.Response:
    return client.post("/v1/summarize", content=content, headers=JSON | headers)


def is_problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["type"].removeprefix("/docs#") in KINDS
    assert problem["request_id"] == answer.headers["x-request-id"]
    return problem


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b"[" * 100_000,
        b'{"text":' * 30_000,
        b'{"text": "\xff\xfe", "max_chars": 5}',
        json.dumps(GOOD).encode("utf-16"),
        json.dumps(GOOD).encode("utf-32"),
        b'{"text": "a \\ud800 lone one", "max_chars": 5}',
        b'{"text": "a", "max_chars": NaN}',
        b'{"text": "a", "ratio": Infinity}',
        b'{"text": "a", "max_chars": 1' + b"0" * 10_000 + b"}",
        b'{"text": "a raw \x00 byte", "max_chars": 5}',
        b'{"text": "a", "max_chars": 5} {}',
    ],
)
def test_a_body_that_is_not_json_is_refused(client: httpx.Client, body: bytes) -> None:
    assert is_problem(post(client, body), 400)["type"] == "/docs#invalid-json"
    assert post(client, json.dumps(GOOD).encode()).status_code == 200


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": None}, "text"),
        ({"text": ["One."]}, "text"),
        ({"max_chars": "9"}, "max_chars"),
        ({"max_chars": 9.5}, "max_chars"),
        ({"max_chars": True}, "max_chars"),
        ({"max_chars": 0}, "max_chars"),
        ({"max_chars": -1}, "max_chars"),
        ({"max_chars": 10**30}, "max_chars"),
        ({"max_chars": None}, "max_chars"),
        ({"max_words": 3}, "max_words"),
        ({"max_chars": None, "ratio": 0}, "ratio"),
        ({"max_chars": None, "ratio": 1.01}, "ratio"),
        ({"max_chars": None, "max_tokens": 5}, "max_tokens"),
        ({"order": "reverse"}, "order"),
        ({"language": "xx"}, "language"),
        ({"redundancy": ""}, "redundancy"),
        ({"separator": "-" * 1000}, "separator"),
        ({"include": 0}, "include"),
        ({"include": [0.0]}, "include.0"),
        ({"include": [0] * 10_001}, "include"),
        ({"exclude": [-1]}, "exclude.0"),
        ({"include": [7]}, "include"),
        ({"exclude": [7]}, "exclude"),
        ({"include": [0], "exclude": [0]}, "include"),
        ({"max_chars": 3, "include": [0]}, "include"),
        ({"model": "nosuch"}, "model"),
        ({"model": "../models"}, "model"),
        ({"txet": "One."}, "txet"),
        ({"two\nlines": 1}, "two\ufffdlines"),
        ({"tokenizer": "https://example.org/tokenizer.json"}, "tokenizer"),
    ],
)
def test_a_wrong_field_is_named(client: httpx.Client, change: dict[str, Any], field: str) -> None:
    problem = is_problem(client.post("/v1/summarize", json=GOOD | change), 422)
    assert field in [error["field"] for error in problem["errors"]]
    assert "\n" not in problem["detail"]


@pytest.mark.parametrize("body", ["null", "5", '"text"', "[]", "{}", "true"])
@pytest.mark.parametrize("route", ["/v1/summarize", "/v1/frontier", "/v1/batch"])
def test_json_of_the_wrong_shape_is_refused(client: httpx.Client, route: str, body: str) -> None:
    problem = is_problem(client.post(route, content=body, headers=JSON), 422)
    assert problem["errors"]
    if body != "{}":
        assert problem["detail"] == "body: must be a JSON object"


def test_a_document_of_the_wrong_shape_gets_its_own_problem(client: httpx.Client) -> None:
    [none, good] = client.post("/v1/batch", json={"documents": [None, GOOD]}).json()["results"]
    assert none["error"]["detail"] == "body: must be a JSON object"
    assert good["summary"]["text"] == "One fish."


def test_null_bytes_are_text_and_an_infinite_number_is_a_wrong_field(client: httpx.Client) -> None:
    answer = client.post("/v1/summarize", json={"text": "A \0 byte. Two.", "max_sentences": 2})
    assert answer.json()["text"] == "A \0 byte. Two."
    assert is_problem(post(client, b'{"text": "a", "ratio": 1e999}'), 422)["errors"][0]["field"] == "ratio"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/json; charset*=utf-16''x"},
        {"Content-Type": ""},
        {"Content-Encoding": "gzip"},
    ],
)
def test_a_body_not_declared_as_json_is_refused(client: httpx.Client, headers: dict[str, str]) -> None:
    is_problem(post(client, json.dumps(GOOD).encode(), **headers), 415)


def test_the_usual_forms_of_the_content_type_are_accepted(client: httpx.Client) -> None:
    kinds = ("application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"')
    for kind in (*kinds, "application/json; charset=utf8"):
        assert post(client, json.dumps(GOOD).encode(), **{"Content-Type": kind}).status_code == 200


def test_a_body_may_be_as_large_as_the_limit_and_no_larger(client: httpx.Client) -> None:
    room = 300_000 - len(json.dumps({"text": "", "max_chars": 9}))
    body = json.dumps({"text": "x" * room, "max_chars": 9}).encode()
    assert len(body) == 300_000
    assert post(client, body).status_code == 200
    assert "300,000" in is_problem(post(client, body + b" "), 413)["detail"]


def test_a_chunked_body_is_cut_off_while_it_is_being_sent(client: httpx.Client) -> None:
    host, port = urlsplit(str(client.base_url)).hostname, urlsplit(str(client.base_url)).port
    assert host is not None
    assert port is not None
    names = "Host: localhost\r\nContent-Type: application/json\r\n"
    head = f"POST /v1/summarize HTTP/1.1\r\n{names}Transfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection((host, port), timeout=60) as connection:
        connection.sendall(head.encode())
        for _ in range(31):
            connection.sendall(b"2710\r\n" + b" " * 10_000 + b"\r\n")
        # The body has not ended, but the answer is there.
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"application/problem+json" in answer


def test_a_key_that_is_there_twice_is_refused(client: httpx.Client) -> None:
    problem = is_problem(post(client, b'{"text": "One fish.", "max_chars": 9, "max_chars": 500}'), 400)
    assert problem["detail"] == "the key 'max_chars' is there twice: give it once"


def test_a_byte_order_mark_is_no_error(client: httpx.Client) -> None:
    assert post(client, b"\xef\xbb\xbf" + json.dumps(GOOD).encode()).status_code == 200


@pytest.mark.parametrize("text", ["Ab. " * 380_000, "Ab.\n\n" * 49_000])
def test_tiny_sentences_are_counted_only_up_to_the_limit(text: str) -> None:
    assert len(split_sentences(text, "en", 20_000)) <= 20_002
    assert Memory().document(text, None) is None


def test_far_too_many_lines_are_refused_before_a_worker_sees_them() -> None:
    with pytest.raises(ProblemError, match="has 380,001 lines: a request may have 100,000; split it") as refused:
        SummarizeBody(text="Ab.\n" * 380_000, max_chars=9).request()
    assert [name for name, _ in refused.value.fields] == ["text"]
    document = {"text": "Ab.\r\n" * 60_000, "max_chars": 9}
    first, second, third = BatchBody(documents=[document, document, GOOD]).request()["documents"]
    assert "error" not in first
    assert "of which 39,999 are left for this document" in second["error"]["detail"]
    assert "error" not in third


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"max_chars": 10**10}, "max_chars: must be at most 1,000,000,000"),
        ({"max_chars": 0}, "max_chars: must be at least 1"),
        ({"include": [0] * 10_001}, "include: may have at most 10,000 items: send the others in another request"),
        ({"query": "x" * 10_001}, "query: may have at most 10,000 characters: shorten it"),
    ],
)
def test_a_limit_is_named_with_what_to_do(client: httpx.Client, change: dict[str, Any], said: str) -> None:
    assert is_problem(client.post("/v1/summarize", json=GOOD | change), 422)["detail"] == said


def test_a_document_with_too_many_sentences_is_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/summarize", json={"text": "Ab.\n\n" * 20_001, "max_chars": 9})
    [error] = is_problem(answer, 422)["errors"]
    said = "the text has too many sentences: a request may have 20,000; split it into several requests"
    assert error == {"field": "text", "detail": said}


def test_a_document_with_too_many_sources_is_refused(client: httpx.Client) -> None:
    sources = [{"id": str(i), "text": "Ab."} for i in range(2_001)]
    [error] = is_problem(client.post("/v1/summarize", json={"text": sources, "max_chars": 9}), 422)["errors"]
    said = "the text has too many sources: a request may have 2,000; join short ones, or send several requests"
    assert error == {"field": "text", "detail": said}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/models/", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e/app.py", 404),
        ("GET", "/static//etc/passwd", 404),
        ("GET", "/static/%00", 404),
        ("GET", "/v1/summarize", 405),
        ("PUT", "/v1/summarize", 405),
        ("DELETE", "/", 405),
        ("OPTIONS", "/", 405),
    ],
)
def test_a_wrong_address_or_method_is_a_problem(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.send(client.build_request(method, client.base_url.copy_with(raw_path=path.encode())))
    is_problem(answer, status)
    assert (status == 405) == ("allow" in answer.headers)
