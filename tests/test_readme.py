"""What the README and the documentation show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from commands import tersely
from tersely.cli import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *(ROOT / "docs" / f"{name}.md" for name in ("index", "fit", "exact-knapsack"))]


def blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    text = "\n".join(block for file in PAGES for block in blocks(file, "console"))
    # The same session may be shown on several pages.
    return list(dict.fromkeys(re.findall(r"\$ tersely ([^\n]+)\n(.*?)\n(?=\n|\Z)", text, re.DOTALL)))


def commands() -> list[str]:
    files = [README, *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(block for file in files for block in blocks(file, "sh")).replace("\\\n", " ")
    return sorted(set(re.findall(r"tersely ([a-z]+ [^\n#`|]*)", text)))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return tersely(*arguments, cwd=ROOT)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_the_python_examples_run(file: Path, english: str) -> None:
    examples = blocks(file, "python")
    assert examples
    for example in examples:
        exec(example, {"text": english})


def test_the_readme_keeps_its_budget(english: str) -> None:
    names = {"text": english}
    exec(blocks(README, "python")[0], names)
    assert len(names["summary"].text) <= 280


def test_the_readme_shows_an_english_and_a_chinese_text() -> None:
    [session] = blocks(README, "console")
    assert len(re.findall(r"\$ tersely", session)) == 2


@pytest.mark.parametrize(("command", "output"), sessions(), ids=[command for command, _ in sessions()])
def test_the_shown_output_is_what_the_command_prints(command: str, output: str) -> None:
    shown = run(*command.split())
    assert (shown.stdout.strip() or shown.stderr.strip()) == output


def test_the_figures_beside_sumy_are_the_same_everywhere() -> None:
    def table(file: Path) -> list[str]:
        return re.findall(
            r"^\|.*(?:documents per second|\*\*tersely\*\*|sentences \||sumy).*$",
            file.read_text(encoding="utf-8"),
            re.MULTILINE,
        )

    assert len(table(README)) == 6
    assert [row for row in table(README) if row not in (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("line", commands())
def test_every_command_and_option_shown_exists(line: str) -> None:
    name, *rest = line.split()
    context = click.Context(cli)
    command = cli.get_command(context, name)
    if isinstance(command, click.Group):
        command = command.get_command(context, rest[0])
    assert command is not None
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    options |= set(command.get_help_option_names(context))
    assert [word for word in rest if word.startswith("--") and word.partition("=")[0] not in options] == []


def test_every_file_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_demo_shows_two_texts_at_three_lengths() -> None:
    shown = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, encoding="utf-8", check=True
    ).stdout
    used = re.findall(r"at most (\d+)  [█░]{20}  (\d+) used", shown)
    assert [int(budget) for budget, _ in used] == [180, 300, 600, 50, 100, 200]
    assert all(0 < int(length) <= int(budget) for budget, length in used)
    assert "⟦The harbor of Kelsby" in shown
