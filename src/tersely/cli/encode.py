"""`tersely encode`: compute the vectors of a corpus ahead of training."""

import re
import time
from pathlib import Path
from typing import Any

import click

from tersely.cli._options import device_option, max_source_tokens_option, validation_option, where_option
from tersely.cli._running import ProgressLine, stoppable
from tersely.errors import extra


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
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes on this machine, or a Ray cluster.",
)
@click.option("--address", metavar="ADDRESS", help="Ray cluster to join. Default: start one on this machine.")
def command(
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
    from tersely.encode import Cache, load_encoder, on_device
    from tersely.errors import InputError, UsageError
    from tersely.learn.corpus import read_conditions
    from tersely.paper.config import ScorerData, read_network_config

    if address is not None and engine != "ray":
        raise UsageError("--address is only for a Ray cluster: add --engine ray")
    data: Any = read_network_config(config).data if config else ScorerData()
    name = on_device(encoder or data.encoder, _device(options["device"], encoder or data.encoder))
    workers = options["workers"] or (1 if re.search("device=(?!cpu)", name) else None)
    vector_cache = Cache(Path(cache), load_encoder(name), data.precision)
    compute = on_ray(workers, address) if engine == "ray" else local(workers)
    line = _EncodingLine()
    files = (*corpus, *([options["validation"]] if options["validation"] else []))
    tokens = options["max_source_tokens"] or data.tokens
    documents = training_documents(files, data.sentences, read_conditions(options["where"]), tokens)
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
