"""The summary that a user gets, and how it is shown: as JSON, a web page, Markdown, or an explanation."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any, Literal
from unicodedata import east_asian_width

from tersely.io.lines import to_json
from tersely.languages import pattern
from tersely.options import Budget
from tersely.text.document import on_one_line
from tersely.text.language import Language
from tersely.text.sources import Source

Reason = Literal[
    "selected", "whole-text-fits", "no-gain", "nothing-fits", "nothing-left", "nothing-answers", "empty-input"
]

Rejected = Literal["", "excluded", "shown", "noise", "redundant", "no-room", "needs", "no-gain", "outweighed"]

REASONS: dict[Reason, str] = {
    "selected": "the best choice that fits",
    "whole-text-fits": "the whole text fits",
    "no-gain": "another sentence would fit, but none adds enough",
    "nothing-fits": "no sentence is short enough for the budget",
    "nothing-left": "all that is worth showing has been shown",
    "nothing-answers": "nothing in the text answers the question",
    "empty-input": "the text has no sentence",
}
_REPR = 40  # characters of a summary in its repr

_PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1.05rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }}
article {{ white-space: pre-wrap; overflow-wrap: anywhere }}
mark {{ background: #ffe08a; color: #1a1a1a; border-radius: .2em; padding: .05em .1em }}
footer {{ margin-top: 2rem; opacity: .7; font-size: .85rem }}
</style>
<article dir="auto">{body}</article>
<footer>{note}</footer>
</html>
"""

_MARKDOWN_SPECIAL = pattern(r"([\\`*_{}\[\]<>#|~])")
_CONTROLS = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PIECES = pattern(r"\x1b\[[0-9;]*m|\s+|[\u2e80-\uffef]|[^\s\x1b\u2e80-\uffef]+|\x1b")
_COLUMNS = 100
# The number of rejected sentences that an explanation lists; the others are counted.
_LISTED = 10
_ROLES = {"main": "main point"}
_CAUSES = {"definite": "definite noun", "list": "list item", "other": "context"}
_REJECTIONS: dict[Rejected, str] = {
    "": "in the summary",
    "excluded": "left out on request",
    "shown": "in an earlier part",
    "noise": "noise",
    "redundant": "nearly repeats another sentence",
    "no-room": "longer than the whole budget",
    "needs": "cannot be understood alone",
    "no-gain": "adds too little",
    "outweighed": "others are worth more for the room",
}


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of the source, `source[start:end]`, and the value its scorer gave it.

    With several sources, `source` is the id of the sentence's source, and `start` and `end` are places in the text of
    that source. `role` is the part it plays in the text: "main" for the main point, "support", "background",
    "quotation", "procedure" or "noise". If it can probably not be understood alone, `cause` is the reason, such as
    "pronoun", and `needs` is the index of the sentence that it needs, if there is one. `noise` is its kind of noise, if
    any, and `rejected` is the reason why it is not in the summary. In a conversation, `speaker` says it at `time`.
    """

    index: int
    start: int
    end: int
    text: str
    score: float
    selected: bool
    needs: int | None = None
    cause: str = ""
    role: str = ""
    noise: str = ""
    rejected: Rejected = ""
    source: str | None = None
    speaker: str = ""
    time: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; offsets count Unicode code points."""
        return (
            said_by(self.speaker, self.time)
            | ({} if self.source is None else {"source": self.source})
            | {
                "index": self.index,
                "start": self.start,
                "end": self.end,
                "text": self.text,
                "score": float(f"{self.score:.9g}"),
                "needs": self.needs,
                "cause": self.cause,
                "role": self.role,
            }
        )


def said_by(speaker: str, time: str) -> dict[str, str]:
    """Return who says a sentence and when, as far as it is known."""
    return ({"speaker": speaker} if speaker else {}) | ({"time": time} if time else {})


@dataclass(frozen=True, repr=False)
class Summary:
    """A summary that fits its budget, in the source's own words.

    In `text`, a line break within a sentence is a space, or nothing in Chinese; each of the `sentences` has its exact
    text in the source. `sentences` are in the order of the option `order`; `ranking` has every sentence of the source,
    the best first. `source` is the whole text; of several `sources`, all their texts with a blank line between them.
    If nothing fits, `needed` is the length of the shortest possible summary. With `more`, a key, the next-best part of
    the same text can be asked for; if nothing is left, it is None. With a `query`, `confidence` is the chance, from 0
    to 1, that the text answers it; if it is too small, the reason is "nothing-answers".

    >>> from tersely import summarize
    >>> summarize("One fish. Two fish.", max_chars=10)
    Summary('One fish.', 9 of 10 chars, 1 of 2 sentences)
    """

    text: str
    sentences: tuple[ScoredSentence, ...]
    ranking: tuple[ScoredSentence, ...]
    language: Language
    budget: Budget
    capacity: int
    length: int
    reason: Reason
    needed: int | None
    model: str
    fingerprint: str
    source: str
    sources: tuple[Source, ...] = ()
    query: str | None = None
    more: str | None = None
    confidence: float | None = None

    @property
    def fill(self) -> float:
        """The part of the budget that is used, from 0 to 1."""
        return self.length / self.capacity if self.capacity else 0.0

    def explain(self) -> str:
        """Return one line about the length: the part used, the limit, and the reason.

        >>> from tersely import summarize
        >>> summarize("A long enough sentence.", max_chars=5).explain()
        '0 of 5 chars: no sentence is short enough for the budget; the shortest needs 23'
        """
        needed = f"; the shortest needs {self.needed}" if self.needed is not None else ""
        reason = REASONS[self.reason]
        if self.query is not None and self.reason == "nothing-fits":
            reason = reason.replace("sentence", "sentence that has to do with the question")
        elif self.reason == "nothing-answers" and self.sentences:
            reason += f" (confidence {self.confidence:.2f}); this is what comes nearest"
        return f"{self._used}: {reason}{needed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data, the same that `to_json` writes."""
        return {
            "text": self.text,
            **answered(self.query, self.confidence, self.reason != "nothing-answers"),
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "language": self.language,
            "budget": {"limit": self.budget.limit, "unit": self.budget.unit, "capacity": self.capacity},
            "length": self.length,
            "fill": round(self.fill, 4),
            "reason": self.reason,
            "needed": self.needed,
            "more": self.more,
            "ranking": [
                {**s.to_dict(), "selected": s.selected, "noise": s.noise, "rejected": s.rejected} for s in self.ranking
            ],
            "model": {"name": self.model, "fingerprint": self.fingerprint},
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON, readable in every script; a lone surrogate is escaped."""
        return to_json(self.to_dict(), indent)

    def to_html(self, title: str = "") -> str:
        """Return a page that shows the source with the chosen sentences marked; its title may be the first line."""
        return html(self, title)

    def to_markdown(self) -> str:
        """Return the chosen sentences as a Markdown list, with a line about their length."""
        return markdown(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= _REPR else f"{self.text[:_REPR].rstrip()}…"
        return f"Summary({text!r}, {self._used}, {len(self.sentences)} of {len(self.ranking)} sentences)"

    @property
    def _used(self) -> str:
        return f"{self.length} of {self.capacity} {self.budget.counts}"


def answered(query: str | None, confidence: float | None, answers: bool) -> dict[str, Any]:
    """Return a question and whether something answers it, as plain data; nothing without a question."""
    return {} if query is None else {"query": query, "confidence": confidence, "answered": answers}


def html(summary: Summary, title: str = "") -> str:
    """Return the source as a page with the chosen sentences marked; all text is escaped."""
    body = "\n\n".join(_marked(text, chosen) for _, text, chosen in _by_source(summary))
    language = "" if summary.language == "other" else summary.language
    title = " ".join((title or shortened(summary.source.strip().partition("\n")[0], _COLUMNS)).split()) or "tersely"
    return _PAGE.format(language=language, title=escape(title), note=escape(summary.explain()), body=body)


def _by_source(summary: Summary) -> Iterator[tuple[str | None, str, list[ScoredSentence]]]:
    """Yield the name and the text of each source, and what is chosen of it, in the order of the text."""
    chosen: dict[str | None, list[ScoredSentence]] = {}
    for sentence in sorted(summary.sentences, key=lambda s: s.start):
        chosen.setdefault(sentence.source, []).append(sentence)
    for source in summary.sources or (None,):
        name, text = (source.id, source.text) if source else (None, summary.source)
        yield name, text, chosen.get(name, [])


def _marked(text: str, chosen: list[ScoredSentence]) -> str:
    parts, at = [], 0
    for sentence in chosen:
        parts.append(escape(text[at : sentence.start]))
        parts.append(f'<mark title="{sentence.score:.4g}">{escape(sentence.text)}</mark>')
        at = sentence.end
    return "".join([*parts, escape(text[at:])])


def markdown(summary: Summary, title: str = "") -> str:
    """Return a list of the chosen sentences, with their own mark-up escaped, and a line about the length.

    A `title` is a heading before them.
    """
    listed = "".join(f"- {_unmarked(sentence.text)}\n" for sentence in summary.sentences)
    heading = f"## {_unmarked(title)}\n\n" if title else ""
    return heading + (f"{listed}\n" if listed else "") + f"*{summary.explain()}*\n"


def _unmarked(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(on_one_line(text).split()))


def highlighted(summary: Summary, in_color: bool) -> str:
    """Return the source with the chosen sentences in color, or else in ⟦brackets⟧.

    ⋯ stands for paragraphs of which nothing is chosen. Each of several sources has its name above it. In color, the
    text is for a terminal: control characters of the source are replaced.

    >>> from tersely import summarize
    >>> print(highlighted(summarize("Rain fell. The river rose.\\n\\nIt was night.", max_chars=16), in_color=False))
    Rain fell. ⟦The river rose.⟧
    ⋯
    """
    lines: list[str] = []
    for name, text, chosen in _by_source(summary):
        if name is not None:
            lines += [*([""] if lines else []), f"{printable(name)}:"]
        starts, ends = [s.start for s in chosen], [s.end for s in chosen]
        for paragraph in re.finditer(r"[^\n]+", text):
            start, end = paragraph.span()
            touched = chosen[bisect_right(ends, start) : bisect_left(starts, end)]
            line = _with_marks(text, start, end, touched, in_color)
            if line or (lines[-1:] != ["⋯"] and paragraph[0].strip()):
                lines.append(line or "⋯")
    return "\n".join(lines)


def _with_marks(text: str, start: int, end: int, chosen: list[ScoredSentence], in_color: bool) -> str:
    """Return `text[start:end]` with its part of the chosen sentences marked; nothing if it has none."""
    (dim, bright, normal) = ("\x1b[2m", "\x1b[1;32m", "\x1b[0m") if in_color else ("", "⟦", "⟧")
    parts, at = [], start
    for first, last in ((max(s.start, start), min(s.end, end)) for s in chosen):
        parts += [(text[at:first], dim, normal if dim else ""), (text[first:last], bright, normal)]
        at = last
    if parts:
        parts.append((text[at:end], dim, normal if dim else ""))
    return "".join(f"{on}{printable(part) if in_color else part}{off}" for part, on, off in parts if part)


def printable(text: str) -> str:
    """Replace what would command a terminal: control characters other than line breaks and tabs."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))


def wrapped(text: str, columns: int, indent: str = "") -> str:
    """Break lines between words, or between Chinese characters; colors take no room.

    >>> print(wrapped("One red fish", 8))
    One red
    fish
    """
    lines = []
    for paragraph in text.split("\n"):
        line, used = indent, len(indent)
        for piece in _PIECES.findall(paragraph):
            room = 0 if piece.startswith("\x1b") else _width(piece)
            if used + room > columns and used > len(indent) and piece.strip():
                lines.append(line.rstrip(" "))
                line, used = indent, len(indent)
            line, used = line + piece, used + room
        lines.append(line.rstrip(" "))
    return "\n".join(lines)


def _width(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def explained(summary: Summary) -> str:
    """Explain a summary: a line for each chosen sentence, then lines for rejected ones with the reasons.

    A line has the sentence's role, its worth as a share of the worth of all sentences, and what it needs. The best
    rejected sentences are listed, the others counted.

    >>> from tersely import Summarizer
    >>> lead = Summarizer.load(scorer="lead")
    >>> print(explained(lead.summarize("Rain fell. The river rose. The town was under water.", max_chars=20)))
    In the summary:
      0   56%  Rain fell.
    Left out, the best first:
      1   29%  The river rose.  — others are worth more for the room
      2   15%  The town was under water.  — longer than the whole budget
    """
    worth = sum(max(sentence.score, 0.0) for sentence in summary.ranking)
    inside = {sentence.index: sentence for sentence in summary.sentences}
    rejected = [sentence for sentence in summary.ranking if not sentence.selected]
    lines = ["In the summary:"] if inside else []
    serves: dict[int | None, list[ScoredSentence]] = {}
    for sentence in inside.values():
        serves.setdefault(sentence.needs, []).append(sentence)
    lines += [_line(s, worth, _needs(s, inside, serves.get(s.index, []))) for s in inside.values()]
    lines += ["Left out, the best first:"] if rejected else []
    lines += [_line(sentence, worth, _rejection(sentence)) for sentence in rejected[:_LISTED]]
    if rest := Counter(_REJECTIONS[sentence.rejected] for sentence in rejected[_LISTED:]):
        counts = ", ".join(f"{reason} ({count})" for reason, count in rest.most_common())
        lines.append(f"and {rest.total()} more: {counts}")
    return "\n".join(lines)


def _line(sentence: ScoredSentence, worth: float, note: str) -> str:
    """Return the line about a sentence; the sentence is cut so that the line fits into a terminal."""
    role = f"{_ROLES.get(sentence.role, sentence.role):10}  " if sentence.role else ""
    share = f"{max(sentence.score, 0.0) / worth if worth else 0.0:.0%}"
    begin, end = f"{sentence.index:>3}  {role}{share:>4}  ", f"  — {note}" if note else ""
    text = " ".join(on_one_line(sentence.text).split())
    return begin + shortened(text, _COLUMNS - len(begin) - len(end)) + end


def _needs(sentence: ScoredSentence, inside: dict[int, ScoredSentence], needed_by: list[ScoredSentence]) -> str:
    """Name what a chosen sentence needs, and the sentences of higher worth among those that need it."""
    notes, cause = [], _CAUSES.get(sentence.cause, sentence.cause)
    if sentence.needs is not None:
        notes.append(f"needs {sentence.needs}: {cause}{'' if sentence.needs in inside else ', left out'}")
    elif sentence.cause:
        notes.append(f"hard to understand: {cause}")
    served = [str(needy.index) for needy in needed_by if needy.score > sentence.score]
    if served:
        notes.append(f"serves {', '.join(served)}")
    return "; ".join(notes)


def _rejection(sentence: ScoredSentence) -> str:
    """Return the reason why a sentence is not in the summary."""
    if sentence.rejected == "noise" and sentence.noise not in ("", "other"):
        return sentence.noise if sentence.role == "noise" else f"noise: {sentence.noise}"
    if sentence.rejected == "needs":
        without = "alone" if sentence.needs is None else f"without {sentence.needs}"
        return f"cannot be understood {without} ({_CAUSES.get(sentence.cause, sentence.cause)})"
    return _REJECTIONS[sentence.rejected]


def shortened(text: str, columns: int) -> str:
    """Cut a text to the columns of a terminal; a Chinese character takes two."""
    ends = list(accumulate(2 if east_asian_width(sign) in "WF" else 1 for sign in text))
    if not ends or ends[-1] <= columns:
        return text
    return f"{text[: bisect_right(ends, columns - 1)].rstrip()}…"
