"""Files sent to the service: their text, or one line that says why there is none."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from serve.service import client_of, running
from serve.test_hostile import is_problem
from tersely.errors import MissingExtraError
from tersely.extract import extract
from tersely.serve import desk
from tersely.serve.desk import Desk
from tersely.serve.problems import ProblemError

PAGE = b"<html><h1>Fish</h1><p>One red fish swims in the sea. Two blue fish sleep at home.</p>"


@pytest.fixture(scope="module")
def small() -> Iterator[httpx.Client]:
    with running(max_file=1000, max_body=500) as server, client_of(server) as client:
        yield client


def post(client: httpx.Client, content: bytes, query: str = "", **headers: str) -> httpx.Response:
    return client.post(f"/v1/extract{query}", content=content, headers={"Content-Type": "application/pdf"} | headers)


def test_a_file_gives_what_the_library_gives(small: httpx.Client) -> None:
    answer = post(small, PAGE, "?name=fish.html").json()
    found = extract(PAGE, name="fish.html")
    assert (answer["form"], answer["text"], answer["notes"]) == ("html", found.text, list(found.notes))
    assert answer["blocks"] == [block._asdict() for block in found.blocks]
    assert answer["places"] == [place._asdict() for place in found.places]


def test_an_encoding_is_found_or_taken_from_the_media_type(small: httpx.Client) -> None:
    text = "港口将于三月关闭。工程将持续一年。\n"
    assert post(small, text.encode("gb18030") * 9).json()["text"].strip() == (text * 9).strip()
    kind = {"Content-Type": "text/markdown; charset=latin-1"}
    assert post(small, "Ein Gr\xfcner Fisch.".encode("latin-1"), **kind).json()["text"] == "Ein Grüner Fisch."


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "TEXT/PLAIN; charset=utf-8", "multipart/form-data; boundary=x", "nonsense"]
)
def test_a_type_that_any_page_may_send_unasked_is_refused(small: httpx.Client, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    problem = is_problem(small.post("/v1/extract?name=a.html", content=PAGE, headers=headers), 415)
    assert "send 'Content-Type: application/octet-stream' or the file's own" in problem["detail"]


def test_a_file_may_be_larger_than_other_bodies_and_no_larger_than_allowed(small: httpx.Client) -> None:
    assert post(small, b"One fish. " * 100).status_code == 200
    assert "larger than the 1,000 bytes" in is_problem(post(small, b"One fish. " * 101), 413)["detail"]


@pytest.mark.parametrize(
    ("content", "query", "said"),
    [
        (b"", "", "the body is empty: send the bytes of a file"),
        (
            b"\x89PNG\r\n\x1a\n" + bytes(50),
            "?name=a.png",
            "a.png is a picture: its text must be recognized first (OCR)",
        ),
        (b"PK\x03\x04 cut", "?name=a.docx", "a.docx is a broken archive or document: it may be cut off"),
        (b"One fish.", f"?name={'x' * 1001}", "query.name: may have at most 1,000 characters: shorten it"),
    ],
)
def test_what_cannot_be_read_is_one_line(small: httpx.Client, content: bytes, query: str, said: str) -> None:
    assert is_problem(post(small, content, query), 422)["detail"] == said


def test_a_compressed_body_is_refused(small: httpx.Client) -> None:
    detail = is_problem(post(small, PAGE, **{"Content-Encoding": "gzip"}), 415)["detail"]
    assert detail == "the body must not be compressed: send it without 'Content-Encoding'"


def test_a_reader_that_is_not_installed_is_an_unsupported_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(**_: Any) -> None:
        raise MissingExtraError("reading a PDF", "files")

    monkeypatch.setattr(desk, "extract_apart", missing)
    reply = Desk(("news",))(("extract", {}))
    assert isinstance(reply, ProblemError)
    assert (reply.status, "pip install 'tersely[files]'" in reply.detail) == (415, True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child does not know what this test has changed")
def test_a_reader_that_crashes_does_not_end_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.extract._plain.read_csv", lambda _: os.abort())
    reply = Desk(("news",))(("extract", {"data": b"text\nIt rains.", "name": "a.csv"}))
    assert isinstance(reply, ProblemError)
    assert (reply.status, "a.csv needs more than 2.0 GB of memory, or is broken" in reply.detail) == (422, True)


def test_an_address_is_a_text_and_nothing_is_fetched(small: httpx.Client) -> None:
    address = b"http://127.0.0.1:1/secret"
    assert post(small, address, "?name=http://127.0.0.1:1/x.txt").json()["text"] == address.decode()
