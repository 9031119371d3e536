"""No command loses a file: the input is never overwritten unasked, and a failure writes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from commands import tersely

TEXT = "The river rose by two meters on Monday. It rained all night.\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "a.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", ["same", "link", "hard link", "path"])
@pytest.mark.parametrize("command", [("summarize", "--max-chars", "22"), ("frontier",)])
def test_the_input_is_not_overwritten_under_any_name(text: Path, kind: str, command: tuple[str, ...]) -> None:
    output = text.with_name("b.txt")
    if kind == "link":
        output.symlink_to(text)
    elif kind == "hard link":
        output.hardlink_to(text)
    else:
        output = text if kind == "same" else text.parent / ".." / text.parent.name / text.name
    run = tersely(*command, text, "-o", output)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert f"{output} is also the input, and its text would be lost" in run.stderr
    assert text.read_text(encoding="utf-8") == TEXT


def test_one_of_several_inputs_is_not_overwritten(text: Path) -> None:
    other = text.with_name("b.txt")
    other.write_text(TEXT, encoding="utf-8")
    assert tersely("summarize", other, text, "--max-chars", "22", "-o", text).returncode == 2
    assert text.read_text(encoding="utf-8") == TEXT


def test_a_file_on_standard_input_is_not_overwritten(text: Path) -> None:
    # The command reads a file that its caller has opened, as a shell does for `<`.
    with text.open() as stream:
        command = [sys.executable, "-m", "tersely", "summarize", "--max-chars", "22", "-o", str(text)]
        run = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert (run.returncode, "is also the input" in run.stderr) == (2, True)
    assert text.read_text(encoding="utf-8") == TEXT


def test_a_plot_does_not_overwrite_the_input(text: Path) -> None:
    picture = text.with_name("a.png")
    text.rename(picture)
    assert tersely("frontier", picture, "--plot", picture).returncode == 2
    assert picture.read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("output", [(), ("-o", "FILE")])
def test_the_input_is_replaced_on_request(text: Path, output: tuple[str, ...]) -> None:
    args = [str(text) if part == "FILE" else part for part in output]
    run = tersely("summarize", text, "--max-chars", "22", "--in-place", *args)
    assert (run.returncode, run.stdout) == (0, "")
    assert text.read_text(encoding="utf-8") == "It rained all night.\n"


@pytest.mark.parametrize("args", [("-",), ("FILE", "FILE"), ("FILE", "-o", "elsewhere"), ("nowhere",)])
def test_what_cannot_be_replaced_is_said(text: Path, args: tuple[str, ...]) -> None:
    named = [str(text) if part == "FILE" else part for part in args]
    run = tersely("summarize", *named, "--max-chars", "22", "--in-place", stdin=TEXT, cwd=text.parent)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "--in-place replaces the one text file" in run.stderr
    assert text.read_text(encoding="utf-8") == TEXT


def test_a_page_is_not_replaced_by_its_summary(text: Path) -> None:
    page = text.with_name("a.srt")
    page.write_text("1\n00:00:01,000 --> 00:00:02,000\nIt rained all night.\n", encoding="utf-8")
    before = page.read_bytes()
    run = tersely("summarize", page, "--max-chars", "22", "--in-place")
    assert (run.returncode, "is no text file" in run.stderr) == (2, True)
    assert page.read_bytes() == before


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
@pytest.mark.parametrize("how", [("-o",), ("--in-place",)])
def test_nothing_is_written_if_nothing_fits(text: Path, form: str, how: tuple[str, ...]) -> None:
    output = text.with_name("out")
    output.write_text("before", encoding="utf-8")
    args = ("-o", output) if how == ("-o",) else how
    run = tersely("summarize", text, "--max-chars", "3", "--format", form, *args)
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert (output.read_text("utf-8"), text.read_text("utf-8")) == ("before", TEXT)


def test_an_existing_output_keeps_its_mode_and_its_other_names(text: Path) -> None:
    output = text.with_name("out")
    output.write_text("before, and much longer than the summary will be", encoding="utf-8")
    output.chmod(0o604)
    assert tersely("summarize", text, "--max-chars", "22", "-o", output).returncode == 0
    assert output.stat().st_mode & 0o777 == 0o604
    second = text.with_name("second name")
    second.hardlink_to(output)
    assert tersely("summarize", text, "--max-chars", "40", "-o", output).returncode == 0
    assert second.read_text("utf-8") == output.read_text("utf-8") == "The river rose by two meters on Monday.\n"
    assert second.samefile(output)
    assert sorted(path.name for path in text.parent.iterdir()) == ["a.txt", "out", "second name"]


def test_a_batch_does_not_overwrite_its_input(tmp_path: Path) -> None:
    data = tmp_path / "a.jsonl"
    data.write_text('{"text": "It rained all night."}\n', encoding="utf-8")
    run = tersely("batch", data, data, "--max-chars", "22")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert data.read_text("utf-8") == '{"text": "It rained all night."}\n'
