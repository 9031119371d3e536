"""What the README says works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_python_example_runs(english: str) -> None:
    [example] = blocks("python")
    names = {"text": english}
    exec(example, names)
    assert len(names["summary"].text) <= 280


def test_the_shown_output_is_what_the_command_prints() -> None:
    [session] = blocks("console")
    shown = re.findall(r"\$ tersely ([^\n]+)\n(.*?)\n(?=\n|\Z)", session, re.DOTALL)
    assert len(shown) == 2
    for command, output in shown:
        run = subprocess.run(
            [sys.executable, "-m", "tersely", *command.split()], cwd=ROOT, capture_output=True, check=True
        )
        assert run.stdout.decode().strip() == output


@pytest.mark.parametrize("line", re.findall(r"tersely ([a-z]+ [^\n#`|]*)", "".join(blocks("sh"))))
def test_every_command_and_option_shown_exists(line: str) -> None:
    command, *rest = line.split()
    commands = [command, rest[0]] if command == "train" else [command]
    run = subprocess.run([sys.executable, "-m", "tersely", *commands, "--help"], capture_output=True, check=True)
    for option in (word for word in rest if word.startswith("--")):
        assert option in run.stdout.decode()
