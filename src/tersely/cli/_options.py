"""Options that several commands share, and what they become."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tersely.errors import UsageError
from tersely.languages import LANGUAGES

if TYPE_CHECKING:
    from tersely.budget import Budget
    from tersely.extract.source import Inputs
    from tersely.layout import Options

F = TypeVar("F", bound=Callable[..., Any])


def several(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Combine options into one decorator, in the order in which the help shows them."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _with_line_breaks(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Turn the \\n and \\t of the command line, where the real ones are hard to type, into what they stand for."""
    return None if value is None else value.replace("\\n", "\n").replace("\\t", "\t")


sources_argument = click.argument("sources", metavar="[INPUT]...", nargs=-1)
field_option = click.option(
    "--text-column",
    "--field",
    "field",
    metavar="NAME",
    help="Column of a CSV or TSV file, or field of JSON, that holds the text. Default: text.",
)
output_option = click.option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")

CONTINUE = "Continue where DIR was left, bit for bit."
STEPS = "Number of steps, instead of the configuration's."
device_option = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda", "mps"]),
    default="auto",
    show_default=True,
    help="Where networks compute; auto uses a CUDA GPU if there is one, mps is Apple's.",
)
where_option = click.option(
    "--where", multiple=True, metavar="FIELD=VALUE", help="Keep only records where FIELD=VALUE; repeat for several."
)
validation_option = click.option(
    "--validation",
    type=click.Path(exists=True),
    metavar="FILE",
    help="Documents to validate on. Default: a share of the documents to train on.",
)
max_source_tokens_option = click.option(
    "--max-source-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Show systems only the first N words of a document (paper: 512).",
)

budgets = several(
    click.option("--max-chars", type=int, metavar="N", help="Budget in characters (Unicode code points)."),
    click.option("--max-words", type=int, metavar="N", help="Budget in words, as 'wc -w' counts them."),
    click.option("--max-tokens", type=int, metavar="N", help="Budget in tokens of --tokenizer."),
    click.option("--max-bytes", type=int, metavar="N", help="Budget in UTF-8 bytes."),
    click.option("--max-sentences", type=int, metavar="N", help="Budget in sentences."),
    click.option("--ratio", type=float, metavar="R", help="Budget as a share of the text's characters, 0 to 1."),
)

parts = several(
    click.option("--model", metavar="NAME|FOLDER", help="A shipped model or a model folder."),
    click.option("--scorer", metavar="NAME", help="How sentences get their values; see 'tersely models'."),
    click.option("--encoder", metavar="NAME", help="How sentences get their vectors."),
    click.option("--select", metavar="NAME", help="How the sentences that fit are chosen."),
)

assembly = several(
    click.option(
        "--lang",
        "--language",
        "language",
        type=click.Choice(LANGUAGES),
        help="Language of the text. Default: detected.",
    ),
    click.option(
        "--order",
        type=click.Choice(["document", "rank"]),
        default="document",
        show_default=True,
        help="Order of the sentences: as in the text, or the best first.",
    ),
    click.option("--include", metavar="I", multiple=True, type=int, help="Keep sentence I (from 0); repeatable."),
    click.option("--exclude", metavar="I", multiple=True, type=int, help="Leave out sentence I; repeatable."),
    click.option(
        "--separator",
        metavar="TEXT",
        callback=_with_line_breaks,
        help="Text between sentences; \\n is a line break. Default: a space, or none as in Chinese.",
    ),
    click.option(
        "--redundancy",
        type=click.Choice(["duplicates", "trigrams", "off"]),
        default="duplicates",
        show_default=True,
        help="Leave out sentences that nearly repeat another, or that share three words in a row with one.",
    ),
    click.option(
        "--coherence",
        type=click.Choice(["strict", "soft", "off"]),
        help="Without what it needs to be understood, a sentence counts for little or nothing, for less, or in full. "
        "Default: strict for the default model.",
    ),
    click.option("--query", metavar="TEXT", help="Choose what answers this question. --encoder use adds vectors."),
    click.option(
        "--header",
        metavar="TEXT",
        callback=_with_line_breaks,
        help="Put this before each source; {id}, {title} and {number} are its own, \\n is a line break.",
    ),
    click.option(
        "--omission",
        metavar="TEXT",
        callback=_with_line_breaks,
        help="Mark where sentences are left out, for example with [...].",
    ),
    click.option("--tokenizer", metavar="FILE|NAME", help="A tokenizer.json, or an encoding of tiktoken."),
)


def read_inputs(sources: tuple[str, ...], named: bool, field: str | None) -> "Inputs":
    """Read what is to be summarized; what is worth saying about it goes to standard error."""
    from tersely.extract.source import read_sources

    inputs = read_sources(sources, named, field)
    for note in inputs.notes:
        click.echo(f"tersely: {note}", err=True)
    return inputs


def take_budget(given: dict[str, Any]) -> "Budget":
    """Take the budget out of the given options; what is wrong with it is said in the command line's names."""
    from tersely.budget import BUDGETS, Budget

    try:
        return Budget.one_of(**{name: given.pop(name) for name in BUDGETS})
    except UsageError as error:
        said = re.sub("|".join(BUDGETS), lambda name: f"--{name[0].replace('_', '-')}", str(error))
        raise UsageError(said) from None


_ASSEMBLY = ("order", "include", "exclude", "separator", "redundancy", "coherence", "header", "omission", "query")


def take_options(given: dict[str, Any]) -> "Options":
    """Take out of the given options those on how a summary is put together."""
    from tersely.layout import Options

    return Options.of(**{name: given.pop(name) for name in _ASSEMBLY}, encoder=given.pop("encoder", None))


def share_encoder(encoder: str | None, how: dict[str, Any], asked: bool = False) -> str | None:
    """Return the encoder for a model; with a query, or if `asked`, it is the query's, and goes into the options."""
    if how.get("query") is None and not asked:
        return encoder
    how["encoder"] = encoder
    return None
