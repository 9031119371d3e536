"""E-mail: the message itself, without its headers, what it replies to and what is attached."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import MIMEPart

from tersely.errors import InputError
from tersely.extract._markup import blocks_of, html_tree
from tersely.extract._plain import decode
from tersely.extract.extracted import Piece, Reading, blocks_by_lines, pieces_by_lines
from tersely.extract.forms import Given

# What programs put around the message that is answered.
_REPLIES = (
    "//blockquote[@type='cite'] | //*[contains(concat(' ', @class, ' '), ' gmail_quote ')]"
    " | //*[@id='divRplyFwdMsg' or @id='appendonsend']/following-sibling::* | //*[@id='divRplyFwdMsg']"
    " | //*[contains(concat(' ', @class, ' '), ' yahoo_quoted ')]"
)
# Python's reader takes forever for fields of many kilobytes, and for hundreds of parts within parts.
_FIELD = re.compile(rb"^content-[a-z-]{1,40}:[^\n]*+(?:\n[ \t][^\n]*+)*+", re.IGNORECASE | re.MULTILINE)
_BOUNDARY = re.compile(rb"\bboundary\*?\d?\*?[ \t]*=", re.IGNORECASE)
_LONGEST_FIELD, _MOST_BOUNDARIES = 5_000, 200


def read_eml(given: Given) -> Reading:
    """Read the body of an e-mail; plain text is better than HTML, and a signature is no prose."""
    fields = [found[0] for found in _FIELD.finditer(given.data)]
    if sum(len(_BOUNDARY.findall(field)) for field in fields) > _MOST_BOUNDARIES:
        raise InputError("is an e-mail with parts within parts, more than anybody sends")
    if max(map(len, fields), default=0) > _LONGEST_FIELD:
        raise InputError("has a header that is far too long")
    message = message_from_bytes(given.data, policy=policy.default)
    body = message.get_body(("plain", "html"))
    if body is None:
        raise InputError("has no text in its body")
    content = body.get_payload(decode=True)
    text, codec = decode(content if isinstance(content, bytes) else b"", body.get_content_charset())
    pieces = _by_markup(text) if body.get_content_type() == "text/html" else pieces_by_lines(_flowed(body, text))
    return Reading([piece for piece in pieces if piece.kind != "reply"], [f"read as {codec}"] if codec else [])


def _by_markup(html: str) -> list[Piece]:
    tree = html_tree(html)
    for reply in [] if tree is None else tree.xpath(_REPLIES):
        if reply.getparent() is not None:
            reply.drop_tree()
    return list(_as_mail(list(blocks_of(tree, rows=False))))


def _as_mail(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a message; what its lines show to be an older message or a signature is called so."""
    blocks = blocks_by_lines("\n\n".join(piece.text for piece in pieces))
    starts, at = [block.start for block in blocks], 0
    for piece in pieces:
        kind = blocks[max(0, bisect_right(starts, at) - 1)].kind
        yield piece._replace(kind=kind) if kind in ("reply", "signature", "header") else piece
        at += len(piece.text) + 2


def _flowed(body: MIMEPart, text: str) -> str:
    """Join the lines of a message that says that they go on where they end with a space."""
    text = text.replace("\r\n", "\n")
    if body.get_param("format") != "flowed":
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        goes_on = lines and lines[-1].endswith(" ") and lines[-1] != "-- " and not line.startswith(">")
        if goes_on and not lines[-1].startswith(">"):
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(lines)
