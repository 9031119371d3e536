"""`tersely evaluate`: compare systems on the same documents."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from tersely.cli._options import LANGUAGES, max_source_tokens_option
from tersely.cli._printing import counting


@click.command("evaluate", short_help="Compare systems on documents: ROUGE, or how they read.")
@click.argument("files", metavar="DATA", nargs=-1, required=True)
@click.option("--systems", metavar="A,B,...", help="The systems to compare. Default: lead,auto.")
@click.option("--sentences", type=click.IntRange(1), metavar="N", help="Budget in sentences.")
@click.option("--budgets", metavar="N,N,...", help="Budgets in --unit.")
@click.option("--budgets-zh", metavar="N,N,...", help="With --readability: budgets for Chinese texts instead.")
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
@click.option("--readability", is_flag=True, help="Instead of ROUGE: how many summaries a reader stumbles over.")
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Labels of what sentences need, of noise, and of an editor's choice. Default: our own detector.",
)
@click.option("--detector", is_flag=True, help="With --labels: how well our own detector finds what they say.")
@click.option("--queries", is_flag=True, help="Instead of ROUGE: how much of what answers questions is kept.")
@click.option(
    "--coherence",
    type=click.Choice(["strict", "soft", "off"]),
    help="With --queries: what 'tersely summarize' calls so. Default: off.",
)
@click.option("--by", metavar="FIELD", help="With --readability or --detector: also show each value of this field.")
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

    With --readability, see how many summaries hold a sentence without what it needs, or noise. No references are
    needed. The default budgets are 300 and 600 characters, in Chinese 100 and 200.

    \b
    tersely evaluate texts.jsonl.gz --readability --labels labels.jsonl.gz --by set
    tersely evaluate texts.jsonl.gz --detector --labels labels.jsonl.gz

    With --queries, DATA is files of questions over documents. The default budgets are 10, 20 and 40 % of the
    characters, the default systems our own, BM25 with titles, vectors and lead.

    \b
    tersely evaluate questions.jsonl.gz --queries --budgets 60,200 --unit words
    tersely evaluate questions.jsonl.gz --queries --budgets 256,512 --unit tokens --tokenizer tokenizer.json
    """
    from tersely.errors import UsageError
    from tersely.evaluate.systems import parse_systems

    if how["queries"]:
        return _queries(files, systems, how)
    data, *more = files
    if more or how["unit"] == "tokens" or how["coherence"] is not None:
        what = "several files are" if more else "--coherence is" if how["coherence"] else "--unit tokens is"
        raise UsageError(f"{what} only for --queries")
    names = parse_systems(systems or "lead,auto")
    base = baseline or names[0]
    if base not in names:
        raise UsageError(f"the baseline '{base}' is not one of the systems")
    if how["detector"]:
        if how["readability"] or how["labels"] is None:
            raise UsageError("--detector needs --labels, and is not for --readability")
        _detector(data, how)
    elif how["readability"]:
        _readability(data, names, base, how)
    else:
        for option in ("labels", "by", "budgets_zh"):
            if how[option] is not None:
                raise UsageError(f"--{option.replace('_', '-')} needs --readability")
        _rouge(data, names, base, how)
    return None


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


def _readability(data: str, names: list[str], base: str, how: dict[str, Any]) -> None:
    from tersely.evaluate import columns, readability

    chinese = _budgets(how, "budgets_zh") if how["budgets_zh"] is not None else []
    limits = readability.pair_budgets(_budgets(how, "budgets"), chinese)
    out = _folder(how)
    items, source = _items(data, how, how["by"])
    source_limits = _limits(how)
    shown = (item._replace(record=source_limits.apply(item.record)) for item in items)
    results = readability.evaluate_reading(shown, names, limits, how["workers"], counting(Path(data).name))
    chosen = source != readability.OWN
    click.echo(f"{source}\n\n{columns(readability.reading_table(results, base, chosen))}")
    if how["by"]:
        click.echo("\n" + columns(readability.kinds_table(results, how["by"], chosen), names=3))
    click.echo("\n" + readability.footnote(len(results[0].outcomes), base, chosen), err=True)
    if out is not None:
        readability.save(out, results, base, source, how["by"])
        click.echo(f"written to {out}", err=True)


def _detector(data: str, how: dict[str, Any]) -> None:
    from tersely.evaluate import columns
    from tersely.evaluate.annotation import detector_table

    by = how["by"] or "set"
    items, source = _items(data, how, by)
    click.echo(f"{source}\n\n{columns(detector_table(list(items), by), names=1, apart=False)}")


def _items(data: str, how: dict[str, Any], by: str | None) -> tuple[Iterable[Any], str]:
    """Return the documents, each with its labels if there are any, and where the labels come from."""
    from tersely.evaluate.annotation import Item, labeled
    from tersely.evaluate.readability import OWN

    found: Iterable[Item] = ()
    if how["labels"] is None:
        found, source = map(Item, _records(data, how)), OWN
    else:
        # Labels count the documents, so none may be skipped.
        found, source = labeled(_records(data, how | {"strict": True}), how["labels"])
    return (item._replace(kind=str(item.record.fields.get(by, "")) if by else "") for item in found), source


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
