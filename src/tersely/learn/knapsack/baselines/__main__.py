"""`python -m tersely.learn.knapsack.baselines`: train the other methods of Table 1, and print their rows."""

import sys
from pathlib import Path

import click

from tersely.errors import TerselyError, UsageError
from tersely.learn.knapsack.baselines.config import read_baseline
from tersely.learn.knapsack.baselines.rows import greedy_figures, read_figures, render
from tersely.learn.knapsack.baselines.train import train_baseline
from tersely.learn.knapsack.simulate import DISTRIBUTIONS
from tersely.learn.knapsack.train import Progress


@click.group()
def cli() -> None:
    """Train and measure the baselines of the knapsack transformer."""


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for checkpoint, log and figures.")
@click.option("--resume", is_flag=True, help="Go on from the folder's checkpoint.")
def train(config: Path, out: Path, resume: bool) -> None:
    """Train by a configuration, measure on 20,000 fresh problems and print the row."""
    click.echo(render([train_baseline(read_baseline(config), out, resume, _report)]))


@cli.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
def rows(folders: tuple[Path, ...]) -> None:
    """Print the rows of finished trainings, and density greedy's for every distribution."""
    trained = [read_figures(folder) for folder in folders]
    order = list(DISTRIBUTIONS)
    found = trained + [greedy_figures(name) for name in DISTRIBUTIONS]
    click.echo(render(sorted(found, key=lambda row: order.index(row["distribution"]))))


def _report(progress: Progress) -> None:
    if progress.validated:
        click.echo(
            f"step {progress.step}/{progress.steps} loss {progress.loss:.4f} error {progress.error_rate:.2%} "
            f"matched {progress.matched_rate:.2%} {progress.speed:.0f} samples/s",
            err=True,
        )


if __name__ == "__main__":
    try:
        cli(prog_name="python -m tersely.learn.knapsack.baselines")
    except TerselyError as error:
        click.echo(f"tersely: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
