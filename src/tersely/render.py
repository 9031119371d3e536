"""A summary as a web page or as Markdown, and a frontier as a picture."""

import re
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import MissingExtraError, UsageError
from tersely.io.files import write_whole
from tersely.text.document import on_one_line

if TYPE_CHECKING:
    from tersely.frontier import Step
    from tersely.summary import ScoredSentence, Summary

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
_SHOWN = 72
_REJECTIONS = {
    "": "in the summary",
    "excluded": "left out on request",
    "noise": "noise",
    "redundant": "nearly repeats another sentence",
    "no-room": "too long for the room that is left",
    "needs": "cannot be understood without a sentence that is missing or does not fit",
    "no-gain": "adds too little",
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
    """Return one line per sentence of the source: whether it is in the summary, what it needs, or why it is out.

    Before them stands what the text was taken for, if the scorer decides that for each text.

    >>> from tersely import summarize
    >>> print(explained(summarize("Rain fell. The river rose.", max_chars=10)))
    2 sentences, which begin with what matters; the beginning counts most (bias 2.5)
    +  0  Rain fell.
       1  The river rose.  (too long for the room that is left)
    """
    lines: list[str] = []
    for sentence in sorted(summary.ranking, key=lambda s: s.index):
        text = " ".join(on_one_line(sentence.text).split())
        text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
        notes = [] if sentence.selected else [sentence.noise or _REJECTIONS[sentence.rejected]]
        notes += [f"needs {sentence.needs}"] if sentence.needs is not None else []
        note = f"  ({', '.join(notes)})" if notes else ""
        lines.append(f"{'+' if sentence.selected else ' '} {sentence.index:>2}  {text}{note}")
    return "\n".join(lines)


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
