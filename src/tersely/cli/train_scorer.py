"""`tersely train scorer`: make a model of one's own from unlabelled texts."""

import sys
from pathlib import Path
from typing import Any

import click


@click.command("scorer", short_help="Train a scorer on unlabelled texts.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--config", required=True, metavar="NAME|FILE", help="A configuration, such as cpu-en, or its file.")
@click.option("--out", required=True, metavar="DIR", help="The model folder to make.")
@click.option("--resume", is_flag=True, help="Go on where DIR was left, bit for bit.")
@click.option("--steps", type=click.IntRange(1), metavar="N", help="Instead of the configuration's.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Of the documents, instead of the configuration's.")
@click.option("--knapsack", metavar="NAME|DIR", help="Select by this knapsack network, such as knapsack-cnndm-dp.")
@click.option("--cache", metavar="DIR", help="Where vectors are kept, for other trainings, too. [DIR/training/vectors]")
@click.option("--dev", metavar="FILE", type=click.Path(exists=True), help="Labelled JSONL to measure ROUGE-1 on.")
def command(
    corpus: tuple[str, ...],
    config: str,
    out: str,
    resume: bool,
    steps: int | None,
    limit: int | None,
    knapsack: str | None,
    cache: str | None,
    dev: str | None,
) -> None:
    """Train a scorer on CORPUS: JSONL files (field 'text', plain or gzip), text files, or folders of either.

    No summaries are needed, except by a configuration whose objective is 'supervised'. Ctrl-C saves and stops;
    --resume goes on. DIR is a model folder at the end; TensorBoard logs are in DIR/training/tensorboard, the curve
    in DIR/log.jsonl.

    \b
    tersely train scorer articles.jsonl --config cpu-en --out my-model
    tersely summarize report.txt --max-chars 400 --model my-model
    """
    from tersely.errors import MissingExtraError

    try:
        from tersely.learn.scorer import Corpus, export, train
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tersely"):
            raise
        raise MissingExtraError("training", "train") from None
    from tersely.encode import load_encoder
    from tersely.encode.cache import Cache

    settings = _settings(config, steps, limit, knapsack)
    if settings.objective.supervised:
        texts = _labelled(corpus, settings)
    else:
        texts = Corpus.read(map(Path, corpus), settings.data.sentences, settings.data.documents)
    click.echo(
        f"{len(texts.documents):,} documents; {texts.short:,} of fewer than 4 sentences and {texts.repeated:,} "
        "repeated ones were left out",
        err=True,
    )
    folder = Path(cache) if cache else Path(out) / "training" / "vectors"
    encoder = Cache(folder, load_encoder(settings.data.encoder), settings.data.precision)
    state = train(settings, texts, encoder, Path(out), resume, _Line(), labelled_dev(dev) if dev else None)
    export(settings, state, texts, Path(out))
    click.echo(f"written to {out}: tersely summarize FILE --max-chars 400 --model {out}", err=True)


def _settings(name: str, steps: int | None, limit: int | None, knapsack: str | None) -> Any:
    """Read the configuration, and put what the command line says in its place."""
    from dataclasses import replace

    from tersely.learn.scorer import read_config

    found = read_config(_config_file(name))
    if steps is not None:
        found = replace(found, training=replace(found.training, steps=steps))
    if limit is not None:
        found = replace(found, data=replace(found.data, documents=limit))
    if knapsack is not None:
        found = replace(found, selection=replace(found.selection, kind="network", folder=knapsack))
    return found


def _config_file(name: str) -> Path:
    """Find a configuration: a file, or a name in `configs` here, in the package or beside its sources."""
    from tersely.errors import unknown_name

    if Path(name).is_file():
        return Path(name)
    package = Path(__file__).parents[1]
    folders = Path("configs"), package / "configs", package.parents[1] / "configs"
    known = {file.stem: file for folder in reversed(folders) for file in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise unknown_name("configuration", name, (stem for stem in known if "knapsack" not in stem))
    return known[name]


def _labelled(files: tuple[str, ...], settings: Any) -> Any:
    """Read documents with summaries, and label the sentences that a greedy oracle chooses."""
    from dataclasses import replace

    from tersely.budget import Budget
    from tersely.evaluate.oracle import Oracle
    from tersely.evaluate.readers import read
    from tersely.learn.scorer import Corpus
    from tersely.learn.scorer.corpus import beginning

    def labelled() -> Any:
        for record in (record for file in files for record in read(file) if record.reference):
            document = beginning(record.document, settings.data.sentences)
            budget = Budget(settings.selection.count, "sentences")
            yield document, tuple(Oracle().choose(replace(record, document=document), budget))

    return Corpus.of(labelled(), settings.data.documents)


def labelled_dev(file: str) -> Any:
    """Read labelled documents; evaluation is asked here, as training and evaluation do not know each other."""
    from tersely.errors import InputError
    from tersely.evaluate.readers import read
    from tersely.evaluate.rouge import rouge
    from tersely.evaluate.tokens import Tokenization
    from tersely.learn.scorer import Dev

    records = [record for record in read(file) if record.reference and len(record.document)]
    if not records:
        raise InputError(f"{file} has no documents with a summary")
    tokens = Tokenization().tokens
    languages = [record.document.language for record in records]
    references = [
        [tokens(sentence, language) for sentence in record.reference]
        for record, language in zip(records, languages, strict=True)
    ]

    def rouge1(number: int, chosen: Any) -> float:
        found = [tokens(sentence, languages[number]) for sentence in chosen]
        return 100 * rouge(references[number], found)["rouge1"].f1

    return Dev([record.document for record in records], rouge1)


class _Line:
    """One line of progress: redrawn on a terminal, and one a validation elsewhere."""

    def __call__(self, at: Any) -> None:
        terminal = sys.stderr.isatty()
        if not at.validated and not terminal:
            return
        left = f"{int(at.left) // 60}:{int(at.left) % 60:02d} left"
        figures = "  ".join(f"{name} {value:.3f}" for name, value in at.figures.items())
        start = "\r\x1b[K" if terminal else ""
        # A validation's line stays; the others are drawn over.
        click.echo(f"{start}{at.what} {at.done}/{at.total}  {left}  {figures}".rstrip(), nl=at.validated, err=True)
