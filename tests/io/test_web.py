"""Web pages from servers that are slow, lie, or lead astray."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.making import epub
from tersely.errors import InputError
from tersely.extract import _markup
from tersely.extract.source import read_source
from tersely.io import web
from tersely.io.web import decode_page, fetch, without_scripts

PARAGRAPH = "The café of the naïve councilor was full of people who had come to hear what the town had decided. "
PAGE = f"<html><head><title>t</title></head><body><article><p>{PARAGRAPH * 4}</p></article></body></html>"


@contextmanager
def server(*answers: bytes | Callable[[socket.socket], None]) -> Iterator[tuple[str, list[bytes]]]:
    """Answer one connection after the other; yield the address and what was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for answer in answers:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, suppress(OSError):  # it need not read to the end
                    asked.append(connection.recv(65536))
                    if callable(answer):
                        answer(connection)
                    else:
                        connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked
        finally:
            listening.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for another connection
            thread.join(10)


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def moved(to: str) -> bytes:
    return answer(b"", f"Location: {to}", status="302 Found")


def said_for(*answers: bytes | Callable[[socket.socket], None], seconds: float = 10) -> str:
    with server(*answers) as (address, _), pytest.raises(InputError) as raised:
        fetch(address, seconds)
    assert str(raised.value).startswith(f"{address} cannot be fetched: ")
    return str(raised.value).removeprefix(f"{address} cannot be fetched: ")


def test_a_page_that_was_cut_off_is_an_error() -> None:
    assert said_for(answer(b"x" * 10, length=1000)) == "it was cut off after 10 of 1,000 bytes"
    assert "IncompleteRead" in said_for(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
    assert said_for(answer(b"\x1f\x8b", "Content-Encoding: gzip")) == "its compression ends too early"
    assert said_for(answer(b"nonsense", "Content-Encoding: gzip")) == "its compression is broken"
    assert "'br'" in said_for(answer(b"nonsense", "Content-Encoding: br"))
    assert said_for(b"nonsense\r\n\r\n").splitlines() == ["nonsense"]


@pytest.mark.parametrize("begun", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n"])
def test_a_page_that_comes_drop_by_drop_ends_at_the_deadline(begun: bytes) -> None:
    stop = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(begun)
        try:
            while not stop.wait(0.02):
                connection.sendall(b"x")
        except OSError:
            pass

    with server(drip) as (address, _):
        began = monotonic()
        # Where the machine is so busy that no drop comes in time, it is the connection that says so.
        with pytest.raises(InputError, match=r"it took |timed out"):
            fetch(address, 0.3)
        assert monotonic() - began < 60  # the server would go on for ever
        stop.set()


def test_a_page_that_is_too_large_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    monkeypatch.setattr(web, "MAX_BYTES", 1_000_000)
    assert said_for(answer(gzip.compress(bytes(2_000_000)), "Content-Encoding: gzip")) == "it is larger than 1 MB"
    assert said_for(answer(bytes(1_100_000))) == "it is larger than 1 MB"


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x"])
def test_a_redirect_leads_to_no_other_scheme(to: str) -> None:
    assert said_for(moved(to))


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("64:ff9b::808:808", True),  # NAT64, to 8.8.8.8
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a01:203", False),
        ("64:ff9b:1::808:808", False),
        ("2002:7f00:1::", False),
        ("2002:808:808::", False),
        ("::127.0.0.1", False),
        ("::8.8.8.8", False),
        ("::ffff:192.0.0.9", False),
        ("192.0.0.9", False),
        ("192.88.99.1", False),
        ("224.0.0.251", False),
        ("239.1.2.3", False),
        ("ff02::fb%eth0", False),
        ("ff0e::1", False),
        ("fe80::1%eth0", False),
        ("0.0.0.0", False),
        ("169.254.169.254", False),
    ],
)
def test_only_what_is_a_site_of_its_own_is_public(ip: str, public: bool) -> None:
    assert web.is_public(ip) is public


@pytest.mark.parametrize("host", ["anna:secret@127.0.0.1:1", "anna:secret@b\u2100.org", "secret@[x", ":secret@:x"])
def test_a_password_is_refused_and_not_repeated(host: str) -> None:
    with pytest.raises(InputError, match="a user name or password in an address is not supported") as raised:
        fetch(f"http://{host}/a@b")
    assert "secret" not in str(raised.value)
    assert str(raised.value).startswith("http://***@")
    assert "secret" not in said_for(moved(f"http://{host.encode('ascii', 'ignore').decode()}/"))


@pytest.mark.parametrize("port", ["65536", "99999999999999999999", "x"])
def test_a_port_that_does_not_exist_is_one_line(port: str) -> None:
    with pytest.raises(InputError, match=r"cannot be fetched: Port ") as raised:
        fetch(f"http://127.0.0.1:{port}/")
    assert "\n" not in str(raised.value)
    assert "Port " in said_for(moved(f"http://127.0.0.1:{port}/"))


def test_a_redirect_from_a_public_address_leads_to_no_private_one(monkeypatch: pytest.MonkeyPatch) -> None:
    page = answer(PAGE.encode(), "Content-Type: text/html")
    with server(moved("/there"), page) as (address, _):
        assert fetch(address).body == PAGE.encode()  # who asks for a private address gets it
    seen = iter([True, False])
    monkeypatch.setattr(web, "is_public", lambda _: next(seen))
    with server(moved("/there")) as (address, asked):
        with pytest.raises(InputError, match="from the public net to a private address"):
            fetch(address)
        socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))).close()
    assert len(asked) == 1


@pytest.mark.parametrize("length", [None, 10**6, 10**30])
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"])
def test_what_comes_with_a_redirect_is_not_read(status: str, length: int | None) -> None:
    there = answer(b"moved", "Location: /there", status=status, length=length)
    with server(there, answer(PAGE.encode(), "Content-Type: text/html")) as (address, asked):
        assert fetch(address).body == PAGE.encode()
    assert len(asked) == 2


def test_an_endless_redirect_ends() -> None:
    assert "infinite loop" in said_for(*[moved("/again")] * 10)


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "utf-8", "utf-16le", "ISO-8859-15"])
def test_the_charset_of_the_header_counts(charset: str) -> None:
    page = answer(PAGE.encode(charset), f"Content-Type: text/html; charset={charset}")
    with server(page) as (address, _):
        assert PARAGRAPH.strip() in read_source(address.replace("http", "HTTP")).text


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "gb2312"])
def test_the_charset_of_a_page_counts_where_the_header_has_none(charset: str) -> None:
    text = PARAGRAPH if charset != "gb2312" else "市政府宣布古城核心区将全面禁止私家车通行。" * 9
    page = PAGE.replace(PARAGRAPH, text).replace("<head>", f"<head><meta charset={charset}>").encode(charset)
    for header in ("X: y", "Content-Type: text/html; charset=base64", "Content-Type: text/html; charset=punycode"):
        with server(answer(page, header)) as (address, _):
            assert text.strip() in read_source(address).text


def test_plain_text_is_taken_as_it_is() -> None:
    with server(answer("Schön.".encode("latin-1"), "Content-Type: text/plain; charset=latin1")) as (address, _):
        assert read_source(address).text == "Schön."


@pytest.mark.parametrize("called", ["text/html", "text/plain; charset=utf-8", "application/octet-stream", "image/png"])
def test_a_file_is_what_it_is_whatever_the_server_calls_it(called: str) -> None:
    book, notes = epub(["<h1>One</h1><p>It was dark.</p>"]), b"# Fish\n\nOne *red* fish."
    with server(answer(book, f"Content-Type: {called}"), answer(notes, f"Content-Type: {called}")) as (address, _):
        assert read_source(f"{address}/download?id=5").text == "One\n\nIt was dark."
        assert read_source(f"{address}/a.md?raw=1").text == "Fish\n\nOne red fish."


def test_an_address_may_have_any_letters() -> None:
    page = answer(b"x", "Content-Type: text/plain")
    with server(page) as (address, asked):
        assert read_source(f"{address}/straße/%20?q=雨#teil").text == "x"
    assert asked[0].startswith(b"GET /stra%C3%9Fe/%20?q=%E9%9B%A8 HTTP/1.1\r\n")
    assert web._ascii("https://bücher.example:80/") == "https://xn--bcher-kva.example:80/"


def test_scripts_do_not_count_but_too_much_markup_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_markup, "MAX_MARKUP", 100_000)
    script = f"<script>{'var x;' * 100_000}</script>"
    with server(answer((PAGE + script).encode(), "Content-Type: text/html; charset=utf-8")) as (address, _):
        assert PARAGRAPH.strip() in read_source(address).text
    with (
        server(answer(PAGE.encode() + b"<p>" * 50_000, "Content-Type: text/html")) as (address, _),
        pytest.raises(InputError, match="MB of markup"),
    ):
        read_source(address)


@given(st.lists(st.sampled_from([b"<script>", b"</script>", b"<!--", b"-->", b"<style a>", b"</STYLE >", b"x", b"<"])))
def test_leaving_out_scripts_leaves_none(pieces: list[bytes]) -> None:
    left = without_scripts(b"".join(pieces))
    assert b"<!--" not in left.replace(b"<<", b"")
    assert len(left) <= len(b"".join(pieces))


@given(st.binary(), st.text(max_size=20) | st.sampled_from(["utf-8", "gbk", "big5", "iso-8859-12", "cp1259", "gb1"]))
def test_any_bytes_can_be_decoded_or_are_left(raw: bytes, charset: str) -> None:
    assert isinstance(decode_page(raw, charset), str | None)
