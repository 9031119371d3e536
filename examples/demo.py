"""Summarizes an English and a Chinese text at three lengths and marks the chosen sentences in the text."""

import re
import shutil
import sys
import time
from pathlib import Path
from unicodedata import east_asian_width

import click

from tersely import Summarizer, Summary

HERE = Path(__file__).parent
EXAMPLES = {"harbor.txt": (180, 300, 600), "古城.txt": (50, 100, 200)}


@click.command()
def main() -> None:
    """Summarize the texts beside this file."""
    summarizer = Summarizer.load()
    width = min(shutil.get_terminal_size().columns, 100)
    click.echo("tersely fits a text to a length, in the text's own words.")
    click.echo(
        f"Chosen sentences are {'green' if sys.stdout.isatty() else 'in ⟦brackets⟧'}; ⋯ stands for paragraphs left out."
    )
    for name, budgets in EXAMPLES.items():
        text = (HERE / name).read_text(encoding="utf-8").strip()
        click.secho(f"\n{name}: {len(text):,} characters", bold=True)
        for budget in budgets:
            started = time.perf_counter()
            summary = summarizer.summarize(text, max_chars=budget)
            milliseconds = 1000 * (time.perf_counter() - started)
            click.secho(f"\nat most {budget}  {bar(summary)}  {summary.length} used, {milliseconds:.0f} ms", fg="cyan")
            click.echo(wrapped(highlighted(summary), width))
    click.echo("\nNow try your own:  .venv/bin/tersely summarize FILE --max-chars 280")
    click.echo("All of it:         .venv/bin/tersely --help    or    make docs")


def bar(summary: Summary, width: int = 20) -> str:
    """Draw how much of the budget is used."""
    used = round(width * summary.fill)
    return "█" * used + "░" * (width - used)


def highlighted(summary: Summary) -> str:
    """Return the text with the chosen sentences marked; a paragraph without one is left out."""
    shown: list[str] = []
    for paragraph in re.finditer(r"[^\n]+", summary.source):
        marked = marks(summary, paragraph.start(), paragraph.end())
        if marked or shown[-1:] != ["⋯"]:
            shown.append(marked or "⋯")
    return "\n".join(shown)


def marks(summary: Summary, start: int, end: int) -> str:
    """Return one paragraph with its chosen sentences marked and the rest dimmed; nothing if none is chosen."""
    source, parts = summary.source, []
    for sentence in summary.sentences:
        if start <= sentence.start < end:
            parts.append(click.style(source[start : sentence.start], dim=True))
            # Without colors, brackets show the choice.
            text = sentence.text if sys.stdout.isatty() else f"⟦{sentence.text}⟧"
            parts.append(click.style(text, fg="green", bold=True))
            start = sentence.end
    return "".join([*parts, click.style(source[start:end], dim=True)]) if parts else ""


def wrapped(text: str, width: int) -> str:
    """Break lines between words, or between Chinese characters; colors take no room."""
    lines = []
    for paragraph in text.split("\n"):
        line, used = "  ", 2
        for piece in re.findall(r"\x1b\[[0-9;]*m|[ ]+|[\u2e80-\uffef]|[^\s\x1b\u2e80-\uffef]+", paragraph):
            room = 0 if piece.startswith("\x1b") else sum(1 + (east_asian_width(char) in "WF") for char in piece)
            if used + room > width and piece.strip():
                lines.append(line.rstrip(" "))
                line, used = "  ", 2
            line, used = line + piece, used + room
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    main()
