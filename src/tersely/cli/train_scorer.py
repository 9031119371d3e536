"""`tersely train scorer`: make a model of one's own from unlabeled texts."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from tersely.cli._printing import draw
from tersely.errors import extra

F = TypeVar("F", bound=Callable[..., Any])


def training_options(config: str | None = None) -> Callable[[F], F]:
    """Add the options that all trainings of a scorer have; `config` is the default configuration."""
    options = [
        click.option(
            "--config",
            required=config is None,
            default=config,
            show_default=True,
            metavar="NAME|FILE",
            help="A configuration, such as news, or its file.",
        ),
        click.option(
            "--out", required=True, type=click.Path(file_okay=False), metavar="DIR", help="The model folder to make."
        ),
        click.option("--resume", is_flag=True, help="Go on where DIR was left, bit for bit, or to more --steps."),
        click.option("--steps", type=click.IntRange(1), metavar="N", help="Instead of the configuration's."),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Of the documents, instead of all."),
        click.option(
            "--cache",
            type=click.Path(file_okay=False),
            metavar="DIR",
            help="Where vectors are kept, for other trainings, too.",
        ),
        click.option("--dev", metavar="FILE", type=click.Path(exists=True), help="Labeled JSONL for ROUGE-1."),
        click.option(
            "--device",
            type=click.Choice(["auto", "cpu", "cuda"]),
            default="auto",
            show_default=True,
            help="Where networks compute; auto is a GPU where there is one.",
        ),
        click.option(
            "--precision",
            type=click.Choice(["float32", "bfloat16", "float16"]),
            default="float32",
            show_default=True,
            help="How precisely networks compute.",
        ),
    ]

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.command("scorer", short_help="Train a scorer on unlabeled texts.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True))
@training_options()
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only such records of JSONL; more values, more.")
@click.option("--share", type=click.FloatRange(0, 1), metavar="R", help="How much of a text its summary will be.")
@click.option("--knapsack", metavar="NAME|DIR", help="Select by this knapsack network, such as knapsack-cnndm-dp.")
def command(
    corpus: tuple[str, ...],
    config: str,
    out: str,
    where: tuple[str, ...],
    share: float | None,
    knapsack: str | None,
    **how: Any,
) -> None:
    """Train a scorer on CORPUS: JSONL files (field 'text', plain or gzip), text files, or folders of either.

    No summaries are needed. With news it takes seconds: coverage learns where such texts say what matters. The
    other configurations train networks (extra 'train'): Ctrl-C saves and stops, --resume goes on, TensorBoard logs
    are in DIR/training/tensorboard, the curve in DIR/log.jsonl. DIR is a model folder at the end. Several processes,
    or GPUs, share each batch when torchrun starts them.

    \b
    tersely train scorer articles.jsonl --config news --out my-model
    tersely summarize report.txt --max-chars 400 --model my-model
    """
    from tersely.errors import UsageError
    from tersely.learn.scorer.corpus import Corpus

    settings = read_settings(config, how.pop("steps"), how.pop("limit"), share, knapsack)
    if settings.objective.supervised:
        raise UsageError(f"configuration '{config}' needs summaries: 'tersely train supervised' takes it")
    data, wanted = settings.data, read_where(where)
    read = partial(Corpus.read, [Path(path) for path in corpus], data.sentences, data.documents, wanted)
    if settings.network.value != "coverage":
        run(settings, read, Path(out), **how)
        return
    from tersely.learn.scorer.words import export_words

    check_folder(Path(out), how["resume"])
    chosen = "".join(f" --where {one}" for one in where)
    for found in export_words(
        settings, read(), Path(out), f"tersely train scorer CORPUS{chosen} --config {Path(config).name} --out FOLDER"
    ):
        click.echo(f"{found.language}: {found.documents:,} documents, t {found.t:.1f}, bias {found.bias:g}", err=True)
    _written(out)


def run(
    settings: Any,
    read: Callable[[], Any],
    out: Path,
    resume: bool,
    cache: str | None,
    dev: str | None,
    device: str,
    precision: str,
) -> None:
    """Train a network on the corpus that `read` returns, together with the processes of torchrun, if there are any."""
    with extra("training a network", "train"):
        from tersely.learn.scorer.distributed import joined
        from tersely.learn.scorer.export import export
        from tersely.learn.scorer.train import train
    from tersely.encode import Cache, load_encoder

    with joined(device) as team:
        check_folder(out, resume)
        texts = read()
        if team.leads:
            left_out = f"{texts.short:,} of fewer than 4 sentences and {texts.repeated:,} repeated ones were left out"
            click.echo(f"{len(texts.documents):,} documents; {left_out}", err=True)
        folder = Path(cache) if cache else out / "training" / "vectors"
        encoder = Cache(folder, load_encoder(settings.data.encoder), settings.data.precision)
        labeled = labeled_dev(dev) if dev else None
        try:
            state = train(settings, texts, encoder, out, resume, _show, labeled, team, precision)
        except KeyboardInterrupt:
            if team.leads:
                click.echo("tersely: stopped: the same command with --resume goes on", err=True)
            raise click.exceptions.Exit(130) from None
        if team.leads:
            export(settings, state, texts, out)
            _written(str(out))


def check_folder(out: Path, resume: bool) -> None:
    """Say so where a model would be written over another one, or among files that are none of its own."""
    from tersely.errors import UsageError

    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if "config.toml" in there and not resume:
        raise UsageError(f"{out} holds a model already: choose another folder, or pass --resume to go on with it")
    if there and not there & {"config.toml", "training"}:
        raise UsageError(f"{out} holds other files: choose a new folder, or an empty one")


def read_settings(
    name: str, steps: int | None, limit: int | None, share: float | None = None, knapsack: str | None = None
) -> Any:
    """Read the configuration, and put what the command line says in its place."""
    from dataclasses import replace

    from tersely.learn.scorer.config import read_config

    found = read_config(_config_file(name))
    if steps is not None:
        found = replace(found, training=replace(found.training, steps=steps))
    if limit is not None:
        found = replace(found, data=replace(found.data, documents=limit))
    if share is not None:
        found = replace(found, selection=replace(found.selection, share=share))
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


def read_where(wanted: tuple[str, ...]) -> dict[str, list[str]]:
    """Read what fields are wanted of records."""
    from tersely.errors import UsageError

    found: dict[str, list[str]] = {}
    for one in wanted:
        field, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--where takes FIELD=VALUE, such as source=news, not '{one}'")
        found.setdefault(field, []).append(value)
    return found


def labeled_dev(file: str) -> Any:
    """Read labeled documents; evaluation is asked here, as training and evaluation do not know each other."""
    from tersely.errors import InputError
    from tersely.evaluate.measures import Tokenization, rouge
    from tersely.evaluate.readers import read
    from tersely.learn.scorer.validate import Dev

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


def _written(out: str) -> None:
    from tersely.models import model_folder

    model = out if model_folder(out) == Path(out) else f"./{out}"  # a shipped model has the name, too
    click.echo(f"written to {out}: tersely summarize FILE --max-chars 400 --model {model}", err=True)


def _show(at: Any) -> None:
    left = f"{int(at.left) // 60}:{int(at.left) % 60:02d} left"
    figures = "  ".join(f"{name} {value:.3f}" for name, value in at.figures.items())
    draw(f"{at.what} {at.done}/{at.total}  {left}  {figures}".rstrip(), stays=at.validated)
