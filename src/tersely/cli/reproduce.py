"""`tersely reproduce`: the paper's tables and figure, measured beside published."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tersely.cli._printing import counting
from tersely.errors import UsageError
from tersely.paper.published import TABLES, published

if TYPE_CHECKING:
    from tersely.evaluate.human.analyze import RatingReport


@click.command("reproduce", short_help="Print a table of the paper, measured beside published.")
@click.argument("what", type=click.Choice([*TABLES, "figure-learning-curves"]))
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder with the datasets, named after cnndm, nyt, cnewsum.",
)
@click.option(
    "--models",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    multiple=True,
    help="Folder with trained model folders; repeat for several.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents of each dataset.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="table6: the key of the rating form.")
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="table6: the answers of a rater; repeat for several.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="figure: the log.jsonl of a training run; repeat for several.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default="learning-curves.png",
    show_default=True,
    help="figure: where to write it.",
)
def command(
    what: str,
    data: Path | None,
    models: tuple[Path, ...],
    limit: int | None,
    key: Path | None,
    answers: tuple[Path, ...],
    log: tuple[Path, ...],
    out: Path,
) -> None:
    """Print a table of the paper, with our measured figures below the published ones.

    The figure of learning curves is written to a PNG file.

    \b
    tersely reproduce table2 --data datasets
    tersely reproduce figure-learning-curves --log my-network/log.jsonl
    """
    if what == "figure-learning-curves":
        _draw(log, out)
        return
    from tersely.evaluate.readers import read
    from tersely.paper.reproduce import find_datasets, render, render_human, reproduce, reproduce_knapsack

    table = published(what)
    if what == "table1":
        click.echo(render(table, reproduce_knapsack(table, models, _say)))
    elif what == "table6":
        click.echo(render_human(table, _ratings(key, answers)))
    else:
        datasets = find_datasets(data) if data else {}
        lines = reproduce(
            table,
            datasets,
            models,
            lambda path: read(path, limit=limit, report=lambda line: _say(f"tersely: {line}")),
            counting,
        )
        click.echo(render(table, lines))


def _say(line: str) -> None:
    click.echo(line, err=True)


def _draw(logs: tuple[Path, ...], out: Path) -> None:
    from tersely.evaluate.report import draw_curves
    from tersely.io.files import write_whole

    if out.suffix.lower() != ".png":
        raise UsageError(f"{out}: the figure is a PNG, so its name must end in .png")
    write_whole(out, draw_curves(logs))
    _say(f"written to {out}")


def _ratings(key: Path | None, answers: tuple[Path, ...]) -> "RatingReport | None":
    from tersely.evaluate.human.analyze import analyze
    from tersely.evaluate.human.answers import read_answers, read_key

    if bool(key) != bool(answers):
        raise UsageError("--key and --answers go together")
    if key is None:
        return None
    opened = read_key(key)
    return analyze(opened, read_answers(opened, answers))
