"""`tersely summarize`: one text, one budget, one summary."""

import sys
from typing import Any

import click

from tersely.cli._options import (
    assembly,
    budgets,
    field_option,
    output_option,
    parts,
    read_inputs,
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
@click.option("--explain", is_flag=True, help="Also say, on standard error, why sentences are in or out.")
@field_option
@output_option
def command(
    sources: tuple[str, ...],
    field: str | None,
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

    INPUT is a file, an http(s) address, or standard input (- or nothing): text in any common encoding, Markdown,
    HTML, PDF, DOCX, EPUB, RTF, subtitles, e-mail, CSV or JSON. Several inputs, or a .jsonl file with an id and a text
    per line, which may also come from standard input, are summarized together.

    \b
    tersely summarize article.txt --max-chars 400
    cat 新闻.txt | tersely summarize --max-chars 100 --format json
    tersely summarize minutes.txt plan.md --query "When does the harbor close?" --max-words 60
    search harbor | tersely summarize --query "When does the harbor close?" --max-words 60
    """
    from tersely.io.lines import to_json
    from tersely.summarizer import Summarizer

    encoder = share_encoder(encoder, how)
    budget, options = take_budget(how), take_options(how)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    inputs = read_inputs(sources, bool(options.header), field)
    summary = summarizer.fit(inputs.document(how["language"]), budget, options, how["tokenizer"])
    written = {
        "text": lambda: summary.text,
        "json": lambda: to_json(inputs.located(summary.to_dict()), indent=2),
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
