"""Web pages, Markdown, notebooks, e-mail and mailboxes: mark-up says what each block is."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, MissingExtraError
from tersely.extract import RawFile
from tersely.extract._plain import decode, decode_file
from tersely.extract.extracted import Contents, Label, Piece, at_most, blocks_by_lines, pieces_by_lines, tidied

if TYPE_CHECKING:
    from email.message import MIMEPart

    from tersely.text.blocks import Kind

# Taking the article out of a page needs up to six seconds for each megabyte.
MAX_MARKUP = 2_000_000
# The kind of block of each tag, in HTML and in the articles that trafilatura finds.
_KINDS: "dict[str, Kind]" = {
    "li": "item",
    "item": "item",
    "dd": "item",
    "tr": "row",
    "row": "row",
    "pre": "code",
    "code": "code",
    "blockquote": "quote",
    "quote": "quote",
    "figcaption": "caption",
    "caption": "caption",
    "summary": "caption",
    "hr": "rule",
    **{f"h{level}": "heading" for level in range(1, 7)},
    "head": "heading",
}
_BLOCKS = frozenset(
    (*_KINDS, *"p div section article aside main header footer figure table tbody thead ul ol list dl dt body".split())
) - {"code"}
_CELLS = frozenset(("td", "th", "cell"))
_ROWS = frozenset(("tr", "row"))
_SKIPPED = frozenset(
    "script style template noscript svg math nav select button iframe object audio video s del".split()
)
# The characters that may begin a mark of Markdown, and the most of them that a paragraph may have to be searched.
_MARKS = re.compile(r"[\[\]*_`<!&\\]")
_MOST_MARKS = 500
# Settings before the text, between two lines of hyphens or plus signs.
_SETTINGS = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(?!---|\+\+\+|\.\.\.)[^\n]*+\n)*+(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
_FOOTNOTE = re.compile(r"[ \t]?\[\^[^\]\s]{1,60}\]:?")
_NOTE_NAME = re.compile(r"\^[^\]\s]{1,60}")
_TASK = re.compile(r"\[[ xX]\]\s+")
# Enclose inline code, until it is known where it stands in its block; no text has these characters.
_CODE_START, _CODE_END = "\ufdd0", "\ufdd1"
# The elements in which mail programs put the message that is answered.
_REPLIES = (
    "//blockquote[@type='cite']",
    "//*[contains(concat(' ', @class, ' '), ' gmail_quote ')]",
    # Only what follows the first: looking there from all of them would take forever.
    "(//*[@id='appendonsend'])[1]/following-sibling::*",
    "(//*[@id='divRplyFwdMsg'])[1]/following-sibling::*",
    "//*[@id='divRplyFwdMsg']",
    "//*[contains(concat(' ', @class, ' '), ' yahoo_quoted ')]",
)
# Python's parser takes forever for fields of many kilobytes, and for hundreds of parts within parts.
_FIELD = re.compile(rb"^content-[a-z-]{1,40}:[^\n]*+(?:\n[ \t][^\n]*+)*+", re.IGNORECASE | re.MULTILINE)
_BOUNDARY = re.compile(rb"\bboundary\*?\d?\*?[ \t]*=", re.IGNORECASE)
_MESSAGE = re.compile(rb"^From \S[^\n]{0,200}\d{4}[^\n]{0,40}\n(?=[!-9;-~]{1,60}:)", re.MULTILINE)
_LONGEST_FIELD, _MOST_BOUNDARIES = 5_000, 200


def read_html(file: RawFile) -> Contents:
    """Find the article in a web page."""
    try:
        from trafilatura import bare_extraction
    except ImportError:
        raise MissingExtraError("reading a web page", "html") from None
    from tersely.io.web import decode_page, without_scripts

    text = decode_page(file.data, file.charset)
    # Scripts go first: they are most of many pages, and no part of the article.
    markup = without_scripts(file.data if text is None else text.encode("utf-8", "replace"))
    if len(markup) > MAX_MARKUP:
        raise InputError(f"has more than {MAX_MARKUP // 1_000_000} MB of markup: save its text, and give that")
    article: Any = bare_extraction(
        markup if text is None else markup.decode(), include_comments=False, with_metadata=False
    )
    pieces = [] if article is None else at_most(blocks_of(article.body))
    if not pieces:
        raise InputError("has no text to summarize: no article was found in the page")
    return Contents(pieces)


def read_markdown(file: RawFile) -> Contents:
    """Read the text of Markdown without its marks, which say what each block is."""
    return _markdown(*decode_file(file))


def read_ipynb(file: RawFile) -> Contents:
    """Read the Markdown of a notebook; its code and its results are left out."""
    text, notes = decode_file(file)
    notebook = json.loads(text)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise InputError("has no cells of a notebook")
    sources = [cell.get("source") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "markdown"]
    texts = ("".join(map(str, source)) if isinstance(source, list) else str(source or "") for source in sources)
    return _markdown("\n\n".join(texts), notes)


def _markdown(text: str, notes: list[str]) -> Contents:
    try:
        from markdown_it import MarkdownIt
    except ImportError:  # the lines of a text show headings and lists, too
        return Contents(text=text, notes=[*notes, f"read as plain text; {MissingExtraError('Markdown', 'files')}"])
    if len(text) > MAX_MARKUP:
        long = f"read as plain text, as it has more than {MAX_MARKUP // 1_000_000} MB of Markdown"
        return Contents(text=text, notes=[*notes, long])
    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table", "strikethrough"])
    parser.core.ruler.at("inline", _read_inline)
    html = parser.render(_SETTINGS.sub("", text, count=1) if _SETTINGS.match(text) else text)
    return Contents(at_most(blocks_of(html_tree(html))), notes)


def _read_inline(state: Any) -> None:
    """Find links and emphasis in each paragraph, except in one full of marks, which would take forever."""
    from markdown_it.token import Token

    for i, token in enumerate(state.tokens):
        if token.type == "inline" and len(_MARKS.findall(token.content)) <= _MOST_MARKS:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
            if token.children and i > 1 and state.tokens[i - 2].type == "list_item_open":
                token.children[0].content = _TASK.sub("", token.children[0].content, count=1)
            if "[^" in token.content:
                _leave_out_footnotes(token, state.tokens[i - 1 : i + 2 : 2])
        elif token.type == "inline":
            token.children = [Token("text", "", 0, content=token.content)]


def _leave_out_footnotes(token: Any, around: list[Any]) -> None:
    """Remove the marks of footnotes from a paragraph; one that begins with such a mark and a colon is a footnote.

    `around` are the tokens that open and close the paragraph.
    """
    mark = _FOOTNOTE.match(token.content)
    for paragraph in around if mark and mark[0].endswith(":") else ():
        paragraph.tag = "figcaption"
    for child in token.children:
        if child.type == "text":
            child.content = "" if _NOTE_NAME.fullmatch(child.content) else _FOOTNOTE.sub("", child.content)


def html_tree(html: str | bytes) -> Any:
    """Return the body of a page, or None; nothing that the page links to is loaded."""
    try:
        from lxml.html import HTMLParser, document_fromstring
    except ImportError:
        raise MissingExtraError("reading this file", "files") from None
    if not html.strip():
        return None
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
    page = document_fromstring(html, parser=HTMLParser(encoding="utf-8", no_network=True, remove_pis=True))
    return page.find("body")


def blocks_of(tree: Any, label: Label | None = None, rows: bool = True) -> Iterator[Piece]:
    """Yield the blocks below an element; all of them get the `label`.

    Without `rows`, tables are there for the layout, as in e-mail, and their cells are read like paragraphs.
    """
    marks = ((0, label),) if label else ()
    enclosing: list[tuple[Kind, int]] = []
    texts: list[str] = []
    for event, element in _walk(tree):
        tag = element.tag if event != "tail" else ""
        is_block = tag in _BLOCKS or (tag == "code" and element.getparent() is tree) or (tag in _CELLS and not rows)
        in_row = bool(enclosing) and enclosing[-1][0] == "row" and tag not in _ROWS
        if is_block and not in_row:
            kind, level = enclosing[-1] if enclosing else ("prose", 0)
            if text := _clean("".join(texts), kind):
                yield _piece(kind, text, level, marks)
            texts.clear()
        opens = is_block and tag in _KINDS and (rows or tag not in _ROWS)
        is_code = tag == "code" and not is_block and (not enclosing or enclosing[-1][0] != "code")
        if event == "start":
            if opens:
                enclosing.append((_KINDS[tag], _level(element)))
            texts.append("\n" if tag in ("br", "lb") else (_CODE_START if is_code else "") + (element.text or ""))
            continue
        if opens:
            enclosing.pop()
        texts.append(_CODE_END if is_code else "")
        texts.append((" | " if tag in _CELLS and rows else "\n" if is_block and in_row else "") + (element.tail or ""))
    if text := _clean("".join(texts), "prose"):
        yield _piece("prose", text, 0, marks)


def _piece(kind: "Kind", text: str, level: int, marks: tuple[tuple[int, Label], ...]) -> Piece:
    """Return a block without the signs that enclose its inline code, which no sentence ends in."""
    if _CODE_START not in text:
        return Piece(kind, text, level, marks=marks)
    plain, spans = "", []
    for part in text.split(_CODE_START):
        code, _, rest = part.rpartition(_CODE_END)
        if code:
            spans.append((len(plain), len(plain) + len(code)))
        plain += code + rest
    return Piece(kind, plain, level, marks=marks, unbroken=tuple(spans))


def _walk(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield the start and the end of each element; a script, a comment and the like has only a tail of text."""
    from lxml.etree import iterwalk

    if tree is None:
        return
    skipped = None
    for event, element in iterwalk(tree, events=("start", "end", "comment", "pi")):
        if skipped is None and event in ("comment", "pi"):
            yield "tail", element
        elif skipped is None and element.tag not in _SKIPPED:
            yield event, element
        elif event == "start":
            skipped = element if skipped is None else skipped
        elif element is skipped:
            skipped = None
            yield "tail", element


def _level(element: Any) -> int:
    """Return the level of a heading, and 0 for anything else."""
    heading = re.fullmatch(r"h([1-6])", element.get("rend", "") if element.tag == "head" else element.tag)
    return int(heading[1]) if heading else int(element.tag == "head")


def _clean(text: str, kind: "Kind") -> str:
    """Return a text without needless white space; line breaks stay, and code is not changed."""
    if kind == "code":
        return text.strip("\n")
    text = tidied(text)
    return text.replace("\n", " ").strip(" |") if kind == "row" else text


def read_eml(file: RawFile) -> Contents:
    """Read the body of an e-mail without its replies, as plain text if it has both that and HTML."""
    from email import message_from_bytes, policy

    fields = [field[0] for field in _FIELD.finditer(file.data)]
    if sum(len(_BOUNDARY.findall(field)) for field in fields) > _MOST_BOUNDARIES:
        raise InputError("is an e-mail with parts within parts, more than anybody sends")
    if max(map(len, fields), default=0) > _LONGEST_FIELD:
        raise InputError("has a header that is far too long")
    message = message_from_bytes(file.data, policy=policy.default)
    body = message.get_body(("plain", "html"))
    if body is None:
        raise InputError("has no text in its body")
    content = body.get_payload(decode=True)
    text, codec = decode(content if isinstance(content, bytes) else b"", body.get_content_charset())
    pieces = _by_markup(text) if body.get_content_type() == "text/html" else pieces_by_lines(_flowed(body, text))
    return Contents([piece for piece in pieces if piece.kind != "reply"], [f"read as {codec}"] if codec else [])


def read_mbox(file: RawFile) -> Contents:
    """Read each message of a mailbox; its subject is a heading. A message that cannot be read is left out."""
    from email import message_from_bytes, policy

    contents = Contents()
    starts = [match.start() for match in _MESSAGE.finditer(file.data)]
    for number, (start, end) in enumerate(pairwise([*starts, len(file.data)]), 1):
        data = file.data[start:end].partition(b"\n")[2]
        try:
            message = read_eml(RawFile(data))
        except (InputError, ValueError, LookupError) as error:
            contents.notes.append(f"message {number} {error}")
            continue
        header = message_from_bytes(data.partition(b"\n\n")[0][:_LONGEST_FIELD], policy=policy.compat32)
        label: Label = {"message": number}
        title = _unfolded(header.get("subject", ""))
        for piece in (Piece("heading", title or f"Message {number}", 1), *message.pieces):
            contents.pieces.append(piece._replace(marks=((0, label),)))
    return contents


def _unfolded(field: object) -> str:
    """Return the text of a header field, whose words may be encoded."""
    from email.header import decode_header, make_header

    try:
        return " ".join(str(make_header(decode_header(str(field)))).split())
    except (ValueError, LookupError):
        return " ".join(str(field).split())


def _by_markup(html: str) -> list[Piece]:
    tree = html_tree(html)
    for reply in chain.from_iterable(map(tree.xpath, _REPLIES)) if tree is not None else ():
        if reply.getparent() is not None:
            reply.drop_tree()
    return list(_as_mail(list(blocks_of(tree, rows=False))))


def _as_mail(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a message, marked as reply, signature or header where the lines show one."""
    _, blocks = blocks_by_lines("\n\n".join(piece.text for piece in pieces))
    starts, at = [block.start for block in blocks], 0
    for piece in pieces:
        kind = blocks[max(0, bisect_right(starts, at) - 1)].kind
        yield piece._replace(kind=kind) if kind in ("reply", "signature", "header") else piece
        at += len(piece.text) + 2


def _flowed(body: "MIMEPart", text: str) -> str:
    """Join the lines that end with a space, if the message declares its text as flowed."""
    text = text.replace("\r\n", "\n")
    if body.get_param("format") != "flowed":
        return text
    paragraphs: list[list[str]] = []
    for line in text.split("\n"):
        before = paragraphs[-1] if paragraphs else [""]
        if before[-1].endswith(" ") and before != ["-- "] and not (before[0].startswith(">") or line.startswith(">")):
            before += [line] if line else []
        else:
            paragraphs.append([line])
    return "\n".join(map("".join, paragraphs))
