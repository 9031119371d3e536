"""`tersely summarize`: one text, one budget, one summary; `tersely frontier`: all budgets at once."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    spare_inputs,
    take_budget,
    take_options,
)
from tersely.cli._running import write
from tersely.errors import UsageError
from tersely.options import UNITS

if TYPE_CHECKING:
    from tersely.frontier import Step


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
@click.option("--in-place", is_flag=True, help="Let the summary replace the text file that is read.")
def summarize(
    sources: tuple[str, ...],
    field: str | None,
    form: str,
    explain: bool,
    output: str | None,
    in_place: bool,
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

    if in_place:
        output = _replaced(sources, output)
    else:
        spare_inputs(sources, output, advice="write to another file, or replace it with --in-place")
    encoder = share_encoder(encoder, keywords)
    budget, options = take_budget(keywords), take_options(keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    inputs = read_inputs(sources, bool(options.header), field)
    if in_place and inputs.all[0].extracted.form not in ("text", "markdown"):
        raise UsageError(f"{output} is no text file, so a summary cannot replace it: write to another file")
    summary = summarizer.fit(inputs.document(keywords["language"]), budget, options, keywords["tokenizer"])
    printed = {
        "text": lambda: summary.text,
        "json": lambda: to_json(inputs.located(summary.to_dict()), indent=2),
        "html": summary.to_html,
        "markdown": summary.to_markdown,
    }[form]()
    # Nothing fits: a file that is there stays as it is.
    if summary.sentences or output in (None, "-"):
        write(printed, output)
    if explain:
        from tersely.summary import explained

        click.echo(explained(summary), err=True)
    if not summary.sentences or explain or sys.stdout.isatty():
        click.echo(f"tersely: {summary.explain()}", err=True)
    if not summary.sentences:
        raise click.exceptions.Exit(1)


def _replaced(sources: tuple[str, ...], output: str | None) -> str:
    """Return the one file that --in-place replaces."""
    [source, *more] = sources or ("-",)
    if more or not Path(source).is_file() or output not in (None, source):
        raise UsageError("--in-place replaces the one text file that is read: name that file, and no --output")
    return source


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
@output_option
def frontier(
    sources: tuple[str, ...],
    field: str | None,
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

    spare_inputs(sources, output, plot)
    encoder = share_encoder(encoder, keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    document = read_inputs(sources, bool(keywords["header"]), field).document(keywords["language"])
    frontier = summarizer.frontier(document, unit=unit, limit=limit, **keywords)
    if not len(frontier.fitting.layout.document):
        click.echo("tersely: the text has no sentence", err=True)
        raise click.exceptions.Exit(1)
    steps = frontier.steps(None if every else points)
    if plot:
        from tersely.summary import plot_steps

        plot_steps(steps, unit, plot)
    write(to_json(frontier.to_dict(steps)) if form == "json" else _table(steps, unit), output)


def _table(steps: "list[Step]", unit: str) -> str:
    lines = [f"{'budget':>8} {'length':>8} {'value':>9}  sentences ({unit})"]
    for step in steps:
        indices = " ".join(map(str, step.chosen[:12])) + (" …" if len(step.chosen) > 12 else "")
        lines.append(
            f"{step.budget:>8} {step.length:>8} {step.value:>9.4g}  {len(step.chosen)}: {indices}".rstrip(": ")
        )
    return "\n".join(lines)
