"""Tells line ends that break the text from those that only wrap a sentence, and finds where a text has lost them."""

import re
from collections import deque
from itertools import pairwise
from typing import NamedTuple

from tersely.text.blocks import role_of
from tersely.text.language import HAN, Language
from tersely.text.split._abbreviations import abbreviations

# A line end (CRLF is one) and all white space after it.
_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LINE_END = re.compile(rf"(?:\r\n|[{_ENDS}])(?P<more>\s*)")
_BLANK = re.compile(f"[{_ENDS}]")
_NUMERAL = "一二三四五六七八九十百"
# The start of a list item, a heading or a table row.
ITEM = re.compile(
    r"(?:[-*+•‣◦▪●○■□◆◇★☆▶►▼◎·–—>|]|#{1,6}|"
    r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)])(?=\s)|"
    rf"(?:第?[{_NUMERAL}]{{1,4}}|\d{{1,3}})、|第[{_NUMERAL}\d]{{1,4}}[条章节款]|"
    rf"[（(](?:[{_NUMERAL}]{{1,4}}|\d{{1,3}})[）)]|[①-⑳⑴-⒇]"
)
_HEADING = re.compile(r"#{1,6}\s")
# The end of a line that must go on.
_UNFINISHED = re.compile(
    r"(?:[,，、]|\b(?:an?|the|of|and|or|to|for|with|from|by|at|his|her|their|its|is|was|that|upon|into|said)"
    r"|[.!?] \d{1,3}\.)\Z"
)
_WORD = re.compile(rf"[{HAN}]|\S{{1,40}}")
# The start of a line that goes on: a pause, a closing mark, a reference within a sentence.
_GOES_ON = re.compile(
    r"[,;)](?=\s)|\.(?=\s+[a-z])|(?:\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,5}\]|<(?:cit|ref|sup)>)\s*[a-z,.;)]"
)
_NUMBER = re.compile(r"\(\d{1,3}[a-z]?\)|\d+(?![\d.)])|\d+[.,]\d|(?:1[89]|20)\d\d\b")
_DAY, _YEAR = re.compile(r"\d{1,2}\.\d{1,2}"), re.compile(r"(?:1[89]|20)\d\d\b")
_SOURCE = re.compile(r"\((?:1[89]|20)\d\d[a-z]?\)\s?[a-z,.;:)]")

# No one wraps prose narrower or wider than this, unless there are many lines as narrow as a column.
_NARROWEST, _WIDEST = 40, 200
_COLUMN, _MANY = 24, 20
_NARROWEST_HAN = 20
_LONGEST_ABBREVIATION = 9
_BRACKET = 120  # characters of a bracket that a line end may interrupt, on either side
_CLOSED = frozenset(".!?;:…")

# "SALES ROSEThe shop", "- The winners -Anna", "(图1:会场)大会": a heading or a caption at the start of a sentence.
_HEAD = re.compile(
    r"(?:[A-Z\d][A-Z\d'’,:&-]{0,24}\s){1,12}[A-Z]{2,24}(?=[A-Z][a-z]{2,}\s)|"
    r"-\s?[A-ZÀ-Þ][^-.!?\n]{2,70}\s-(?=[A-ZÀ-Þ])|"
    r"[（(](?:图|照片|资料图|记者|通讯员|摄影|来源|编辑)[^（）()\n]{2,60}[）)](?=\w)|"
    rf"[（(](?:[{HAN}]{{2,4}}[ 、\u3000]){{1,8}}[{HAN}]{{2,4}}[）)](?=\w)"
)
# "the endThe next": a word that begins sentences, and any word after a year, though no space is before it.
_GLUED = re.compile(r"[A-Z](?<=[a-z\d][A-Z])[a-z]{2,9}(?=\s)")
# How such a heading begins.
_OPENS, _SHOUTS = frozenset("-(（"), frozenset(" ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTER = re.compile(r"\w")
_YEAR_BEFORE = re.compile(r"\b(?:19|20)\d\d\Z")
_LETTERS = re.compile(r"[a-z]{2}\Z")
# The picture that ends a post.
_PICTURE = re.compile(r"pic\.twitter\.com/\w{10}(?=\s?[A-Z])")


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
    full = sum(each >= width - 1 for each in widths)
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


def find_cuts(text: str, first: frozenset[str]) -> list[int]:
    """Return where a text is glued together, ascending; `first` has the words that begin sentences.

    >>> find_cuts("We saw the endThe next came.", frozenset({"the"}))
    [14]
    """
    cuts = [word.start() for word in _GLUED.finditer(text) if _is_glued(text, word, first)]
    if "pic.twitter.com/" in text:
        cuts = sorted([*cuts, *(picture.end() for picture in _PICTURE.finditer(text))])
    return cuts


def _is_glued(text: str, word: re.Match[str], first: frozenset[str]) -> bool:
    near = max(0, word.start() - 5)
    if _YEAR_BEFORE.search(text, near, word.start()):
        return True
    return word[0].lower() in first and bool(_LETTERS.search(text, near, word.start()))


def part(text: str, start: int, end: int, cuts: deque[int]) -> list[tuple[int, int]]:
    """Return the pieces of a sentence: the heading that is glued to it, and what the cuts leave of it."""
    while cuts and cuts[0] <= start:
        cuts.popleft()
    begins = text[start] in _OPENS or text[start + 1 : start + 2] in _SHOUTS
    if not begins and not cuts:
        return [(start, end)]
    stops: list[int] = []
    if begins:
        head = _HEAD.match(text, start, end)
        stops += [head.end()] if head else []
    while cuts and cuts[0] < end:
        stops.append(cuts.popleft())
    pieces: list[tuple[int, int]] = []
    for stop in stops:
        rest = _LETTER.search(text, stop, end)
        if stop > start and rest:
            pieces.append((start, stop))
            start = stop + len(text[stop : rest.start()]) - len(text[stop : rest.start()].lstrip())
    return [*pieces, (start, end)]
