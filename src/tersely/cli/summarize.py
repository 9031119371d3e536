"""`tersely summarize`: one text, one budget, one summary; `tersely frontier`: all budgets at once;
`tersely verify`: whether a summary is in its sources.
"""

import sys
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import (
    assembly,
    budgets,
    field_option,
    language_option,
    output_option,
    parts,
    read_inputs,
    share_encoder,
    sources_argument,
    take_budget,
    take_options,
    timeout_option,
)
from tersely.cli._running import write
from tersely.errors import UsageError
from tersely.options import UNITS

if TYPE_CHECKING:
    from tersely.frontier import Step
    from tersely.text.quotations import Claim


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
@timeout_option
@output_option
def summarize(
    sources: tuple[str, ...],
    field: str | None,
    timeout: float,
    form: str,
    explain: bool,
    output: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **keywords: Any,
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

    encoder = share_encoder(encoder, keywords)
    budget, options = take_budget(keywords), take_options(keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    inputs = read_inputs(sources, bool(options.header), field, timeout)
    summary = summarizer.fit(inputs.document(keywords["language"]), budget, options, keywords["tokenizer"])
    printed = {
        "text": lambda: summary.text,
        "json": lambda: to_json(inputs.located(summary.to_dict()), indent=2),
        "html": summary.to_html,
        "markdown": summary.to_markdown,
    }[form]()
    write(printed, output)
    if explain:
        from tersely.summary import explained

        click.echo(explained(summary), err=True)
    if not summary.sentences or explain or sys.stdout.isatty():
        click.echo(f"tersely: {summary.explain()}", err=True)
    if not summary.sentences:
        raise click.exceptions.Exit(1)


@click.command("frontier", short_help="Show how the summary grows with its budget.")
@sources_argument
@click.option(
    "--unit",
    type=click.Choice(UNITS),
    default="chars",
    show_default=True,
    help="What budgets count.",
)
@click.option("--limit", type=int, metavar="N", help="Largest budget. Default: the whole text.")
@click.option("--points", type=int, metavar="N", default=20, show_default=True, help="Number of budgets to try.")
@click.option("--all", "every", is_flag=True, help="Show every budget at which the summary changes.")
@click.option("--nested", is_flag=True, help="Let a larger budget only add sentences.")
@parts
@assembly
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="What to print.",
)
@click.option("--plot", metavar="FILE.png", help="Also draw the value of the summary against its budget.")
@field_option
@timeout_option
@output_option
def frontier(
    sources: tuple[str, ...],
    field: str | None,
    timeout: float,
    limit: int | None,
    unit: Any,
    points: int,
    every: bool,
    form: str,
    plot: str | None,
    output: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **keywords: Any,
) -> None:
    """Show how the summary of INPUT grows with its budget, all budgets from one solution."""
    from tersely.io.lines import to_json
    from tersely.summarizer import Summarizer

    encoder = share_encoder(encoder, keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    document = read_inputs(sources, bool(keywords["header"]), field, timeout).document(keywords["language"])
    frontier = summarizer.frontier(document, unit=unit, limit=limit, **keywords)
    if not len(frontier.fitting.layout.document):
        click.echo("tersely: the text has no sentence", err=True)
        raise click.exceptions.Exit(1)
    steps = frontier.steps(None if every else points)
    if plot:
        from tersely.summary import plot_steps

        plot_steps(steps, unit, plot)
    write(to_json(frontier.to_dict(steps)) if form == "json" else _table(steps, unit), output)


@click.command("verify", short_help="Check that a summary is in the words of its sources.")
@click.argument("summary")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--quotations", is_flag=True, help="Check only what stands in quotation marks.")
@language_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@field_option
@output_option
def verify(
    summary: str,
    sources: tuple[str, ...],
    quotations: bool,
    language: Any,
    form: str,
    field: str | None,
    output: str | None,
) -> None:
    """Tell whether each sentence of SUMMARY is in a SOURCE, and where; the exit code is 1 if one is not.

    Line breaks, hyphenation and kinds of quotation marks make no difference. A sentence is verbatim; or joined, from
    several whole sentences; or stitched together from parts of sentences; or missing. The last two are faults.

    \b
    tersely verify summary.txt article.txt
    tersely verify answer.md minutes.txt plan.pdf --quotations --format json
    """
    from tersely.extract.source import read_source
    from tersely.text.quotations import verify

    if (summary, *sources).count("-") > 1:
        raise UsageError("standard input can be read once: name a file for the summary or for the source")
    text = read_source(summary, field).text
    result = verify(text, read_inputs(sources, True, field).document(language), quotations=quotations)
    if not result.claims:
        raise UsageError(f"{summary} has no {'quotation' if quotations else 'sentence'} to check")
    write(result.to_json(indent=2) if form == "json" else "\n".join(map(_line, result.claims)), output)
    if not result.ok or sys.stdout.isatty():
        click.echo(f"tersely: {result.explain()}", err=True)
    if not result.ok:
        raise click.exceptions.Exit(1)


def _line(claim: "Claim") -> str:
    places = " + ".join(f"{part.source}:{part.source_start}-{part.source_end}" for part in claim.quoted)
    # Of what is missing, the places of single words say nothing.
    located = f" {places}" if claim.verdict != "missing" else ""
    return f"{claim.verdict:<8}{located}  {' '.join(claim.text.split())}"


def _table(steps: "list[Step]", unit: str) -> str:
    lines = [f"{'budget':>8} {'length':>8} {'value':>9}  sentences ({unit})"]
    for step in steps:
        indices = " ".join(map(str, step.chosen[:12])) + (" …" if len(step.chosen) > 12 else "")
        lines.append(
            f"{step.budget:>8} {step.length:>8} {step.value:>9.4g}  {len(step.chosen)}: {indices}".rstrip(": ")
        )
    return "\n".join(lines)
