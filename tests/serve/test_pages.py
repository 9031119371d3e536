"""What a browser gets: files that exist, strict headers, and a reference that needs no other host."""

import re
from html import unescape
from pathlib import Path
from shlex import split
from urllib.parse import urlsplit

import httpx
import pytest

from serve.service import client_of, running
from tersely.serve.problems import KINDS

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.mark.parametrize("path", ["/", "/docs", "/static/reference.css", "/v1/models", "/nothing", "/metrics"])
def test_every_answer_has_the_security_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/reference.css", "text/css; charset=utf-8"),
        ("/static/reference.js", "text/javascript; charset=utf-8"),
        ("/openapi.json", "application/json"),
    ],
)
def test_a_file_the_client_has_is_not_sent_again(client: httpx.Client, path: str, kind: str) -> None:
    answer = client.get(path)
    assert answer.headers["content-type"] == kind
    again = client.get(path, headers={"If-None-Match": f'"other", W/{answer.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert client.head(path).headers["content-length"] == str(len(answer.content))


@pytest.mark.parametrize("path", ["/docs", "/healthz", "/readyz", "/v1/models"])
def test_head_is_get_without_a_body(client: httpx.Client, path: str) -> None:
    answer = client.head(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(client.get(path).content))
    assert client.head("/v1/summarize").status_code == 405


def test_every_file_named_by_the_pages_exists(client: httpx.Client) -> None:
    for path in ("/", "/docs"):
        html = client.get(path).text
        named = re.findall(r'(?:src|href)="([^"#]+)"', html)
        assert named
        for name in named:
            assert not urlsplit(name).netloc
            assert client.get(name).status_code == 200
        assert "<style" not in html
        assert not re.search(r'\son\w+="|\sstyle="|<script>', html)


def send(client: httpx.Client, command: str) -> httpx.Response:
    """Send what a curl command would send."""
    curl, silent, address, *options = split(command.replace("\\\n", ""))
    assert (curl, silent) == ("curl", "-s")
    given = dict(zip(options[::2], options[1::2], strict=True))
    headers = dict([given["-H"].split(": ")]) if "-H" in given else {}
    content = "One fish. Two fish." if "--data-binary" in given else given.get("-d")
    method = "POST" if content else "GET"
    return client.request(
        method, address.removeprefix(f"http://{urlsplit(address).netloc}"), content=content, headers=headers
    )


def test_the_commands_in_the_reference_work_unchanged(client: httpx.Client) -> None:
    html = client.get("/docs").text
    commands = [unescape(block) for block in re.findall(r"<code>(curl .*?)</code>", html, re.DOTALL)]
    assert len(commands) == 10
    assert all(f"{str(client.base_url).rstrip('/')}/" in command for command in commands)
    assert [send(client, command).status_code for command in commands] == [200] * 10


def test_the_commands_in_the_documentation_work(client: httpx.Client) -> None:
    text = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(curl .*?)\n```", text, re.DOTALL | re.MULTILINE)
    assert [send(client, command).status_code for command in commands] == [200] * 7


def test_the_reference_explains_every_problem(client: httpx.Client) -> None:
    html = client.get("/docs").text
    assert all(f'id="{kind}"' in html for kind in KINDS)


def test_the_answers_of_the_examples_are_real(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    for path in ("/v1/summarize", "/v1/frontier", "/v1/batch", "/v1/verify"):
        operation = document["paths"][path]["post"]
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        [example] = document["components"]["schemas"][name]["examples"]
        answer = client.post(path, json=example).json()
        shown = operation["responses"]["200"]["content"]["application/json"]["example"]
        assert answer == shown, "update them with: python tests/serve/examples.py"


def test_a_host_header_is_escaped_in_the_page() -> None:
    with running(names=("*",)) as server, client_of(server) as client:
        html = client.get("/docs", headers={"Host": 'x"><script>alert(1)</script>'}).text
    assert "reference" in html.lower()
    assert "<script>alert" not in html
