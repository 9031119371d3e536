"""`tersely evaluate`: compare systems on the same documents."""

from pathlib import Path
from typing import Any

import click

from tersely.cli._printing import counting


@click.command("evaluate", short_help="Compare systems on documents with reference summaries.")
@click.argument("data", metavar="DATA")
@click.option("--systems", default="lead,news", show_default=True, metavar="A,B,...", help="The systems to compare.")
@click.option("--sentences", type=click.IntRange(1), metavar="N", help="Budget in sentences.")
@click.option("--budgets", metavar="N,N,...", help="Budgets in --unit.")
@click.option(
    "--unit",
    type=click.Choice(["chars", "words", "bytes", "sentences", "ratio"]),
    default="chars",
    show_default=True,
    help="Unit of --budgets.",
)
@click.option("--baseline", metavar="SYSTEM", help="Compare the others with this system. Default: the first one.")
@click.option("--reader", metavar="NAME", help="Format of DATA. Default: detected.")
@click.option("--lang", "language", type=click.Choice(["en", "zh", "other"]), help="Default: detected for each text.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents.")
@click.option("--strict", is_flag=True, help="Stop at a bad record instead of skipping it.")
@click.option(
    "--max-source-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Show systems only the first N words of a document (paper: 512).",
)
@click.option(
    "--max-source-sentences",
    type=click.IntRange(1),
    metavar="N",
    help="Show systems only the first N sentences of a document.",
)
@click.option("--no-stem", is_flag=True, help="Do not stem English words for ROUGE.")
@click.option(
    "--chinese",
    type=click.Choice(["chars", "words"]),
    default="chars",
    show_default=True,
    help="Tokens of Chinese texts for ROUGE.",
)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Number of processes. Default: one per core.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also write Markdown, CSV, JSON and plots to this folder.",
)
def command(
    data: str,
    systems: str,
    sentences: int | None,
    budgets: str | None,
    unit: str,
    baseline: str | None,
    out: Path | None,
    **how: Any,
) -> None:
    """Compare systems on DATA: ROUGE, lengths, and paired tests against a baseline.

    A system is scorer[+selector][@encoder], model[+selector], 'oracle', or another tool (sumy-textrank, ...).

    \b
    tersely evaluate news.jsonl.gz --systems lead,textrank,coverage,oracle --sentences 3
    tersely evaluate news.jsonl.gz --systems lead,textrank@tfidf,coverage --budgets 300,400,500
    """
    from tersely.errors import UsageError
    from tersely.evaluate import report
    from tersely.evaluate.measures import Tokenization
    from tersely.evaluate.readers import read
    from tersely.evaluate.record import SourceLimits
    from tersely.evaluate.run import evaluate
    from tersely.evaluate.systems import parse_systems

    names = parse_systems(systems)
    base = baseline or names[0]
    if base not in names:
        raise UsageError(f"the baseline '{base}' is not one of the systems")
    limits = _budgets(sentences, budgets, unit)
    tokenization = Tokenization(stem=not how["no_stem"], chinese=how["chinese"])
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # if this fails, it should fail before the work, not after it
    records = read(
        data,
        reader=how["reader"],
        language=how["language"],
        strict=how["strict"],
        report=_warn,
        limit=how["limit"],
    )
    shown = map(SourceLimits(how["max_source_tokens"], how["max_source_sentences"]).apply, records)
    results = evaluate(shown, names, limits, tokenization, how["workers"], counting(Path(data).name))
    click.echo(report.terminal(results, base))
    click.echo("\n" + report.footnote(tokenization, len(results[0].outcomes), base), err=True)
    if out is not None:
        report.save(out, results, base, tokenization)
        click.echo(f"written to {out}", err=True)


def _budgets(sentences: int | None, budgets: str | None, unit: str) -> list[Any]:
    """Return the budgets that --sentences and --budgets name; by default, three sentences."""
    from tersely.budget import Budget
    from tersely.errors import UsageError

    found = [Budget.one_of(max_sentences=sentences)] if sentences is not None else []
    for part in [] if budgets is None else budgets.rstrip(",").split(","):
        try:
            limit = float(part)
        except ValueError:
            raise UsageError(f"--budgets takes numbers, not '{part.strip()}'") from None
        found.append(Budget.one_of(**{"ratio" if unit == "ratio" else f"max_{unit}": limit}))
    return found or [Budget.one_of(max_sentences=3)]


def _warn(message: str) -> None:
    click.echo(f"tersely: {message}", err=True)
