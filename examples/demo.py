"""Shows one English and one Chinese text at three budgets, the chosen sentences marked in the source."""

import re
import sys
import time
from pathlib import Path

import click

from tersely import Summarizer, Summary
from tersely.summary import ScoredSentence

EXAMPLES = {"harbor.txt": (180, 300, 600), "古城.txt": (50, 100, 200)}


@click.command()
def main() -> None:
    """Summarize the examples beside this file."""
    summarizer = Summarizer.load()
    click.echo(f"model: {summarizer.name}")
    for name, budgets in EXAMPLES.items():
        text = (Path(__file__).parent / name).read_text(encoding="utf-8")
        for budget in budgets:
            started = time.perf_counter()
            summary = summarizer.summarize(text, max_chars=budget)
            milliseconds = 1000 * (time.perf_counter() - started)
            click.secho(f"\n━━ {name}, at most {budget} characters ", fg="cyan", bold=True, nl=False)
            click.secho(f"{bar(summary)} {summary.length}/{budget}  {milliseconds:.1f} ms", fg="cyan")
            click.echo(highlighted(summary))


def bar(summary: Summary, width: int = 20) -> str:
    """Draw how much of the budget is used."""
    used = round(width * summary.fill)
    return "█" * used + "░" * (width - used)


def highlighted(summary: Summary) -> str:
    """Return the source with the chosen sentences in color; a paragraph without one is left out."""
    shown = []
    for paragraph in re.finditer(r"[^\n]+", summary.source):
        chosen = [s for s in summary.sentences if paragraph.start() <= s.start < paragraph.end()]
        if chosen:
            shown.append(marked(summary.source, paragraph.start(), paragraph.end(), chosen))
        elif shown[-1:] != ["⋯"]:
            shown.append("⋯")
    return "\n".join(shown)


def marked(source: str, start: int, end: int, chosen: list[ScoredSentence]) -> str:
    """Return one paragraph, what was chosen bold and in color, the rest dimmed."""
    parts = []
    for sentence in chosen:
        parts.append(click.style(source[start : sentence.start], dim=True))
        # Where there is no color, brackets show the choice.
        text = sentence.text if sys.stdout.isatty() else f"⟦{sentence.text}⟧"
        parts.append(click.style(text, fg="green", bold=True))
        start = sentence.end
    return "".join([*parts, click.style(source[start:end], dim=True)])


if __name__ == "__main__":
    main()
