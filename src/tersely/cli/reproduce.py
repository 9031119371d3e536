"""`tersely reproduce`: the paper's tables and figure, ours beside what was published."""

from pathlib import Path
from typing import Any

import click

from tersely.cli._printing import counting
from tersely.errors import UsageError
from tersely.evaluate.published import TABLES, published


@click.command("reproduce", short_help="Print a table of the paper, measured beside published.")
@click.argument("what", type=click.Choice([*TABLES, "figure-learning-curves"]))
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Folder with the datasets, named after cnndm, nyt, cnewsum.",
)
@click.option(
    "--models",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    multiple=True,
    help="Folder with trained model folders; may be repeated.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents of each dataset.")
@click.option("--key", metavar="FILE", help="table6: the key of the rating form.")
@click.option("--answers", metavar="FILE", multiple=True, help="table6: a rater's exported answers.")
@click.option("--log", metavar="FILE", multiple=True, help="figure: a training's log.jsonl; may be repeated.")
@click.option("--out", metavar="FILE", help="figure: where to write it. Default: learning-curves.png.")
def command(
    what: str,
    data: str | None,
    models: tuple[str, ...],
    limit: int | None,
    key: str | None,
    answers: tuple[str, ...],
    log: tuple[str, ...],
    out: str | None,
) -> None:
    """Print a table of the paper: our measured row beside the published one, marked which is which."""
    if what == "figure-learning-curves":
        from tersely.cli._printing import write_file
        from tersely.evaluate.curves import draw_curves

        file = Path(out or "learning-curves.png")
        if file.suffix.lower() != ".png":
            raise UsageError(f"{file}: the figure is a PNG, and its name ends in .png")
        write_file(file, draw_curves([Path(each) for each in log]))
        click.echo(f"written to {file}", err=True)
        return
    from tersely.evaluate.readers import read
    from tersely.evaluate.reproduce import find_datasets, render, render_human, reproduce

    table = published(what)
    if what == "table1":
        from tersely.cli.knapsack_table import knapsack_lines

        click.echo(render(table, knapsack_lines(table, [Path(folder) for folder in models])))
        return
    if what == "table6":
        click.echo(render_human(table, _ratings(key, answers)))
        return
    click.echo(
        render(
            table,
            reproduce(
                table,
                find_datasets(Path(data)) if data else {},
                [Path(folder) for folder in models],
                lambda path: read(path, limit=limit, report=lambda line: click.echo(f"tersely: {line}", err=True)),
                counting,
            ),
        )
    )


def _ratings(key: str | None, answers: tuple[str, ...]) -> Any:
    from tersely.evaluate.human.analyze import analyze
    from tersely.evaluate.human.answers import read_answers, read_key

    if bool(key) != bool(answers):
        raise UsageError("--key and --answers go together")
    if key is None:
        return None
    opened = read_key(Path(key))
    return analyze(opened, read_answers(opened, [Path(file) for file in answers]))
