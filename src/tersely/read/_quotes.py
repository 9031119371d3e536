"""Quotations: where they open and close, across sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 24  # sentences after which a quotation that never closes is given up
REACH = 8  # sentences in which a single quotation mark must find its partner: most are apostrophes

_MARK = re.compile(r"[\"“”«»„‘’'`]")
_OPENS_BEFORE = frozenset(" \t\n\r\u00a0([{-–—:/\"“‘'")
_ELISION = re.compile(r"(?:\d\ds|em|til|till|cause|tis|twas|bout|round|n)\b", re.IGNORECASE)
_PAIRS = {"“": "”", "«": "»", "„": "“"}


@dataclass(frozen=True)
class Quoted:
    """How a sentence stands to quotations.

    `first` is the sentence where the quotation that is open at its start began, or -1. `open_at_end` is true if a
    quotation is still open at its end. `outside` is its text without what is quoted.
    """

    first: int
    open_at_end: bool
    outside: str


def quoted(texts: Sequence[str], breaks: Sequence[bool]) -> list[Quoted]:
    """Follow quotations through the sentences; `breaks[i]` says that a paragraph ends before sentence i."""
    result: list[Quoted] = []
    lasts = [max((m.start() for m in _MARK.finditer(text) if _closes(text, m.start(), "'")), default=-1) for text in texts]
    partners = [last >= 0 or any(_ends(text, m.start()) for m in _MARK.finditer(text)) for text, last in zip(texts, lasts, strict=True)]
    closer, first = "", -1
    for i, text in enumerate(texts):
        if closer and (breaks[i] or i - first > LONGEST):
            closer, first = "", -1
        began, outside, at = first, [], 0
        for mark in _MARK.finditer(text):
            place = mark.start()
            if closer:
                if _closes(text, place, closer) or (closer == "'" and first == i and place > lasts[i] and _ends(text, place)):
                    closer, first, at = "", -1, place + 1
            elif _opens(text, place):
                sign = mark.group()
                if sign in "‘'`" and not any(partners[i : i + REACH]):
                    continue
                outside.append(text[at:place])
                closer, first = _PAIRS.get(sign, "'" if sign in "‘'`" else '"'), i
        if not closer:
            outside.append(text[at:])
        result.append(Quoted(began, bool(closer), " ".join(outside)))
    return result


def _opens(text: str, at: int) -> bool:
    sign, before, after = text[at], text[at - 1 : at] or " ", text[at + 1 : at + 2]
    if sign in "“«„":
        return True
    if sign in "”»":
        return False
    if sign == '"':  # between two spaces, as in tokenized text, it opens, since none is open
        return before in _OPENS_BEFORE
    if sign == "’" or not after or after.isspace() or before not in _OPENS_BEFORE:
        return False
    return not _ELISION.match(text, at + 1)


def _closes(text: str, at: int, closer: str) -> bool:
    sign, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if closer != "'":
        if sign != '"' or closer != '"':
            return sign == closer
        return not (before in _OPENS_BEFORE and after.isalnum())  # a new paragraph of the quotation opens it again
    if sign not in "’'" or after.isalnum():
        return False
    return not before.isspace() and before != "s"


def _ends(text: str, at: int) -> bool:
    """Return whether a mark after an s may close a quotation; it may be "the boys' room" as well."""
    return text[at] in "’'" and text[at - 1 : at] == "s" and not text[at + 1 : at + 2].isalnum()
