"""Web pages: fetched with bounds on time, size and the way they lead, and decoded as they ask for."""

import re
import zlib
from codecs import lookup
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, ip_address, ip_network
from threading import Thread
from time import monotonic
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import (
    AbstractHTTPHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from tersely.errors import InputError

# For everything from the first look-up of the name to the last byte.
SECONDS = 30.0
# Scripts and styles may be most of this.
MAX_BYTES = 16_000_000
_STEP = 1 << 16
# The families of encodings on the web. Python knows others, which take a sender's bytes for something else than text.
_CHARSET = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|(?:us-)?ascii|iso-?8859-\d+|latin-?1|windows-?\d+|cp125\d|gb\d+|gbk|big5(?:-hkscs)?"
    r"|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|koi8-[ru]"
)
# What browsers take for what: what is written is always the larger set.
_LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "windows-31j": "cp932", "shift_jis": "cp932"}
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-z0-9_-]{1,40})", re.IGNORECASE)
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
# Addresses that stand for others, or that Python counts as public though they are nobody's site: relays (6to4), IPv4 in
# IPv6, and what is left for protocols. What is behind NAT64 is an address of the old net, and that one decides.
_NAT64 = ip_network("64:ff9b::/96")
_SPECIAL = tuple(map(ip_network, ("::/96", "64:ff9b:1::/48", "2002::/16", "192.0.0.0/24", "192.88.99.0/24")))
_USER = re.compile(r"(?<=//)[^/?#]*@")
_BULK = re.compile(rb"<(?=(script|style|svg)\b|(!--))", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """What an address answered: the bytes, their kind and, if the answer names one, their encoding."""

    body: bytes
    kind: str = ""
    charset: str | None = None


def fetch(address: str, seconds: float = SECONDS) -> Page:
    """Return the page at an http(s) address; a proxy is used as the environment says."""
    outcomes: list[Page | Exception] = []

    def work() -> None:
        try:
            outcomes.append(_fetch(address, monotonic() + seconds))
        except Exception as error:
            outcomes.append(error)

    # A slow lookup of a name, or a server that sends a byte now and then, cannot be stopped; it is left alone.
    worker = Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    page = outcomes[0] if outcomes else TimeoutError(f"it took more than {seconds:g} s")
    if isinstance(page, Page):
        return page
    if isinstance(page, InputError | OSError | ValueError | HTTPException):
        reason = " ".join(str(getattr(page, "reason", None) or page).split())  # it may quote what a server said
        raise InputError(f"{without_password(address)} cannot be fetched: {reason}") from None
    raise page


def without_password(address: str) -> str:
    """Return an address that may be shown: without a user's name and password.

    >>> without_password("https://anna:secret@example.org/a@b"), without_password("https://example.org/")
    ('https://***@example.org/a@b', 'https://example.org/')
    """
    return _USER.sub("***@", address, count=1)


def decode_page(raw: bytes, charset: str | None = None) -> str | None:
    """Decode a page by its byte order mark, its header, its own declaration, or as UTF-8; else return None."""
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    for candidate in (charset, *(name.decode() for name in _META.findall(raw[:4096])[:1])):
        if (codec := codec_of(candidate)) is not None:
            return raw.decode(codec, "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def without_scripts(raw: bytes) -> bytes:
    """Leave out scripts, styles, drawings and comments, each once, from its start to its end.

    >>> without_scripts(b"<p>a<script>b</script>c<!-- d -->e<STYLE>f")
    b'<p>ace'
    """
    pieces, at, low = [], 0, raw.lower()
    while (begin := _BULK.search(raw, at)) is not None:
        pieces.append(raw[at : begin.start()])
        end = b"-->" if begin[1] is None else b"</" + begin[1].lower()
        end_at = low.find(end, begin.end())
        at = len(raw) if end_at < 0 else end_at + len(end)
        if begin[1] is not None:
            at = (low.find(b">", at) + 1) or len(raw)
    return b"".join([*pieces, raw[at:]])


def codec_of(charset: str | None) -> str | None:
    """Return the name of the codec for an encoding that is common on the web, or nothing."""
    name = (charset or "").strip().lower()
    if not _CHARSET.fullmatch(name):
        return None
    if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        name = "cp1252"
    name = _LARGER.get(name, name)
    try:
        return lookup(name).name
    except LookupError:
        return None


def _fetch(address: str, until: float) -> Page:
    _check(address)
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        _Visit(),
        UnknownHandler(),
        HTTPDefaultErrorHandler(),
        _Redirect(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    request = Request(_ascii(address), headers={"User-Agent": "tersely", "Accept-Encoding": "identity"})
    try:
        answer = opener.open(request, timeout=max(0.001, until - monotonic()))
    except HTTPError as error:
        error.close()
        raise
    with answer:
        body = _unpacked(_body(answer, until), answer.headers.get("Content-Encoding", "identity").strip().lower())
        return Page(body, answer.headers.get_content_type(), answer.headers.get_content_charset())


def _body(answer: HTTPResponse, until: float) -> bytes:
    """Read an answer to its end: exactly as many bytes as it announced."""
    announced, body = answer.length, bytearray()
    while part := answer.read1(_STEP):
        body += part
        if len(body) > MAX_BYTES:
            raise _too_large()
        if monotonic() > until:
            raise TimeoutError("it took too long")
        if announced is not None and len(body) >= announced:
            break
    if announced is not None and len(body) < announced:
        raise InputError(f"it was cut off after {len(body):,} of {announced:,} bytes")
    return bytes(body)


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise InputError(f"it is encoded as {encoding[:20]!r}, which was not asked for")
    unpack = zlib.decompressobj(47)  # tells gzip and zlib apart by itself
    try:
        unpacked = unpack.decompress(body, MAX_BYTES + 1)
    except zlib.error:
        raise InputError("its compression is broken") from None
    if len(unpacked) > MAX_BYTES:
        raise _too_large()
    if not unpack.eof:
        raise InputError("its compression ends too early")
    return unpacked


def _too_large() -> InputError:
    return InputError(f"it is larger than {MAX_BYTES // 1_000_000} MB")


def _ascii(address: str) -> str:
    """Return an address as it is sent: the host in IDNA, anything else outside ASCII percent-encoded."""
    parts = urlsplit(address)
    host = parts.netloc
    if not host.isascii():
        name, at, rest = host.rpartition("@")
        place, colon, port = rest.partition(":")
        host = f"{quote(name)}{at}{place.encode('idna').decode()}{colon}{port}"
    path, query = (quote(part, safe="!#$%&'()*+,/:;=?@[]~") for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme.lower(), host, path, query, ""))


def _check(address: str) -> None:
    """Refuse an address that cannot be visited; a message never repeats a password."""
    if _USER.search(address):
        raise InputError("a user name or password in an address is not supported: save the page, and give the file")
    urlsplit(address).port  # noqa: B018 - a ValueError says that there is no such port


class _Redirect(HTTPRedirectHandler):
    """Follows redirects without reading what comes with them, which may be as long as a server likes."""

    def http_error_302(self, req: Request, fp: Any, code: int, msg: str, headers: HTTPMessage) -> Any:
        """Close the answer, and ask for the new address."""
        fp.close()
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _Visit(AbstractHTTPHandler):
    """Opens the addresses of one fetch: once it was on the public net, no redirect leads it to a private one."""

    http_request = https_request = AbstractHTTPHandler.do_request_

    def __init__(self) -> None:
        super().__init__()
        self._was_public = False

    def http_open(self, request: Request) -> HTTPResponse:
        """Open an http address."""
        return self._visited(HTTPConnection, request)

    def https_open(self, request: Request) -> HTTPResponse:
        """Open an https address."""
        return self._visited(HTTPSConnection, request)

    def _visited(self, kind: Callable[..., HTTPConnection], request: Request) -> HTTPResponse:
        _check(request.full_url)

        def make(*args: Any, **more: Any) -> HTTPConnection:
            connection = kind(*args, **more)
            connect = connection.connect

            def connect_and_check() -> None:
                connect()
                self._arrive(connection)

            connection.connect = connect_and_check  # type: ignore[method-assign]
            return connection

        return self.do_open(make, request)

    def _arrive(self, connection: HTTPConnection) -> None:
        """Check where a connection leads before anything is sent. What a proxy may reach is for the proxy to say."""
        public = is_public(connection.sock.getpeername()[0])
        if self._was_public and not public:
            connection.close()
            raise InputError("it redirects from the public net to a private address")
        self._was_public = self._was_public or public


def is_public(address: str) -> bool:
    """Tell whether an IP address belongs to the public net.

    >>> is_public("93.184.215.14"), is_public("::ffff:127.0.0.1"), is_public("10.1.2.3")
    (True, False, False)
    """
    ip = ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if ip in _NAT64:
        ip = IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _SPECIAL)
