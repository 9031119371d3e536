"""Lines on pages: which are headers and footers, which columns they form, and which paragraphs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from tersely.extract.extracted import Label, Piece
from tersely.languages import alternatives, words_of_all

if TYPE_CHECKING:
    from tersely.text.blocks import Kind

    _Group = tuple[Kind, list["Line"]]

_CLOSED = re.compile(r"[.!?…。！？；;：:][\"'”’»)\]）」』】]{0,3}\Z")
_ITEM = re.compile(
    r"[•‣◦▪●○■□◆◇▶►·–—*-]\s|\[\d{1,3}\]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s|[①-⑳⑴-⒇]|[（(][一二三四五六七八九十]{1,3}[）)]"
)
_MARK = re.compile(r"[^\w\s]|\(?(?:\d{1,2}(?:\.\d{1,2}){0,4}|[a-zA-Z]|[ivxIVX]{1,5})[.)]?")
_CAPTION = re.compile(
    rf"(?:{alternatives('pdf.captions', capitals=True)})\s?\d{{1,3}}[.:|—–]|"
    rf"(?:{alternatives('pdf.captions', capitals=False)})\s?\d+[:：.\s]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE = re.compile(
    rf"\W*(?:(?:{alternatives('pdf.pages')})\s?)?0(?:\s?(?:/|\||{alternatives('pdf.page_totals')})\s?0)?\W*|"
    rf"{alternatives('pdf.page_patterns')}",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:[.·…]\s?){5,}|(?:[.·…]\s){3,}\d+\Z")  # from an entry of a table of contents to its page
_OUTER_NUMBER = re.compile(r"\A(\d{1,4})(?!\S)|(?<!\S)(\d{1,4})\Z")
_FOOTNOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶])\s?[^\W\d_]")
HYPHEN = "\ufffe"  # at the end of a line; its word goes on in the next one
_PARTED = re.compile(r"(\w*)(?:\ufffe|(?<=[^\W\d_])-)\n(\w+)([^\s\ufffe]*) ?")
_SUSPENDED = words_of_all("pdf.joining")  # as in "pre- and postwar"
_LARGER, _APART, _INDENT = 1.12, 1.45, 0.8  # in sizes of the body's font, its usual distance, and its size
_SPREAD = 3  # sizes between two words of a line that is as wide as its column, at most
_SMALLER = 0.92  # of the body's size; a footnote is
_SAME = 0.15  # of the size: a line may begin with a word in another font
_LONGEST_HEADING = 200
_NUMBERED = 3  # pages whose first or last line has the number of the page, at least
_GUTTER = 4  # lines that show a gutter between two columns, at least
_COLUMN = 15  # characters in a line of a column, about

_Edges = dict[tuple[int, int], float]  # of a page's columns


class Line(NamedTuple):
    """A line of a page: its cells, the left and right edge of each, and how high above the page's end it stands."""

    page: int
    cells: tuple[str, ...]
    edges: tuple[tuple[float, float], ...]
    base: float
    size: float
    bold: bool = False
    fixed: bool = False

    @property
    def text(self) -> str:
        """The line without its places."""
        return " ".join(self.cells)

    @property
    def left(self) -> float:
        """The left edge."""
        return self.edges[0][0]

    @property
    def right(self) -> float:
        """The right edge."""
        return self.edges[-1][1]


def readable_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the lines of all pages in the order of reading, without running headers, footers and page numbers."""
    margins = [_margins(lines) for lines in pages]
    times = Counter(key for keys in margins for key in set(keys.values()))
    shifts = Counter(shift for lines in pages for shift in {_shift(line) for line in _outermost(lines)} - {None})
    shift, pages_with_it = shifts.most_common(1)[0] if shifts else (None, 0)
    numbered = shift is not None and pages_with_it >= _NUMBERED
    kept: list[Line] = []
    for lines, keys in zip(pages, margins, strict=True):
        out = {i for i, key in keys.items() if times[key] > 1 or _PAGE.fullmatch(key)}
        if numbered:
            outer = _outermost(lines)
            out |= {i for i, line in enumerate(lines) if line in outer and _shift(line) == shift}
        if len(out) == len(lines):  # it is all that the page says
            out = set()
        kept += _in_columns([line for i, line in enumerate(lines) if i not in out])
    return kept


def _margins(lines: Sequence[Line]) -> dict[int, str]:
    """Return the lines at the top and the bottom of a page, with all numbers in them alike."""
    heights = sorted({round(line.base) for line in lines})
    outer = {*heights[:2], *heights[-2:]}
    return {i: _NUMBER.sub("0", line.text.casefold()) for i, line in enumerate(lines) if round(line.base) in outer}


def _outermost(lines: Sequence[Line]) -> list[Line]:
    """Return the first and the last line of a page, by their heights."""
    heights = {round(line.base) for line in lines}
    return [line for line in lines if round(line.base) in (min(heights), max(heights))]


def _shift(line: Line) -> int | None:
    """Return how far the number at the beginning or the end of a line is from that of its page."""
    found = _OUTER_NUMBER.search(line.text)
    return int(found[1] or found[2]) - line.page if found else None


def _in_columns(lines: list[Line]) -> Iterator[Line]:
    """Yield first the left column and then the right one where a page has its lines across both of them."""
    gaps = [(line.edges[0][1], line.edges[1][0]) for line in lines if _is_pair(line)]
    if len(gaps) < _GUTTER or median(right for right, _ in gaps) >= median(left for _, left in gaps):
        yield from lines
        return
    gutter = (max(sorted(right for right, _ in gaps)[: len(gaps) * 9 // 10]) + median(left for _, left in gaps)) / 2
    waiting: list[Line] = []
    for line in lines:
        if len(line.cells) == 2 and line.edges[0][1] <= gutter <= line.edges[1][0]:
            yield line._replace(cells=line.cells[:1], edges=line.edges[:1])
            waiting.append(line._replace(cells=line.cells[1:], edges=line.edges[1:]))
        elif line.left >= gutter:
            waiting.append(line)
        else:
            if line.right > gutter:  # it crosses both columns, which end above it
                yield from waiting
                waiting = []
            yield line
    yield from waiting


def _is_pair(line: Line) -> bool:
    return len(line.cells) == 2 and all(len(cell) >= _COLUMN or len(cell.encode()) > 2 * _COLUMN for cell in line.cells)


def pieces_of(lines: Sequence[Line]) -> list[Piece]:
    """Join lines to paragraphs, headings, list items and rows of tables."""
    lines = [_gathered(line, (*lines[max(0, i - 1) : i], *lines[i + 1 : i + 2])) for i, line in enumerate(lines)]
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0]
    larger = sorted({line.size for line in lines if _is_larger(line, body)}, reverse=True)
    known = _words_with_hyphens(lines)
    return [_piece(kind, group, larger, known) for kind, group in _groups(lines, body)]


def _groups(lines: Sequence[Line], body: float) -> "list[_Group]":
    """Return the lines of each block, and what it is; a paragraph may go on past the footnotes of its page."""
    steps = [a.base - b.base for a, b in pairwise(lines) if _follows(a, b) and a.size == b.size == body]
    usual = median(steps) if steps else 1.2 * body
    edges = _right_edges(lines)
    groups: list[_Group] = []
    paragraph = None  # the last group that is no caption
    for line in lines:
        kind = _kind(line, body)
        noted = groups and groups[-1][0] == "caption" and groups[-1][1][-1].page < line.page
        before = paragraph if noted or not groups else groups[-1]
        if before and kind == "code" and _runs_on(before, line, usual):
            kind = "prose"
        if before and not _begins(before, line, kind, usual, edges):
            before[1].append(line)
        else:
            groups.append((kind, [line]))
        paragraph = groups[-1] if groups[-1][0] != "caption" else paragraph
    return groups


def _runs_on(group: "_Group", line: Line, usual: float) -> bool:
    """Tell whether a line in the font of code is the rest of a paragraph."""
    before = group[1][-1]
    near = _follows(before, line) and before.base - line.base <= _APART * usual and abs(before.left - line.left) < 1
    return group[0] == "prose" and near and not _CLOSED.search(before.text)


def _gathered(line: Line, around: Sequence[Line]) -> Line:
    """Return a line as one cell if its words stand apart only because the line is as wide as its column."""
    gaps = [right - left for (_, left), (right, _) in pairwise(line.edges)]
    if not gaps or max(gaps) > _SPREAD * line.size:
        return line
    wide = {len(near.cells) for near in around if near.page == line.page and abs(near.right - line.right) < 1}
    return line._replace(cells=(line.text,), edges=((line.left, line.right),)) if wide == {1} else line


def _kind(line: Line, body: float) -> "Kind":
    if _LEADERS.search(line.text):
        return "row"
    if line.fixed:
        return "code"
    if _is_larger(line, body) or (line.bold and line.size >= body and not _CLOSED.search(line.text)):
        return "heading" if len(line.text) <= _LONGEST_HEADING and any(map(str.isalpha, line.text)) else "prose"
    if len(line.cells) > 1 and not _has_mark(line):
        return "row"
    if _CAPTION.match(line.text) or (line.size <= _SMALLER * body and _FOOTNOTE.match(line.text)):
        return "caption"
    return "item" if _ITEM.match(line.text + " ") else "prose"


def _has_mark(line: Line) -> bool:
    """Tell whether the first of two cells is the mark or the number of what the second one says."""
    return len(line.cells) == 2 and bool(_MARK.fullmatch(line.cells[0])) and any(map(str.isalpha, line.cells[1]))


def _is_larger(line: Line, body: float) -> bool:
    return line.size >= _LARGER * body


def _follows(before: Line, line: Line) -> bool:
    """Tell whether a line stands below another one on the same page."""
    return before.page == line.page and line.base < before.base


def _begins(group: "_Group", line: Line, kind: "Kind", usual: float, edges: _Edges) -> bool:
    """Tell whether a line begins another block than the lines before it."""
    own, before = group[0], group[1][-1]
    if kind in ("row", "item", "caption") or own == "row" or abs(before.size - line.size) > _SAME * line.size:
        return True
    if {own, kind} & {"heading", "code"} and own != kind:
        return True
    if kind == "code":
        return not _follows(before, line)
    if not _follows(before, line):
        return kind == "heading" or own == "caption" or bool(_CLOSED.search(before.text))
    if before.base - line.base > _APART * max(usual, 1.2 * line.size * (kind == "heading")):
        return True
    if own == "prose" and line.left > before.left + _INDENT * line.size:
        return True
    edge = edges[line.page, _column(before)]
    return kind == "prose" and before.right < edge - 3 * line.size and bool(_CLOSED.search(before.text))


def _right_edges(lines: Iterable[Line]) -> _Edges:
    """Return the right edge of each column of each page."""
    edges: _Edges = {}
    for line in lines:
        key = line.page, _column(line)
        edges[key] = max(edges.get(key, 0.0), line.right)
    return edges


def _column(line: Line) -> int:
    return int(line.left // 150)


def _piece(kind: "Kind", lines: list[Line], larger: list[float], known: set[str]) -> Piece:
    text, marks = "", []
    between = " | " if kind == "row" else " "
    for page, group in groupby(lines, key=lambda line: line.page):
        more = "\n".join(between.join(line.cells) for line in group)
        more = more if kind == "code" else _joined_words(more, known)
        word = re.match(r"\w*", more)
        if text.endswith(("-", HYPHEN)) and word and word[0]:  # it may go on on the next page
            text = _joined_words(f"{text[:-1]}{HYPHEN}\n{word[0]}", known).removesuffix(word[0])
        elif text:
            text += "\n"
        label: Label = {"page": page}
        marks.append((len(text), label))
        text += more
    level = 0
    if kind == "heading":
        level = larger.index(lines[0].size) + 1 if lines[0].size in larger else len(larger) + 1
    return Piece(kind, text.replace(HYPHEN, "-"), min(level, 6), marks=tuple(marks))


def _words_with_hyphens(lines: Iterable[Line]) -> set[str]:
    return {word.casefold() for line in lines for word in re.findall(r"\w+-\w+", line.text)}


def _joined_words(text: str, known: set[str]) -> str:
    """Join the words that a hyphen parts at the end of a line; one that has a hyphen elsewhere keeps it."""

    def joined(found: re.Match[str]) -> str:
        first, rest, more = found.groups()
        keeps = not first[-1:].isalpha() or not rest[:1].islower() or f"{first}-{rest}".casefold() in known
        hyphen = "- " if rest in _SUSPENDED and not more else "-" if keeps else ""
        return f"{first}{hyphen}{rest}{more}" + "\n" * found[0].endswith(" ")

    return _PARTED.sub(joined, text)
