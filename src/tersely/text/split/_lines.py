"""The lines of a text: which ones only wrap a sentence, and what a line is by its form if it is not prose.

By its form, a line may be a row of a table, code, a rule, a caption or a page number.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tersely.languages import HAN, Language, alternatives, pattern
from tersely.text.blocks import Kind, role_of
from tersely.text.split._marks import abbreviations

# A line end (CRLF is one) and all white space after it.
_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LINE_END = pattern(rf"(?:\r\n|[{_ENDS}])(?P<more>\s*)")
_BLANK = pattern(f"[{_ENDS}]")
_NUMERAL = "一二三四五六七八九十百"
# The start of a list item, a heading or a table row.
ITEM = pattern(
    r"(?:[-*+•‣◦▪●○■□◆◇★☆▶►▼◎·–—>|]|#{1,6}|"
    r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)])(?=\s)|"
    rf"(?:第?[{_NUMERAL}]{{1,4}}|\d{{1,3}})、|第[{_NUMERAL}\d]{{1,4}}[条章节款]|"
    rf"[（(](?:[{_NUMERAL}]{{1,4}}|\d{{1,3}})[）)]|[①-⑳⑴-⒇]"
)
_HEADING = pattern(r"#{1,6}\s")
# The end of a line that must go on.
_UNFINISHED = pattern(lambda: rf"(?:[,，、]|\b(?:{alternatives('lines.unfinished')})|[.!?] \d{{1,3}}\.)\Z")
_WORD = pattern(rf"[{HAN}]|\S{{1,40}}")
# The start of a line that goes on: a pause, a closing mark, a reference within a sentence.
_GOES_ON = pattern(r"[,;)](?=\s)|\.(?=\s+[a-z])|(?:\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,5}\]|<(?:cit|ref|sup)>)\s*[a-z,.;)]")
_NUMBER = pattern(r"\(\d{1,3}[a-z]?\)|\d+(?![\d.)])|\d+[.,]\d|(?:1[89]|20)\d\d\b")
_DAY, _YEAR = pattern(r"\d{1,2}\.\d{1,2}"), pattern(r"(?:1[89]|20)\d\d\b")
_SOURCE = pattern(r"\((?:1[89]|20)\d\d[a-z]?\)\s?[a-z,.;:)]")

# No one wraps prose narrower or wider than this, unless there are many lines as narrow as a column.
_NARROWEST, _WIDEST = 40, 200
_COLUMN, _MANY = 24, 20
_NARROWEST_HAN = 20
_LONGEST_ABBREVIATION = 9
_BRACKET = 120  # characters of a bracket that a line end may interrupt, on either side
_CLOSED = frozenset(".!?;:…")

# A kind, nothing if a line may be anything, or "column": a row if the line before or after it is one, too.
Form = Kind | str

CLOSED = pattern(r"[.!?…。！？；;：:︒।؟۔][\"'”’“»«›)\]）」』】*_]{0,4}\Z")
_RULE = pattern(r"(?=[-=_*~#+|─━═—–•·:\s]*[-=_*~#+|─━═])[-=_*~#+|─━═—–•·:\s]{3,}")
# In Chinese, patterns have the number of a page in their middle, and a space is enough after the number of a figure.
_PAGE = pattern(
    lambda: (
        rf"(?:{alternatives('lines.pages')}) \d{{1,4}}(?: ?(?:/|{alternatives('lines.page_totals')}) ?\d{{1,4}})?|"
        rf"[-–—] ?\d{{1,4}} ?[-–—]|{alternatives('lines.page_patterns')}"
    ),
    re.IGNORECASE,
)
_PAGE_NUMBER = pattern(r"\d{1,4}")
_CAPTION = pattern(
    lambda: (
        rf"(?:{alternatives('lines.captions', capitals=True)})\s?\d{{1,3}}(?:\.\d{{1,2}})?\s?[.:|—–]\s|"
        rf"(?:{alternatives('lines.pictures')})\s?:\s|"
        rf"(?:{alternatives('lines.captions', capitals=False)})\s?\d{{1,3}}(?:[-.．]\d{{1,2}})?[:：.\s]"
    ),
    re.IGNORECASE,
)
_FIGURE = pattern(r"[-+−(]?[$€£¥]?\s?\d[\d.,:/]*\s?[%)]*|[-–—]|n/?a", re.IGNORECASE)
_GAP = pattern(r"[ \xa0]{2,}|\t")
_CELL = 32  # characters; more are a sentence
_LONGEST_ROW, _LONGEST_NOTE = 400, 120
# A line that only a program has.
_CODE = pattern(
    r"(?:def|class|func|fn|function|struct|interface|enum)\s\w{1,60}\s?[({:<]|"
    r"(?:import|package|using|#include)\s[\w.<>\"/*]{1,80};?\Z|from\s[\w.]{1,80}\simport\s|return\b.{0,100};\Z|"
    r"(?:(?:public|private|protected|static|final|var|let|const|int|float|double|char|bool|auto|[sS]tring|void)\s){1,4}"
    r"[\w<>\[\]]{1,60}\s?[=;({]|"
    r"(?:if|for|while|switch|elif|with|except|catch)\b.{1,120}(?:[)\w\]\"']:|\{)\Z|(?:else|try|do|finally)\s?[:{]\Z|"
    r"[\w.\[\]\"'*&$@-]{1,60}\s?(?:[-+*/|&^%]|:)?=\s?\S.{0,120}\Z(?<![.,])|"
    r"[\w.]{1,60}\([^()]{0,100}(?:\([^()]{0,60}\)[^()]{0,60}){0,3}\)[;:]?\Z|"
    r"[{}\[\])]{1,8}[;,)]{0,3}\Z|.{1,160}(?:\);|\{|=>)\Z|"
    r"</?[a-zA-Z][\w-]{0,20}(?:\s[^<>]{0,200})?/?>(?:.{0,300}>)?\Z|(?:\$|>>>|C:\\>)\s\S|//|/\*|\*/|#!|"
    r"@\w{1,40}(?:\(|\Z)|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM|WHERE)\s[^.!?]{1,160}\Z|"
    r"Traceback \(|File \".{1,100}\", line \d|at [\w.$<>]{3,80}\(|\"[\w-]{1,40}\"\s?:\s"
)
_FENCE = "```"
_ENOUGH = 40  # lines tell whether a group is code
_FORMLESS = frozenset(("", "rule", "row"))  # what lines of code may look like


class Line(NamedTuple):
    """A line without the white space around it, and whether a blank line comes before it."""

    start: int
    end: int
    apart: bool


def find_lines(text: str, start: int = 0, end: int | None = None) -> list[Line]:
    """Return the lines of `text[start:end]` that are not blank.

    >>> find_lines("One\\n\\n  two")
    [Line(start=0, end=3, apart=False), Line(start=7, end=10, apart=True)]
    """
    end = len(text) if end is None else end
    lines: list[Line] = []
    apart = False
    start = _skip_space(text, start, end)
    for gap in _LINE_END.finditer(text, start, end):
        _append(lines, text, start, gap.start(), apart)
        start = gap.end()
        # A second line end in the gap leaves a blank line; a form feed or U+2029 alone means the same.
        more = gap["more"]
        apart = text[gap.start()] in "\f\u2029" or (more != "" and bool(_BLANK.search(more)))
    _append(lines, text, start, end, apart)
    return lines


def _skip_space(text: str, start: int, end: int) -> int:
    return end - len(text[start:end].lstrip())


def _append(lines: list[Line], text: str, start: int, end: int, apart: bool) -> None:
    """Append a line that begins without white space."""
    if start < end and text[end - 1].isspace():
        end = start + len(text[start:end].rstrip())
    if start < end:
        lines.append(Line(start, end, apart))


def wrap_width(text: str, lines: list[Line]) -> int:
    """Return the width at which the text is wrapped, or 0 if it is not."""
    pairs = [(a, b) for a, b in pairwise(lines) if not b.apart]
    # In wrapped prose, many lines begin in the middle of a sentence, with a lowercase letter.
    begun = [(a.end - a.start, text[b.start].islower()) for a, b in pairs]
    wide = [(width, goes_on) for width, goes_on in begun if width >= _NARROWEST]
    share = 0.3
    if len(begun) >= _MANY and 2 * len(wide) < len(begun):  # the column of a magazine
        wide, share = [(width, goes_on) for width, goes_on in begun if width >= _COLUMN], 0.5
    wrapped = sorted(width for width, goes_on in wide if goes_on)
    if wrapped and len(wrapped) >= share * len(wide):
        width = wrapped[len(wrapped) * 9 // 10]
        return width if width <= _WIDEST else 0
    # In a script without case, above all Chinese, wrapped lines have the same width.
    widths = [a.end - a.start for a, _ in pairs]
    width = max(widths, default=0)
    full = sum(line_width >= width - 1 for line_width in widths)
    uncased = sum(not text[b.start].isupper() for _, b in pairs)
    enough = full >= 3 and 2 * full >= len(widths) and 2 * uncased >= len(widths)
    return width if enough and _NARROWEST_HAN <= width <= _WIDEST else 0


def is_cased(text: str, lines: list[Line]) -> bool:
    """Tell whether paragraphs begin with capital letters: those after a closed one, as far as the script has them."""
    pairs = pairwise(line for line in lines if line.start < line.end)
    firsts = [text[b.start] for a, b in pairs if b.apart and text[a.end - 1] in '.!?”"']
    return 5 * sum(map(str.islower, firsts)) < len(firsts)


def is_interrupted(text: str, line: Line, after: Line) -> bool:
    """Tell whether a blank line stands in the middle of a sentence, in a text whose paragraphs begin with capitals.

    >>> text = "It was a long silvery, serpent-like\\n\\nsomething"
    >>> is_interrupted(text, *find_lines(text))
    True
    """
    last, first = text[line.end - 1], text[after.start : after.start + 2]
    if max(line.end - line.start, after.end - after.start) < _COLUMN or not first[0].isalnum():
        return False
    if ITEM.match(text, after.start, after.end):
        return False
    unfinished = _UNFINISHED.search(text, max(line.start, line.end - 8), line.end)
    return bool(unfinished) or (first.islower() and (last.isalpha() or last in "-–—,"))


def continues(text: str, line: Line, after: Line, width: int, language: Language) -> bool:
    """Tell whether `after` continues the sentence begun in `line`."""
    if text[line.end - 1] == "." and _is_abbreviated(text, line, after, language):
        return True
    if _is_in_bracket(text, line, after):
        return True
    if ITEM.match(text, after.start, after.end) or _HEADING.match(text, line.start, line.end):
        return False
    length = line.end - line.start
    first = _WORD.match(text, after.start, after.end)
    if width and length + len(first.group() if first else "") + 1 > width:
        return True
    if language == "zh":
        return text[line.end - 1] in "，、"
    if _UNFINISHED.search(text, max(line.start, line.end - 8), line.end):
        return True
    if text[line.end - 1] not in _CLOSED and _GOES_ON.match(text, after.start, after.end):
        return True
    # Short lowercase lines are a list, not wrapped prose, unless they are indented under an item.
    indented = text[after.start - 1] in " \t"
    if not text[after.start].islower() or not (indented or max(length, after.end - after.start) >= _NARROWEST):
        return False
    return not role_of(text[line.start : line.end])  # "RESULTS" above a text without capitals


def _is_abbreviated(text: str, line: Line, after: Line, language: Language) -> bool:
    """Tell whether a line ends with an abbreviation that never ends a sentence: "Mr.", "No." before a number."""
    first = text[after.start]
    if first == "(" and _SOURCE.match(text, after.start, after.end):
        return True
    space = text.rfind(" ", max(line.start, line.end - _LONGEST_ABBREVIATION), line.end)
    if space < 0 and line.end - line.start > _LONGEST_ABBREVIATION:
        return False
    word = text[space + 1 if space >= 0 else line.start : line.end - 1].lstrip("([\"'“")
    words, plain = abbreviations(language), word.lower()
    if first.isdigit() or first == "(":
        if plain in words.before_number and _NUMBER.match(text, after.start, after.end):
            return True
        if _DAY.fullmatch(word) and _YEAR.match(text, after.start, after.end):
            return True
    if not (plain in words.never or word in words.never) or not first.isalnum():
        return False
    begins = _WORD.match(text, after.start, after.end)
    return begins is not None and begins[0].lower() not in words.first and not ITEM.match(text, after.start, after.end)


def _is_in_bracket(text: str, line: Line, after: Line) -> bool:
    """Tell whether a bracket is opened in a line and closed in the next."""
    opened = text.rfind("(", max(line.start, line.end - _BRACKET), line.end)
    if opened < 0 or text.find(")", opened, line.end) >= 0:
        return False
    first = text[after.start]
    if not (first.isdigit() or first in ",;." or (first.isalpha() and text[line.end - 1] not in _CLOSED)):
        return False
    reach = min(after.end, after.start + _BRACKET)
    closed = text.find(")", after.start, reach)
    return closed >= 0 and text.find("(", after.start, closed) < 0


def line_form(text: str, lines: Sequence[Line], i: int) -> Form:
    """Return what the line `lines[i]` is, judged by itself."""
    start, end, apart = lines[i]
    first, length = text[start], end - start
    if first == ">" and (length == 1 or text[start + 1] in " >\t" or text[start + 1].isalnum()):
        return "quote"
    if not first.isalnum() and _RULE.fullmatch(text, start, end):
        return "rule"
    if length <= _LONGEST_NOTE:
        if _PAGE.fullmatch(text, start, end):
            return "page"
        alone = apart and (i + 1 == len(lines) or lines[i + 1].apart)
        if first.isdigit() and alone and _PAGE_NUMBER.fullmatch(text, start, end):
            return "page"
    if length <= _LONGEST_ROW and (form := _row(text, start, end)):
        return form
    return "caption" if _CAPTION.match(text, start, end) else ""


def _row(text: str, start: int, end: int) -> Form:
    """Return "row" for a row of a table, "column" for what may be one, else nothing."""
    if text.count("|", start, end) >= 2:
        if text[start] == text[end - 1] == "|":
            return "row"
        cells = text[start:end].strip("| ").split(" | ")
        closed = CLOSED.search(text, max(start, end - 6), end)
        return "row" if len(cells) > 2 and max(map(len, cells)) <= _CELL and not closed else ""
    last = text[end - 1]
    if text.find("\t", start, end) >= 0 or text.find("  ", start, end) >= 0:
        cells = _GAP.split(text[start:end])
    elif not (last.isdigit() or last in "%)-–—"):
        return ""
    elif text.count(",", start, end) >= 2 and text.find(", ", start, end) < 0:
        cells = text[start:end].split(",")
    else:
        cells = text[start:end].split()
        if len(cells) < 4 or _figures(cells) < max(3, 0.6 * len(cells)):
            return ""
        return "row"
    cells = [cell.strip() for cell in cells if cell.strip()]
    if len(cells) < 2 or len(cells[0]) > 2 * _CELL or max(map(len, cells[1:])) > _CELL:
        return ""
    if CLOSED.search(text, max(start, end - 6), end):
        return ""
    figures = _figures(cells[1:])
    if figures > 1 and 2 * figures >= len(cells) - 1:
        return "row"
    enough = len(cells) > 2 or figures or "\t" in text[start:end]
    return "column" if enough else ""


def _figures(cells: Sequence[str]) -> int:
    return sum(len(cell) < 24 and bool(_FIGURE.fullmatch(cell)) for cell in cells)


def settle_columns(forms: list[Form]) -> None:
    """Turn columns beside a row or another column into rows, and the others back into lines."""
    tabular = [form in ("row", "column") for form in forms]
    for i, form in enumerate(forms):
        if form == "column":
            in_table = (i and tabular[i - 1]) or (i + 1 < len(forms) and tabular[i + 1])
            forms[i] = "row" if in_table else ""


def mark_code(text: str, lines: Sequence[Line], forms: list[Form]) -> None:
    """Mark the lines between two fences, and the groups of lines that mostly look like a program."""
    fences = [i for i, line in enumerate(lines) if text.startswith(_FENCE, line.start)]
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        forms[opening : closing + 1] = ["code"] * (closing + 1 - opening)
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not lines[end].apart:
            continue
        if _FORMLESS.issuperset(forms[start:end]) and _is_code(text, lines[start:end]):
            forms[start:end] = ["code"] * (end - start)
        start = end


def _is_code(text: str, group: Sequence[Line]) -> bool:
    """Tell whether most lines of a group look like a program; a single line must also be indented."""
    if len(group) == 1 and _indent(text, group[0]) < 4:
        return False
    sample = group[:_ENOUGH]
    return sum(bool(_CODE.match(text, line.start, line.end)) for line in sample) >= max(
        0.6 * len(sample), min(2, len(group))
    )


def _indent(text: str, line: Line) -> int:
    """Return how far a line is indented, up to 8; a tab counts 4."""
    before = text[max(0, line.start - 8) : line.start]
    space = before[len(before.rstrip(" \t")) :]
    return min(8, len(space) + 3 * space.count("\t"))
