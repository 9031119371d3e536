"""`tersely evaluate`, from a file of documents to tables and plots."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely.cli.evaluate import command as evaluate


@pytest.fixture
def data(tmp_path: Path, english: str) -> Path:
    lines = [{"id": str(i), "text": english, "summary": ["The harbor will close to cars."]} for i in range(2)]
    file = tmp_path / "news.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def test_evaluate_prints_and_writes(data: Path) -> None:
    out = data.parent / "out"
    args = [str(data), "--systems", "lead,oracle", "--budgets", "200", "--workers", "1"]
    run = CliRunner().invoke(evaluate, [*args, "--out", str(out)], catch_exceptions=False)
    assert "200 chars" in run.output
    assert {p.name for p in out.iterdir()} >= {"results.md", "results.csv", "results.json", "positions.png"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--budgets", ","], "--budgets takes numbers, not ''"),
        (["--budgets", "300,,400"], "--budgets takes numbers, not ''"),
        (["--workers", "-1"], "-1 is not in the range x>=1"),
        (["--limit", "0"], "0 is not in the range x>=1"),
        (["--out", "FILE/out"], "Not a directory"),
    ],
)
def test_errors_come_before_the_work(data: Path, options: list[str], said: str) -> None:
    run = CliRunner().invoke(evaluate, [str(data), *(option.replace("FILE", str(data)) for option in options)])
    assert said in run.output + str(run.exception)
    assert "R-1" not in run.stdout
