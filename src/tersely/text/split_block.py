"""The sentences of one paragraph."""

import re
from collections import deque

from tersely.text.split_marks import ENCLOSED, MARK, Scanner

_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s*")


def split_block(text: str, start: int, end: int, scanner: Scanner) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text[start:end]`, a paragraph, heading or item of a list."""
    spans: list[tuple[int, int]] = []
    enclosed = deque(found.span() for found in ENCLOSED.finditer(text, start, end))
    word, quotes, counted = _first_word(text, start, end), 0, start
    for found in MARK.finditer(text, start, end):
        quotes += text.count('"', counted, found.start())
        counted = found.start()
        stop = scanner.end_of_sentence(found, start, end, quotes)
        # What has no word in it yet is no sentence: "..." goes with what follows.
        if stop <= word or _is_inside(stop, enclosed):
            continue
        spans.append((start, stop))
        start = _skip_space(text, stop, end)
        word = _first_word(text, start, end)
    if spans and word >= end:
        spans[-1] = (spans[-1][0], end)
    elif start < end:
        spans.append((start, end))
    return spans


def _first_word(text: str, start: int, end: int) -> int:
    found = _WORD.search(text, start, end)
    return found.start() if found else end


def _skip_space(text: str, start: int, end: int) -> int:
    found = _SPACE.match(text, start, end)
    return found.end() if found else start


def _is_inside(position: int, spans: deque[tuple[int, int]]) -> bool:
    """Tell whether a span holds `position` within it; positions come in order, so spans behind it are dropped."""
    while spans and spans[0][1] <= position:
        spans.popleft()
    return bool(spans) and spans[0][0] < position
