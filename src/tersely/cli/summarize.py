"""`tersely summarize`: one text, one budget, one summary."""

import sys
from typing import Any

import click

from tersely.cli._options import (
    assembly,
    budgets,
    output_option,
    parts,
    share_encoder,
    sources_argument,
    take_budget,
    take_options,
)
from tersely.cli._printing import write


@click.command("summarize", short_help="Fit a text to a budget.")
@sources_argument
@budgets
@parts
@assembly
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "markdown"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option("--explain", is_flag=True, help="Also say, on standard error, why each sentence is in or out.")
@output_option
def command(
    sources: tuple[str, ...],
    form: str,
    explain: bool,
    output: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **how: Any,
) -> None:
    """Fit INPUT to a budget: the sentences that say most, verbatim, never over the limit.

    INPUT is a text file, an HTML file, an http(s) address, or standard input (- or nothing). Several inputs, or a
    .jsonl file with an id and a text per line, are summarized together.

    \b
    tersely summarize article.txt --max-chars 400
    cat 新闻.txt | tersely summarize --max-chars 100 --format json
    tersely summarize minutes.txt plan.md --query "When does the harbor close?" --max-words 60
    """
    from tersely.io.source import read_sources
    from tersely.summarizer import Summarizer
    from tersely.text.sources import as_document

    encoder = share_encoder(encoder, how)
    budget, options = take_budget(how), take_options(how)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    document = as_document(read_sources(sources, named=bool(options.header)), how["language"])
    summary = summarizer.fit(document, budget, options, how["tokenizer"])
    written = {
        "text": lambda: summary.text,
        "json": lambda: summary.to_json(indent=2),
        "html": summary.to_html,
        "markdown": summary.to_markdown,
    }[form]()
    write(written, output)
    if explain:
        from tersely.render import explained

        click.echo(explained(summary), err=True)
    if not summary.sentences or explain or sys.stdout.isatty():
        click.echo(f"tersely: {summary.explain()}", err=True)
    if not summary.sentences:
        raise click.exceptions.Exit(1)
