"""Lines as units, for logs and the output of tools: which ones matter, which are alike, and the frame of an error."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import ceil, log, sqrt
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tersely.languages import alternatives, pattern
from tersely.text.document import Document

Values = NDArray[np.float64]

# What changes from one line of a kind to the next: words with a digit, hashes, months and days; but not in "0 errors".
_CHANGING = pattern(
    r"\b(?!0 [a-z])(?=\w*\d)\w+|\b[a-f]{7,64}\b|"
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"
)
_STATUS = pattern(r"\" ([45])\d\d\b|\bHTTP/\d(?:\.\d)? ([45])\d\d\b")
_WORD = pattern(r"[^\W\d_]{2}")
_STAMPED = pattern(
    r"\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d\d:\d\d:\d\d[.,]\d|"
    r"\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \[|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)|"
    r"\s+at \S+\(|npm (?:ERR!|WARN|warn|error|http)\b"
)
# The beginning of a trace, whose error stands below it, and its frames.
_TRACE = pattern(r"\W{0,3}Traceback \(most recent call last\)|goroutine \d+ \[|stack backtrace:|Stack trace:")
_FRAME = pattern(r"\s+\S|at \S+[(:]|File \"|\.\.\. \d+ |#\d+ +\S|>\s{2,}\S|\^|During handling of|The above exception")
# What stands above other lines: a file of a diff, a folder of a listing, a rule with a title.
_HEADING = pattern(r"diff --git |Index: |[=#*_-]{3,} ?\S.*|\S{1,200}:\Z|#{1,6} ")
_FAILURE = pattern(r"E\s{2,}\S|npm ERR!|!!! ")
_LEVELS = frozenset("TRACE DEBUG INFO NOTICE WARN WARNING ERROR FATAL CRITICAL SEVERE".split())

# What lines are worth by how severe they are: ordinary ones, warnings, problems, errors, and what ends a program.
_WORTH = (1.0, 3.0, 6.0, 8.0, 10.0)
_ORDINARY, _WARNING, _PROBLEM, _ERROR, _FATAL = range(5)
# A frame counts so much of its error, and each further one this much of the one before it, up to so many.
_NEXT_TO_ERROR, _NEXT_FRAME, _MOST_FRAMES = 0.5, 0.8, 40
# An ordinary line that is indented, or has no word, is worth less; a heading more.
_INDENTED, _WORDLESS, _TITLED = 0.4, 0.02, 1.5
# A total, above all at the end, the first line, and the last one are worth more.
_TOTAL, _TOTAL_AT_END, _FIRST, _LAST, _ENDING = 2.0, 6.0, 1.5, 3.0, 12
# So many characters of a line are judged.
_JUDGED = 400
# A line of this length is worth what is said here; the worth grows with the root of the length, up to three times it.
_USUAL, _LONGEST = 80, 240
# Lines that differ in one word are alike if there are so many of them, and if they share so many words.
_ALIKE, _SHARED, _ROUNDS, _MOST_WORDS, _WILD = 4, 2, 3, 40, "*"
# A log has so many lines at least, most of which begin as such; a sample of its first and last lines tells.
_PART, _SAMPLE, _FEWEST, _SHARE = 20_000, 200, 8, 0.6


def are_logs(documents: Sequence[Document]) -> bool:
    """Tell whether in all texts most lines begin as those of a log do, with a time or a level; a chat is no log.

    >>> are_logs([Document.from_text("\\n".join(f"2025-01-01 10:00:0{i} INFO up" for i in range(9)))])
    True
    """
    return bool(documents) and all(map(_is_log, documents))


def _is_log(document: Document) -> bool:
    if any(speaker.upper() not in _LEVELS for speaker in set(document.speakers) - {""}):
        return False
    text = document.text
    if text.startswith("diff --git "):
        return True
    sample = (*text[:_PART].splitlines()[:_SAMPLE], *text[-_PART:].splitlines()[-_SAMPLE:])
    lines = [line for line in sample if line.strip()]
    ordinary = (line for line in lines if not _STAMPED.match(line))
    one_too_many = next(islice(ordinary, len(lines) - ceil(_SHARE * len(lines)), None), None)
    return len(lines) >= _FEWEST and one_too_many is None


class _Words(NamedTuple):
    """The words that say how severe a line is, and that it is a total."""

    fatal: re.Pattern[str]
    errors: re.Pattern[str]
    problems: re.Pattern[str]
    warnings: re.Pattern[str]
    levels: re.Pattern[str]
    totals: re.Pattern[str]
    nothing: re.Pattern[str]


@cache
def _words() -> _Words:
    def of_words(*names: str, form: str = r"\b(?:{})\b") -> re.Pattern[str]:
        cased, dense = ("|".join(filter(None, (alternatives(name, c) for name in names))) for c in (True, False))
        return re.compile(form.format(cased) + (f"|{dense}" if dense else ""), re.IGNORECASE)

    errors = ("faults.errors", "logs.severe")
    return _Words(
        of_words("faults.fatal"),
        of_words(*errors, form=r"\b(?:{})\b|(?-i:[a-z](?:Error|Exception)\b)"),
        of_words("logs.problems"),
        of_words("faults.warnings"),
        of_words("logs.levels", form=r"\A.{{0,60}}?\b(?:{})\b"),
        of_words("logs.totals"),
        of_words(*errors, "logs.problems", "faults.warnings", form=r"\b(?:0|no|without|zero) (?:{})\b"),
    )


@dataclass(frozen=True)
class LogLines:
    """What is known of the lines of a document.

    `copies` are the lines that another one stands for, and `similar` says of a line how many it stands for. The worth
    of a frame depends on the line that it is next to: `cures` names that line, or -1, and `bonus` is the worth.
    """

    worth: Values
    copies: frozenset[int]
    similar: dict[int, int]
    cures: tuple[int, ...]
    bonus: Values


def read_lines(texts: Sequence[str], ends: Sequence[int], include: Iterable[int] = ()) -> LogLines:
    """Read the lines of one source after another, of which each `ends` there; those to `include` are no copies.

    The time grows with the length of the text.
    """
    pinned = {i for i in include if 0 <= i < len(texts)}
    forms = _forms(texts)
    severities = [form.severity for form in forms]
    groups = _groups(forms)
    frames = _frames(texts, severities, ends)
    standing = {groups[i]: i for i in sorted(pinned, reverse=True)}
    for i, group in enumerate(groups):
        standing.setdefault(group, i)
    copies = frozenset(i for i, group in enumerate(groups) if standing[group] != i and i not in pinned)
    left_out = Counter(groups[i] for i in copies)
    similar = {i: left_out[group] for group, i in standing.items() if left_out[group] and i not in frames}
    sizes = Counter(groups)
    worth = _worths(forms, [sizes[group] for group in groups], ends)
    worth[list(frames)] = 0.0
    cures, bonus = [-1] * len(texts), np.zeros(len(texts))
    for i, frame in frames.items():
        # A frame that is a copy of another one is skipped.
        before = frame.before
        while before in copies and before in frames:
            before = frames[before].before
        frames[i] = frame._replace(before=before)
        if i not in copies and before not in copies:
            cures[i] = before
            bonus[i] = max(worth[frame.error], 0.0) * _NEXT_TO_ERROR * _NEXT_FRAME**frame.step
    return LogLines(worth, copies, similar, tuple(cures), bonus)


class _LineForm(NamedTuple):
    """A line without what changes, how severe it is, what it is worth by its form, and whether it is a total."""

    words: tuple[str, ...]
    severity: int
    worth: float
    is_total: bool


def _forms(texts: Sequence[str]) -> list[_LineForm]:
    """Return the forms of lines; what many lines have in common is read once."""
    forms: dict[tuple[str, str], _LineForm] = {}
    result: list[_LineForm] = []
    for text in texts:
        status = _STATUS.search(text[:_JUDGED]) if "HTTP/" in text else None
        key = (_CHANGING.sub("#", text), "" if status is None else status[1] or status[2])
        if key not in forms:
            forms[key] = _form(*key)
        result.append(forms[key])
    return result


def _form(text: str, status: str) -> _LineForm:
    start = text[:_JUDGED]
    severity = (_PROBLEM if status == "5" else _WARNING) if status else _severity(start)
    worth = _WORTH[severity] if _WORD.search(start) else _WORTH[severity] * _WORDLESS
    if not severity:
        worth *= _TITLED if _HEADING.match(start) else _INDENTED if text[0].isspace() else 1.0
    worth *= sqrt(min(len(text), _LONGEST) / _USUAL)
    words = ("#" if word == "0" else word for word in text.split())
    return _LineForm((str(severity), *words), severity, worth, _words().totals.search(start) is not None)


def _severity(text: str) -> int:
    """Return how severe a line is, from 0 to 4.

    >>> [_severity(line) for line in ("INFO up", "WARN slow", "disk not found", "0 failed", "ValueError: x", "PANIC")]
    [0, 1, 2, 0, 3, 4]
    """
    words = _words()
    if _FAILURE.match(text):
        return _ERROR
    text = words.nothing.sub("", text)
    by_severity = (words.fatal, words.errors, words.problems, words.warnings)
    severity = next((_FATAL - i for i, pattern in enumerate(by_severity) if pattern.search(text)), _ORDINARY)
    # What a program itself calls ordinary is no more than a warning.
    return min(severity, _WARNING) if severity and words.levels.search(text) else severity


def _groups(forms: Sequence[_LineForm]) -> list[int]:
    """Return the number of each line's kind: lines of one kind differ in numbers and hashes, or in a word or two.

    Kinds that differ in one word become one if there are several of them and they share enough other words; that is
    done a few times. The hash of a kind is a sum, from which that of a word is subtracted: so the time stays linear.
    """
    numbers: dict[tuple[str, ...], int] = {}
    groups = [numbers.setdefault(form.words, len(numbers)) for form in forms]
    hashes = {_WILD: _mark(_WILD)} | {word: _mark(word) for key in numbers for word in key}
    kinds, parents = [list(key) for key in numbers], list(range(len(numbers)))
    for _ in range(_ROUNDS):
        without: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for k, kind in enumerate(kinds):
            if parents[k] != k or not _SHARED < len(kind) <= _MOST_WORDS:
                continue
            spoken = [_WORD.search(word) is not None for word in kind]
            marks = [hashes[word] * (2 * place + 1) for place, word in enumerate(kind)]
            total, count = sum(marks), sum(spoken)
            for place in range(1, len(kind)):
                if kind[place] != _WILD and count - spoken[place] >= _SHARED:
                    without[total - marks[place]].append((k, place))
        changed = False
        for alike in sorted(without.values(), key=len, reverse=True):
            alive = [(k, place) for k, place in alike if parents[k] == k and kinds[k][place] != _WILD]
            if len(alive) >= _ALIKE:
                (first, at), *later = alive
                kinds[first][at], changed = _WILD, True
                for k, _ in later:
                    parents[k] = first
        if not changed:
            break
    return [_root(parents, group) for group in groups]


def _mark(word: str) -> int:
    raw = word.encode("utf-8", "surrogatepass")
    return crc32(raw) << 32 | crc32(raw[::-1])


def _root(parents: list[int], k: int) -> int:
    while parents[k] != k:
        parents[k] = k = parents[parents[k]]
    return k


class _Frame(NamedTuple):
    """A line of a trace: its error, the line before it on the way from there, and how many are in between."""

    error: int
    before: int
    step: int


def _frames(texts: Sequence[str], severities: Sequence[int], ends: Sequence[int]) -> dict[int, _Frame]:
    """Return the frames of errors: they stand below one, or above it if a line says that a trace begins."""
    frames: dict[int, _Frame] = {}
    i = 0
    for end in ends:
        while i < end:
            last = i + 1
            if _TRACE.match(texts[i]):
                while last < end and _FRAME.match(texts[last]):
                    last += 1
                if last < end and last - i > 1:
                    above = range(last - 1, max(i, last - _MOST_FRAMES) - 1, -1)
                    frames |= {frame: _Frame(last, frame + 1, step) for step, frame in enumerate(above)}
                    i = last
                    continue
            elif severities[i]:
                while last < min(end, i + _MOST_FRAMES) and _FRAME.match(texts[last]) and not severities[last]:
                    frames[last] = _Frame(i, last - 1, last - i - 1)
                    last += 1
            i = last
    return frames


def _worths(forms: Sequence[_LineForm], sizes: Sequence[int], ends: Sequence[int]) -> Values:
    """Return what lines are worth: by their form, by how rare their kind is (`sizes`), and by their place."""
    most, values = log(len(forms) + 1), np.empty(len(forms))
    for i, (form, size) in enumerate(zip(forms, sizes, strict=True)):
        rare = 1 - log(size) / most
        values[i] = form.worth * (1 + rare if form.severity else 0.1 + rare * rare)
    start = 0
    for end in ends:
        if start < end:
            values[start] += _FIRST
            values[end - 1] += _LAST
        for i in range(start, end):
            if forms[i].is_total:
                values[i] += _TOTAL_AT_END if i >= end - _ENDING else _TOTAL
        start = end
    return values
