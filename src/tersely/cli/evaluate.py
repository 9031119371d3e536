"""`tersely evaluate`: systems compared on the same documents."""

from pathlib import Path
from typing import Any

import click

from tersely.cli._printing import counting


@click.command("evaluate", short_help="Compare systems on documents with reference summaries.")
@click.argument("data", metavar="DATA")
@click.option("--systems", default="lead,news", show_default=True, metavar="A,B,...", help="See above.")
@click.option("--sentences", type=click.IntRange(1), metavar="N", help="Budget in sentences.")
@click.option("--budgets", metavar="N,N,...", help="Budgets in --unit.")
@click.option(
    "--unit",
    type=click.Choice(["chars", "words", "bytes", "sentences", "ratio"]),
    default="chars",
    show_default=True,
)
@click.option("--baseline", metavar="SYSTEM", help="What the others are compared with. Default: the first system.")
@click.option("--reader", metavar="NAME", help="Format of DATA. Default: found by looking at it.")
@click.option("--lang", "language", type=click.Choice(["en", "zh", "other"]), help="Default: found in each text.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents.")
@click.option("--strict", is_flag=True, help="Stop at a bad record instead of skipping it.")
@click.option(
    "--max-source-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Only the first N words of a document (paper: 512).",
)
@click.option(
    "--max-source-sentences", type=click.IntRange(1), metavar="N", help="Only the first N sentences of a document."
)
@click.option("--no-stem", is_flag=True, help="English words as they are.")
@click.option("--chinese", type=click.Choice(["chars", "words"]), default="chars", show_default=True)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes. Default: one a core.")
@click.option(
    "--out", type=click.Path(file_okay=False), metavar="DIR", help="Also write Markdown, CSV, JSON and plots here."
)
def command(
    data: str,
    systems: str,
    sentences: int | None,
    budgets: str | None,
    unit: str,
    baseline: str | None,
    out: str | None,
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
    from tersely.evaluate.systems import parse_systems
    from tersely.evaluate.tokens import Tokenization

    names = parse_systems(systems)
    base = baseline or names[0]
    if base not in names:
        raise UsageError(f"the baseline '{base}' is not among the systems")
    tokenization = Tokenization(stem=not how["no_stem"], chinese=how["chinese"])
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)  # that it cannot be made is said before the work, not after it
    results = run(data, names, budgets_of(sentences, budgets, unit), tokenization, **how)
    click.echo(report.terminal(results, base))
    click.echo("\n" + report.settings(tokenization, len(results[0].outcomes), base), err=True)
    if out is not None:
        save(Path(out), results, base, tokenization)
        click.echo(f"written to {out}", err=True)


def budgets_of(sentences: int | None, budgets: str | None, unit: str) -> list[Any]:
    """Return the budgets that --sentences and --budgets name; three sentences where there is none."""
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


def run(data: str, systems: list[str], budgets: list[Any], tokenization: Any, **how: Any) -> list[Any]:
    """Read, evaluate, and show progress on standard error."""
    from tersely.evaluate.protocol import Protocol
    from tersely.evaluate.readers import read
    from tersely.evaluate.run import evaluate

    def warn(message: str) -> None:
        click.echo(f"tersely: {message}", err=True)

    protocol = Protocol(how["max_source_tokens"], how["max_source_sentences"])
    records = read(data, report=warn, **{name: how[name] for name in ("reader", "language", "strict", "limit")})
    return evaluate(
        map(protocol.apply, records), systems, budgets, tokenization, how["workers"], counting(Path(data).name)
    )


def save(folder: Path, results: list[Any], baseline: str, tokenization: Any) -> None:
    """Write every form of the results into a folder."""
    from tersely.cli._printing import write_file
    from tersely.evaluate import report
    from tersely.evaluate.plots import plots

    note = report.settings(tokenization, len(results[0].outcomes), baseline)
    texts = {
        "results.md": f"{report.markdown(results, baseline)}\n{note}\n",
        "results.csv": report.as_csv(results, baseline),
        "results.json": report.as_json(results, baseline, tokenization),
    }
    for name, text in texts.items():
        write_file(folder / name, text.encode())
    for name, picture in plots(results).items():
        write_file(folder / name, picture)
