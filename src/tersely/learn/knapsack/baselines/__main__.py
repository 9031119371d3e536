"""`python -m tersely.learn.knapsack.baselines`: train the other methods of Table 1, and print their rows."""

import sys
from pathlib import Path

import click

from tersely.errors import TerselyError, UsageError
from tersely.learn.knapsack.baselines.table1 import (
    greedy_figures,
    read_baseline,
    read_figures,
    render_rows,
    train_baseline,
)
from tersely.learn.knapsack.simulate import DISTRIBUTIONS
from tersely.learn.loop import TrainingProgress


@click.group()
def cli() -> None:
    """Train and measure the baselines of the knapsack transformer."""


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The folder for checkpoint, log and figures."
)
@click.option("--resume", is_flag=True, help="Continue from the checkpoint in the folder.")
def train(config: Path, out: Path, resume: bool) -> None:
    """Train a baseline, measure it on 20,000 fresh problems, and print its row."""
    settings = read_baseline(config)

    def report(at: TrainingProgress) -> None:
        if at.validated:
            speed = at.done * settings.training.batch / at.seconds
            click.echo(
                f"step {at.done}/{at.total} loss {at.figures['loss']:.4f} error {at.figures['error_rate']:.2%} "
                f"matched {at.figures['matched_rate']:.2%} {speed:.0f} samples/s",
                err=True,
            )

    click.echo(render_rows([train_baseline(settings, out, resume, report)]))


@cli.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
def rows(folders: tuple[Path, ...]) -> None:
    """Print the rows of finished training runs, and density greedy's for every distribution."""
    trained = [read_figures(folder) for folder in folders]
    order = list(DISTRIBUTIONS)
    found = trained + [greedy_figures(name) for name in DISTRIBUTIONS]
    click.echo(render_rows(sorted(found, key=lambda row: order.index(row["distribution"]))))


def main() -> None:
    """Run the command; every foreseen error is one line."""
    try:
        cli(prog_name="python -m tersely.learn.knapsack.baselines")
    except TerselyError as error:
        click.echo(f"tersely: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 3)


if __name__ == "__main__":
    main()
