"""`tersely batch`: a corpus, file to file."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from tersely.cli._options import assembly, budgets, check_budget, parts
from tersely.cli._printing import Line, listen_no_more, say


@click.command("batch", short_help="Summarize a corpus, file to file.")
@click.argument("paths", metavar="INPUT... OUTPUT", nargs=-1, required=True)
@budgets
@parts
@assembly
@click.option("--text-column", default="text", show_default=True, metavar="NAME", help="Where the texts are.")
@click.option("--summary-column", default="summary", show_default=True, metavar="NAME", help="Where summaries go.")
@click.option("--id", "id_column", metavar="NAME", help="Column that names a document in errors.jsonl.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The summary with its length and reason, or all that 'tersely summarize --format json' prints.",
)
@click.option(
    "--to",
    type=click.Choice(["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]),
    help="Form of the parts. Default: that of INPUT.",
)
@click.option("--part-size", type=click.IntRange(1), default=2_000, show_default=True, help="Documents a part.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes. Default: one a core.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Set a document aside that takes longer. Default: wait for it.",
)
@click.option("--resume", is_flag=True, help="Go on where OUTPUT was left.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option("--address", metavar="ADDRESS", help="Ray cluster to use. Default: one on this machine.")
def command(
    paths: tuple[str, ...],
    form: Any,
    text_column: str,
    summary_column: str,
    id_column: str | None,
    to: Any,
    part_size: int,
    workers: int | None,
    timeout: float | None,
    resume: bool,
    engine: str,
    address: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **how: Any,
) -> None:
    """Summarize every document of INPUT: JSON Lines (plain, gzip, zstd) or Parquet; files, folders, patterns.

    OUTPUT is a folder of parts, with a manifest and errors.jsonl, or one file where it ends in .jsonl, .jsonl.gz,
    .jsonl.zst or .parquet. Every other column is carried through, and the order is kept. What is killed goes on with
    --resume.

    \b
    tersely batch news.jsonl.gz summaries --max-chars 400
    tersely batch 'news/*.parquet' summaries.parquet --max-words 60 --text-column article
    """
    from tersely.batch.job import Job
    from tersely.batch.summarize import Summarize
    from tersely.errors import InputError, UsageError

    if sys.stderr is None:
        listen_no_more()  # else the next file to be opened has its number, and workers write their last words there
    *inputs, output = paths
    if not inputs:
        raise UsageError("give at least one INPUT and, last, the OUTPUT")
    if address is not None and engine != "ray":
        raise UsageError("--address is that of a Ray cluster: add --engine ray")
    check_budget(how)
    given = {name: value for name, value in how.items() if value not in (None, ())}
    chosen = {"model": model, "scorer": scorer, "encoder": encoder, "select": select}
    function = Summarize(chosen, given, summary_column, form)
    job = Job(tuple(inputs), output, function, text_column, id_column, to, part_size, resume, timeout)
    line = _Line()
    try:
        outcome = _run(job, engine, workers, address, line)
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}; go on with --resume") from None
    except KeyboardInterrupt:
        line.end()
        say(f"tersely: stopped; finished parts are in {job.place}: go on with --resume")
        raise click.exceptions.Exit(130) from None
    line.end()
    total = outcome.documents + outcome.failed
    if outcome.empty:
        say(f"tersely: {outcome.empty:,} of {total:,} summaries are empty, as their reasons say")
    if outcome.failed:
        said = f"{outcome.failed:,} of {total:,} documents failed{_first_reason(job.errors)}; see {job.errors}"
        say(f"tersely: {said}")
        raise click.exceptions.Exit(1)
    say(f"{total:,} documents written to {output}")


def _run(job: Any, engine: str, workers: int | None, address: str | None, line: "_Line") -> Any:
    if engine == "ray":
        from tersely.batch.on_ray import run_ray

        return run_ray(job, workers, address, line)
    from tersely.batch.local import run_local

    return run_local(job, workers, line)


def _first_reason(errors: str) -> str:
    """Say why the first document failed: where all fail, it is mostly why all do."""
    try:
        with Path(errors).open(encoding="utf-8") as stream:
            reason = json.loads(stream.readline())["reason"]
            return f", the first because: {' '.join(reason.split())}"
    except (OSError, ValueError, KeyError):  # it may be in an object store
        return ""


class _Line(Line):
    """How many documents are done, how fast, and how long it will take."""

    _first: Any = None

    def __call__(self, at: Any) -> None:
        if self._first is None:
            self._first, self.began = at, time.monotonic()
        if not self.due() or at.share <= self._first.share:
            return
        spent = time.monotonic() - self.began
        speed = (at.documents - self._first.documents) / spent
        left = int(spent * (1 - at.share) / (at.share - self._first.share))
        line = f"{at.documents:,} documents  {speed:,.0f} a second  {100 * at.share:.0f} %  "
        self.show(line + f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d} left")
