"""`tersely models`: what there is to choose from; `tersely completion`: shell completion and the manual page."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from tersely.errors import unknown_name

_SHELLS = ("bash", "zsh", "fish")

_EXIT_CODES = {
    "0": "Success.",
    "1": "There is nothing to summarize, nothing fits, or a summary is not in its sources.",
    "2": "The command was called wrongly.",
    "3": "Something is wrong with the input or the environment: a missing file, a missing extra, a port in use.",
    "130": "Interrupted by Ctrl-C.",
}


@click.command("models", short_help="List models, scorers, encoders and selectors.")
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the shipped models and the parts they are made of. With NAME, print that model's card."""
    from tersely.encode import ENCODERS
    from tersely.models import DEFAULT, load_model, shipped_models
    from tersely.score import SCORERS
    from tersely.select import SELECTORS

    if name is not None:
        click.echo(load_model(name).card)
        return
    click.secho("models (--model)", bold=True)
    for model in shipped_models():
        default = " (default)" if model == DEFAULT else ""
        click.echo(f"  {model:<10} {load_model(model).description}{default}")
    for option, registry in (("scorer", SCORERS), ("encoder", ENCODERS), ("select", SELECTORS)):
        click.secho(f"{registry.kind}s (--{option})", bold=True)
        for part in registry.names():
            click.echo(f"  {part:<10} {registry.describe(part)}")


@click.command("config", short_help="Show your settings, and what can be set.")
def config() -> None:
    """Show the settings in effect, as a file of settings with all that can be set.

    Settings are what you would otherwise type each time. 'tersely summarize', 'batch' and 'frontier' take them from
    tersely.toml, or from [tool.tersely] in pyproject.toml, in the working directory or the nearest folder above it; or
    else from your own tersely.toml. The variable TERSELY_CONFIG names another file, or none if it is empty. What you
    type comes first.

    \b
    tersely config > tersely.toml
    """
    from tersely.cli._options import SETTINGS, SETTINGS_FILE, find_settings, read_usual
    from tersely.io.lines import to_json

    file = find_settings()
    settings = read_usual(file)
    place = Path(click.get_app_dir("tersely"), SETTINGS_FILE)
    click.echo(f"# Settings of {file}" if file else f"# No settings: save them as {SETTINGS_FILE}, or as {place}")
    for name, text in SETTINGS.items():
        click.echo(f"\n# {text}\n" + (f"{name} = {to_json(settings[name])}" if name in settings else f"# {name} ="))


@click.command("help", short_help="Show the help of a command.")
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
def show_help(names: tuple[str, ...]) -> None:
    """Show what COMMAND does, or what commands there are: 'tersely help batch' is 'tersely batch --help'."""
    from tersely.cli import cli

    context = _context(cli, "tersely", None)
    for name in names:
        group = context.command
        commands = group.list_commands(context) if isinstance(group, click.Group) else []
        command = group.get_command(context, name) if isinstance(group, click.Group) else None
        if command is None:
            raise unknown_name("command", name, commands or ["help"])
        context = _context(command, name, context)
    click.echo(context.get_help())


@click.command("completion", short_help="Print shell completion, or the manual page.")
@click.argument("script", type=click.Choice([*_SHELLS, "man"]))
def completion(script: str) -> None:
    """Print the script that completes commands and options in a shell, or the manual page.

    \b
    tersely completion bash >> ~/.bashrc
    tersely completion zsh >> ~/.zshrc
    tersely completion fish > ~/.config/fish/completions/tersely.fish
    tersely completion man | man -l -
    """
    from tersely.cli import cli

    click.echo(man_page(cli) if script == "man" else completion_script(cli, script), nl=False)


def completion_script(cli: click.Command, shell: str) -> str:
    """Return the script that a shell runs to complete `tersely`."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    return completion(cli, {}, "tersely", "_TERSELY_COMPLETE").source().rstrip("\n") + "\n"


def man_page(cli: click.Command) -> str:
    """Return one manual page that describes every command, in roff."""
    from tersely import __version__

    [root, *commands] = _commands(_context(cli, "tersely", None))
    lines = [
        f'.TH TERSELY 1 "" "tersely {__version__}" "User Commands"',
        ".SH NAME",
        f"tersely \\- {_roff(cli.get_short_help_str(200))}",
        ".SH SYNOPSIS",
        *_usage(root),
        ".SH OPTIONS",
        *_options(root, cli.params),
        ".SH COMMANDS",
    ]
    for context in commands:
        lines += [f".SS {_roff(context.command_path)}", *_usage(context), *_description(context.command)]
        lines += _options(context, context.command.params)
    lines.append(".SH EXIT STATUS")
    for code, meaning in _EXIT_CODES.items():
        lines += [".TP", f"\\fB{code}\\fR", _roff(meaning)]
    return "\n".join(lines) + "\n"


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, **command.context_settings)


def _commands(context: click.Context) -> Iterator[click.Context]:
    """Yield the context of a command, then the contexts of its subcommands."""
    yield context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None and not command.hidden:
                yield from _commands(_context(command, name, context))


def _usage(context: click.Context) -> list[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    return [f"\\fB{_roff(context.command_path)}\\fR {_roff(pieces)}"]


def _description(command: click.Command) -> Iterator[str]:
    """Yield the help's paragraphs; one that begins with \\b keeps its lines."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        lines = paragraph.splitlines()
        is_verbatim = lines[:1] == ["\b"]
        yield ".PP"
        yield from [".nf", *map(_roff, lines[1:]), ".fi"] if is_verbatim else map(_roff, lines)


def _options(context: click.Context, parameters: list[click.Parameter]) -> Iterator[str]:
    for parameter in parameters:
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            name, text = record
            yield from (".TP", f"\\fB{_roff(name)}\\fR", _roff(" ".join(text.split())))


def _roff(text: str) -> str:
    """Escape text for roff: no line becomes a request, and hyphens can be copied.

    >>> print(_roff(".ci --max"))
    \\&.ci \\-\\-max
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text
