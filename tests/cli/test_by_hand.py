"""What people type: the short command, numbers as they write them, one summary per file, settings, a terminal."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import tersely
from tersely import summarize
from tersely.cli._options import SETTINGS, as_count
from tersely.summary import highlighted, printable, wrapped

TEXT = "The river rose by two meters on Monday. It rained all night. Nobody was hurt."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b c.txt").write_text(
        "从明年五月一日起，古城核心区将全面禁止私家车通行。市长说，这项计划经过两年论证。", encoding="utf-8"
    )
    return tmp_path


def run_with_settings(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the settings that are there."""
    variables = {name: value for name, value in os.environ.items() if name != "TERSELY_CONFIG"}
    variables |= {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home" / ".config"), **env}
    command = [sys.executable, "-m", "tersely", *args]
    run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr
    return run


def run_on_terminal(folder: Path, *args: str, **env: str) -> str:
    """Return what a command prints to a terminal of 30 columns."""
    ours, theirs = pty.openpty()
    variables = {**os.environ, "COLUMNS": "30", "TERM": "xterm", **env}
    command = [sys.executable, "-m", "tersely", *args]
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:  # on Linux, the end of a terminal is an error
        pass
    os.close(ours)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("args", [["a.txt"], ["--max-words", "100", "a.txt"], ["./a.txt"], ["-"]])
def test_a_file_alone_is_summarized(folder: Path, args: list[str]) -> None:
    run = tersely(*args, cwd=folder, stdin=TEXT)
    assert (run.returncode, run.stdout) == (0, TEXT + "\n")


def test_a_file_without_an_ending_is_summarized_and_a_command_comes_first(folder: Path) -> None:
    (folder / "notes").write_text(TEXT, encoding="utf-8")
    (folder / "models").write_text(TEXT, encoding="utf-8")
    assert tersely("notes", cwd=folder).stdout == TEXT + "\n"
    assert "--model" in tersely("models", cwd=folder).stdout


def test_what_looks_like_a_file_and_is_none_is_said_so(folder: Path) -> None:
    run = tersely("reprot.pdf", cwd=folder)
    assert (run.returncode, run.stderr) == (3, "tersely: reprot.pdf does not exist\n")


def test_without_a_budget_a_usual_one_is_taken_and_said(english: str) -> None:
    run = tersely("summarize", stdin=english)
    assert run.stdout == summarize(english, max_words=100).text + "\n"
    assert run.stderr.startswith("tersely: at most 100 words; choose a length with --max-chars, ")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        (("--max-chars", "1k"), {"max_chars": 1000}),
        (("--max-chars", "1,000"), {"max_chars": 1000}),
        (("--max-chars", "1_000"), {"max_chars": 1000}),
        (("--max-chars", "0.5K"), {"max_chars": 500}),
        (("--ratio", "20%"), {"ratio": 0.2}),
        (("--ratio", "12.5 %"), {"ratio": 0.125}),
        (("--max-chars", "900", "--lang", "english"), {"max_chars": 900, "language": "en"}),
        (("--max-chars", "900", "--lang", "English"), {"max_chars": 900, "language": "en"}),
        (("--max-chars", "900", "--lang", "de-AT"), {"max_chars": 900, "language": "de"}),
        (("--max-chars", "900", "--include", "1-3"), {"max_chars": 900, "include": [1, 2, 3]}),
        (
            ("--max-chars", "900", "--include", "1-2,5", "--exclude", "0"),
            {"max_chars": 900, "include": [1, 2, 5], "exclude": 0},
        ),
    ],
)
def test_values_are_understood_as_people_write_them(english: str, typed: tuple[str, ...], same: dict[str, int]) -> None:
    run = tersely("summarize", *typed, "--format", "json", stdin=english)
    assert json.loads(run.stdout) == summarize(english, **same).to_dict()  # type: ignore[call-overload]


def test_a_format_may_be_called_by_its_ending(english: str) -> None:
    run = tersely("summarize", "--max-chars", "300", "--format", "md", stdin=english)
    assert run.stdout == summarize(english, max_chars=300).to_markdown()


@given(st.integers(0, 10**15))
def test_a_number_is_read_back_in_every_form(number: int) -> None:
    assert {as_count(form) for form in (str(number), f"{number:,}", f"{number:_}")} == {number}
    assert as_count(f"{number}k") == as_count(f"{number}.0K") == 1000 * number
    assert as_count(f"{number // 1000}.{number % 1000:03}k") == number


@given(st.text("0123456789,._kKmM+-% ", max_size=12))
def test_no_text_breaks_the_reader_of_numbers(text: str) -> None:
    number = as_count(text)
    assert number is None or isinstance(number, int)


def test_version_and_help_are_where_people_look() -> None:
    assert tersely("-V").stdout == tersely("--version").stdout
    for names in ((), ("summarize",), ("train", "scorer")):
        run = tersely("help", *names)
        assert (run.returncode, run.stdout) == (0, tersely(*names, "--help").stdout)
    for names in (("sumarize",), ("batch", "x")):
        run = tersely("help", *names)
        assert (run.returncode, run.stderr.count("\n")) == (2, 1)


def test_every_file_has_its_summary(folder: Path) -> None:
    run = tersely("summarize", "a.txt", "b c.txt", "--each", "--max-chars", "22", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "a.txt\nIt rained all night.\n\nb c.txt\n市长说，这项计划经过两年论证。\n"


def test_every_file_has_a_line_of_json_or_a_heading(folder: Path) -> None:
    args = ("summarize", "a.txt", "b c.txt", "--each", "--max-chars", "22", "--format")
    lines = [json.loads(line) for line in tersely(*args, "json", cwd=folder).stdout.splitlines()]
    assert [line.pop("id") for line in lines] == ["a.txt", "b c.txt"]
    assert lines[0] == summarize(TEXT, max_chars=22).to_dict()
    shown = tersely(*args, "md", cwd=folder).stdout
    assert re.findall("^## .*", shown, re.MULTILINE) == ["## a.txt", "## b c.txt"]
    assert "\n- It rained all night.\n" in shown


def test_lines_of_json_have_a_summary_each(folder: Path) -> None:
    (folder / "c.jsonl").write_text("".join(json.dumps({"id": i, "text": TEXT}) + "\n" for i in "xy"))
    run = tersely("summarize", "c.jsonl", "--each", "--max-chars", "22", cwd=folder)
    assert run.stdout == "x\nIt rained all night.\n\ny\nIt rained all night.\n"


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_one_summary_per_file_goes_to_a_file_as_it_would_be_printed(folder: Path, form: str) -> None:
    args = ("summarize", "a.txt", "b c.txt", "--each", "--max-chars", "22", "--format", form)
    assert tersely(*args, "-o", "out", cwd=folder).stdout == ""
    assert (folder / "out").read_text("utf-8") == tersely(*args, cwd=folder).stdout


def test_a_file_that_cannot_be_read_does_not_stop_the_others(folder: Path) -> None:
    args = ("summarize", "gone.txt", "a.txt", "--each", "--max-chars", "22")
    run = tersely(*args, cwd=folder)
    assert (run.returncode, run.stdout) == (3, "a.txt\nIt rained all night.\n")
    assert run.stderr == "tersely: gone.txt does not exist\n"
    run = tersely(*args, "-o", "out", cwd=folder)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (3, "tersely: nothing is written to out")
    assert not (folder / "out").exists()
    run = tersely("summarize", "a.txt", "b c.txt", "--each", "--max-chars", "15", cwd=folder)
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert run.stderr.startswith("tersely: a.txt: 0 of 15 chars")


def test_the_chosen_sentences_are_marked_in_the_text(folder: Path) -> None:
    run = tersely("summarize", "a.txt", "--max-chars", "22", "--show", cwd=folder)
    assert run.stdout == TEXT.replace("It rained all night.", "⟦It rained all night.⟧") + "\n"
    run = tersely("summarize", "a.txt", "b c.txt", "--max-chars", "22", "--show", cwd=folder)
    assert run.stdout.startswith("a.txt:\n")
    assert "\n\nb c.txt:\n" in run.stdout


def test_a_terminal_gets_color_and_lines_that_fit(folder: Path) -> None:
    shown = run_on_terminal(folder, "a.txt", "--max-chars", "22", "--show")
    assert "\x1b[1;32mIt" in shown
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in shown.split("\n")) <= 30
    plain = run_on_terminal(folder, "a.txt", "--max-chars", "22", "--show", NO_COLOR="1")
    assert "\x1b" not in plain
    assert "⟦It" in plain
    text = run_on_terminal(folder, "a.txt", "--max-chars", "60")
    assert text == "The river rose by two meters\non Monday. It rained all night.\n".replace(
        "all night.", "all\nnight."
    )


def test_a_text_cannot_command_the_terminal(folder: Path) -> None:
    (folder / "a.txt").write_text("It rained \x1b]0;title\x07 all \x9b2J night.", encoding="utf-8")
    for flags in ((), ("--show",)):
        shown = run_on_terminal(folder, "a.txt", "--max-chars", "90", *flags)
        assert "\x1b]" not in shown
        assert "\x9b" not in shown
        assert "\x07" not in shown


@given(st.text(st.sampled_from("ab 汉。\n\t"), max_size=60), st.integers(2, 12))
def test_wrapping_loses_no_letter(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join(lines.split()) == "".join(text.split())
    for line in lines.split("\n"):
        width = sum(2 if sign in "汉。" else 1 for sign in line)
        assert width <= columns or " " not in line.strip() or "\t" in line


@given(
    st.lists(st.sampled_from(["Rain fell.", "The river rose.", "\n", "\n\n", "  ", "雨下了。"]), max_size=12),
    st.integers(5, 60),
)
def test_marks_are_around_what_is_chosen_and_nothing_else(parts: list[str], budget: int) -> None:
    text = " ".join(parts)
    summary = summarize(text, max_chars=budget)
    shown = highlighted(summary, in_color=False)
    marked = "".join(re.findall("⟦(.*?)⟧", shown))
    assert "".join(marked.split()) == "".join(
        "".join(s.text for s in sorted(summary.sentences, key=lambda s: s.start)).split()
    )
    assert printable(shown) == shown


def test_settings_come_from_the_nearest_file_and_what_is_typed_comes_first(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (folder / "tersely.toml").write_text('max-chars = "22"\nformat = "md"\n')
    args = ("summarize", str(folder / "a.txt"))
    expected = summarize(TEXT, max_chars=22)
    assert run_with_settings(inner, *args).stdout == expected.to_markdown()
    assert run_with_settings(inner, *args, "--format", "text").stdout == "It rained all night.\n"
    typed = run_with_settings(inner, *args, "--max-sentences", "3", "--format", "text")
    assert (typed.returncode, typed.stdout) == (0, TEXT + "\n")
    (inner / "pyproject.toml").write_text('[tool.other]\nx = 1\n[tool.tersely]\nmax_chars = 60\nseparator = "\\n"\n')
    assert run_with_settings(inner, *args).stdout == TEXT.partition(" Nobody")[0].replace(". ", ".\n") + "\n"
    assert run_with_settings(inner, *args, TERSELY_CONFIG="").stdout == TEXT + "\n"
    assert run_with_settings(inner, "frontier", str(folder / "a.txt")).returncode == 0


def test_a_batch_takes_the_settings_too(folder: Path) -> None:
    (folder / "tersely.toml").write_text("max_chars = 22\n")
    (folder / "c.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    for flags, expected in (((), "It rained all night."), (("--max-sentences", "3"), TEXT)):
        run = run_with_settings(folder, "batch", "c.jsonl", f"out{len(flags)}.jsonl", "--workers", "1", *flags)
        assert run.returncode == 0, run.stderr
        assert json.loads((folder / f"out{len(flags)}.jsonl").read_text())["summary"] == expected


def test_the_path_of_a_tokenizer_counts_from_the_file_that_names_it(folder: Path) -> None:
    (folder / "tersely.toml").write_text('max_tokens = 9\ntokenizer = "tokenizer.json"\n')
    (folder / "tokenizer.json").write_text("{}")
    inner = folder / "inner"
    inner.mkdir()
    run = run_with_settings(inner, str(folder / "a.txt"))
    assert f"{folder / 'tokenizer.json'} is not a tokenizer.json" in run.stderr


def test_the_users_own_file_is_the_last_resort(folder: Path) -> None:
    place = re.findall(r"or as (.*)", run_with_settings(folder, "config").stdout)[0]
    Path(place).parent.mkdir(parents=True)
    Path(place).write_text("max_chars = 22\n")
    assert run_with_settings(folder, "a.txt").stdout == "It rained all night.\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("max_char = 5", "unknown setting 'max_char': did you mean 'max_chars'?"),
        ("query = 'Why?'", "unknown setting 'query'"),
        ("max_chars = [5]", "max_chars must be a text or a number"),
        ("max_chars = 'many'", "max_chars: 'many' is not a whole number"),
        ("order = 'best'", "order: 'best' is not one of 'document', 'rank'"),
        ("max_chars 5", "not TOML"),
        ("max_chars = 0", "--max-chars must be a whole number of at least 1"),
        ("max_chars = 5\nmax_words = 5", "two budgets at once"),
    ],
)
def test_a_wrong_setting_is_one_line(folder: Path, settings: str, said: str) -> None:
    (folder / "tersely.toml").write_text(settings)
    run = run_with_settings(folder, "a.txt")
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert said in run.stderr
    (folder / "tersely.toml").unlink()
    assert run_with_settings(folder, "a.txt", TERSELY_CONFIG="gone.toml").returncode == 2


def test_what_config_prints_is_a_file_of_settings(folder: Path) -> None:
    (folder / "tersely.toml").write_text('max_chars = "1k"\nseparator = "\\n"\n')
    shown = run_with_settings(folder, "config").stdout
    assert shown.startswith(f"# Settings of {folder / 'tersely.toml'}\n")
    assert re.findall(r"^(?:# )?(\w+) =", shown, re.MULTILINE) == list(SETTINGS)
    (folder / "tersely.toml").write_text(shown)
    assert run_with_settings(folder, "config").stdout == shown
    assert re.findall("^[^#\n].*", shown, re.MULTILINE) == ["max_chars = 1000", 'separator = "\\n"']
