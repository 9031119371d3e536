"""Tokens and origins: without them, nothing."""

from collections.abc import Iterator

import httpx
import pytest

from serve.service import client_of, running

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
