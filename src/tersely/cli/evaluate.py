"""`tersely evaluate`: compare systems on the same documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tersely.cli._options import max_source_tokens_option
from tersely.cli._printing import counting
from tersely.languages import LANGUAGES

# What is measured instead of ROUGE, each by a flag of this name; they exclude each other.
MODES = ("readability", "editor", "gum", "queries")
# Options that only some modes have.
LABELED = ("readability", "editor", "gum")
MODES_OF = {"labels": ("readability",), "by": LABELED, "budgets_zh": LABELED, "coherence": ("queries",)}


@click.command("evaluate", short_help="Compare systems on documents: ROUGE, or how they read.")
@click.argument("files", metavar="DATA", nargs=-1, required=True)
@click.option("--systems", metavar="A,B,...", help="The systems to compare. Default: lead,editor.")
@click.option("--sentences", type=click.IntRange(1), metavar="N", help="Budget in sentences.")
@click.option("--budgets", metavar="N,N,...", help="Budgets in --unit.")
@click.option("--budgets-zh", metavar="N,N,...", help="With labels: budgets for Chinese texts instead.")
@click.option(
    "--unit",
    type=click.Choice(["chars", "words", "tokens", "bytes", "sentences", "ratio"]),
    default="chars",
    show_default=True,
    help="Unit of --budgets; tokens are for --queries.",
)
@click.option("--tokenizer", metavar="FILE|NAME", help="For --unit tokens: a tokenizer.json, or a tiktoken encoding.")
@click.option("--baseline", metavar="SYSTEM", help="Compare the others with this system. Default: the first one.")
@click.option("--reader", metavar="NAME", help="Format of DATA. Default: detected.")
@click.option("--lang", "language", type=click.Choice(LANGUAGES), help="Default: detected for each text.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents.")
@click.option("--strict", is_flag=True, help="Stop at a bad record instead of skipping it.")
@max_source_tokens_option
@click.option(
    "--max-source-sentences",
    type=click.IntRange(1),
    metavar="N",
    help="Show systems only the first N sentences of a document.",
)
@click.option("--alternatives", is_flag=True, help="A list of summaries is several references; the best match counts.")
@click.option("--no-stem", is_flag=True, help="Do not stem English words for ROUGE.")
@click.option(
    "--chinese",
    type=click.Choice(["chars", "words"]),
    default="chars",
    show_default=True,
    help="Tokens of Chinese texts for ROUGE.",
)
@click.option("--readability", is_flag=True, help="Instead of ROUGE: how summaries read, by the labels of --labels.")
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --readability: labels of what sentences need, of noise, and of an editor's choice.",
)
@click.option("--editor", is_flag=True, help="Instead of ROUGE: how an editor reads the summaries; DATA has labels.")
@click.option("--gum", is_flag=True, help="Instead of ROUGE: pronouns and salience; DATA is of the GUM corpus.")
@click.option("--queries", is_flag=True, help="Instead of ROUGE: how much of what answers questions is kept.")
@click.option(
    "--coherence",
    type=click.Choice(["strict", "soft", "off"]),
    help="With --queries: what 'tersely summarize' calls so. Default: off.",
)
@click.option("--by", metavar="FIELD", help="With labels: also show each value of this field.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Number of processes. Default: one per core.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also write Markdown, CSV, JSON and plots to this folder.",
)
def command(files: tuple[str, ...], systems: str | None, baseline: str | None, **how: Any) -> None:
    """Compare systems on DATA: ROUGE, lengths, and paired tests against a baseline.

    A system is scorer[+selector][@encoder], model[+selector], 'oracle', or another tool (sumy-textrank, ...).

    \b
    tersely evaluate news.jsonl.gz --systems lead,textrank,coverage,oracle --sentences 3
    tersely evaluate news.jsonl.gz --systems lead,textrank@tfidf,coverage --budgets 300,400,500

    With --readability, --editor or --gum, labels say how summaries read; no references are needed. The default budgets
    are 300 and 600 characters, in Chinese 100 and 200. --readability takes the labels from another file. --editor
    takes them from DATA, and also tells how many summaries have the main point, and why sentences do not stand alone.
    --gum counts pronouns that point at nothing, and who and what people find worth naming.

    \b
    tersely evaluate texts.jsonl.gz --readability --labels labels.jsonl.gz --by set
    tersely evaluate --editor editor.jsonl.gz --systems lead,editor --by kind
    tersely evaluate --gum gum.jsonl.gz --systems lead,editor --by genre

    With --queries, DATA is files of questions over documents. The default budgets are 10, 20 and 40 % of the
    characters, the default systems our own, BM25 with titles, vectors and lead.

    \b
    tersely evaluate questions.jsonl.gz --queries --budgets 60,200 --unit words
    tersely evaluate questions.jsonl.gz --queries --budgets 256,512 --unit tokens --tokenizer tokenizer.json
    """
    from tersely.errors import UsageError
    from tersely.evaluate.systems import parse_systems

    mode = _mode(files, how)
    if mode == "queries":
        return _queries(files, systems, how)
    [data] = files
    names = parse_systems(systems or "lead,editor")
    base = baseline or names[0]
    if base not in names:
        raise UsageError(f"the baseline '{base}' is not one of the systems")
    if mode == "rouge":
        return _rouge(data, names, base, how)
    return _reading(data, names, base, how)


def _mode(files: tuple[str, ...], how: dict[str, Any]) -> str:
    """Return what to measure: a mode, or "rouge"; options that do not go together are refused here."""
    from tersely.errors import UsageError

    modes = [mode for mode in MODES if how[mode]]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(f'--{mode}' for mode in modes)} exclude each other")
    mode = modes[0] if modes else "rouge"
    if mode != "queries" and (len(files) > 1 or how["unit"] == "tokens"):
        raise UsageError(f"{'several files are' if len(files) > 1 else '--unit tokens is'} only for --queries")
    for option, allowed in MODES_OF.items():
        if how[option] is not None and mode not in allowed:
            flags = " or ".join(f"--{name}" for name in allowed)
            raise UsageError(f"--{option.replace('_', '-')} needs {flags}")
    if mode == "readability" and how["labels"] is None:
        raise UsageError("--readability needs --labels FILE; if DATA itself has labels, use --editor or --gum")
    return mode


def _queries(files: tuple[str, ...], systems: str | None, how: dict[str, Any]) -> None:
    from itertools import islice

    from tersely.budget import Budget
    from tersely.evaluate import columns
    from tersely.evaluate.queries import SYSTEMS, compare, read_questions
    from tersely.evaluate.systems import parse_systems
    from tersely.text.length import token_counter

    names = parse_systems(systems) if systems else list(SYSTEMS)
    budgets = _budgets(how, "budgets") or [Budget(share, "ratio") for share in (0.1, 0.2, 0.4)]
    tokens = token_counter(how["tokenizer"]) if how["unit"] == "tokens" else None
    for file in files:
        questions = islice(read_questions(Path(file)), how["limit"])
        cells = compare(questions, names, budgets, how["coherence"] or "off", tokens)
        click.echo(f"{file}\n\n{columns(cells)}\n")


def _rouge(data: str, names: list[str], base: str, how: dict[str, Any]) -> None:
    from tersely.budget import Budget
    from tersely.evaluate import report
    from tersely.evaluate.measures import Tokenization
    from tersely.evaluate.run import evaluate

    limits = _budgets(how, "budgets") or [Budget.one_of(max_sentences=3)]
    tokenization = Tokenization(stem=not how["no_stem"], chinese=how["chinese"])
    out = _folder(how)
    shown = map(_limits(how).apply, _records(data, how))
    progress = counting(Path(data).name)
    results = evaluate(shown, names, limits, tokenization, how["workers"], progress, how["alternatives"])
    click.echo(report.terminal(results, base))
    click.echo("\n" + report.footnote(tokenization, len(results[0].outcomes), base), err=True)
    if out is not None:
        report.save(out, results, base, tokenization)
        click.echo(f"written to {out}", err=True)


def _reading(data: str, names: list[str], base: str, how: dict[str, Any]) -> None:
    from tersely.evaluate import columns, readability

    chinese = _budgets(how, "budgets_zh") if how["budgets_zh"] is not None else []
    limits = readability.pair_budgets(_budgets(how, "budgets"), chinese)
    out = _folder(how)
    items, source = _items(data, how)
    by, source_limits = how["by"], _limits(how)
    kinds = [str(item.record.fields.get(by, "")) for item in items]
    shown = (
        item._replace(record=source_limits.apply(item.record), kind=kind)
        for item, kind in zip(items, kinds, strict=True)
    )
    results = readability.evaluate_reading(shown, names, limits, how["workers"], counting(Path(data).name))
    tables = readability.tables(results, base, by)
    click.echo("\n\n".join([source, *(columns(cells, names=count) for cells, count in tables)]))
    click.echo("\n" + readability.footnote(results, base), err=True)
    if out is not None:
        readability.save(out, results, base, source, by)
        click.echo(f"written to {out}", err=True)


def _items(data: str, how: dict[str, Any]) -> tuple[list[Any], str]:
    """Return the documents with their labels, and who made the labels, in a few words."""
    from tersely.evaluate import annotation

    # Labels belong to every document, so none may be skipped.
    records = _records(data, how | {"strict": True})
    if how["readability"]:
        return annotation.labeled(records, how["labels"])
    return annotation.labeled_lines(records, "gum" if how["gum"] else "editor", data)


def _records(data: str, how: dict[str, Any]) -> Iterator[Any]:
    from tersely.evaluate.readers import read

    options = {name: how[name] for name in ("reader", "language", "strict", "limit")}
    return read(data, report=_warn, **options)


def _limits(how: dict[str, Any]) -> Any:
    from tersely.evaluate.record import SourceLimits

    return SourceLimits(how["max_source_tokens"], how["max_source_sentences"])


def _folder(how: dict[str, Any]) -> Path | None:
    """Make the folder for the results: if this fails, it should fail before the work, not after it."""
    out: Path | None = how["out"]
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    return out


def _budgets(how: dict[str, Any], option: str) -> list[Any]:
    """Return the budgets of an option, after that of --sentences."""
    from tersely.budget import Budget
    from tersely.errors import UsageError

    sentences, budgets, unit = how["sentences"], how[option], how["unit"]
    found = [Budget.one_of(max_sentences=sentences)] if sentences is not None else []
    for part in [] if budgets is None else budgets.rstrip(",").split(","):
        try:
            limit = float(part)
        except ValueError:
            raise UsageError(f"--{option.replace('_', '-')} takes numbers, not '{part.strip()}'") from None
        found.append(Budget.one_of(**{"ratio" if unit == "ratio" else f"max_{unit}": limit}))
    return found


def _warn(message: str) -> None:
    click.echo(f"tersely: {message}", err=True)
