"""The command line: its modules parse arguments and print results, and nothing else."""

import sys
from importlib import import_module
from pathlib import Path

import click

from tersely import __version__
from tersely.errors import TerselyError, UsageError, unknown_name

# The module and the function of each command, in the order of the help. A module is imported when one of its commands
# is called, or when the help lists them; none imports anything heavy.
_COMMANDS = {
    "summarize": ("summarize", "summarize"),
    "batch": ("batch", "command"),
    "frontier": ("summarize", "frontier"),
    "verify": ("evaluate", "verify"),
    "config": ("about", "config"),
    "models": ("about", "models"),
    "evaluate": ("evaluate", "command"),
    "reproduce": ("reproduce", "command"),
    "human": ("human", "command"),
    "encode": ("batch", "encode"),
    "train": ("train", "command"),
    "serve": ("serve", "serve"),
    "mcp": ("serve", "mcp"),
    "completion": ("about", "completion"),
    "help": ("about", "show_help"),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        module, function = _COMMANDS[name]
        command: click.Command = getattr(import_module(f"tersely.cli.{module}"), function)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # `tersely --max-chars 300 report.pdf`: an option that is not of `tersely` is one of `summarize`.
        flags = {flag for option in self.get_params(ctx) for flag in option.opts}
        if args and args[0].startswith("-") and args[0] not in flags:
            args = ["summarize", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and _is_input(args[0]):
            args = ["summarize", *args]
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            raise unknown_name("command", args[0], _COMMANDS)
        return super().resolve_command(ctx, args)


def _is_input(name: str) -> bool:
    """Tell whether what stands in the place of a command is a text to summarize: a file, or what looks like one."""
    return bool({".", "/", "\\"} & set(name)) or Path(name).exists()


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="tersely")
@click.help_option("-h", "--help")
@click.pass_context
def cli(context: click.Context) -> None:
    """Fit any text to any length, in the text's own words.

    'tersely report.pdf' is 'tersely summarize report.pdf'.
    """
    if (name := context.invoked_subcommand) in ("summarize", "batch", "frontier"):
        from tersely.cli._options import usual_values

        context.default_map = {name: usual_values(name)}


def main() -> None:
    """Run the command; every foreseen error is one line on standard error.

    Exit codes: 1, nothing to summarize, nothing fits, or a summary is not in its sources; 2, a wrong call; 3, input or
    environment (a missing file, a missing extra, a port in use); 130, interrupted.
    """
    try:
        # Without standalone mode an exit code comes back as the value.
        sys.exit(cli.main(prog_name="tersely", standalone_mode=False) or 0)
    except click.Abort:
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        _fail(error.format_message() + _hint(error), 2)
    except click.ClickException as error:
        _fail(error.format_message(), 3)
    except UsageError as error:
        _fail(str(error), 2)
    except TerselyError as error:
        _fail(str(error), 3)
    except BrokenPipeError:
        # The reader, `head` for one, has all it wanted.
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        # A full disk, a folder that may not be written to; what no system call has said is a fault of ours.
        if error.strerror is None:
            raise
        _fail(f"{error.filename}: {error.strerror}" if error.filename else error.strerror, 3)


def _hint(error: click.UsageError) -> str:
    return f" (see '{error.ctx.command_path} --help')" if error.ctx else ""


def _fail(message: str, code: int) -> None:
    click.echo("tersely: " + " ".join(message.split()), err=True)
    sys.exit(code)
