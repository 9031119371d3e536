"""`tersely batch`: summarize a corpus, from files to files; `tersely encode`: compute its vectors ahead of training."""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tersely.cli._options import (
    F,
    assembly,
    budgets,
    device_option,
    format_option,
    max_source_tokens_option,
    parts,
    prefer_typed,
    several,
    share_encoder,
    take_budget,
    validation_option,
    where_option,
)
from tersely.cli._running import ProgressLine, listen_no_more, say, stoppable
from tersely.errors import UsageError, extra


def _engine_options(advice: str = "") -> Callable[[F], F]:
    """Return the options that say where the work is done, with `advice` at the end of their help."""
    return several(
        click.option(
            "--engine",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help=f"Processes on this machine, or a Ray cluster.{advice}",
        ),
        click.option("--address", metavar="ADDRESS", help="Ray cluster to join. Default: start one on this machine."),
    )


def _check_engine(engine: str, address: str | None) -> None:
    if address is not None and engine != "ray":
        raise UsageError("--address is only for a Ray cluster: add --engine ray")


@click.command("batch", short_help="Summarize a corpus, from files to files.")
@click.argument("paths", metavar="INPUT... OUTPUT", nargs=-1, required=True)
@budgets
@parts
@assembly
@click.option(
    "--text-column",
    default="text",
    show_default=True,
    metavar="NAME",
    help="Column that holds the texts, or lists of sources: strings, or objects with a text and perhaps an id.",
)
@click.option("--query-column", metavar="NAME", help="Column that holds a question for each text, instead of --query.")
@click.option(
    "--summary-column", default="summary", show_default=True, metavar="NAME", help="Column for the summaries."
)
@click.option("--id", "id_column", metavar="NAME", help="Column that identifies a document in errors.jsonl.")
@format_option(
    "text", "The summary with its length and reason, or everything that 'tersely summarize --format json' prints."
)
@click.option(
    "--to",
    type=click.Choice(["jsonl", "jsonl.gz", "jsonl.zst", "parquet", "csv", "tsv"]),
    help="Format of the output. Default: the same as INPUT.",
)
@click.option("--part-size", type=click.IntRange(1), default=2_000, show_default=True, help="Documents per part.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Number of processes. Default: one per core.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Give up on a document that takes longer. Default: no limit.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run, and do damaged parts again.")
@click.option("--retry", is_flag=True, help="With --resume, also try documents again at which workers died.")
@_engine_options(" Resume with the same engine.")
def command(
    paths: tuple[str, ...],
    form: Any,
    text_column: str,
    query_column: str | None,
    summary_column: str,
    id_column: str | None,
    to: Any,
    part_size: int,
    workers: int | None,
    timeout: float | None,
    resume: bool,
    retry: bool,
    engine: str,
    address: str | None,
    model: str | None,
    scorer: str | None,
    encoder: str | None,
    select: str | None,
    **options: Any,
) -> None:
    """Summarize every document of INPUT: files, folders or patterns of JSON Lines (plain, gzip, zstd), Parquet or CSV.

    A file of another form that 'tersely summarize' reads, such as PDF, DOCX or e-mail, is one document, and so is each
    file in a folder of such files.

    OUTPUT is a folder of parts with a manifest, or one file if its name ends in .jsonl, .jsonl.gz, .jsonl.zst,
    .parquet, .csv or .tsv. All other columns and the order are kept. Documents that fail are listed in errors.jsonl.
    Continue an interrupted run with --resume.

    \b
    tersely batch news.jsonl.gz summaries --max-chars 400
    tersely batch letters/ summaries.jsonl --max-words 60
    tersely batch 'news/*.parquet' summaries.parquet --max-words 60 --text-column article
    tersely batch found.jsonl answers --max-chars 900 --text-column sources --query-column question
    """
    from tersely.batch.job import Job
    from tersely.batch.records import Summarize
    from tersely.errors import InputError

    if sys.stderr is None:
        listen_no_more()  # else the next file that is opened gets its number, and workers print into that file
    *inputs, output = paths
    if not inputs:
        raise UsageError("give at least one INPUT, and the OUTPUT last")
    _check_engine(engine, address)
    if query_column is not None and options["query"] is not None:
        raise UsageError("give either --query or --query-column, not both")
    if options["more"] is not None:
        raise UsageError("--more goes on with one text: use it with 'tersely summarize'")
    encoder = share_encoder(encoder, options, with_queries=query_column is not None)
    prefer_typed(options)
    take_budget(dict(options))  # reports a wrong budget before any file is read
    chosen = {name: value for name, value in options.items() if value not in (None, ())}
    parts = {"model": model, "scorer": scorer, "encoder": encoder, "select": select}
    function = Summarize(parts, chosen, summary_column, form, has_query=query_column is not None)
    columns = {"text": text_column, "id": id_column, "query": query_column}
    run = {"to": to, "part_size": part_size, "resume": resume, "timeout": timeout, "retry": retry}
    job = Job(tuple(inputs), output, function, **columns, **run)  # type: ignore[arg-type]
    line = _BatchLine()
    try:
        try:
            totals = _run(job, engine, workers, address, line)
        finally:
            line.end()
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}; continue with --resume") from None
    except KeyboardInterrupt:
        say(f"tersely: stopped; finished parts are in {job.place}: continue with --resume")
        raise click.exceptions.Exit(130) from None
    total = totals.documents + totals.failed
    if totals.empty:
        say(f"tersely: {totals.empty:,} of {total:,} summaries are empty; the output says why")
    if totals.failed:
        message = f"{totals.failed:,} of {total:,} documents failed{_first_reason(job.errors)}; see {job.errors}"
        say(f"tersely: {message}")
        raise click.exceptions.Exit(3)
    say(f"{total:,} documents written to {output}")


def _run(job: Any, engine: str, workers: int | None, address: str | None, line: "_BatchLine") -> Any:
    if engine == "ray":
        from tersely.batch.engine_ray import run_ray

        return run_ray(job, workers, address, line)
    from tersely.batch.engine_local import run_local

    return run_local(job, workers, line)


def _first_reason(errors: str) -> str:
    """Say why the first document failed: if all fail, usually for the same reason."""
    try:
        with Path(errors).open(encoding="utf-8") as stream:
            reason = json.loads(stream.readline())["reason"]
            return f"; the first reason: {' '.join(reason.split())}"
    except (OSError, ValueError, KeyError):  # the file may be in an object store
        return ""


class _BatchLine(ProgressLine):
    """How many documents are done, how fast, and how much time remains."""

    _first: Any = None

    def __call__(self, at: Any) -> None:
        if self._first is None:
            self._first, self.began = at, time.monotonic()
        if not self.due() or at.share <= self._first.share:
            return
        spent = time.monotonic() - self.began
        speed = (at.documents - self._first.documents) / spent
        remaining = int(spent * (1 - at.share) / (at.share - self._first.share))
        line = f"{at.documents:,} documents  {speed:,.0f} per second  {100 * at.share:.0f} %  "
        self.show(line + f"{remaining // 3600}:{remaining // 60 % 60:02d}:{remaining % 60:02d} left")


@click.command("encode", short_help="Compute the vectors of a corpus ahead of training.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--cache",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder for the vectors, as in 'tersely train scorer'.",
)
@click.option(
    "--config",
    metavar="NAME|FILE",
    help="Configuration of the training run: its encoder and how much it reads apply.",
)
@click.option("--encoder", metavar="NAME", help="Encoder, instead of the configuration's. Default: use.")
@max_source_tokens_option
@where_option
@validation_option
@device_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Number of processes. Default: one per core, or one with a GPU.",
)
@_engine_options()
def encode(
    corpus: tuple[str, ...],
    cache: str,
    config: str | None,
    encoder: str | None,
    engine: str,
    address: str | None,
    **options: Any,
) -> None:
    """Compute the vectors of CORPUS, as 'tersely train' reads it, and keep them in a cache.

    Training with the same --cache then computes none. Vectors in the cache are never computed again: stop with Ctrl-C
    or SIGTERM, and run the same command to continue.

    \b
    tersely encode articles.jsonl --cache vectors
    tersely train scorer articles.jsonl --config cpu-siamese-en --cache vectors --out my-model
    """
    from tersely.batch.vectors import fill, local, on_ray, training_documents
    from tersely.encode import Cache, load_encoder, on_device, pieces_of
    from tersely.errors import InputError
    from tersely.learn.corpus import read_conditions
    from tersely.paper.config import ScorerData, read_network_config

    _check_engine(engine, address)
    data: Any = read_network_config(config).data if config else ScorerData()
    name = on_device(encoder or data.encoder, _device(options["device"], encoder or data.encoder))
    workers = options["workers"] or (1 if re.search("device=(?!cpu)", name) else None)
    vector_cache = Cache(Path(cache), load_encoder(name), data.precision)
    compute = on_ray(workers, address) if engine == "ray" else local(workers)
    line = _EncodingLine()
    files = (*corpus, *([options["validation"]] if options["validation"] else []))
    tokens = options["max_source_tokens"] or data.tokens
    conditions, count_tokens = read_conditions(options["where"]), pieces_of(vector_cache.encoder)
    documents = training_documents(files, data.sentences, conditions, tokens, count_tokens)
    with stoppable(lambda: f"{len(vector_cache):,} documents are in {cache}: run the same command to continue"):
        try:
            filled = fill(vector_cache, name, documents, compute, line)
        finally:
            line.end()
    if not (filled.cached or filled.computed or filled.failed):
        raise InputError("the corpus has no document with 4 or more sentences, the fewest that training takes")
    click.echo(f"documents: {filled.computed:,} computed, {filled.cached:,} already in {cache}", err=True)
    if filled.failed:
        raise InputError(f"{filled.failed:,} documents could not be encoded; the first reason: {filled.reason}")


def _device(name: str, encoder: str) -> str:
    """Return the device of an encoder; PyTorch resolves `auto` only for an encoder with a network."""
    if name != "auto" or not encoder.startswith("hub:"):
        return "cpu" if name == "auto" else name
    from tersely.encode import torch_device

    with extra("encoder 'hub'", "hub"):
        return str(torch_device(name))


class _EncodingLine(ProgressLine):
    """How many documents have vectors, and how fast they are computed."""

    def __call__(self, at: Any) -> None:
        if self.due():
            speed = at.computed / (time.monotonic() - self.began)
            self.show(f"{at.computed + at.cached:,} documents  {speed:,.0f} computed per second")
