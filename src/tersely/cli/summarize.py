"""`tersely summarize`: one text, one budget, one summary; `tersely frontier`: all budgets at once;
`tersely verify`: whether a summary is in its sources.
"""

import os
import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import (
    AliasedChoice,
    assembly,
    budgets,
    field_option,
    language_option,
    no_budgets,
    output_option,
    parts,
    prefer_typed,
    read_inputs,
    share_encoder,
    sources_argument,
    spare_inputs,
    take_options,
    timeout_option,
    usual_budget,
)
from tersely.cli._running import say, write
from tersely.errors import TerselyError, UsageError
from tersely.options import UNITS

if TYPE_CHECKING:
    from tersely.extract.source import Inputs
    from tersely.frontier import Step
    from tersely.summary import Summary
    from tersely.text.quotations import Claim


@click.command("summarize", short_help="Fit a text to a budget.")
@sources_argument
@budgets
@parts
@assembly
@click.option(
    "--format",
    "form",
    type=AliasedChoice(["text", "json", "html", "markdown"], md="markdown", htm="html", txt="text", jsonl="json"),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--show", "marked", is_flag=True, help="Print the text with the chosen sentences marked, instead of the summary."
)
@click.option(
    "--each", "separately", is_flag=True, help="Summarize every input alone: name and summary, JSON Lines or Markdown."
)
@click.option("--explain", is_flag=True, help="Also say, on standard error, why sentences are in or out.")
@field_option
@timeout_option
@output_option
@click.option("--in-place", is_flag=True, help="Let the summary replace the text file that is read.")
def summarize(
    sources: tuple[str, ...],
    field: str | None,
    timeout: float,
    form: str,
    marked: bool,
    separately: bool,
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
    per line, which may also come from standard input, are summarized together, or with --each one by one.

    \b
    tersely report.pdf
    tersely summarize article.txt --max-chars 400
    tersely summarize docs/*.pdf --each --max-words 60
    cat 新闻.txt | tersely summarize --max-chars 100 --format json
    tersely summarize minutes.txt plan.md --query "When does the harbor close?" --max-words 60
    search harbor | tersely summarize --query "When does the harbor close?" --max-words 60
    """
    from tersely.extract.source import Inputs
    from tersely.summarizer import Summarizer

    no_budgets(sources)
    if marked and form != "text":
        raise UsageError("--show prints text: leave out --format, or write --format html for a page with marks")
    if separately and (form == "html" or in_place):
        raise UsageError(f"--each does not go with {'--in-place' if in_place else '--format html'}")
    if in_place:
        output = _replaced(sources, output)
    else:
        spare_inputs(sources, output, advice="write to another file, or replace it with --in-place")
    encoder = share_encoder(encoder, keywords)
    prefer_typed(keywords)
    (budget, note), options = usual_budget(keywords), take_options(keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    printer = _Printer("marked" if marked else form, output, separately, explain, note)

    def fit(inputs: "Inputs") -> "Summary":
        document = inputs.document(keywords["language"])
        return summarizer.fit(document, budget, options, keywords["tokenizer"])

    if not separately:
        inputs = read_inputs(sources, bool(options.header), field, timeout)
        if in_place and inputs.all[0].extracted.form not in ("text", "markdown"):
            raise UsageError(f"{output} is no text file, so a summary cannot replace it: write to another file")
        printer.add(fit(inputs), inputs)
    for source in (sources or ("-",)) if separately else ():
        try:
            for text in read_inputs((source,), False, field, timeout).all:
                inputs = Inputs((text,), bool(options.header))
                printer.add(fit(inputs), inputs)
        except UsageError:
            raise
        except TerselyError as error:
            printer.fail(str(error))
    printer.end()


class _Printer:
    """Prints summaries as they come, or all of them into a file if none has failed."""

    def __init__(self, form: str, output: str | None, has_names: bool, explain: bool, note: str) -> None:
        self._form, self._has_names, self._explain, self._note = form, has_names, explain, note
        self._output = None if output == "-" else output
        self._is_terminal = self._output is None and sys.stdout is not None and sys.stdout.isatty()
        self._in_color = self._is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._parts: list[str] = []
        self._code = 0

    def add(self, summary: "Summary", inputs: "Inputs") -> None:
        """Print one summary, and say how long it is if somebody looks or if nothing fits."""
        name = inputs.all[0].id if self._has_names else ""
        # A file is not written if nothing fits; on standard output, JSON and the like say so themselves.
        if self._output is None:
            between = "\n" if self._parts and self._form != "json" else ""
            write(between + self._rendered(summary, inputs, name), None)
            self._parts = [name]
        else:
            self._parts.append(self._rendered(summary, inputs, name))
        if self._note:
            say(f"tersely: {self._note}")
            self._note = ""
        if self._explain:
            from tersely.summary import explained

            say(explained(summary))
        if not summary.sentences or self._explain or self._is_terminal:
            say(f"tersely: {name + ': ' if name else ''}{summary.explain()}")
        if not summary.sentences:
            self._code = self._code or 1

    def fail(self, message: str) -> None:
        """Say what is wrong with one of several inputs; the others follow."""
        say("tersely: " + " ".join(message.split()))
        self._code = 3

    def end(self) -> None:
        """Write the file, or end with the code of the worst failure."""
        if self._code:
            if self._output is not None and self._has_names:
                say(f"tersely: nothing is written to {self._output}")
            raise click.exceptions.Exit(self._code)
        if self._output is not None:
            write(("" if self._form == "json" else "\n").join(self._parts), self._output)

    def _rendered(self, summary: "Summary", inputs: "Inputs", name: str) -> str:
        from tersely.io.lines import to_json
        from tersely.summary import highlighted, markdown, printable, wrapped

        if self._form == "json":
            data = inputs.located(summary.to_dict())
            return to_json({"id": name, **data} if name else data, None if name else 2) + "\n"
        if self._form == "html":
            return summary.to_html()
        if self._form == "markdown":
            return markdown(summary, name)
        text = highlighted(summary, self._in_color) if self._form == "marked" else summary.text
        if self._is_terminal:
            plain = text if self._in_color and self._form == "marked" else printable(text)
            text = wrapped(plain, min(get_terminal_size().columns, 100))
        return f"{name}\n{text}\n" if name else f"{text}\n"


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

    spare_inputs(sources, output, plot)
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
@timeout_option
@output_option
def verify(
    summary: str,
    sources: tuple[str, ...],
    quotations: bool,
    language: Any,
    form: str,
    field: str | None,
    timeout: float,
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
    spare_inputs((summary, *sources), output, advice="write to another file")
    text = read_source(summary, field).text
    result = verify(text, read_inputs(sources, True, field, timeout).document(language), quotations=quotations)
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
