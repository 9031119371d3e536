"""Summarizes an English and a Chinese text at three lengths and marks the chosen sentences in the text."""

import shutil
import sys
import time
from pathlib import Path

import click

from tersely import Summarizer, Summary
from tersely.summary import highlighted, wrapped

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
            click.echo(wrapped(highlighted(summary, in_color=sys.stdout.isatty()), width, indent="  "))
    click.echo("\nNow try your own:  .venv/bin/tersely summarize FILE --max-chars 280")
    click.echo("All of it:         .venv/bin/tersely --help    or    make docs")


def bar(summary: Summary, width: int = 20) -> str:
    """Draw how much of the budget is used."""
    used = round(width * summary.fill)
    return "█" * used + "░" * (width - used)


if __name__ == "__main__":
    main()
