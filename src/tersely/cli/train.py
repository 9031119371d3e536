"""`tersely train`: make the networks, on this machine."""

from pathlib import Path
from typing import Any

import click

from tersely.cli import train_scorer, train_supervised
from tersely.cli._printing import draw
from tersely.errors import extra


@click.group("train", short_help="Train a model on texts of your own.")
def command() -> None:
    """Train a model by a configuration (TOML, see configs/). All but 'scorer --config news' needs the extra 'train'."""


command.add_command(train_scorer.command)
command.add_command(train_supervised.command)


@command.command("knapsack", short_help="Train a knapsack network.")
@click.argument("config", metavar="CONFIG", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Checkpoint, logs and, at the end, DIR/model.",
)
@click.option("--resume", is_flag=True, help="Go on where DIR was left, bit for bit.")
@click.option("--steps", type=click.IntRange(1), metavar="N", help="Instead of the configuration's.")
@click.option("--samples", type=click.IntRange(1), default=20_000, show_default=True, help="To measure on at the end.")
def knapsack(config: str, out: str, resume: bool, steps: int | None, samples: int) -> None:
    """Train a knapsack network on simulated problems and export it to DIR/model.

    Ctrl-C saves and stops. TensorBoard logs are in DIR/tensorboard.

    \b
    tersely train knapsack configs/cpu-knapsack-cnewsum-dp.toml --out runs/cnewsum-dp
    """
    from dataclasses import replace

    with extra("training", "train"):
        from tersely.learn.knapsack.config import read_config
        from tersely.learn.knapsack.export import export
        from tersely.learn.knapsack.train import train

    settings = read_config(Path(config))
    if steps is not None:
        settings = replace(settings, training=replace(settings.training, steps=steps))
    try:
        state = train(settings, Path(out), resume, _show)
    except KeyboardInterrupt:
        click.echo("tersely: stopped: the same command with --resume goes on", err=True)
        raise click.exceptions.Exit(130) from None
    figures = export(settings, state, Path(out) / "model", samples)
    for way in ("rounded", "repaired"):
        rates = ", ".join(f"{name.replace('_', ' ')} {100 * rate:.2f} %" for name, rate in figures[way].items())
        click.echo(f"{way}: {rates}")
    click.echo(f"written to {Path(out) / 'model'}", err=True)


def _show(at: Any) -> None:
    left = f"{int(at.left) // 60}:{int(at.left) % 60:02d}"
    line = (
        f"{at.step}/{at.steps}  loss {at.loss:.4f}  error {100 * at.error_rate:.2f} %  "
        f"matched {100 * at.matched_rate:.2f} %  {at.speed:,.0f} samples/s  {left} left"
    )
    draw(line, stays=at.validated)
