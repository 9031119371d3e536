"""`tersely summarize`: one text, one budget, one summary."""

import sys
from typing import Any

import click

from tersely.cli.options import assembly, budgets, check_budget, output_option, parts, source_argument
from tersely.cli.output import write
from tersely.cli.source import read_source


@click.command("summarize", short_help="Fit a text to a budget.")
@source_argument
@budgets
@parts
@assembly
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "markdown"]),
    default="text",
    show_default=True,
)
@output_option
def command(
    source: str,
    form: str,
    output: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **how: Any,
) -> None:
    """Fit INPUT to a budget: the sentences that say most, verbatim, never over the limit.

    INPUT is a text file, an HTML file, an http(s) address, or standard input (- or nothing).

    \b
    tersely summarize article.txt --max-chars 400
    cat 新闻.txt | tersely summarize --max-chars 100 --format json
    """
    from tersely.summarizer import Summarizer

    check_budget(how)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    summary = summarizer.summarize(read_source(source), **how)
    written = {
        "text": lambda: summary.text,
        "json": lambda: summary.to_json(indent=2),
        "html": summary.to_html,
        "markdown": summary.to_markdown,
    }[form]()
    write(written, output)
    if not summary.sentences or sys.stdout.isatty():
        click.echo(f"tersely: {summary.explain()}", err=True)
    if not summary.sentences:
        raise click.exceptions.Exit(1)
