"""`tersely evaluate`: compare systems on the same documents; `tersely verify`: check one summary."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tersely.cli._options import (
    field_option,
    format_option,
    language_option,
    max_source_tokens_option,
    output_option,
    read_inputs,
    spare_inputs,
    timeout_option,
)
from tersely.cli._running import counting, write
from tersely.errors import UsageError
from tersely.languages import LANGUAGES
from tersely.options import UNITS

if TYPE_CHECKING:
    from tersely.text.quotations import Claim


class Mode(NamedTuple):
    """The options that only runs of a mode take, and those of them that a run needs, each with advice for the error."""

    options: frozenset[str]
    needs: tuple[tuple[str, str], ...] = ()


_LABELED = frozenset(("by", "budgets_zh"))
# What is measured instead of ROUGE, by the flag that asks for it. At most one of these flags may be set, and an option
# that is listed here is for the modes that list it.
MODES = {
    "readability": Mode(_LABELED | {"labels"}, (("labels", "FILE; if DATA itself has labels, use --editor or --gum"),)),
    "editor": Mode(_LABELED),
    "gum": Mode(_LABELED),
    "queries": Mode(frozenset(("coherence", "unit tokens", "several files"))),
}


@click.command("evaluate", short_help="Compare systems on documents: ROUGE, or how they read.")
@click.argument("files", metavar="DATA", nargs=-1, required=True)
@click.option("--systems", metavar="A,B,...", help="The systems to compare. Default: lead,editor.")
@click.option("--sentences", type=click.IntRange(1), metavar="N", help="Budget in sentences.")
@click.option("--budgets", metavar="N,N,...", help="Budgets in --unit.")
@click.option("--budgets-zh", metavar="N,N,...", help="With labels: budgets for Chinese texts instead.")
@click.option(
    "--unit",
    type=click.Choice([*UNITS, "ratio"]),
    default="chars",
    show_default=True,
    help="Unit of --budgets; tokens are for --queries.",
)
@click.option("--tokenizer", metavar="FILE|NAME", help="What counts tokens: a tokenizer.json, or a tiktoken encoding.")
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
def command(files: tuple[str, ...], systems: str | None, baseline: str | None, **options: Any) -> None:
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
    characters, the default systems query, bm25 (with titles), vectors and lead; there are also query@use, vectors@use,
    textcrusher, and oracle: the most that whole sentences could keep. Questions without an answer are made of others,
    and AUC says how well they are told apart.

    \b
    tersely evaluate questions.jsonl.gz --queries --budgets 60,200 --unit words
    tersely evaluate questions.jsonl.gz --queries --budgets 256,512 --unit tokens --tokenizer tokenizer.json
    """
    from tersely.errors import UsageError
    from tersely.evaluate.systems import parse_systems

    mode = _mode(files, options)
    if mode == "queries":
        return _queries(files, systems, options)
    [data] = files
    names = parse_systems(systems or "lead,editor")
    base = baseline or names[0]
    if base not in names:
        raise UsageError(f"the baseline '{base}' is not one of the systems")
    if mode is None:
        return _rouge(data, names, base, options)
    return _reading(data, names, base, mode, options)


def _mode(files: tuple[str, ...], options: dict[str, Any]) -> str | None:
    """Return the flag of the mode, or None for ROUGE; options that do not go together are refused here."""
    from tersely.errors import UsageError

    flags = [flag for flag in MODES if options[flag]]
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(map(_flag, flags))} exclude each other")
    mode = flags[0] if flags else None
    # These two are no options by themselves: whether they are used, and how the error begins.
    special = {
        "several files": (len(files) > 1, "several files are only for"),
        "unit tokens": (options["unit"] == "tokens", "--unit tokens is only for"),
    }
    for option in sorted(frozenset().union(*(part.options for part in MODES.values()))):
        is_used, error = special.get(option) or (options[option] is not None, f"{_flag(option)} needs")
        allowed = [flag for flag in MODES if option in MODES[flag].options]
        if is_used and mode not in allowed:
            raise UsageError(f"{error} {' or '.join(map(_flag, allowed))}")
    if mode is not None:
        for option, advice in MODES[mode].needs:
            if options[option] is None:
                raise UsageError(f"{_flag(mode)} needs {_flag(option)} {advice}")
    return mode


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _queries(files: tuple[str, ...], systems: str | None, options: dict[str, Any]) -> None:
    from itertools import islice

    from tersely.evaluate import columns
    from tersely.evaluate.queries import USUAL, compare, read_questions
    from tersely.evaluate.systems import parse_systems
    from tersely.options import Budget
    from tersely.text.length import token_counter

    names = parse_systems(systems) if systems else list(USUAL)
    budgets = _budgets(options, "budgets") or [Budget(share, "ratio") for share in (0.1, 0.2, 0.4)]
    tokens = token_counter(options["tokenizer"]) if options["unit"] == "tokens" else None
    for file in files:
        questions = islice(read_questions(Path(file)), options["limit"])
        cells = compare(questions, names, budgets, options["coherence"] or "off", tokens)
        click.echo(f"{file}\n\n{columns(cells)}\n")


def _rouge(data: str, names: list[str], base: str, options: dict[str, Any]) -> None:
    from tersely.evaluate import report
    from tersely.evaluate.measures import Tokenization
    from tersely.evaluate.run import evaluate
    from tersely.options import Budget

    limits = _budgets(options, "budgets") or [Budget.one_of(max_sentences=3)]
    tokenization = Tokenization(stem=not options["no_stem"], chinese=options["chinese"])
    out = _folder(options)
    records = map(_limits(options).apply, _records(data, options))
    progress = counting(Path(data).name)
    results = evaluate(records, names, limits, tokenization, options["workers"], progress, options["alternatives"])
    click.echo(report.terminal(results, base))
    click.echo("\n" + report.footnote(tokenization, len(results[0].outcomes), base), err=True)
    if out is not None:
        report.save(out, results, base, tokenization)
        click.echo(f"written to {out}", err=True)


def _reading(data: str, names: list[str], base: str, mode: str, options: dict[str, Any]) -> None:
    from tersely.evaluate import columns, readability

    chinese = _budgets(options, "budgets_zh") if options["budgets_zh"] is not None else []
    limits = readability.pair_budgets(_budgets(options, "budgets"), chinese)
    out = _folder(options)
    items, source = _items(data, mode, options)
    by, source_limits = options["by"], _limits(options)
    kinds = [str(item.record.fields.get(by, "")) for item in items]
    limited = (
        item._replace(record=source_limits.apply(item.record), kind=kind)
        for item, kind in zip(items, kinds, strict=True)
    )
    results = readability.evaluate_reading(limited, names, limits, options["workers"], counting(Path(data).name))
    tables = readability.tables(results, base, by)
    click.echo("\n\n".join([source, *(columns(cells, names=count) for cells, count in tables)]))
    click.echo("\n" + readability.footnote(results, base), err=True)
    if out is not None:
        readability.save(out, results, base, source, by)
        click.echo(f"written to {out}", err=True)


def _items(data: str, mode: str, options: dict[str, Any]) -> tuple[list[Any], str]:
    """Return the documents with their labels, and who made the labels, in a few words."""
    from tersely.evaluate import annotation

    # Labels belong to every document, so none may be skipped.
    records = _records(data, options | {"strict": True})
    if mode == "readability":
        return annotation.labeled(records, options["labels"])
    return annotation.labeled_lines(records, "gum" if mode == "gum" else "editor", data)


def _records(data: str, options: dict[str, Any]) -> Iterator[Any]:
    from tersely.datasets import read

    return read(
        data,
        reader=options["reader"],
        language=options["language"],
        strict=options["strict"],
        report=_warn,
        limit=options["limit"],
    )


def _limits(options: dict[str, Any]) -> Any:
    from tersely.datasets import SourceLimits
    from tersely.text.length import count_words, token_counter

    count_tokens = token_counter(options["tokenizer"]) if options["tokenizer"] else count_words
    return SourceLimits(options["max_source_tokens"], options["max_source_sentences"], count_tokens=count_tokens)


def _folder(options: dict[str, Any]) -> Path | None:
    """Make the folder for the results: if this fails, it should fail before the work, not after it."""
    out: Path | None = options["out"]
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    return out


def _budgets(options: dict[str, Any], option: str) -> list[Any]:
    """Return the budgets of an option, after that of --sentences."""
    from tersely.errors import UsageError
    from tersely.options import Budget

    sentences, budgets, unit = options["sentences"], options[option], options["unit"]
    limits = [Budget.one_of(max_sentences=sentences)] if sentences is not None else []
    for part in [] if budgets is None else budgets.rstrip(",").split(","):
        try:
            limit = float(part)
        except ValueError:
            raise UsageError(f"{_flag(option)} takes numbers, not '{part.strip()}'") from None
        limits.append(Budget.one_of(**{"ratio" if unit == "ratio" else f"max_{unit}": limit}))
    return limits


def _warn(message: str) -> None:
    click.echo(f"tersely: {message}", err=True)


@click.command("verify", short_help="Check that a summary is in the words of its sources.")
@click.argument("summary")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--quotations", is_flag=True, help="Check only what stands in quotation marks.")
@language_option
@format_option("text")
@field_option
@timeout_option
@output_option
def verify(
    summary: str,
    sources: tuple[str, ...],
    quotations: bool,
    language: Any,
    form: str,
    field: str | None,
    timeout: float,
    output: str | None,
) -> None:
    """Tell whether each sentence of SUMMARY is in a SOURCE, and where; the exit code is 1 if one is not.

    Line breaks, hyphenation and kinds of quotation marks make no difference. A sentence is verbatim; or joined, from
    several whole sentences; or stitched together from parts of sentences; or missing. The last two are faults.

    \b
    tersely verify summary.txt article.txt
    tersely verify answer.md minutes.txt plan.pdf --quotations --format json
    """
    from tersely.extract.source import read_source
    from tersely.text.quotations import verify

    if (summary, *sources).count("-") > 1:
        raise UsageError("standard input can be read once: name a file for the summary or for the source")
    spare_inputs((summary, *sources), output, advice="write to another file")
    text = read_source(summary, field).text
    result = verify(text, read_inputs(sources, True, field, timeout).document(language), quotations=quotations)
    if not result.claims:
        raise UsageError(f"{summary} has no {'quotation' if quotations else 'sentence'} to check")
    write(result.to_json(indent=2) if form == "json" else "\n".join(map(_claim, result.claims)), output)
    if not result.ok or sys.stdout.isatty():
        click.echo(f"tersely: {result.explain()}", err=True)
    if not result.ok:
        raise click.exceptions.Exit(1)


def _claim(claim: "Claim") -> str:
    places = " + ".join(f"{part.source}:{part.source_start}-{part.source_end}" for part in claim.quoted)
    # Of what is missing, the places of single words say nothing.
    located = f" {places}" if claim.verdict != "missing" else ""
    return f"{claim.verdict:<8}{located}  {' '.join(claim.text.split())}"
