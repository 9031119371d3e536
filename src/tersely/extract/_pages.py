"""Lines on pages: running headers and footers, columns and paragraphs."""

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

    _Group = tuple[Kind, list["PageLine"]]

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
# Neither of these begins inside a word, and neither gives back letters: each letter is looked at once.
_PARTED = re.compile(r"(?!\B\w)(\w*+)(?:\ufffe|(?<=[^\W\d_])-)\n(\w++)([^\s\ufffe]*+) ?")
_HYPHENATED = re.compile(r"\b\w++-\w++")
_SUSPENDED = words_of_all("pdf.joining")  # as in "pre- and postwar"
_LARGER = 1.12  # the least size of a heading, in sizes of the body's font
_SMALLER = 0.92  # the largest size of a footnote, in sizes of the body's font
_APART = 1.45  # the distance between lines that ends a paragraph, in usual distances
_INDENT = 0.8  # the indent that begins a paragraph, in sizes of its font
_SPREAD = 3  # the widest gap between two words of a justified line, in sizes of its font
_SIZE_TOLERANCE = 0.15  # the size of a line may differ so much, because it may begin with a word in another font
_LONGEST_HEADING = 200  # characters
_NUMBERED = 3  # the least number of pages whose first or last line has the number of the page
_GUTTER = 4  # the least number of lines that show a gutter between two columns
_COLUMN = 15  # the least number of characters in a line of a column

_Edges = dict[tuple[int, int], float]  # of a page's columns


class PageLine(NamedTuple):
    """A line of a page: its cells, the left and right edge of each, and its height above the end of the page."""

    page: int
    cells: tuple[str, ...]
    edges: tuple[tuple[float, float], ...]
    base: float
    size: float
    bold: bool = False
    fixed: bool = False

    @property
    def text(self) -> str:
        """The text of the line."""
        return " ".join(self.cells)

    @property
    def start(self) -> float:
        """The left edge."""
        return self.edges[0][0]

    @property
    def end(self) -> float:
        """The right edge."""
        return self.edges[-1][1]


def readable_lines(pages: Sequence[Sequence[PageLine]]) -> list[PageLine]:
    """Return the lines of all pages in the order of reading, without running headers, footers and page numbers."""
    margins = [_margins(lines) for lines in pages]
    times = Counter(key for keys in margins for key in set(keys.values()))
    numbers = [_numbers(lines) for lines in pages]
    shifts = Counter(shift for by_line in numbers for shift in set(by_line.values()))
    shift, pages_with_it = shifts.most_common(1)[0] if shifts else (0, 0)
    readable: list[PageLine] = []
    for lines, keys, by_line in zip(pages, margins, numbers, strict=True):
        out = {i for i, key in keys.items() if times[key] > 1 or _PAGE.fullmatch(key)}
        if pages_with_it >= _NUMBERED:
            out |= {i for i in by_line if by_line[i] == shift}
        if len(out) == len(lines):  # it is all that the page says
            out = set()
        readable += _in_columns([line for i, line in enumerate(lines) if i not in out])
    return readable


def _margins(lines: Sequence[PageLine]) -> dict[int, str]:
    """Return the lines at the top and the bottom of a page, with 0 for every number in them."""
    heights = sorted({round(line.base) for line in lines})
    outer = {*heights[:2], *heights[-2:]}
    return {i: _NUMBER.sub("0", line.text.casefold()) for i, line in enumerate(lines) if round(line.base) in outer}


def _numbers(lines: Sequence[PageLine]) -> dict[int, int]:
    """Return the number that the first and the last line of a page begin or end with, minus the number of the page."""
    heights = {round(line.base) for line in lines}
    outer = {min(heights), max(heights)} if heights else set()
    ends = ((i, line, _OUTER_NUMBER.search(line.text)) for i, line in enumerate(lines) if round(line.base) in outer)
    return {i: int(number[1] or number[2]) - line.page for i, line, number in ends if number}


def _in_columns(lines: list[PageLine]) -> Iterator[PageLine]:
    """Yield the left column before the right one if the lines of a page run across both columns."""
    gaps = [(line.edges[0][1], line.edges[1][0]) for line in lines if _is_pair(line)]
    if len(gaps) < _GUTTER or median(end for end, _ in gaps) >= median(start for _, start in gaps):
        yield from lines
        return
    gutter = (max(sorted(end for end, _ in gaps)[: len(gaps) * 9 // 10]) + median(start for _, start in gaps)) / 2
    waiting: list[PageLine] = []
    for line in lines:
        if len(line.cells) == 2 and line.edges[0][1] <= gutter <= line.edges[1][0]:
            yield line._replace(cells=line.cells[:1], edges=line.edges[:1])
            waiting.append(line._replace(cells=line.cells[1:], edges=line.edges[1:]))
        elif line.start >= gutter:
            waiting.append(line)
        else:
            if line.end > gutter:  # it crosses both columns, which end above it
                yield from waiting
                waiting = []
            yield line
    yield from waiting


def _is_pair(line: PageLine) -> bool:
    return len(line.cells) == 2 and all(len(cell) >= _COLUMN or len(cell.encode()) > 2 * _COLUMN for cell in line.cells)


def pieces_of(lines: Sequence[PageLine]) -> list[Piece]:
    """Join lines to paragraphs, headings, list items and rows of tables."""
    lines = [_gathered(line, (*lines[max(0, i - 1) : i], *lines[i + 1 : i + 2])) for i, line in enumerate(lines)]
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0]
    larger = sorted({line.size for line in lines if _is_larger(line, body)}, reverse=True)
    levels = {size: level for level, size in enumerate(larger, 1)}
    hyphenated = _hyphenated_words(lines)
    return [_piece(kind, group, levels, hyphenated) for kind, group in _groups(lines, body)]


def _groups(lines: Sequence[PageLine], body: float) -> "list[_Group]":
    """Return the kind and the lines of each block; a paragraph may go on past the footnotes of its page."""
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


def _runs_on(group: "_Group", line: PageLine, usual: float) -> bool:
    """Tell whether a line in the font of code is the rest of a paragraph."""
    before = group[1][-1]
    is_next = _follows(before, line) and before.base - line.base <= _APART * usual
    is_below = is_next and abs(before.start - line.start) < 1
    return group[0] == "prose" and is_below and not _CLOSED.search(before.text)


def _gathered(line: PageLine, neighbors: Sequence[PageLine]) -> PageLine:
    """Return a line as one cell if its words stand apart only because the line is justified."""
    gaps = [start - end for (_, end), (start, _) in pairwise(line.edges)]
    if not gaps or max(gaps) > _SPREAD * line.size:
        return line
    beside = [neighbor for neighbor in neighbors if neighbor.page == line.page]
    wide = {len(neighbor.cells) for neighbor in beside if abs(neighbor.end - line.end) < 1}
    return line._replace(cells=(line.text,), edges=((line.start, line.end),)) if wide == {1} else line


def _kind(line: PageLine, body: float) -> "Kind":
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


def _has_mark(line: PageLine) -> bool:
    """Tell whether the first of two cells is only the mark or the number of an item or heading."""
    return len(line.cells) == 2 and bool(_MARK.fullmatch(line.cells[0])) and any(map(str.isalpha, line.cells[1]))


def _is_larger(line: PageLine, body: float) -> bool:
    return line.size >= _LARGER * body


def _follows(before: PageLine, line: PageLine) -> bool:
    """Tell whether a line stands below another one on the same page."""
    return before.page == line.page and line.base < before.base


def _begins(group: "_Group", line: PageLine, kind: "Kind", usual: float, edges: _Edges) -> bool:
    """Tell whether a line begins another block than the lines before it."""
    group_kind, before = group[0], group[1][-1]
    if kind in ("row", "item", "caption") or group_kind == "row":
        return True
    if abs(before.size - line.size) > _SIZE_TOLERANCE * line.size:
        return True
    if {group_kind, kind} & {"heading", "code"} and group_kind != kind:
        return True
    if kind == "code":
        return not _follows(before, line)
    if not _follows(before, line):
        return kind == "heading" or group_kind == "caption" or bool(_CLOSED.search(before.text))
    if before.base - line.base > _APART * max(usual, 1.2 * line.size * (kind == "heading")):
        return True
    if group_kind == "prose" and line.start > before.start + _INDENT * line.size:
        return True
    edge = edges[line.page, _column(before)]
    return kind == "prose" and before.end < edge - 3 * line.size and bool(_CLOSED.search(before.text))


def _right_edges(lines: Iterable[PageLine]) -> _Edges:
    """Return the right edge of each column of each page."""
    edges: _Edges = {}
    for line in lines:
        key = line.page, _column(line)
        edges[key] = max(edges.get(key, 0.0), line.end)
    return edges


def _column(line: PageLine) -> int:
    return int(line.start // 150)


def _piece(kind: "Kind", lines: list[PageLine], levels: dict[float, int], hyphenated: set[str]) -> Piece:
    text, marks = "", []
    between = " | " if kind == "row" else " "
    for page, group in groupby(lines, key=lambda line: line.page):
        more = "\n".join(between.join(line.cells) for line in group)
        more = more if kind == "code" else _joined_words(more, hyphenated)
        word = re.match(r"\w*", more)
        if text.endswith(("-", HYPHEN)) and word and word[0]:  # it may go on on the next page
            text = _joined_words(f"{text[:-1]}{HYPHEN}\n{word[0]}", hyphenated).removesuffix(word[0])
        elif text:
            text += "\n"
        label: Label = {"page": page}
        marks.append((len(text), label))
        text += more
    level = levels.get(lines[0].size, len(levels) + 1) if kind == "heading" else 0
    return Piece(kind, text.replace(HYPHEN, "-"), min(level, 6), marks=tuple(marks))


def _hyphenated_words(lines: Iterable[PageLine]) -> set[str]:
    return {word.casefold() for line in lines for word in _HYPHENATED.findall(line.text)}


def _joined_words(text: str, hyphenated: set[str]) -> str:
    """Join the words that a hyphen parts at the end of a line; those in `hyphenated` keep the hyphen."""

    def joined(match: re.Match[str]) -> str:
        first, rest, more = match.groups()
        keeps = not first[-1:].isalpha() or not rest[:1].islower() or f"{first}-{rest}".casefold() in hyphenated
        hyphen = "- " if rest in _SUSPENDED and not more else "-" if keeps else ""
        return f"{first}{hyphen}{rest}{more}" + "\n" * match[0].endswith(" ")

    return _PARTED.sub(joined, text)
