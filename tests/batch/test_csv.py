"""CSV and TSV, in and out of the batch job."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely.cli import cli

TABLE = 'id;body;note\r\n1;"The harbor closes in May. It ""rained"";\r\nmore.";x\r\n2;Sun. Rain.;\r\n'


def batch(*args: str | Path) -> str:
    run = CliRunner().invoke(cli, ["batch", *map(str, args), "--max-chars", "26"])
    assert run.exit_code == 0, run.output
    return run.output


def rows(file: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_becomes_any_other_form_and_back(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + TABLE.encode())
    batch(tmp_path / "a.csv", tmp_path / f"b.{form}", "--text-column", "body")
    batch(tmp_path / f"b.{form}", tmp_path / "c.csv", "--text-column", "body", "--summary-column", "again")
    found = rows(tmp_path / "c.csv")
    assert (
        [row["summary"] for row in found]
        == ["The harbor closes in May.", "Sun. Rain."]
        == [row["again"] for row in found]
    )
    assert found[0]["body"] == 'The harbor closes in May. It "rained";\r\nmore.'
    assert [row["note"] for row in found] == ["x", ""]


def test_each_part_has_a_header_and_the_whole_file_has_one(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("text\n" + "".join(f"Text {i}.\n" for i in range(7)), encoding="utf-8")
    batch(tmp_path / "a.tsv", tmp_path / "parts", "--part-size", "3")
    parts = sorted((tmp_path / "parts").glob("part-*.tsv"))
    assert [len(rows(part, "\t")) for part in parts] == [3, 3, 1]
    batch(tmp_path / "a.tsv", tmp_path / "whole.csv", "--part-size", "3")
    assert [row["text"] for row in rows(tmp_path / "whole.csv")] == [f"Text {i}." for i in range(7)]
    (tmp_path / "none.csv").write_text("id,text\n", encoding="utf-8")
    batch(tmp_path / "none.csv", tmp_path / "empty.csv")
    assert (tmp_path / "empty.csv").read_text().startswith("id,text,summary,")


def test_what_is_wrong_with_a_table_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text\n1,Sun.\n2,Sch\xf6n.\n")
    run = CliRunner().invoke(cli, ["batch", str(tmp_path / "a.csv"), str(tmp_path / "b.jsonl"), "--max-chars", "9"])
    assert run.exit_code == 3
    entry = json.loads((tmp_path / "b.jsonl.errors.jsonl").read_text())
    assert "it is a table in another encoding than UTF-8" in entry["reason"]
    (tmp_path / "c.csv").write_bytes(b"id,body\n1,Sun.\n")
    run = CliRunner().invoke(cli, ["batch", str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), "--max-chars", "9"])
    assert "c.csv has no column 'text', but id, body" in str(run.exception)
