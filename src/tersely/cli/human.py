"""`tersely human`: a rating form for people, and the analysis of their answers."""

from pathlib import Path

import click

from tersely.cli._options import format_option, output_option
from tersely.cli._running import write
from tersely.errors import UsageError


@click.group("human", short_help="Have people rate summaries.")
def command() -> None:
    """Have people rate summaries without knowing which system wrote them, and analyze their answers."""


@command.command("prepare", short_help="Write a blinded rating form.")
@click.argument("data")
@click.option("--systems", required=True, metavar="A,B,C", help="The systems to compare.")
@click.option("--documents", type=int, metavar="N", default=20, show_default=True, help="Number of documents to draw.")
@click.option("--max-chars", type=int, metavar="N", default=500, show_default=True, help="Budget of each summary.")
@click.option("--raters", type=int, metavar="N", default=3, show_default=True, help="Number of people who will rate.")
@click.option(
    "--each",
    "raters_each",
    type=int,
    metavar="K",
    help="Split the documents over the raters, each to be rated by K of them. Default: everybody rates all.",
)
@click.option("--seed", type=int, metavar="N", default=42, show_default=True, help="Seed of every random choice.")
@click.option("--title", default="Rating of summaries", show_default=True, help="Title of the form.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    default="form.html",
    show_default=True,
    help="Where to write the form.",
)
@click.option(
    "--tasks",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Also write one task (HIT) per document for a platform such as Mechanical Turk, and its page to FILE.html.",
)
def prepare_command(
    data: str,
    systems: str,
    documents: int,
    max_chars: int,
    raters: int,
    raters_each: int | None,
    seed: int,
    title: str,
    out: Path,
    tasks: Path | None,
) -> None:
    """Draw documents from DATA, summarize them with every system, and write one form for all raters.

    The form is one HTML file that works offline. FILE.key.json, written beside it, tells which system wrote each
    summary: do not show it to the raters. Systems are named as in 'tersely evaluate'.

    \b
    tersely human prepare news.jsonl --systems lead,textrank,coverage --documents 20 --max-chars 500
    tersely human prepare news.jsonl --systems lead,editor --documents 1000 --raters 60 --each 3 --tasks tasks.csv

    On the platform, let K workers do each task. 'tersely human analyze' reads the CSV file of results.
    """
    from tersely.datasets import read
    from tersely.evaluate.systems import parse_systems
    from tersely.options import Budget
    from tersely.paper.human_form import prepare, sample, summarize, write_form, write_tasks

    # Any other ending is a slip, and could replace the data by a form.
    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{out}: the name of a form must end in .html")
    if tasks is not None and (tasks.suffix.lower() != ".csv" or tasks.with_suffix(".html") == out):
        raise UsageError(f"{tasks}: the name of tasks must end in .csv, and must not be that of the form")
    names, budget = parse_systems(systems), Budget.one_of(max_chars=max_chars)
    records = (record for record in read(data) if len(record.document))
    items = summarize(sample(records, documents, seed), names, budget)
    page, key = prepare(items, seed, title, raters, raters_each)
    key_file = write_form(out, page, key)
    if tasks is not None:
        write_tasks(tasks, items, key)
    split = f", {raters_each} for each document" if raters_each else ""
    click.echo(
        f"{out}: {len(items)} documents, {len(key['summaries'])} summaries, {raters} raters{split}. "
        f"Do not show {key_file} to the raters.",
        err=True,
    )


@command.command("analyze", short_help="Sum up the raters' answers.")
@click.argument("key", type=click.Path(path_type=Path))
@click.argument("answers", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--seed", type=int, metavar="N", default=42, show_default=True, help="Seed of the permutation test.")
@format_option("table")
@output_option
def analyze_command(key: Path, answers: tuple[Path, ...], seed: int, form: str, output: str | None) -> None:
    """Print the mean points of each system, the raters' agreement, and tests of the differences between systems.

    KEY is the FILE.key.json of the form. ANSWERS are the files that the raters downloaded, one per
    rater, and CSV files of results of a platform for tasks.

    \b
    tersely human analyze form.key.json answers-*.json
    """
    from tersely.io.lines import to_json
    from tersely.paper.human_analyze import analyze, table
    from tersely.paper.human_answers import read_answers, read_key

    opened = read_key(key)
    report = analyze(opened, read_answers(opened, answers), seed)
    write(to_json(report.to_dict(), indent=2) if form == "json" else table(report), output)
