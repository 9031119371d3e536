"""Whoever is at the other end, for `soak.py`: servers that lie or are slow, and clients that are not honest."""

import gzip
import json
import socket
import time
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from random import Random
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from load import service
from soak_texts import text
from tersely.errors import InputError
from tersely.io.web import Page, fetch

STATUSES = [b"HTTP/1.1 302 Found", b"HTTP/1.0 404 No", b"SSH-2.0", b"HTTP/9 x"]
# Values for a field, and fields for a value.
ODD = [None, True, -1, 0, 1e99, "x", [], {}, [0], {"a": 1}, "\0", 10**18, 0.5, [{"id": "a", "text": "One. Two."}]]
NAMES = "text max_chars max_words ratio include exclude order query unit points limit".split()


class Servers:
    """Servers that are slow, cut off, lie about lengths and encodings, or speak something else than HTTP."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del folder
        self._stack = stack
        self.answer: list[bytes] = []

    @cached_property
    def _port(self) -> int:
        soak = self

        class Handler(BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    self.request.recv(65_536)
                    for part in soak.answer:
                        self.request.sendall(part)
                        time.sleep(0.01 if len(soak.answer) > 1 else 0)

        ThreadingTCPServer.daemon_threads = True
        server = self._stack.enter_context(ThreadingTCPServer(("127.0.0.1", 0), Handler))
        Thread(target=server.serve_forever, daemon=True).start()
        self._stack.callback(server.shutdown)
        return int(server.server_address[1])

    def case(self, chance: Random) -> list[str]:
        """Fetch what such a server sends: a page, or one line, in time."""
        body = text(chance).encode("utf-8", "surrogatepass") * chance.choice([1, 1, 1, 300])
        headers = [b"HTTP/1.1 200 OK"]
        if chance.random() < 0.5:
            packed = gzip.compress(body)
            body = chance.choice([packed, packed[:-5], body, gzip.compress(b"0" * 20_000_000)])
            headers.append(b"Content-Encoding: " + chance.choice([b"gzip", b"deflate", b"br", b"", b"\xff"]))
        length = chance.choice([len(body), len(body), len(body) + 7, max(0, len(body) - 7), -1, 10**30])
        odd = [
            b"Content-Length: %d" % length,
            b"Transfer-Encoding: chunked",
            b"Content-Type: text/html; charset=" + chance.choice([b"utf-8", b"gbk", b"utf-7", b"x" * 500, b"\0"]),
            b"Location: " + chance.choice([b"/", b"file:///etc/passwd", b"http://10.0.0.1:1/", b"//", b"\xe9"]),
            b"X: " + b"y" * 70_000,
            b": nameless",
        ]
        headers += chance.sample(odd, chance.randint(0, 3))
        headers[0] = chance.choice(
            [headers[0]] * 4 + [b"HTTP/1.1 302 Found", b"HTTP/1.0 404 No", b"SSH-2.0", b"HTTP/9 x"]
        )
        whole = b"\r\n".join([*headers, b"", body])
        slow = chance.random() < 0.05
        self.answer = [whole[i : i + 1] for i in range(500)] if slow else [whole]
        began = time.monotonic()
        try:
            page: Page | None
            page, said = fetch(f"http://127.0.0.1:{self._port}/", 1.0), ""
        except InputError as error:
            page, said = None, str(error)
        assert "\n" not in said
        assert time.monotonic() - began < 10
        return ["page" if page else "one line", *(["slow"] if slow else [])]


class Bodies:
    """Requests that no honest client sends, one connection each."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del folder
        self._stack = stack

    @cached_property
    def _server(self) -> tuple[int, str]:
        return self._stack.enter_context(service("--workers", "1", "--max-body", "200000", "--deadline", "60"))

    def case(self, chance: Random) -> list[str]:
        """Send one request; the answer is whole, and the service still answers others."""
        _, address = self._server
        body = _body(chance)
        route = chance.choice([b"summarize", b"summarize", b"frontier", b"batch", b"extract?name=a.html", b"nothing"])
        kind = chance.choice([b"application/json"] * 8 + [b"text/plain", b"application/json; charset=x", b""])
        length = len(body) + chance.choice([0] * 12 + [-3, 10**25])
        head = b"POST /v1/" + route + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: " + kind
        sent = head + b"\r\nContent-Length: %d\r\n\r\n" % max(length, 0) + body
        if chance.random() < 0.05:
            sent = bytes(chance.randrange(256) if chance.random() < 0.02 else byte for byte in sent[:400]) + b"\r\n\r\n"
            _exchange(address, sent, ends=True)
            return ["garbled"]
        if chance.random() < 0.03:
            _exchange(address, sent[: len(sent) // 2], ends=True)
            return ["cut off"]
        answer = _exchange(address, sent, ends=False)
        status = int(answer.split(b" ", 2)[1])
        assert status < 500, (status, sent[:300])
        said = answer.partition(b"\r\n\r\n")[2]
        assert said == b"Invalid HTTP request received." or json.loads(said), said[:300]
        return [str(status)]


def _body(chance: Random) -> bytes:
    fields: dict[str, Any] = {"text": text(chance).encode("utf-8", "ignore").decode(), "max_chars": 100}
    for _ in range(chance.choice([0, 0, 1, 2])):
        fields[chance.choice([*NAMES, "documents", "language", "model", "nothing"])] = chance.choice(ODD)
    whole = {"documents": [fields] * chance.choice([1, 3, 101])} if chance.random() < 0.2 else fields
    body = json.dumps(whole).encode()
    if chance.random() < 0.3:
        place = chance.randrange(len(body))
        body = body[:place] + bytes([chance.randrange(256)]) + body[place + chance.randrange(3) :]
    return chance.choice([body] * 8 + [b"\xef\xbb\xbf" + body, b"[" * 50_000, body[: len(body) // 2], b"x" * 250_000])


def _exchange(address: str, sent: bytes, *, ends: bool) -> bytes:
    """Send bytes over a connection of their own, end it there or not, and return what comes back."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=120) as connection:
        with suppress(OSError):  # it may answer and close before it has read everything
            connection.sendall(sent)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                answer += part
    return answer
