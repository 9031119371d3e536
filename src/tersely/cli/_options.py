"""Flags that several commands share; those of `summarize` are made from the tables in `tersely.options`."""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from tersely.errors import UsageError, unknown_name
from tersely.languages import LANGUAGES, pack
from tersely.options import BUDGETS, KEYWORDS, OPTIONS, READING, USUAL_BUDGET, Budget, Keyword, Options

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
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    metavar="SECONDS",
    help="Give up on a file that takes longer to read. Default: 120.",
)
output_option = click.option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")


def format_option(usual: str, meaning: str = "What to print.") -> Callable[[F], F]:
    """Return the option for the form of the output: the `usual` one or JSON."""
    choice = click.Choice([usual, "json"])
    return click.option("--format", "form", type=choice, default=usual, show_default=True, help=meaning)


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
    help="Read only the first N tokens of a document (paper: 512): word pieces of its transformer, or words.",
)


_NUMBER = re.compile(r"([+-]?)(?=\.?\d)(\d{0,20}|\d{1,3}(?:[,_]\d{3}){1,6})(?:\.(\d{1,20}))?([kKmM]?)", re.ASCII)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_RANGE = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)
# More sentences than a text has that anybody counts by hand.
_LONGEST_RANGE = 100_000


def as_count(text: str) -> int | None:
    """Return the whole number that a person writes as 1000, 1,000, 1_000 or 1k; None if it is none.

    >>> as_count("1,000"), as_count("1.5k"), as_count("2m"), as_count("-5"), as_count("1,00"), as_count("1.5")
    (1000, 1500, 2000000, -5, None, None)
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    sign, digits, decimals, factor = match[1], re.sub("[,_]", "", match[2]), match[3] or "", match[4].lower()
    number, rest = divmod(int(digits + decimals) * _FACTORS[factor], 10 ** len(decimals))
    return None if rest else -number if sign == "-" else number


if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:  # before click 8.4, it takes no parameter
    _ParamType = click.ParamType


class _Count(_ParamType):
    """A whole number, as people write it."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = as_count(value) if isinstance(value, str) else value
        if number is None:
            self.fail(f"'{value}' is not a whole number: write 300, 1,000 or 1k.", param, ctx)
        return number


class _Share(_ParamType):
    """A share: 0.2 or 20%."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            text = str(value).strip()
            return float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"'{value}' is not a share: write 0.2 or 20%.", param, ctx)


class _Indices(_ParamType):
    """Sentences by their numbers: 4, 1-3, or 1-3,7."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):  # click converts a default again
            return value
        indices: list[int] = []
        for part in str(value).split(","):
            match = _RANGE.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if not first <= last < first + _LONGEST_RANGE:
                self.fail(f"'{value}' is not a number of a sentence: write 4, 1-3 or 1-3,7.", param, ctx)
            indices += range(first, last + 1)
        return tuple(indices)


def _flat(_context: click.Context, _option: click.Parameter, value: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(index for indices in value for index in indices)


class _LanguageName(click.Choice[str]):
    """A language: its code, with or without a country (en-US), or its English name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        code = re.split("[-_]", str(value).lower())[0]
        if code not in self.choices:
            code = next((choice for choice in self.choices if pack(choice).name.lower() == code), str(value))
        return super().convert(code, param, ctx)


class AliasedChoice(click.Choice[str]):
    """A choice whose values may have other names, which the help does not show: md for markdown."""

    def __init__(self, choices: Iterable[str], **aliases: str) -> None:
        super().__init__(tuple(choices))
        self._aliases = aliases

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(self._aliases.get(value, value), param, ctx)


def _flag(keyword: Keyword) -> Callable[[F], F]:
    """Return the flag for a keyword of `summarize`."""
    names = ["--lang", "--language", "language"] if keyword.name == "language" else [f"--{_dashed(keyword.name)}"]
    settings: dict[str, Any] = {"help": keyword.help}
    if keyword.kind in ("count", "share"):
        settings |= (
            {"type": _Count(), "metavar": "N"} if keyword.kind == "count" else {"type": _Share(), "metavar": "R"}
        )
    elif keyword.kind == "choice":
        settings["type"] = click.Choice(keyword.choices) if keyword.choices else _LanguageName(LANGUAGES)
        if keyword.default is not None:
            settings |= {"default": keyword.default, "show_default": True}
    elif keyword.kind == "switch":
        names = [f"{names[0]}/--no-{_dashed(keyword.name)}"] if keyword.default else names
        settings |= {"is_flag": True, "default": keyword.default}
    else:
        settings["metavar"] = keyword.metavar
        if keyword.kind == "indices":
            settings |= {"multiple": True, "type": _Indices(), "callback": _flat}
        elif keyword.kind == "patterns":
            settings |= {"multiple": True, "type": str}
        if keyword.breaks:
            settings["callback"] = _with_line_breaks
    return click.option(*names, **settings)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


budgets = several(*map(_flag, BUDGETS.values()))

_PARTS = {
    "model": ("NAME|FOLDER", "A shipped model or a model folder."),
    "scorer": ("NAME", "How sentences get their values; see 'tersely models'."),
    "encoder": ("NAME", "How sentences get their vectors."),
    "select": ("NAME", "How the sentences that fit are chosen."),
}
parts = several(*(click.option(f"--{name}", metavar=form, help=text) for name, (form, text) in _PARTS.items()))

language_option = _flag(READING["language"])
assembly = several(
    language_option,
    *(_flag(option) for option in OPTIONS.values() if option.help),
    _flag(READING["tokenizer"]),
)


def no_budgets(sources: tuple[str, ...]) -> None:
    """Say what is meant by `tersely summarize FILE 300`: a number is no file, unless there is one of that name."""
    for source in sources:
        flag = "--ratio" if re.fullmatch(r"[\d.]+%", source) else "--max-words" if as_count(source) else ""
        if flag and not os.path.exists(source):  # noqa: PTH110
            second = "" if flag == "--ratio" else f" or --max-chars {source}"
            raise UsageError(f"there is no file '{source}': for a budget, write {flag} {source}{second}")


def usual_budget(keywords: dict[str, Any]) -> tuple[Budget, str]:
    """Take the budget out of the keywords; if there is none, return the usual one, and a line that says so.

    What goes on after an earlier part is as long as that one.
    """
    if any(keywords[name] is not None for name in BUDGETS):
        return take_budget(keywords), ""
    for name in BUDGETS:
        del keywords[name]
    if keywords.get("more") is not None:
        from tersely.fitting import Key

        return Key.parse(keywords["more"]).last, ""
    flags = ", ".join(f"--{_dashed(name)}" for name in BUDGETS)
    return USUAL_BUDGET, f"at most {USUAL_BUDGET.limit} {USUAL_BUDGET.unit}; choose a length with {flags}"


# Settings that belong to one text, and not to a person.
_NEVER_USUAL = ("include", "exclude", "query", "more")
SETTINGS: dict[str, str] = {
    **{
        name: keyword.help + (f" One of {', '.join(keyword.choices)}." if keyword.choices else "")
        for name, keyword in KEYWORDS.items()
        if keyword.help and name not in _NEVER_USUAL
    },
    **{name: text for name, (_, text) in _PARTS.items()},
    "format": "What 'tersely summarize' prints: text, json, html or markdown.",
}
SETTINGS_FILE = "tersely.toml"


def find_settings() -> Path | None:
    """Return the file of settings: the one that TERSELY_CONFIG names, the nearest one above here, or the user's."""
    if (place := os.environ.get("TERSELY_CONFIG")) is not None:
        return Path(place) if place else None
    with suppress(OSError):  # the working directory may be gone, or a folder above it closed
        start = Path.cwd()
        for folder in (start, *start.parents):
            if (file := folder / SETTINGS_FILE).is_file():
                return file
            if (file := folder / "pyproject.toml").is_file() and b"[tool.tersely" in file.read_bytes():
                return file
    file = Path(click.get_app_dir("tersely"), SETTINGS_FILE)
    return file if file.is_file() else None


def read_usual(file: Path | None) -> dict[str, Any]:
    """Return the settings of a file, each checked as if it had been typed."""
    if file is None:
        return {}
    from tersely.cli.summarize import summarize
    from tersely.settings import read_toml

    flags = {"format" if flag.name == "form" else flag.name: flag for flag in summarize.params}
    settings = {}
    try:
        table = read_toml(file)
        for section in ("tool", "tersely") if file.name == "pyproject.toml" else ():
            table = table.get(section, {})
            if not isinstance(table, dict):
                raise UsageError(f"{section} must be a table, [tool.tersely]")  # noqa: TRY301
        for key, value in table.items():
            name = key.replace("-", "_")
            if name not in SETTINGS:
                raise unknown_name("setting", key, SETTINGS)
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise UsageError(f"{key} must be a text or a number")  # noqa: TRY301
            settings[name] = flags[name].type.convert(_from_here(file, name, value), None, None)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    except click.BadParameter as error:
        raise UsageError(f"{file}: {key}: {error.message}") from None
    return settings


def _from_here(file: Path, name: str, value: Any) -> Any:
    """Return a setting; the path of a model or a tokenizer counts from the file that names it."""
    is_path = name in ("model", "tokenizer") and isinstance(value, str) and (file.parent / value).exists()
    return str(file.parent / value) if is_path and ("/" in value or value.endswith(".json")) else value


def usual_values(command: str) -> dict[str, Any]:
    """Return the settings of the user's file that a command has flags for."""
    settings = read_usual(find_settings())
    form = settings.pop("format", None)
    if command == "frontier":
        settings = {name: value for name, value in settings.items() if name not in BUDGETS}
    return settings | ({"form": form} if form and command == "summarize" else {})


def read_inputs(sources: tuple[str, ...], with_titles: bool, field: str | None, timeout: float) -> "Inputs":
    """Read what is to be summarized; notes about it go to standard error.

    `sources` are files, addresses or - for standard input. `with_titles` tells whether even a single
    one is a source with a name, for a header. `field` is the column or field that holds the text. Each
    file is read within `timeout` seconds.
    """
    from tersely.extract.source import read_sources

    inputs = read_sources(sources, with_titles, field, timeout)
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


def prefer_typed(keywords: dict[str, Any]) -> None:
    """Let a budget that is typed take the place of the one in the file of settings."""
    context = click.get_current_context()
    typed = {name for name in BUDGETS if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if typed:
        keywords |= dict.fromkeys(BUDGETS.keys() - typed)


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
