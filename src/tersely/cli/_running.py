"""What commands do on the terminal: print results and progress, run a training and stop it."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import (
    CONTINUE,
    STEPS,
    F,
    device_option,
    max_source_tokens_option,
    several,
    validation_option,
    where_option,
)
from tersely.errors import InputError
from tersely.io.files import write_whole

if TYPE_CHECKING:
    from tersely.learn.corpus import Corpus
    from tersely.learn.training import TrainingProgress
    from tersely.paper.config import ScorerConfig


def write(text: str, output: str | None) -> None:
    """Write `text` with a line feed at its end to standard output, or all at once to the file `output`."""
    data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "replace")
    if output is not None and output != "-":
        write_whole(output, data)
        return
    if sys.stdout is None:  # Python's way to say that it was closed before the start
        raise InputError("standard output is closed: give a file with --output")
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(line: str, end: bool = True) -> None:
    """Print to standard error; if it is closed, the work goes on."""
    try:
        click.echo(line, nl=end, err=True)
    except OSError:
        listen_no_more()


def listen_no_more() -> None:
    """Discard everything that is printed to standard error from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def draw(line: str, stays: bool) -> None:
    """Show a line that `stays`, or on a terminal one that the next line overwrites."""
    terminal = _is_terminal()
    if stays or terminal:
        say(("\r\x1b[K" if terminal else "") + line, stays)


class ProgressLine:
    """A progress line, due five times a second on a terminal and each minute elsewhere."""

    def __init__(self) -> None:
        self._terminal = _is_terminal()
        self._drawn = self.began = time.monotonic()

    def due(self) -> bool:
        """Tell whether it is time to show the line again."""
        return time.monotonic() - self._drawn >= (0.2 if self._terminal else 60)

    def show(self, line: str) -> None:
        """Show the line."""
        self._drawn = time.monotonic()
        draw(line, stays=not self._terminal)

    def end(self) -> None:
        """Clear the line on a terminal, so that the last message stands alone."""
        if self._terminal:
            draw("", stays=False)


def counting(name: str) -> Callable[[int], None]:
    """Return a function that shows the number of finished documents."""
    line = ProgressLine()

    def show(count: int) -> None:
        if line.due():
            line.show(f"{name}: {count} documents, {count / (time.monotonic() - line.began):.1f} per second")

    return show


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


RESUME = "to continue, run the same command with --resume"

seed_option = click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed, instead of the configuration's.")
set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="SECTION.KEY=VALUE",
    help="Change a setting of the configuration, such as training.rate=0.001; repeat for several.",
)
run_options = several(
    click.option("--steps", type=click.IntRange(1), metavar="N", help=STEPS), seed_option, set_option, device_option
)


def training_options(**config: Any) -> Callable[[F], F]:
    """Add the options of every scorer's training; `config` gives --config a default."""
    return several(
        click.option("--config", metavar="NAME|FILE", help="Configuration: a name, such as news, or a file.", **config),
        click.option(
            "--out", required=True, type=click.Path(file_okay=False), metavar="DIR", help="Model folder to create."
        ),
        click.option("--resume", is_flag=True, help=f"{CONTINUE[:-1]}, or go on to more --steps."),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Read at most N documents. Default: all."),
        max_source_tokens_option,
        where_option,
        validation_option,
        click.option(
            "--dev", metavar="FILE", type=click.Path(exists=True), help="Labeled documents on which to report ROUGE-1."
        ),
        click.option(
            "--cache",
            type=click.Path(file_okay=False),
            metavar="DIR",
            help="Folder for vectors, to share them between training runs.",
        ),
        run_options,
        click.option(
            "--precision",
            type=click.Choice(["float32", "bfloat16", "float16"]),
            default="float32",
            show_default=True,
            help="Precision of the networks.",
        ),
    )


def changed(settings: "ScorerConfig", options: dict[str, Any]) -> "ScorerConfig":
    """Take out of the given options those that stand for settings, and put them in."""
    from dataclasses import replace

    tables: dict[str, dict[str, Any]] = {
        "training": {"steps": options.pop("steps"), "seed": options.pop("seed")},
        "data": {"documents": options.pop("limit"), "tokens": options.pop("max_source_tokens")},
    }
    for name, table in tables.items():
        chosen = {key: value for key, value in table.items() if value is not None}
        settings = replace(settings, **{name: replace(getattr(settings, name), **chosen)})
    return settings


def all_changes(changes: Iterable[str], steps: int | None, seed: int | None) -> list[str]:
    """Return what --set changes, and what --steps and --seed do."""
    chosen = {"steps": steps, "seed": seed}
    return [*changes, *(f"training.{name}={value}" for name, value in chosen.items() if value is not None)]


@contextmanager
def stoppable(how_to_continue: Callable[[], str]) -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C, and after an interruption print how to continue.

    Processes of torchrun are left alone: their launcher ends them by SIGTERM if another one has died.
    """
    alone = int(os.environ.get("WORLD_SIZE", "1")) < 2
    before: Any = None
    if alone:
        try:
            before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        except ValueError:  # not in the main thread
            alone = False
    try:
        yield
    except KeyboardInterrupt:
        if os.environ.get("RANK", "0") == "0":
            click.echo(f"tersely: stopped; {how_to_continue()}", err=True)
        raise click.exceptions.Exit(130) from None
    finally:
        if alone:
            signal.signal(signal.SIGTERM, before)


def say_written(out: Path) -> None:
    """Say where a model is, and how to use it."""
    from tersely.models import model_folder

    model = str(out) if model_folder(str(out)) == out else f"./{out}"  # a shipped model may have the same name
    click.echo(f"written to {out}: tersely summarize FILE --max-chars 400 --model {model}", err=True)


def show_corpus(corpus: "Corpus") -> None:
    """Say how many documents a training run learns from."""
    left_out = f"{corpus.short:,} with fewer than 4 sentences and {corpus.repeated:,} repeated ones were left out"
    validation = f", {corpus.validation:,} of them to validate on" if corpus.validation else ""
    click.echo(f"{len(corpus.documents):,} documents{validation}; {left_out}", err=True)


class Progress:
    """Shows how far a training run is: a line for each validation, and in between a line that is drawn again."""

    def __init__(self, batch: int | None = None) -> None:
        self._line, self._batch = ProgressLine(), batch

    def __call__(self, at: "TrainingProgress") -> None:
        if at.validated or self._line.due():
            remaining = f"{int(at.remaining) // 60}:{int(at.remaining) % 60:02d} left"
            text = f"{at.stage} {at.finished}/{at.total}  {remaining}  {self._figures(at)}".rstrip()
            draw(text, stays=True) if at.validated else self._line.show(text)

    def _figures(self, at: "TrainingProgress") -> str:
        if self._batch is None:
            return "  ".join(f"{name} {value:.3f}" for name, value in at.figures.items())
        rates = "  ".join(f"{name[:-5]} {100 * at.figures[name]:.2f} %" for name in ("error_rate", "matched_rate"))
        nothing = "  selects nothing so far" if at.figures.get("selecting_rate") == 0 else ""
        speed = at.finished * self._batch / at.seconds
        return f"loss {at.figures['loss']:.4f}  {rates}  {speed:,.0f} samples/s{nothing}"
