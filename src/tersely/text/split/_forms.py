"""Tells by its form what a line is if it is not prose: a row of a table, code, a rule, a caption, a page number."""

import re
from collections.abc import Sequence

from tersely.text.blocks import Kind
from tersely.text.split._lines import Line

# A kind, nothing if a line may be anything, or "column": a row if the line before or after it is one, too.
Form = Kind | str

CLOSED = re.compile(r"[.!?…。！？；;：:︒।؟۔][\"'”’“»«›)\]）」』】*_]{0,4}\Z")
_RULE = re.compile(r"(?=[-=_*~#+|─━═—–•·:\s]*[-=_*~#+|─━═])[-=_*~#+|─━═—–•·:\s]{3,}")
_PAGE = re.compile(
    r"(?:page|seite|página|pagina) \d{1,4}(?: ?(?:of|/|von|de|di) ?\d{1,4})?|[-–—] ?\d{1,4} ?[-–—]|"
    r"第 ?\d{1,4} ?[页頁](?:[，,/ ]{0,3}共 ?\d{1,4} ?[页頁])?",
    re.IGNORECASE,
)
# How a page number and a caption begin.
_PAGE_FIRST, _CAPTION_FIRST = frozenset("pPsS-–—第"), frozenset("fFtTcCeEpPiIaA图圖表")
_NUMBER = re.compile(r"\d{1,4}")
_CAPTION = re.compile(
    r"(?:figure|fig\.?|table|chart|exhibit|photo|image|abb(?:ildung|\.)|tabelle|figura|tableau|tabla|tabela)\s?"
    r"\d{1,3}(?:\.\d{1,2})?\s?[.:|—–]\s|(?:photo|image|picture|caption)\s?:\s|[图圖表]\s?\d{1,3}(?:[-.．]\d{1,2})?[:：.\s]",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[-+−(]?[$€£¥]?\s?\d[\d.,:/]*\s?[%)]*|[-–—]|n/?a", re.IGNORECASE)
_GAP = re.compile(r"[ \xa0]{2,}|\t")
_CELL = 32  # characters; more are a sentence
_LONGEST_ROW, _LONGEST_NOTE = 400, 120
# A line that only a program has.
_CODE = re.compile(
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


def line_form(text: str, lines: Sequence[Line], i: int) -> Form:
    """Return what the line `lines[i]` is, judged by itself."""
    start, end, apart = lines[i]
    first, length = text[start], end - start
    if first == ">" and (length == 1 or text[start + 1] in " >\t" or text[start + 1].isalnum()):
        return "quote"
    if not first.isalnum() and _RULE.fullmatch(text, start, end):
        return "rule"
    if length <= _LONGEST_NOTE:
        if first in _PAGE_FIRST and _PAGE.fullmatch(text, start, end):
            return "page"
        alone = apart and (i + 1 == len(lines) or lines[i + 1].apart)
        if first.isdigit() and alone and _NUMBER.fullmatch(text, start, end):
            return "page"
    if length <= _LONGEST_ROW and (form := _row(text, start, end)):
        return form
    return "caption" if first in _CAPTION_FIRST and _CAPTION.match(text, start, end) else ""


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
            near = (i and tabular[i - 1]) or (i + 1 < len(forms) and tabular[i + 1])
            forms[i] = "row" if near else ""


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
    own = before[len(before.rstrip(" \t")) :]
    return min(8, len(own) + 3 * own.count("\t"))
