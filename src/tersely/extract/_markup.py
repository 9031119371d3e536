"""Web pages and Markdown: mark-up says what each block is."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, MissingExtraError
from tersely.extract._plain import decode_given
from tersely.extract.extracted import Label, Piece, Reading
from tersely.extract.forms import Given

if TYPE_CHECKING:
    from tersely.text.blocks import Kind

# Taking the article out of a page needs up to six seconds for each megabyte.
MAX_MARKUP = 2_000_000
# The tags of HTML, and those of the articles that trafilatura finds.
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
    "hr": "rule",
    **{f"h{level}": "heading" for level in range(1, 7)},
    "head": "heading",
}
_BLOCKS = frozenset(
    (*_KINDS, *"p div section article aside main header footer figure table tbody thead ul ol list dl dt body".split())
) - {"code"}
_CELLS = frozenset(("td", "th", "cell"))
_ROWS = frozenset(("tr", "row"))
_SKIPPED = frozenset("script style template noscript svg math nav select button iframe object audio video".split())
# What may begin something in a line of Markdown, and how many of them a paragraph has at most.
_MARKS = re.compile(r"[\[\]*_`<!&\\]")
_MOST_MARKS = 500
_BREAKS = re.compile(r"[ \t\r\f]*\n\s*")
_BLANKS = re.compile(r"[ \t\r\f\v]+")


def read_html(given: Given) -> Reading:
    """Find the article in a web page."""
    try:
        from trafilatura import bare_extraction
    except ImportError:
        raise MissingExtraError("reading a web page", "html") from None
    from tersely.io.web import decode_page, without_scripts

    text = decode_page(given.data, given.charset)
    # Scripts go first: they are most of many pages, and no part of the article.
    markup = without_scripts(given.data if text is None else text.encode("utf-8", "replace"))
    if len(markup) > MAX_MARKUP:
        raise InputError(f"has more than {MAX_MARKUP // 1_000_000} MB of markup: save its text, and give that")
    article: Any = bare_extraction(
        markup if text is None else markup.decode(), include_comments=False, with_metadata=False
    )
    pieces = [] if article is None else list(blocks_of(article.body))
    if not pieces:
        raise InputError("has no text to summarize: no article was found in the page")
    return Reading(pieces)


def read_markdown(given: Given) -> Reading:
    """Read Markdown: what its marks mean, and the text without them."""
    text, notes = decode_given(given)
    try:
        from markdown_it import MarkdownIt
    except ImportError:  # the lines of a text show headings and lists, too
        return Reading(text=text, notes=[*notes, f"read as plain text; {MissingExtraError('Markdown', 'files')}"])
    if len(text) > MAX_MARKUP:
        long = f"read as plain text, as it has more than {MAX_MARKUP // 1_000_000} MB of Markdown"
        return Reading(text=text, notes=[*notes, long])
    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    parser.core.ruler.at("inline", _read_inline)
    html = parser.render(_without_settings(text))
    return Reading(list(blocks_of(html_tree(html))), notes)


def _read_inline(state: Any) -> None:
    """Find links and emphasis in each paragraph; in one that is full of marks, that would take forever."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type == "inline" and len(_MARKS.findall(token.content)) <= _MOST_MARKS:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        elif token.type == "inline":
            token.children = [Token("text", "", 0, content=token.content)]


def _without_settings(text: str) -> str:
    """Leave out the settings that some programs put before a text, between two lines of hyphens."""
    end = text.find("\n---\n", 3) if text.startswith("---\n") else -1
    return text[end + 5 :] if end > 0 else text


def html_tree(html: str | bytes) -> Any:
    """Return the body of a page, or nothing if there is none; nothing that it names is loaded."""
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
    """Yield the blocks below an element; all stand at the place of the label.

    Without `rows`, tables are there for the layout, as in e-mail, and their cells are read like paragraphs.
    """
    marks = ((0, label),) if label else ()
    around: list[tuple[Kind, int]] = []
    texts: list[str] = []
    for event, element in _walk(tree):
        tag = element.tag if event != "tail" else ""
        is_block = tag in _BLOCKS or (tag == "code" and element.getparent() is tree) or (tag in _CELLS and not rows)
        in_row = bool(around) and around[-1][0] == "row" and tag not in _ROWS
        if is_block and not in_row:
            kind, level = around[-1] if around else ("prose", 0)
            if text := _clean("".join(texts), kind):
                yield Piece(kind, text, level, marks=marks)
            texts.clear()
        opens = is_block and tag in _KINDS and (rows or tag not in _ROWS)
        if event == "start":
            if opens:
                around.append((_KINDS[tag], _level(element)))
            texts.append("\n" if tag in ("br", "lb") else element.text or "")
            continue
        if opens:
            around.pop()
        texts.append((" | " if tag in _CELLS and rows else "\n" if is_block and in_row else "") + (element.tail or ""))
    if text := _clean("".join(texts), "prose"):
        yield Piece("prose", text, marks=marks)


def _walk(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield the start and the end of each element; of scripts, comments and the like only the tail, which is text."""
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
    found = re.fullmatch(r"h([1-6])", element.get("rend", "") if element.tag == "head" else element.tag)
    return int(found[1]) if found else int(element.tag == "head")


def _clean(text: str, kind: "Kind") -> str:
    """Return a text without the white space that mark-up may have anywhere; line breaks stay, and code as it is."""
    if kind == "code":
        return text.strip("\n")
    text = _BLANKS.sub(" ", _BREAKS.sub("\n", text)).strip()
    return text.replace("\n", " ").strip(" |") if kind == "row" else text
