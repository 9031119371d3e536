"""`tersely train`: train a scorer without labels, the supervised baseline, a knapsack network, openings, or cues."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import CONTINUE, STEPS, WHERE, training_options
from tersely.cli._printing import draw
from tersely.errors import extra

if TYPE_CHECKING:
    from tersely.learn.corpus import Corpus, Where
    from tersely.learn.loop import TrainingProgress
    from tersely.learn.news import NewsConfig
    from tersely.learn.scorer.config import ScorerConfig

_SAMPLES = "Number of problems to measure the network on in the end."
_JSON = click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="JSON file."
)
_STOPPED = "tersely: stopped; to continue, run the same command with --resume"


@click.group("train", short_help="Train a model on your own texts.")
def command() -> None:
    """Train a model as a configuration says (TOML, see configs/).

    Everything except 'scorer --config news', 'openings' and 'cues' needs the extra 'train'.
    """


@command.command("scorer", short_help="Train a scorer on unlabeled texts.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
# With a default of None click would not ask for a required option.
@training_options(required=True)
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help=WHERE)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="R",
    help="Share of a text that its summary will keep, for news.",
)
@click.option("--knapsack", metavar="NAME|DIR", help="Select with this knapsack network, such as knapsack-cnndm-dp.")
def scorer(
    corpus: tuple[Path, ...],
    config: str,
    out: str,
    where: tuple[str, ...],
    share: float | None,
    knapsack: str | None,
    **how: Any,
) -> None:
    """Train a scorer on CORPUS, without summaries.

    CORPUS is JSONL (field 'text'; plain, gzip or zstd), Parquet (column 'text'), text files, or folders of these.

    With news it takes seconds: coverage learns where such texts say what matters. The other configurations train
    networks (extra 'train'): Ctrl-C saves and stops, --resume continues, TensorBoard logs are in
    DIR/training/tensorboard, the learning curve in DIR/log.jsonl. If torchrun starts several processes, they share each
    batch. In the end DIR is a model folder.

    \b
    tersely train scorer articles.jsonl --config news --out my-model
    tersely summarize report.txt --max-chars 400 --model my-model
    """
    from dataclasses import replace

    from tersely.errors import UsageError
    from tersely.learn.catalog import read_config
    from tersely.learn.corpus import Corpus, read_where
    from tersely.learn.news import NewsConfig

    settings, wanted = read_config(config), read_where(where)
    if isinstance(settings, NewsConfig):
        _refuse({"steps": how["steps"], "cache": how["cache"], "dev": how["dev"], "knapsack": knapsack}, config)
        changed = replace(settings, share=share or settings.share, documents=how["limit"] or settings.documents)
        made_by = "".join(f" --where {one}" for one in where) + f" --config {Path(config).name}"
        _train_news(changed, corpus, wanted, Path(out), how["resume"], f"CORPUS{made_by}")
        return
    if share is not None:
        raise UsageError("--share is for --config news: networks take the budgets of their configuration")
    if settings.objective.supervised:
        raise UsageError(f"configuration '{config}' needs summaries: use 'tersely train supervised'")
    if knapsack is not None:
        settings = replace(settings, selection=replace(settings.selection, kind="network", folder=knapsack))
    settings = _changed(settings, how.pop("steps"), how.pop("limit"))
    read = partial(Corpus.read, corpus, settings.data.sentences, settings.data.documents, wanted)
    _train_network(settings, read, Path(out), **how)


@command.command("supervised", short_help="Train the supervised baseline on documents with summaries.")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=click.Path(exists=True))
@training_options(default="cpu-supervised-en", show_default=True)
def supervised(data: tuple[str, ...], config: str, out: str, **how: Any) -> None:
    """Train the same scorer on labels: the sentences that a greedy oracle chooses when it sees the summary.

    DATA is anything that 'tersely evaluate' reads: JSONL with 'text' and 'summary', CNN/DailyMail stories, ... This is
    the BertSum-style baseline, to compare with models trained without labels.

    \b
    tersely train supervised labeled.jsonl --out bertsum
    tersely evaluate dev.jsonl --systems lead,bertsum --budgets 400
    """
    from tersely.errors import UsageError
    from tersely.evaluate.readers import read
    from tersely.learn.catalog import read_config
    from tersely.learn.corpus import Corpus
    from tersely.learn.news import NewsConfig

    found = read_config(config)
    if isinstance(found, NewsConfig) or not found.objective.supervised:
        raise UsageError(f"configuration '{config}' learns without labels: use 'tersely train scorer'")
    settings = _changed(found, how.pop("steps"), how.pop("limit"))

    def label() -> Corpus:
        records = (record for file in data for record in read(file))
        return Corpus.labeled(records, settings.data.sentences, settings.selection.count, settings.data.documents)

    _train_network(settings, label, Path(out), **how)


@command.command("knapsack", short_help="Train a knapsack network.")
@click.argument("config", metavar="CONFIG", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder for checkpoint, logs and, in the end, the model in DIR/model.",
)
@click.option("--resume", is_flag=True, help=CONTINUE)
@click.option("--steps", type=click.IntRange(1), metavar="N", help=STEPS)
@click.option("--samples", type=click.IntRange(1), default=20_000, show_default=True, help=_SAMPLES)
def knapsack(config: str, out: str, resume: bool, steps: int | None, samples: int) -> None:
    """Train a knapsack network on simulated problems and export it to DIR/model.

    Ctrl-C saves and stops. TensorBoard logs are in DIR/tensorboard.

    \b
    tersely train knapsack configs/cpu-knapsack-cnewsum-dp.toml --out runs/cnewsum-dp
    """
    from dataclasses import replace

    with extra("training", "train"):
        from tersely.learn.knapsack.folder import export_knapsack
        from tersely.learn.knapsack.network import read_knapsack
        from tersely.learn.knapsack.train_knapsack import train_knapsack

    settings = read_knapsack(Path(config))
    if steps is not None:
        settings = replace(settings, training=replace(settings.training, steps=steps))
    try:
        state = train_knapsack(settings, Path(out), resume, partial(_show_knapsack, settings.training.batch))
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        raise click.exceptions.Exit(130) from None
    figures = export_knapsack(settings, state, Path(out) / "model", samples)
    for way in ("rounded", "repaired"):
        rates = ", ".join(f"{name.replace('_', ' ')} {100 * rate:.2f} %" for name, rate in figures[way].items())
        click.echo(f"{way}: {rates}")
    click.echo(f"written to {Path(out) / 'model'}", err=True)


@command.command("openings", short_help="Learn how texts begin.")
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@_JSON
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help=WHERE)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Read at most N documents. Default: all.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the sample of sentences.")
def openings(corpus: tuple[Path, ...], out: Path, where: tuple[str, ...], limit: int | None, seed: int) -> None:
    """Learn from CORPUS, without labels, which sentences look as if they need what comes before.

    CORPUS is as in 'tersely train scorer', with texts in English, in Chinese and in other languages.

    \b
    tersely train openings english.jsonl chinese.jsonl others.jsonl --out openings.json
    """
    from tersely.learn.corpus import Corpus, read_where
    from tersely.learn.openings import OpeningsConfig, train_openings

    config = OpeningsConfig(seed=seed)
    words = [*map(str, corpus), *(f"--where {one}" for one in where), *([f"--limit {limit}"] if limit else [])]
    made = f"tersely train openings {' '.join(words)} --seed {seed} --out {out.name}"
    documents = Corpus.read(corpus, config.sentences, limit or 0, read_where(where))
    train_openings(documents, config, made, out, lambda line: click.echo(line, err=True))
    click.echo(f"written to {out}", err=True)


@command.command("cues", short_help="Learn how sentences that matter are worded.")
@click.argument("corpus", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@_JSON
@click.option("--kind", default="source", show_default=True, metavar="FIELD", help="Field that names the kind of text.")
def cues(corpus: tuple[Path, ...], out: Path, kind: str) -> None:
    """Learn from FILE, without labels, how sentences are worded that say what their text is about.

    FILE is JSONL with the fields 'text' and 'source' (or --kind): a feature counts only if it is frequent in at least
    three kinds of text.

    \b
    tersely train cues news.jsonl papers-and-judgments.jsonl --out cues.json
    """
    from tersely.learn.cues import CuesConfig, learn_cues

    made = f"tersely train cues {' '.join(path.name for path in corpus)} --kind {kind} --out {out.name}"
    learn_cues(corpus, kind, CuesConfig(), made, out, lambda line: click.echo(line, err=True))
    click.echo(f"written to {out}", err=True)


def _train_news(
    settings: "NewsConfig", paths: tuple[Path, ...], where: "Where", out: Path, resume: bool, made_by: str
) -> None:
    from tersely.learn.artifacts import check_folder
    from tersely.learn.corpus import Corpus
    from tersely.learn.news import export_news

    check_folder(out, resume)
    corpus = Corpus.read(paths, settings.sentences, settings.documents, where)
    for found in export_news(settings, corpus, out, f"tersely train scorer {made_by} --out FOLDER"):
        click.echo(f"{found.language}: {found.documents:,} documents, t {found.t:.1f}, bias {found.bias:g}", err=True)
    _say_written(out)


def _train_network(
    settings: "ScorerConfig",
    read: "Callable[[], Corpus]",
    out: Path,
    *,
    resume: bool,
    cache: str | None,
    dev: str | None,
    device: str,
    precision: str,
) -> None:
    with extra("training a network", "train"):
        from tersely.learn.scorer.distributed import leads
        from tersely.learn.scorer.train_scorer import make_scorer

    how: dict[str, Any] = {"resume": resume, "device": device, "precision": precision}
    how |= {"cache": Path(cache) if cache else None, "dev": Path(dev) if dev else None}
    try:
        make_scorer(settings, read, out, _show, show=_show_corpus, **how)
    except KeyboardInterrupt:
        if leads():
            click.echo(_STOPPED, err=True)
        raise click.exceptions.Exit(130) from None
    if leads():
        _say_written(out)


def _changed(settings: "ScorerConfig", steps: int | None, limit: int | None) -> "ScorerConfig":
    """Put in what the command line says."""
    from dataclasses import replace

    if steps is not None:
        settings = replace(settings, training=replace(settings.training, steps=steps))
    if limit is not None:
        settings = replace(settings, data=replace(settings.data, documents=limit))
    return settings


def _refuse(options: dict[str, Any], config: str) -> None:
    from tersely.errors import UsageError

    for name, value in options.items():
        if value is not None:
            raise UsageError(f"--{name} is for networks, and configuration '{config}' has none: leave it out")


def _say_written(out: Path) -> None:
    from tersely.models import model_folder

    model = str(out) if model_folder(str(out)) == out else f"./{out}"  # a shipped model may have the same name
    click.echo(f"written to {out}: tersely summarize FILE --max-chars 400 --model {model}", err=True)


def _show_corpus(corpus: "Corpus") -> None:
    left_out = f"{corpus.short:,} with fewer than 4 sentences and {corpus.repeated:,} repeated ones were left out"
    click.echo(f"{len(corpus.documents):,} documents; {left_out}", err=True)


def _show(at: "TrainingProgress") -> None:
    figures = "  ".join(f"{name} {value:.3f}" for name, value in at.figures.items())
    draw(f"{at.what} {at.done}/{at.total}  {_clock(at.left)} left  {figures}".rstrip(), stays=at.validated)


def _show_knapsack(batch: int, at: "TrainingProgress") -> None:
    line = (
        f"{at.done}/{at.total}  loss {at.figures['loss']:.4f}  error {100 * at.figures['error_rate']:.2f} %  "
        f"matched {100 * at.figures['matched_rate']:.2f} %  {at.done * batch / at.seconds:,.0f} samples/s  "
        f"{_clock(at.left)} left"
    )
    draw(line, stays=at.validated)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
