"""`tersely human`: a rating form for readers, and what their answers say."""

from pathlib import Path

import click

from tersely.cli._options import output_option
from tersely.cli._printing import write, write_file
from tersely.errors import InputError, UsageError


@click.group("human", short_help="Have people rate summaries.")
def command() -> None:
    """Have people rate summaries without knowing whose they are, and analyze their answers."""


@command.command("prepare", short_help="Write a blinded rating form.")
@click.argument("data")
@click.option("--systems", required=True, metavar="A,B,C", help="The systems to compare.")
@click.option("--documents", type=int, metavar="N", default=20, show_default=True, help="Documents to draw.")
@click.option("--max-chars", type=int, metavar="N", default=500, show_default=True, help="Budget of a summary.")
@click.option("--raters", type=int, metavar="N", default=3, show_default=True, help="People who will rate.")
@click.option("--seed", type=int, metavar="N", default=42, show_default=True, help="Of every random choice.")
@click.option("--title", default="Rating of summaries", show_default=True, help="Shown on the form.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.html", default="form.html", show_default=True)
def prepare_command(
    data: str, systems: str, documents: int, max_chars: int, raters: int, seed: int, title: str, out: Path
) -> None:
    """Draw documents of DATA, summarize them with every system, and write one form for all raters.

    The form is one HTML file that works without a network. FILE.key.json, written beside it, tells whose each
    summary is: keep it from the raters. Systems are named as for 'tersely evaluate'.

    \b
    tersely human prepare news.jsonl --systems lead,textrank,coverage --documents 20 --max-chars 500
    """
    from tersely.budget import Budget
    from tersely.evaluate.human.items import summarize
    from tersely.evaluate.human.prepare import prepare, sample
    from tersely.evaluate.readers import read
    from tersely.evaluate.systems import parse_systems

    # A form in the place of the data, or a name that is none, is a slip.
    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{out}: a form ends in .html")
    names, budget = parse_systems(systems), Budget.one_of(max_chars=max_chars)
    records = (record for record in read(data) if len(record.document))
    items = summarize(sample(records, documents, seed), names, budget)
    page, key = prepare(items, seed, title, raters)
    key_file = out.with_suffix(".key.json")
    _write_key(key_file, key)
    write_file(out, page.encode())
    click.echo(
        f"{out}: {len(items)} documents, {len(key['summaries'])} summaries, {raters} raters. "
        f"Keep {key_file} from the raters.",
        err=True,
    )


@command.command("analyze", short_help="Sum up the raters' answers.")
@click.argument("key", type=click.Path(path_type=Path))
@click.argument("answers", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--seed", type=int, metavar="N", default=42, show_default=True, help="Of the permutation test.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@output_option
def analyse_command(key: Path, answers: tuple[Path, ...], seed: int, form: str, output: str | None) -> None:
    """Print each system's mean points, the raters' agreement, and tests of the differences between systems.

    KEY is the form's FILE.key.json, ANSWERS are the files that the raters downloaded, one a rater.

    \b
    tersely human analyze form.key.json answers-*.json
    """
    import json

    from tersely.evaluate.human.analyze import analyze
    from tersely.evaluate.human.answers import read_answers, read_key
    from tersely.evaluate.human.table import table

    opened = read_key(key)
    report = analyze(opened, read_answers(opened, answers), seed)
    written = json.dumps(report.to_dict(), ensure_ascii=False, indent=2) if form == "json" else table(report)
    write(written, output)


def _write_key(path: Path, key: object) -> None:
    import json

    data = (json.dumps(key, indent=1) + "\n").encode()
    # Without its key, a form that is already with the raters could never be analyzed.
    if path.exists() and path.read_bytes() != data:
        raise InputError(f"{path} is the key of another form: choose another --out, or remove it first")
    write_file(path, data)
