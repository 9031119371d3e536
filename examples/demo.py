"""Shows one English and one Chinese text at three budgets, the chosen sentences marked in the source."""

import time
from pathlib import Path

import click

from tersely import Summarizer, Summary

EXAMPLES = {"harbour.txt": (120, 280, 600), "古城.txt": (40, 100, 200)}


def main() -> None:
    """Summarise the examples beside this file."""
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
            click.echo(highlighted(summary) if budget == budgets[-1] else summary.text)


def bar(summary: Summary, width: int = 20) -> str:
    """Draw how much of the budget is used."""
    used = round(width * summary.fill)
    return "█" * used + "░" * (width - used)


def highlighted(summary: Summary) -> str:
    """Return the source, what was chosen in bold and colour, the rest dimmed."""
    parts, at = [], 0
    for sentence in summary.sentences:
        parts.append(click.style(summary.source[at : sentence.start], dim=True))
        parts.append(click.style(sentence.text, fg="green", bold=True))
        at = sentence.end
    parts.append(click.style(summary.source[at:].rstrip(), dim=True))
    return "".join(parts)


if __name__ == "__main__":
    main()
