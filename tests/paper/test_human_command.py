"""`tersely human`, from a file of documents to the final table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tersely.cli.human import command
from tersely.errors import InputError, UsageError

POINTS = {"lead": 2, "random": 5}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six documents of twelve sentences."""
    lines = [
        json.dumps({"id": f"d{at}", "text": " ".join(f"Item {number} of text {at} is here." for number in range(12))})
        for at in range(6)
    ]
    file = tmp_path / "data" / "news.jsonl"
    file.parent.mkdir()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(command, [str(arg) for arg in args])


def prepare(data: Path, *more: str, systems: str = "random,lead") -> Result:
    out = data.parent / "form.html"
    args = ["--systems", systems, "--documents", "4", "--max-chars", "80", "--out", str(out)]
    return run("prepare", data, *args, *more)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_prepare_writes_a_form_and_its_key(data: Path) -> None:
    result = prepare(data, "--raters", "2")
    assert result.exit_code == 0, result.exception
    assert "4 documents, 8 summaries, 2 raters" in result.stderr
    key = json.loads((data.parent / "form.key.json").read_text())
    assert key["raters"] == 2
    assert key["form"] in (data.parent / "form.html").read_text()
    assert contents(data.parent).keys() == {"news.jsonl", "form.html", "form.key.json"}


def test_the_key_of_another_form_is_not_overwritten(data: Path) -> None:
    prepare(data)
    before = contents(data.parent)
    assert prepare(data).exit_code == 0
    assert isinstance(prepare(data, "--seed", "1").exception, InputError)
    assert contents(data.parent) == before


@pytest.mark.parametrize(
    ("systems", "more", "error"),
    [
        ("lead,lead", (), UsageError),
        ("lead", ("--max-chars", "0"), UsageError),
        ("lead", ("--documents", "7"), InputError),
        ("lead", ("--raters", "0"), UsageError),
        ("lead", ("--out", "."), UsageError),
        ("lead", ("--out", "news.jsonl"), UsageError),
    ],
)
def test_errors_come_before_any_file_is_written(
    data: Path, systems: str, more: tuple[str, ...], error: type[Exception], monkeypatch
) -> None:
    monkeypatch.chdir(data.parent)
    before = contents(data.parent)
    assert isinstance(prepare(data, *more, systems=systems).exception, error)
    assert contents(data.parent) == before


def test_analyze_prints_a_table_or_json(data: Path) -> None:
    prepare(data)
    key_file, out = data.parent / "form.key.json", data.parent / "report"
    key = json.loads(key_file.read_text())
    answers = {opaque: {"relevance": POINTS[owner["systems"][0]]} for opaque, owner in key["summaries"].items()}
    file = data.parent / "answers.json"
    file.write_text(json.dumps({"form": key["form"], "rater": 1, "answers": answers}))
    assert run("analyze", key_file, file, "--format", "json", "-o", out).exit_code == 0
    report = json.loads(out.read_text())
    means = {score["system"]: score["mean"] for score in report["scores"] if score["question"] == "relevance"}
    assert list(means.items()) == [("random", 5), ("lead", 2)]
    assert (report["ratings"], report["ratings_expected"]) == (8, 72)
    assert run("analyze", key_file, file, "-o", out).exit_code == 0
    assert "1 of 3 raters, 8 of 72 ratings" in out.read_text(encoding="utf-8")
    assert isinstance(run("analyze", key_file, file, file).exception, InputError)
