"""`tersely frontier`: how the summary grows with its budget."""

from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import (
    assembly,
    field_option,
    output_option,
    parts,
    read_inputs,
    share_encoder,
    sources_argument,
)
from tersely.cli._printing import write

if TYPE_CHECKING:
    from tersely.frontier import Step


@click.command("frontier", short_help="Show how the summary grows with its budget.")
@sources_argument
@click.option(
    "--unit",
    type=click.Choice(["chars", "words", "tokens", "bytes", "sentences"]),
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
def command(
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
    **how: Any,
) -> None:
    """Show how the summary of INPUT grows with its budget, all budgets from one solution."""
    from tersely.io.lines import to_json
    from tersely.summarizer import Summarizer

    encoder = share_encoder(encoder, how)
    summarizer = Summarizer.load(model, scorer=scorer, encoder=encoder, select=select)
    document = read_inputs(sources, bool(how["header"]), field).document(how["language"])
    frontier = summarizer.frontier(document, unit=unit, limit=limit, **how)
    if not len(frontier.fitting.layout.document):
        click.echo("tersely: the text has no sentence", err=True)
        raise click.exceptions.Exit(1)
    steps = frontier.steps(None if every else points)
    if plot:
        from tersely.render import plot_steps

        plot_steps(steps, unit, plot)
    write(to_json(frontier.to_dict(steps)) if form == "json" else _table(steps, unit), output)


def _table(steps: "list[Step]", unit: str) -> str:
    lines = [f"{'budget':>8} {'length':>8} {'value':>9}  sentences ({unit})"]
    for step in steps:
        shown = " ".join(map(str, step.chosen[:12])) + (" …" if len(step.chosen) > 12 else "")
        lines.append(f"{step.budget:>8} {step.length:>8} {step.value:>9.4g}  {len(step.chosen)}: {shown}".rstrip(": "))
    return "\n".join(lines)
