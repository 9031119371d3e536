"""Completion and the manual page come from the commands themselves."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from tersely.cli import cli
from tersely.cli.about import completion_script, man_page


def commands(command: click.Command = cli, path: str = "tersely") -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, f"{path} {name}")


def tersely(*args: str, **env: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "tersely", *args], capture_output=True, env=os.environ | env, check=True
    )
    return run.stdout.decode()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell: str) -> None:
    assert tersely("completion", shell) == completion_script(cli, shell)
    assert f"_TERSELY_COMPLETE={shell}_complete" in completion_script(cli, shell)


@pytest.mark.parametrize("path", [path for path, command in commands() if isinstance(command, click.Group)])
def test_every_command_is_completed(path: str) -> None:
    below = {found.removeprefix(f"{path} ") for found, _ in commands() if found.startswith(f"{path} ")}
    words = len(path.split())
    typed = tersely(_TERSELY_COMPLETE="bash_complete", COMP_WORDS=f"{path} ", COMP_CWORD=str(words))
    completed = {line.partition(",")[2] for line in typed.splitlines()}
    assert {name for name in below if " " not in name} <= completed


def test_options_are_completed() -> None:
    typed = tersely(_TERSELY_COMPLETE="zsh_complete", COMP_WORDS="tersely summarize --max-", COMP_CWORD="2")
    assert {"--max-chars", "--max-words", "--max-tokens"} <= set(typed.split())


def test_the_manual_page_has_every_command_and_every_option() -> None:
    page = man_page(cli)
    assert tersely("completion", "man") == page
    shown = page.replace("\\-", "-")
    for path, command in commands():
        assert path == "tersely" or f".SS {path}\n" in shown
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert re.search(rf"^\\fB.*{parameter.opts[-1]}\b", shown, re.MULTILINE)


def test_no_line_of_the_manual_page_is_an_unknown_request() -> None:
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"}
    assert {line.split()[0] for line in man_page(cli).splitlines() if line.startswith((".", "'"))} <= known
