"""`tersely completion`: the shell's tab key."""

import click

_WHERE = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/tersely.fish",
}


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(list(_WHERE)))
def command(shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    \b
    tersely completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    from tersely.cli import cli

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(completion(cli, {}, "tersely", "_TERSELY_COMPLETE").source())
