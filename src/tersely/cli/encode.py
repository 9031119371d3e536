"""`tersely encode`: the vectors of a corpus, before a training wants them."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tersely.cli.progress import Line


@click.command("encode", short_help="Compute a corpus's vectors, for trainings to come.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--cache",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Where vectors are kept, as in 'tersely train scorer'.",
)
@click.option("--config", metavar="NAME|FILE", help="The training's: says which encoder and how many sentences.")
@click.option("--encoder", metavar="NAME", help="Instead of the configuration's. Default: use.")
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only such records of JSONL; more values, more.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes. Default: one a core.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option("--address", metavar="ADDRESS", help="Ray cluster to use. Default: one on this machine.")
def command(
    corpus: tuple[str, ...],
    cache: str,
    config: str | None,
    encoder: str | None,
    where: tuple[str, ...],
    workers: int | None,
    engine: str,
    address: str | None,
) -> None:
    """Compute the vectors of CORPUS, which is what 'tersely train scorer' takes, and keep them in a cache.

    A training with the same --cache then computes none. Ctrl-C stops, and the same command goes on; what is in the
    cache is never computed again.

    \b
    tersely encode articles.jsonl --cache vectors
    tersely train scorer articles.jsonl --config cpu-siamese-en --cache vectors --out my-model
    """
    from tersely.batch.vectors import fill, local, on_ray
    from tersely.encode import load_encoder
    from tersely.encode.cache import Cache
    from tersely.errors import InputError, UsageError
    from tersely.learn.catalog import read_network_config
    from tersely.learn.corpus import read_where
    from tersely.learn.scorer.config import ScorerData

    if address is not None and engine != "ray":
        raise UsageError("--address is that of a Ray cluster: add --engine ray")
    data: Any = read_network_config(config).data if config else ScorerData()
    name = encoder or data.encoder
    kept = Cache(Path(cache), load_encoder(name), data.precision)
    compute = on_ray(workers, address) if engine == "ray" else local(workers)
    line = _Line()
    try:
        done = fill(kept, name, _documents(corpus, data.sentences, read_where(where)), compute, line)
    except KeyboardInterrupt:
        line.end()
        click.echo(f"tersely: stopped; {len(kept):,} documents are in {cache}: the same command goes on", err=True)
        raise click.exceptions.Exit(130) from None
    line.end()
    if not (done.there or done.computed or done.failed):
        raise InputError("no document of 4 or more sentences was found, and no other is trained on")
    click.echo(f"documents: {done.computed:,} computed, {done.there:,} were in {cache} already", err=True)
    if done.failed:
        raise InputError(f"documents that could not be encoded: {done.failed:,}, the first because: {done.reason}")


def _documents(corpus: tuple[str, ...], sentences: int, where: Any) -> Iterator[tuple[str, ...]]:
    """Give the sentences of every document that can be trained on."""
    from tersely.learn.corpus import FEWEST_SENTENCES, beginning, read_texts
    from tersely.text import Document

    for path in corpus:
        for text in read_texts(Path(path), where):
            document = beginning(Document.from_text(text), sentences)
            if len(document) >= FEWEST_SENTENCES:
                yield tuple(document.texts)


class _Line(Line):
    """How many documents have vectors, and how fast they are computed."""

    def __call__(self, at: Any) -> None:
        if self.due():
            speed = at.computed / (time.monotonic() - self.began)
            self.show(f"{at.computed + at.there:,} documents  {speed:,.0f} computed a second")
