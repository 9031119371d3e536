"""Quotations: where they open and close, across sentences."""

import re
from collections.abc import Sequence
from typing import NamedTuple

LONGEST = 24  # sentences after which a quotation that never closes is given up
WHOLE = 6  # a quotation of more sentences is a speech, of which a part may be quoted
REACH = 8  # sentences in which a single quotation mark must find its partner: most are apostrophes

_BEFORE = " \t\n\r\u00a0([{-–—:/\"“‘'"
_OPENS_BEFORE = frozenset(_BEFORE)
# All but apostrophes inside words. What a mark is, is looked at after it, which is faster.
_MARK = re.compile(
    r"[`'’\"“”«»„‘](?:(?<=[\"“”«»„‘])|(?<=`)`|(?<=')'|(?<=['’])(?![^\W_])|(?<=')" rf"(?<![^{re.escape(_BEFORE)}]'))"
)
_ELISION = re.compile(r"(?:\d\ds|em|til|till|cause|tis|twas|bout|round|n)\b", re.IGNORECASE)
_PAIRS = {"“": "”", "«": "»", "„": "“", "``": "''", "‘": "'", "'": "'"}


class Quoted(NamedTuple):
    """How a sentence stands to quotations.

    `first` is the sentence where the quotation that is open at its start began, or -1. `outside` is its text without
    what is quoted.
    """

    first: int
    outside: str


def quoted(texts: Sequence[str], breaks: Sequence[bool]) -> list[Quoted]:
    """Follow quotations through the sentences; `breaks[i]` says that a paragraph ends before sentence i.

    A quotation ends with its paragraph unless the next one opens it again.
    """
    result: list[Quoted] = []
    marks = [[(mark.start(), mark.group()) for mark in _MARK.finditer(text)] for text in texts]
    # Where a sentence has a mark that may close a single quotation, and the last that is sure to.
    partners, lasts = [False] * len(texts), [-1] * len(texts)
    for i, found in enumerate(marks):
        for at, sign in found:
            if sign in ("’", "'") and _closes(texts[i], at, "'", "'", mine=True):
                partners[i] = True
                lasts[i] = at if _closes(texts[i], at, "'", "'", mine=False) else lasts[i]
    closer, first = "", -1
    for i, text in enumerate(texts):
        if closer and ((breaks[i] and not _opens_again(text, closer)) or i - first > LONGEST):
            closer, first = "", -1
        if not marks[i]:
            result.append(Quoted(first, "" if closer else text))
            continue
        began, outside, at = first, [], 0
        for place, sign in marks[i]:
            if closer and _closes(text, place, sign, closer, mine=first == i and place > lasts[i]):
                closer, first, at = "", -1, place + len(sign)
            elif _opens(text, place, sign):
                pair = _PAIRS.get(sign, '"')
                if not closer and (pair != "'" or any(partners[i : i + REACH])):
                    outside.append(text[at:place])
                    closer, first = pair, i
        if not closer:
            outside.append(text[at:])
        result.append(Quoted(began, " ".join(outside)))
    return result


def _opens_again(text: str, closer: str) -> bool:
    """Return whether a paragraph goes on with a quotation: only its last paragraph closes it."""
    at = len(text) - len(text.lstrip())
    mark = _MARK.match(text, at)
    return mark is not None and _opens(text, at, mark.group()) and _PAIRS.get(mark.group(), '"') == closer


def _opens(text: str, at: int, sign: str) -> bool:
    if sign in ("“", "«", "„", "``"):
        return True
    before, after = text[at - 1 : at] if at else " ", text[at + 1 : at + 2]
    if sign == '"':  # between two spaces, as in tokenized text, it opens, since none is open
        return before in _OPENS_BEFORE or (before == ")" and after.isalnum())
    if sign not in ("‘", "'") or not after or after.isspace() or before not in _OPENS_BEFORE:
        return False
    return not _ELISION.match(text, at + 1)


def _closes(text: str, at: int, sign: str, closer: str, *, mine: bool) -> bool:
    """Return whether a mark closes a quotation; `mine`: one of this sentence, which no later mark is sure to close."""
    before, after = text[at - 1 : at] if at else " ", text[at + 1 : at + 2]
    if closer == '"':
        return sign == closer and not (before in _OPENS_BEFORE and after.isalnum())
    if closer != "'":
        return sign == closer
    if sign not in ("’", "'") or after.isalnum() or before.isspace():
        return False
    return before != "s" or mine  # it may be the boys' room
