"""Options that several commands share."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _apply(options: list[Callable[[F], F]], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def source_argument(command: F) -> F:
    """Add the argument that names the text."""
    return click.argument("source", metavar="[INPUT]", default="-")(command)


def budgets(command: F) -> F:
    """Add the options of which exactly one says how long a summary may be."""
    return _apply(
        [
            click.option("--max-chars", type=int, metavar="N", help="Budget in characters (Unicode code points)."),
            click.option("--max-words", type=int, metavar="N", help="Budget in words; a Chinese character is one."),
            click.option("--max-tokens", type=int, metavar="N", help="Budget in tokens of --tokenizer."),
            click.option("--max-bytes", type=int, metavar="N", help="Budget in UTF-8 bytes."),
            click.option("--max-sentences", type=int, metavar="N", help="Budget in sentences."),
            click.option(
                "--ratio", type=float, metavar="R", help="Budget as a part of the source's characters, 0 to 1."
            ),
        ],
        command,
    )


def check_budget(given: Mapping[str, Any]) -> None:
    """Say what is wrong with the budget, in the command line's names, before anything is read."""
    from tersely.budget import BUDGETS, Budget
    from tersely.errors import UsageError

    try:
        Budget.one_of(**{name: given[name] for name in BUDGETS})
    except UsageError as error:
        said = re.sub("|".join(BUDGETS), lambda name: f"--{name[0].replace('_', '-')}", str(error))
        raise UsageError(said) from None


def parts(command: F) -> F:
    """Add the options that choose the model and its parts."""
    return _apply(
        [
            click.option("--model", metavar="NAME|FOLDER", help="A shipped model or a model folder."),
            click.option("--scorer", metavar="NAME", help="What gives sentences their values; see 'tersely models'."),
            click.option("--encoder", metavar="NAME", help="What gives sentences their vectors."),
            click.option("--select", metavar="NAME", help="What chooses the sentences that fit."),
        ],
        command,
    )


def assembly(command: F) -> F:
    """Add the options on how a summary is put together."""
    return _apply(
        [
            click.option(
                "--lang", "language", type=click.Choice(["en", "zh", "other"]), help="Default: found in the text."
            ),
            click.option("--order", type=click.Choice(["document", "rank"]), default="document", show_default=True),
            click.option("--include", metavar="I", multiple=True, type=int, help="Sentence that must be in; from 0."),
            click.option("--exclude", metavar="I", multiple=True, type=int, help="Sentence that must not be in."),
            click.option("--separator", metavar="TEXT", help="Between sentences. Default: a space; none in Chinese."),
            click.option(
                "--redundancy",
                type=click.Choice(["duplicates", "trigrams", "off"]),
                default="duplicates",
                show_default=True,
                help="Leave out what nearly repeats a sentence, or what shares three words in a row with one.",
            ),
            click.option("--tokenizer", metavar="FILE", help="tokenizer.json that counts tokens."),
        ],
        command,
    )


output_option = click.option("--output", "-o", metavar="FILE", help="Write here instead of to standard output.")
