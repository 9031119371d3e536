"""`tersely train`: train a scorer without labels, the network of the default model, baselines, a knapsack network."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tersely.cli._options import CONTINUE, validation_option
from tersely.cli._running import (
    RESUME,
    Progress,
    all_changes,
    changed,
    run_options,
    say_written,
    seed_option,
    set_option,
    show_corpus,
    stoppable,
    training_options,
)
from tersely.errors import UsageError, extra

if TYPE_CHECKING:
    from tersely.learn.corpus import Corpus
    from tersely.paper.config import ScorerConfig
    from tersely.text.length import TokenCounter

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
_OUT = click.option("--out", required=True, type=_FOLDER, metavar="DIR", help="Model folder to create.")
_CORPUS = click.argument(
    "corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)
_LIMIT = click.option("--limit", type=click.IntRange(1), metavar="N", help="Read at most N documents. Default: all.")


@click.group("train", short_help="Train a model on your own texts.")
def command() -> None:
    """Train a model as a configuration says (TOML, see configs/).

    Everything except 'scorer' with the configuration news needs the extra 'train'.
    Where a network is trained, Ctrl-C or SIGTERM saves and stops, and --resume continues.
    """


@command.command("scorer", short_help="Train a scorer on unlabeled texts.")
@_CORPUS
@training_options(default="news", show_default=True)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="R",
    help="Share of a text that its summary will keep, for --config news.",
)
@click.option("--knapsack", metavar="NAME|DIR", help="Select with this knapsack network, such as knapsack-cnndm-dp.")
def scorer(
    corpus: tuple[Path, ...], config: str, out: str, share: float | None, knapsack: str | None, **options: Any
) -> None:
    """Train a scorer on CORPUS, without summaries.

    CORPUS is anything that 'tersely evaluate' reads (JSONL with the field 'text', CNN/DailyMail stories, Parquet, ...),
    text files, or folders of these. A document that is given as a list of sentences keeps them.

    With news it takes seconds: coverage of words, with what your texts show about where they say what matters.
    Other configurations train networks (extra 'train'): TensorBoard logs are in DIR/training/tensorboard, the learning
    curve in DIR/log.jsonl. If torchrun starts several processes, they share each batch. In the end DIR is a model
    folder.

    \b
    tersely train scorer articles.jsonl --out my-model
    tersely summarize report.txt --max-chars 400 --model my-model
    for seed in 1 2 3; do
      tersely train scorer articles.jsonl --config cpu-siamese-en --seed $seed --set training.rate=1e-5 --out run-$seed
    done
    """
    from dataclasses import replace

    from tersely.learn.artifacts import check_folder
    from tersely.learn.bias import BiasConfig, export_bias
    from tersely.learn.corpus import Corpus, read_conditions
    from tersely.paper.config import read_config

    settings, conditions = read_config(config, options.pop("changes")), read_conditions(options.pop("where"))
    if share is not None and not isinstance(settings, BiasConfig):
        raise UsageError("--share is for --config news: other models see how much of a text each summary keeps")
    if isinstance(settings, BiasConfig):
        for_networks = ("steps", "seed", "cache", "dev", "validation", "max_source_tokens")
        _refuse({name: options[name] for name in for_networks} | {"knapsack": knapsack}, config)
        settings = replace(settings, share=share or settings.share, documents=options["limit"] or settings.documents)
        made_by = "".join(f" --where {field}={value}" for field, values in conditions.items() for value in values)
        made_by = f"tersely train scorer CORPUS{made_by} --config {Path(config).name} --out FOLDER"
        check_folder(Path(out), options["resume"])
        documents = Corpus.read(corpus, settings.sentences, settings.documents, conditions)
        for bias in export_bias(settings, documents, Path(out), made_by):
            click.echo(str(bias), err=True)
        say_written(Path(out))
        return
    if settings.objective.supervised:
        raise UsageError(f"configuration '{config}' needs summaries: use 'tersely train supervised'")
    if knapsack is not None:
        settings = replace(settings, selection=replace(settings.selection, kind="network", folder=knapsack))
    settings = changed(settings, options)
    data = settings.data

    def read(paths: tuple[Path, ...], **keywords: Any) -> Corpus:
        return Corpus.read(paths, data.sentences, data.documents, conditions, data.tokens, **keywords)

    _train_network(settings, corpus, read, Path(out), **options)


@command.command("supervised", short_help="Train the supervised baseline on documents with summaries.")
@_CORPUS
@training_options(default="cpu-supervised-en", show_default=True)
def supervised(corpus: tuple[Path, ...], config: str, out: str, **options: Any) -> None:
    """Train the same scorer on labels: the sentences that a greedy oracle chooses when it sees the summary.

    CORPUS is anything that 'tersely evaluate' reads: JSONL with 'text' and 'summary', CNN/DailyMail stories, ... This
    is the BertSum-style baseline, to compare with models trained without labels.

    \b
    tersely train supervised labeled.jsonl --validation dev.jsonl --out bertsum
    tersely evaluate test.jsonl --systems lead,bertsum --budgets 400
    """
    from tersely.learn.bias import BiasConfig
    from tersely.learn.corpus import Corpus, read_conditions, read_records
    from tersely.paper.config import read_config

    loaded, conditions = read_config(config, options.pop("changes")), read_conditions(options.pop("where"))
    if isinstance(loaded, BiasConfig) or not loaded.objective.supervised:
        raise UsageError(f"configuration '{config}' learns without labels: use 'tersely train scorer'")
    settings = changed(loaded, options)
    data, count = settings.data, settings.selection.count

    def label(paths: tuple[Path, ...], **keywords: Any) -> Corpus:
        records = (record for path in paths for record in read_records(path, conditions))
        return Corpus.labeled(records, data.sentences, count, data.documents, data.tokens, **keywords)

    _train_network(settings, corpus, label, Path(out), **options)


@command.command("baseline", short_help="Train a method of another paper.")
@_CORPUS
@click.option("--config", required=True, metavar="NAME|FILE", help="Configuration, such as cpu-neusum-en.")
@_OUT
@click.option("--resume", is_flag=True, help=CONTINUE)
@run_options
@_LIMIT
@validation_option
def baseline(
    corpus: tuple[Path, ...],
    config: str,
    out: Path,
    changes: tuple[str, ...],
    steps: int | None,
    seed: int | None,
    limit: int | None,
    validation: str | None,
    **options: Any,
) -> None:
    """Train NeuSum, BertSum, STAS or the word model of PMI on CORPUS.

    NeuSum and BertSum learn from summaries: CORPUS is as in 'tersely train supervised'. STAS and PMI need only texts:
    CORPUS is as in 'tersely train scorer'. Ctrl-C saves and stops. In the end DIR is a model folder.

    \b
    tersely train baseline labeled.jsonl --config cpu-neusum-en --out models/cnndm-neusum
    tersely reproduce table2 --data datasets --models models
    """
    with extra("training a baseline", "train"):
        from tersely.paper.baselines import BaselineData, make_baseline, read_baseline

    settings = read_baseline(config, all_changes(changes, steps, seed))
    data = BaselineData(corpus, (Path(validation),) if validation else (), limit or 0)
    with stoppable(lambda: RESUME):
        make_baseline(settings, data, out, report=Progress(), **options)
    say_written(out)


@command.command("knapsack", short_help="Train a knapsack network.")
@click.argument("config", metavar="NAME|FILE")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder for checkpoint, logs and, in the end, the model in DIR/model.",
)
@click.option("--resume", is_flag=True, help=CONTINUE)
@run_options
@click.option("--samples", type=click.IntRange(1), default=20_000, show_default=True, help="Problems to measure it on.")
def knapsack(
    config: str,
    out: str,
    resume: bool,
    steps: int | None,
    seed: int | None,
    changes: tuple[str, ...],
    device: str,
    samples: int,
) -> None:
    """Train a knapsack network on simulated problems and export it to DIR/model.

    TensorBoard logs are in DIR/tensorboard. The other methods of the paper's Table 1 have configurations as well, such
    as cpu-knapsack-dqn-cnndm: they are measured, and not exported.

    \b
    tersely train knapsack cpu-knapsack-cnewsum-dp --out runs/cnewsum-dp
    """
    with extra("training", "train"):
        from tersely.paper.knapsack_measure import export_knapsack
        from tersely.paper.knapsack_network import KnapsackConfig
        from tersely.paper.table1 import NETWORKS, Table1Config, render_rows, train_baseline
        from tersely.paper.train_knapsack import train_knapsack
    from tersely.learn.artifacts import find_config
    from tersely.settings import read_settings, read_toml

    file, every_change = find_config(config), all_changes(changes, steps, seed)
    if read_toml(file).get("network", {}).get("kind") in NETWORKS:
        method = read_settings(file, Table1Config, every_change)
        with stoppable(lambda: RESUME):
            figures = train_baseline(method, Path(out), resume, Progress(method.training.batch), samples, device)
        click.echo(render_rows([figures]))
        return
    settings = read_settings(file, KnapsackConfig, every_change)
    with stoppable(lambda: RESUME):
        progress = Progress(settings.training.batch)
        state = train_knapsack(settings, Path(out), resume, progress, device=device)
        figures = export_knapsack(settings, state, Path(out) / "model", samples)
    for way in ("rounded", "repaired"):
        rates = ", ".join(f"{name.replace('_', ' ')} {100 * rate:.2f} %" for name, rate in figures[way].items())
        click.echo(f"{way}: {rates}")
    click.echo(f"written to {Path(out) / 'model'}", err=True)


@command.command("editor", short_help="Train the network of the default model on labels.")
@click.argument("labels", metavar="LABELS...", nargs=-1, required=True, type=_FILE)
@click.option("--data", required=True, type=_EXISTING, metavar="FOLDER", help="Folder of the labeled documents.")
@click.option("--more", multiple=True, type=_FILE, metavar="FILE", help="Labels of other annotators; may be repeated.")
@click.option("--unlabeled", multiple=True, type=_FILE, metavar="FILE", help="Texts to learn from first.")
@click.option("--dev", type=_FILE, metavar="FILE", help="Labels to measure on after each epoch.")
@click.option("--config", default="editor", show_default=True, metavar="NAME|FILE", help="Configuration.")
@_OUT
@click.option("--resume", is_flag=True, help=CONTINUE)
@seed_option
@set_option
def editor(
    labels: tuple[Path, ...],
    data: Path,
    more: tuple[Path, ...],
    unlabeled: tuple[Path, ...],
    dev: Path | None,
    config: str,
    out: Path,
    resume: bool,
    seed: int | None,
    changes: tuple[str, ...],
) -> None:
    """Train the network that reads as an editor: what sentences are worth, which are noise, and what they need.

    A line of LABELS has the labels of one document, and its text or where in FOLDER it is. Other annotators (--more)
    may see more needs; how many more is learned. Ctrl-C saves after the epoch. In the end DIR is a model folder.

    \b
    tersely train editor train.jsonl.gz --more labels/editor.jsonl.gz --data data --dev dev.jsonl.gz --out my-editor
    """
    with extra("training a network", "train"):
        from tersely.learn.editor_run import EditorData, make_editor, read_editor_config

    settings = read_editor_config(config, [*changes, *([f"seed={seed}"] if seed is not None else [])])
    with stoppable(lambda: RESUME):
        make_editor(settings, EditorData(data, labels, more, dev, unlabeled), out, resume, Progress())
    say_written(out)


def _train_network(
    settings: "ScorerConfig",
    paths: tuple[Path, ...],
    read: "Callable[..., Corpus]",
    out: Path,
    *,
    cache: str | None,
    dev: str | None,
    validation: str | None,
    **options: Any,
) -> None:
    with extra("training a network", "train"):
        from tersely.paper.distributed import leads
        from tersely.paper.train_scorer import make_scorer

    def read_all(count_tokens: "TokenCounter") -> "Corpus":
        corpus = read(paths, count_tokens=count_tokens)
        if not validation:
            return corpus
        return corpus.validated_on(read((Path(validation),), fewest=1, count_tokens=count_tokens))

    options |= {"cache": Path(cache) if cache else None, "dev": Path(dev) if dev else None}
    with stoppable(lambda: RESUME):
        make_scorer(settings, read_all, out, Progress(), show=show_corpus, **options)
    if leads():
        say_written(out)


def _refuse(options: dict[str, Any], config: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} is for networks, and configuration '{config}' has none: leave it out"
            )
