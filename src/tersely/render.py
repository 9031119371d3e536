"""A summary as a web page, as Markdown or explained, and a frontier as a picture."""

import re
from bisect import bisect_right
from collections import Counter
from html import escape
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from tersely.errors import MissingExtraError, UsageError
from tersely.io.files import write_whole
from tersely.text.document import on_one_line

if TYPE_CHECKING:
    from tersely.frontier import Step
    from tersely.summary import Rejected, ScoredSentence, Summary

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
<footer>{title}</footer>
</html>
"""

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_PICTURES = ("png", "svg", "pdf")
_COLUMNS = 100
# So many of the sentences that are out are listed; the others are counted.
_LISTED = 10
_ROLES = {"main": "main point"}
_CAUSES = {"definite": "definite noun", "list": "list item", "other": "context"}
_REJECTIONS: "dict[Rejected, str]" = {
    "": "in the summary",
    "excluded": "left out on request",
    "noise": "noise",
    "redundant": "nearly repeats another sentence",
    "no-room": "longer than the whole budget",
    "needs": "cannot be understood alone",
    "no-gain": "adds too little",
    "outweighed": "others are worth more for the room",
}


def html(summary: "Summary") -> str:
    """Return the source as a page with the chosen sentences marked; all text is escaped."""
    texts: list[tuple[str | None, str]] = [(source.id, source.text) for source in summary.sources]
    texts = texts or [(None, summary.source)]
    body = "\n\n".join(_marked(text, [s for s in summary.sentences if s.source == name]) for name, text in texts)
    language = "" if summary.language == "other" else summary.language
    return _PAGE.format(language=language, title=escape(summary.explain()), body=body)


def _marked(text: str, chosen: "list[ScoredSentence]") -> str:
    parts, at = [], 0
    for sentence in sorted(chosen, key=lambda s: s.start):
        parts.append(escape(text[at : sentence.start]))
        parts.append(f'<mark title="{sentence.score:.4g}">{escape(sentence.text)}</mark>')
        at = sentence.end
    return "".join([*parts, escape(text[at:])])


def markdown(summary: "Summary") -> str:
    """Return a list of the chosen sentences, with their own mark-up escaped, and a line about the length."""
    items = (_MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(on_one_line(s.text).split())) for s in summary.sentences)
    listed = "".join(f"- {item}\n" for item in items)
    return f"{listed}\n*{summary.explain()}*\n" if listed else f"*{summary.explain()}*\n"


def explained(summary: "Summary") -> str:
    """Return a line for each chosen sentence, what it is, what it is worth and what it needs, then why others are out.

    Worth is a share of what all sentences are worth. Of the others, the best are listed, and the rest are counted.

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
    others = [sentence for sentence in summary.ranking if not sentence.selected]
    lines = ["In the summary:"] if inside else []
    lines += [_line(sentence, worth, _needs(sentence, inside)) for sentence in inside.values()]
    lines += ["Left out, the best first:"] if others else []
    lines += [_line(sentence, worth, _rejection(sentence)) for sentence in others[:_LISTED]]
    if rest := Counter(_REJECTIONS[sentence.rejected] for sentence in others[_LISTED:]):
        counts = ", ".join(f"{reason} ({count})" for reason, count in rest.most_common())
        lines.append(f"and {rest.total()} more: {counts}")
    return "\n".join(lines)


def _line(sentence: "ScoredSentence", worth: float, note: str) -> str:
    """Return the line about a sentence, of which so much is shown that it fits into a terminal."""
    role = f"{_ROLES.get(sentence.role, sentence.role):10}  " if sentence.role else ""
    share = f"{max(sentence.score, 0.0) / worth if worth else 0.0:.0%}"
    begin, end = f"{sentence.index:>3}  {role}{share:>4}  ", f"  — {note}" if note else ""
    text = " ".join(on_one_line(sentence.text).split())
    return begin + _cut(text, _COLUMNS - len(begin) - len(end)) + end


def _needs(sentence: "ScoredSentence", inside: "dict[int, ScoredSentence]") -> str:
    """Say what a chosen sentence needs, and which sentences that are worth more need it."""
    notes, cause = [], _CAUSES.get(sentence.cause, sentence.cause)
    if sentence.needs is not None:
        notes.append(f"needs {sentence.needs}: {cause}{'' if sentence.needs in inside else ', left out'}")
    elif sentence.cause:
        notes.append(f"hard to understand: {cause}")
    served = [str(s.index) for s in inside.values() if s.needs == sentence.index and s.score > sentence.score]
    if served:
        notes.append(f"serves {', '.join(served)}")
    return "; ".join(notes)


def _rejection(sentence: "ScoredSentence") -> str:
    """Say why a sentence is out."""
    if sentence.rejected == "noise" and sentence.noise not in ("", "other"):
        return sentence.noise if sentence.role == "noise" else f"noise: {sentence.noise}"
    if sentence.rejected == "needs":
        without = "alone" if sentence.needs is None else f"without {sentence.needs}"
        return f"cannot be understood {without} ({_CAUSES.get(sentence.cause, sentence.cause)})"
    return _REJECTIONS[sentence.rejected]


def _cut(text: str, columns: int) -> str:
    """Cut a text to so many columns of a terminal, in which a Chinese character takes two."""
    ends = list(accumulate(2 if east_asian_width(sign) in "WF" else 1 for sign in text))
    if not ends or ends[-1] <= columns:
        return text
    return f"{text[: bisect_right(ends, columns - 1)].rstrip()}…"


def plot_steps(steps: "list[Step]", unit: str, file: str) -> None:
    """Draw value against budget as a staircase, and write it as PNG, SVG or PDF by the file's ending."""
    form = Path(file).suffix.lstrip(".").lower()
    if form not in _PICTURES:
        raise UsageError(f"{file}: the name of a plot must end in .{', .'.join(_PICTURES)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a plot", "plot") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.step([s.budget for s in steps], [s.value for s in steps], where="post", color="#2563eb")
    axes.set(xlabel=f"budget ({unit})", ylabel="value of the summary", xlim=(0, None), ylim=(0, None))
    axes.grid(alpha=0.3)
    picture = BytesIO()
    figure.savefig(picture, format=form, dpi=150)
    write_whole(file, picture.getvalue())
