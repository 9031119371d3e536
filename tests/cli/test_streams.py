"""What a command reads from and writes to need not be a file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tersely.cli._running import stoppable

TEXT = "The river rose by two meters on Monday. It rained all night."


def run(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Have a shell run a line, in which `tersely` is the command."""
    line = f'tersely() {{ "{sys.executable}" -m tersely "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env={**os.environ, **variables}, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def text(tmp_path: Path) -> str:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tersely summarize --max-chars 50 <&-", "tersely: standard input is closed: name a file\n"),
        (
            'tersely summarize "$TEXT" --max-chars 50 >&-',
            "tersely: standard output is closed: give a file with --output\n",
        ),
        ('tersely summarize "$TEXT" --max-chars 50 >/dev/full', "tersely: No space left on device\n"),
    ],
)
def test_a_stream_that_is_closed_or_full_is_one_line(text: str, command: str, message: str) -> None:
    done = run(command, TEXT=text)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", message)


def test_a_pipe_is_written_to_and_stays_a_pipe(text: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run('cat "$PIPE" & tersely summarize "$TEXT" --max-chars 22 -o "$PIPE"; wait', TEXT=text, PIPE=str(pipe))
    assert (done.stdout, done.stderr) == ("It rained all night.\n", "")
    assert pipe.is_fifo()


def test_what_a_link_leads_to_is_written_and_the_link_stays(text: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    assert run('tersely summarize "$TEXT" --max-chars 22 -o "$LINK"', TEXT=text, LINK=str(link)).returncode == 0
    assert link.is_symlink()
    assert (tmp_path / "target").read_text(encoding="utf-8") == "It rained all night.\n"


def test_a_text_that_begins_with_many_comments_is_found_to_be_no_page_before_the_end_of_time(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("<!-- a note -->\n" * 60 + f"\n{TEXT}", encoding="utf-8")
    assert run('tersely summarize "$FILE" --max-chars 22', FILE=str(file)).returncode == 0


def test_sigterm_stops_like_ctrl_c_and_says_how_to_continue(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(click.exceptions.Exit) as stopped, stoppable(lambda: "run it again"):
        os.kill(os.getpid(), signal.SIGTERM)
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().err == "tersely: stopped; run it again\n"
    assert signal.getsignal(signal.SIGTERM) == before


# Interrupts itself at the first import of the command line: nobody can press Ctrl-C so precisely.
EARLY = """
import os, runpy, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "tersely.cli":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, getattr(signal, sys.argv[1]))
sys.meta_path.insert(0, Finder())
sys.argv = ["tersely", "--version"]
runpy.run_module("tersely", run_name="__main__")
"""


@pytest.mark.parametrize(("handler", "code"), [("default_int_handler", -2), ("SIG_IGN", 0)])
def test_ctrl_c_while_loading_prints_nothing(handler: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-c", EARLY, handler], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
