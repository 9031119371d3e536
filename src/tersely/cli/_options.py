"""Flags that several commands share; those of `summarize` are made from the tables in `tersely.options`."""

import os
import re
from collections.abc import Callable
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tersely.errors import UsageError
from tersely.languages import LANGUAGES
from tersely.options import BUDGETS, OPTIONS, READING, Budget, Keyword, Options

if TYPE_CHECKING:
    from tersely.extract.source import Inputs

F = TypeVar("F", bound=Callable[..., Any])


def several(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Combine options into one decorator, in the order in which the help shows them."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _with_line_breaks(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Replace a typed \\n by a line break and a typed \\t by a tab."""
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


def _flag(keyword: Keyword) -> Callable[[F], F]:
    """Return the flag for a keyword of `summarize`."""
    names = ["--lang", "--language", "language"] if keyword.name == "language" else [f"--{_dashed(keyword.name)}"]
    settings: dict[str, Any] = {"help": keyword.help}
    if keyword.kind in ("count", "share"):
        settings |= {"type": int, "metavar": "N"} if keyword.kind == "count" else {"type": float, "metavar": "R"}
    elif keyword.kind == "choice":
        settings["type"] = click.Choice(keyword.choices or LANGUAGES)
        if keyword.default is not None:
            settings |= {"default": keyword.default, "show_default": True}
    else:
        settings["metavar"] = keyword.metavar
        if keyword.kind == "indices":
            settings |= {"multiple": True, "type": int}
        if keyword.breaks:
            settings["callback"] = _with_line_breaks
    return click.option(*names, **settings)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


budgets = several(*map(_flag, BUDGETS.values()))

parts = several(
    click.option("--model", metavar="NAME|FOLDER", help="A shipped model or a model folder."),
    click.option("--scorer", metavar="NAME", help="How sentences get their values; see 'tersely models'."),
    click.option("--encoder", metavar="NAME", help="How sentences get their vectors."),
    click.option("--select", metavar="NAME", help="How the sentences that fit are chosen."),
)

assembly = several(
    _flag(READING["language"]),
    *(_flag(option) for option in OPTIONS.values() if option.help),
    _flag(READING["tokenizer"]),
)


def read_inputs(sources: tuple[str, ...], with_titles: bool, field: str | None) -> "Inputs":
    """Read what is to be summarized; notes about it go to standard error.

    `sources` are files, addresses or - for standard input. `with_titles` tells whether even a single
    one is a source with a name, for a header. `field` is the column or field that holds the text.
    """
    from tersely.extract.source import read_sources

    inputs = read_sources(sources, with_titles, field)
    for note in inputs.notes:
        click.echo(f"tersely: {note}", err=True)
    return inputs


def spare_inputs(sources: tuple[str, ...], *outputs: str | None, advice: str = "write to another file") -> None:
    """Refuse to write to a file that is read, by whatever name: its text would be lost."""
    inputs = [state for source in sources or ("-",) if (state := _state(source))]
    for output in outputs:
        target = _state(output) if output not in (None, "-") else None
        if target is not None and any(os.path.samestat(state, target) for state in inputs):
            raise UsageError(f"{output} is also the input, and its text would be lost: {advice}")


def _state(name: str) -> "os.stat_result | None":
    """Return what the system knows of a file, or of standard input (-) if that is a file."""
    try:
        state = os.fstat(0) if name == "-" else os.stat(name)  # noqa: PTH116
    except (OSError, ValueError):  # an address, or no such file
        return None
    return state if S_ISREG(state.st_mode) else None


def take_budget(keywords: dict[str, Any]) -> Budget:
    """Take the budget out of the keywords; an error uses the names of the command line."""
    try:
        return Budget.one_of(**{name: keywords.pop(name) for name in BUDGETS})
    except UsageError as error:
        message = re.sub("|".join(BUDGETS), lambda name: f"--{_dashed(name[0])}", str(error))
        raise UsageError(message) from None


def take_options(keywords: dict[str, Any]) -> Options:
    """Take the options for putting a summary together out of the keywords."""
    return Options.of(**{name: keywords.pop(name) for name in OPTIONS if name in keywords})


def share_encoder(encoder: str | None, keywords: dict[str, Any], with_queries: bool = False) -> str | None:
    """Return the encoder for the model.

    If the keywords have a query, or if each text has one (`with_queries`), the encoder is for queries:
    it goes into the keywords, and the model gets none.
    """
    if keywords.get("query") is None and not with_queries:
        return encoder
    keywords["encoder"] = encoder
    return None
