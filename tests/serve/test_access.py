"""Hosts, tokens and origins: without them, nothing."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from serve.service import client_of, running
from serve.test_hostile import is_problem
from tersely.errors import UsageError
from tersely.serve.server import ServeOptions, Server

BODY = {"text": "One fish. Two fish.", "max_chars": 9}


@pytest.fixture(scope="module")
def small() -> Iterator[httpx.Client]:
    settings = {"tokens": ("secret-1", "geheim-ü"), "cors": ("https://example.org",)}
    with running(**settings) as server, client_of(server) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/healthz", "/readyz", "/static/reference.css"])
def test_pages_and_health_need_no_token(small: httpx.Client, path: str) -> None:
    assert small.get(path).status_code == 200


@pytest.mark.parametrize("header", [None, "Bearer", "Bearer secret", "Bearer secret-1x", "Basic secret-1", "secret-1"])
def test_everything_else_needs_a_known_token(small: httpx.Client, header: str | None) -> None:
    headers = {"Authorization": header} if header is not None else {}
    for answer in (
        small.post("/v1/summarize", json=BODY, headers=headers),
        small.get("/v1/models", headers=headers),
        small.get("/metrics", headers=headers),
    ):
        assert (answer.status_code, answer.json()["type"]) == (401, "/docs#unauthorized")
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", [b"Bearer secret-1", b"bearer  secret-1", "Bearer geheim-ü".encode()])
def test_each_token_is_accepted(small: httpx.Client, header: bytes) -> None:
    assert small.post("/v1/summarize", json=BODY, headers={b"Authorization": header}).status_code == 200


def test_the_openapi_document_says_what_needs_a_token(small: httpx.Client) -> None:
    paths = small.get("/openapi.json").json()["paths"]
    assert {path for path, methods in paths.items() for one in methods.values() if "401" not in one["responses"]} == {
        "/healthz",
        "/readyz",
    }


def test_only_listed_origins_are_allowed(small: httpx.Client) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    good = small.options("/v1/summarize", headers=asked | {"Origin": "https://example.org"})
    assert (good.status_code, good.headers["access-control-allow-origin"]) == (200, "https://example.org")
    bad = small.options("/v1/summarize", headers=asked | {"Origin": "https://example.com"})
    assert "access-control-allow-origin" not in bad.headers
    assert (bad.status_code, bad.headers["content-type"]) == (403, "application/problem+json")
    assert bad.json()["type"] == "/docs#cors"
    refused = small.post("/v1/summarize", json=BODY, headers={"Origin": "https://example.org"})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "https://example.org")


def test_without_cors_no_origin_is_allowed(client: httpx.Client) -> None:
    answer = client.post("/v1/summarize", json=BODY, headers={"Origin": "https://example.org"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/metrics", "/healthz", "/v1/models"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "a@localhost",
        "[localhost]",
        "",
    ],
)
def test_a_name_that_was_led_to_this_machine_is_refused(client: httpx.Client, path: str, host: str) -> None:
    problem = is_problem(client.get(path, headers={"Host": host}), 421)
    assert (problem["type"], "--allow-host" in problem["detail"]) == ("/docs#unknown-host", True)


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:9", "localhost.", "127.0.0.1:8000", "[::1]:8000", "192.168.1.7"]
)
def test_addresses_and_localhost_are_known(client: httpx.Client, host: str) -> None:
    assert client.get("/metrics", headers={"Host": host}).status_code == 200


def test_a_server_that_other_machines_reach_needs_tokens_and_answers_under_its_names() -> None:
    with running(host="0.0.0.0", tokens=("secret",), names=("tersely.example",)) as server:
        address = server.address.replace("0.0.0.0", "127.0.0.1")
        for host, status in (("Tersely.Example:80", 401), ("other.example", 421)):
            assert httpx.get(f"{address}/v1/models", headers={"Host": host}).status_code == status
    with pytest.raises(UsageError, match=r"other machines can reach 0\.0\.0\.0: add --tokens-file FILE, or --insecure"):
        Server(ServeOptions(host="0.0.0.0", port=0))


def test_a_request_with_two_lengths_is_refused(client: httpx.Client) -> None:
    headers = {"Content-Length": "5", "Transfer-Encoding": "chunked", "Content-Type": "application/json"}
    address = urlsplit(str(client.base_url))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection((address.hostname, address.port), timeout=60) as sent:
        sent.sendall(f"POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n0\r\n\r\n".encode())
        answer = b"".join(iter(lambda: sent.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"/docs#two-lengths" in answer
    assert b"connection: close" in answer.lower()
