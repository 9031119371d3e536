"""`tersely summarize`: one text, one budget, one summary; `tersely frontier`: all budgets at once."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import (
    AliasedChoice,
    assembly,
    budgets,
    field_option,
    format_option,
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


_LISTED = 5  # sentences that change at a step of a frontier


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
@click.option("--json-strings", is_flag=True, help="Shorten only the long strings inside JSON; all else stays.")
@click.option(
    "--positions", is_flag=True, help="Print each sentence on a line of its own, after its place in the text."
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
    json_strings: bool,
    positions: bool,
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
    tersely summarize payload.json --json-strings --max-chars 4k
    """
    from tersely.extract.source import Inputs
    from tersely.summarizer import Summarizer

    no_budgets(sources)
    if marked and form != "text":
        raise UsageError("--show prints text: leave out --format, or write --format html for a page with marks")
    if positions and (marked or form != "text"):
        raise UsageError(
            f"--positions is for text, not for {'--show' if marked else f'--format {form}'}; JSON has them"
        )
    if separately and (form == "html" or in_place or keywords["more"]):
        clash = "--in-place" if in_place else "--more" if keywords["more"] else "--format html"
        raise UsageError(f"--each does not go with {clash}")
    if in_place:
        output = _replaced(sources, output)
    else:
        spare_inputs(sources, output, advice="write to another file, or replace it with --in-place")
    encoder = share_encoder(encoder, keywords)
    prefer_typed(keywords)
    (budget, note), options = usual_budget(keywords), take_options(keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    if json_strings:
        if marked or separately or explain or positions or field or form not in ("text", "json"):
            raise UsageError(
                "--json-strings prints JSON: leave out --show, --each, --explain, --positions, --field and --format"
            )
        from tersely.extract.source import read_json
        from tersely.payload import fit_json

        [source, *rest] = sources or ("-",)
        if rest:
            raise UsageError("--json-strings takes one input at a time")
        if note:
            say(f"tersely: {note}")
        fit_keywords: dict[str, Any] = {"summarizer": summarizer, "language": keywords["language"]}
        result = fit_json(read_json(source), budget, options, keywords["tokenizer"], **fit_keywords)
        write(result.to_json(indent=2) if form == "json" else result.text, output)
        return
    printer = _Printer(
        "marked" if marked else "placed" if positions else form,
        output,
        separately,
        explain,
        note,
        options.more is not None,
    )

    def fit(inputs: "Inputs") -> "Summary":
        document = inputs.document(keywords["language"], options.split == "lines")
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

    def __init__(self, form: str, output: str | None, has_names: bool, explain: bool, note: str, goes_on: bool) -> None:
        self._form, self._has_names, self._explain, self._note = form, has_names, explain, note
        self._output = None if output == "-" else output
        self._is_terminal = self._output is None and sys.stdout is not None and sys.stdout.isatty()
        self._in_color = self._is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._parts: list[str] = []
        self._code = 0
        self._goes_on = goes_on

    def add(self, summary: "Summary", inputs: "Inputs") -> None:
        """Print one summary, and say how long it is if somebody looks, or if nothing fits or answers."""
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
        is_answer = bool(summary.sentences) and summary.reason != "nothing-answers"
        if not is_answer or self._explain or self._is_terminal:
            say(f"tersely: {name + ': ' if name else ''}{summary.explain()}")
        if summary.more and (self._explain or self._goes_on):
            say(f"tersely: go on with --more {summary.more}")
        if not is_answer:
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
            return summary.to_html(inputs.title)
        if self._form == "markdown":
            return markdown(summary, name)
        text = highlighted(summary, self._in_color) if self._form == "marked" else summary.text
        if self._form == "placed":
            text = "\n".join(map(_placed, inputs.located(summary.to_dict())["sentences"]))
        if self._is_terminal:
            plain = text if self._in_color and self._form == "marked" else printable(text)
            text = wrapped(plain, _columns())
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
@format_option("table")
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
    """Show how the summary of INPUT grows with its budget, all budgets from one solution.

    Below each budget are the sentences that come in (+) or go out (-).
    """
    from tersely.io.lines import to_json
    from tersely.summarizer import Summarizer

    spare_inputs(sources, output, plot)
    encoder = share_encoder(encoder, keywords)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    document = read_inputs(sources, bool(keywords["header"]), field, timeout).document(keywords["language"])
    frontier = summarizer.frontier(document, unit=unit, limit=limit, **keywords)
    texts = frontier.fitting.layout.document.texts  # lines, if the text is a log
    if not texts:
        click.echo("tersely: the text has no sentence", err=True)
        raise click.exceptions.Exit(1)
    steps = frontier.steps(None if every else points)
    if plot:
        from tersely.frontier import plot_steps

        plot_steps(steps, unit, plot)
    write(to_json(frontier.to_dict(steps)) if form == "json" else _table(steps, unit, texts), output)


def _placed(sentence: dict[str, Any]) -> str:
    """Return a sentence after its number, its characters, and its page and the like."""
    names = ("source", "page", "slide", "chapter", "message", "row", "time", "section")
    labels = (
        str(sentence[name]) if name in ("source", "section") else f"{name} {sentence[name]}"
        for name in names
        if name in sentence
    )
    place = ", ".join([str(sentence["index"]), f"{sentence['start']}-{sentence['end']}", *labels])
    return f"[{place}] {' '.join(sentence['text'].split())}"


def _columns() -> int:
    """Return the width of the terminal, at most 100."""
    from shutil import get_terminal_size

    return min(get_terminal_size().columns, 100)


def _table(steps: "list[Step]", unit: str, texts: Sequence[str]) -> str:
    """Return a table of the steps; below each, what it adds (+) and what it gives up (-)."""
    from tersely.summary import printable, shortened

    columns = _columns() if sys.stdout is not None and sys.stdout.isatty() else 100
    lines = [f"{'budget':>8} {'length':>8} {'value':>9}  sentences ({unit})"]
    before: frozenset[int] = frozenset()
    for step in steps:
        indices = " ".join(map(str, step.chosen[:12])) + (" …" if len(step.chosen) > 12 else "")
        lines.append(
            f"{step.budget:>8} {step.length:>8} {step.value:>9.4g}  {len(step.chosen)}: {indices}".rstrip(": ")
        )
        chosen = frozenset(step.chosen)
        for sign, changed in (("-", sorted(before - chosen)), ("+", sorted(chosen - before))):
            changes = [f"{'':9}{sign} {' '.join(texts[i].split())}" for i in changed[:_LISTED]]
            lines += [shortened(printable(line), columns) for line in changes]
            lines += [f"{'':9}{sign} {len(changed) - _LISTED} more"] if len(changed) > _LISTED else []
        before = chosen
    return "\n".join(lines)
