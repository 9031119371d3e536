"""A job on one machine: what comes out, and what is refused."""

import json
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batch.corpora import FORMS, articles, contents, corpus, expected, parts, read_corpus, write_corpus, write_lines
from batch.functions import job
from tersely.batch.engine_local import run_local
from tersely.batch.inputs import Form
from tersely.batch.job import BatchProgress
from tersely.batch.output import Totals, part_name
from tersely.batch.records import Summarize
from tersely.errors import InputError, UsageError


@pytest.mark.parametrize("form", FORMS)
def test_every_format_is_written_as_it_was_read_with_the_columns_added(tmp_path: Path, form: Form) -> None:
    records, out, one = articles(45, more=[1.5, None]), tmp_path / "out", tmp_path / f"one.{form}"
    source = corpus(tmp_path / "in", form, records)
    assert run_local(job(source, out), 2) == Totals(45, 0, 0)
    assert len(parts(out)) >= 3
    assert {path.name.partition(".")[2] for path in parts(out)} == {form}
    assert read_corpus(*parts(out)) == expected(records)
    assert sorted(contents(out)) == ["_manifest.jsonl", *(path.name for path in parts(out))]
    # A single file holds the same, and the folder of parts is gone.
    assert run_local(job(source, one), 1) == Totals(45, 0, 0)
    assert read_corpus(one) == expected(records)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", one.name, "out"]
    if form == "parquet":
        assert pq.read_table(out).num_rows == 45
    # The output can be an input, without its manifest.
    assert (
        run_local(replace(job(out, tmp_path / "next"), function=Summarize(options={"max_words": 3})), 1).documents == 45
    )


@pytest.mark.parametrize("to", FORMS)
def test_the_output_of_an_empty_input_can_be_read(tmp_path: Path, to: Form) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), source)
    assert run_local(job(source, tmp_path / f"one.{to}"), 1) == Totals(0, 0, 0)
    assert read_corpus(tmp_path / f"one.{to}") == []
    assert to == "jsonl" or (tmp_path / f"one.{to}").stat().st_size


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_corpus_can_be_written_in_another_format(tmp_path: Path, form: Form, to: Form) -> None:
    source = write_corpus(tmp_path / f"in.{form}", articles(12, nested={"a": [1, 2]}))
    run_local(job(source, tmp_path / "out", to=to), 1)
    assert read_corpus(*parts(tmp_path / "out")) == expected(articles(12, nested={"a": [1, 2]}))
    assert {path.name.partition(".")[2] for path in parts(tmp_path / "out")} == {to}


def test_the_manifest_lists_the_parts_and_where_they_come_from(tmp_path: Path) -> None:
    run_local(job(corpus(tmp_path / "in", "jsonl", articles(45)), tmp_path / "out"), 2)
    head, *entries, end = map(json.loads, (tmp_path / "out" / "_manifest.jsonl").read_text().splitlines())
    assert [Path(name).name for name in head["inputs"]] == ["a.jsonl", "b.jsonl"]
    assert [entry["name"] for entry in entries] == [path.name for path in parts(tmp_path / "out")]
    for before, after in pairwise(entries):
        ends = (before["end"]["file"], before["end"]["number"])
        assert (after["start"]["file"], after["start"]["number"]) in (ends, (ends[0] + 1, 1))
    assert end == {"complete": True, "documents": 45, "failed": 0, "empty": 0}


def test_the_names_of_very_many_parts_sort_in_order() -> None:
    assert part_name(99_999) < part_name(100_000) < part_name(9_999_999)
    assert part_name(2, 100_000) < part_name(10, 1) < part_name(100_000, 0)


@pytest.mark.usefixtures("processes")
def test_bad_records_are_listed_with_their_place_and_the_others_are_done(tmp_path: Path) -> None:
    lines = [json.dumps(record).encode() for record in articles(30)]
    lines[4], lines[17], lines[25] = b"{", b'{"id": "x", "body": 1}', b'{"id": "\xe6\x96\x87", "text": "KILL"}'
    source = write_lines(tmp_path / "in.jsonl", b"\n\n".join(lines))
    wanted = [record for i, record in enumerate(articles(30)) if i not in (4, 17, 25)]
    for output in (tmp_path / "out", tmp_path / "out.jsonl"):
        assert run_local(job(source, output, id="id"), 2) == Totals(27, 3, 0)
    found = read_corpus(tmp_path / "out" / "errors.jsonl")
    assert [(entry["file"], entry["line"], entry.get("id")) for entry in found] == [
        (str(source), 9, None),
        (str(source), 35, "x"),
        (str(source), 51, "文"),
    ]
    assert "twice" in found[2]["reason"]
    assert read_corpus(*parts(tmp_path / "out")) == read_corpus(tmp_path / "out.jsonl") == expected(wanted)
    assert read_corpus(tmp_path / "out.jsonl.errors.jsonl") == found


@pytest.mark.parametrize("inputs", [".", "**/*.jsonl"])
@pytest.mark.parametrize("output", ["out", "out.jsonl"])
def test_an_output_in_the_input_folder_is_not_read(tmp_path: Path, inputs: str, output: str) -> None:
    write_corpus(tmp_path / "in.jsonl", [*articles(25), {"text": "REFUSE"}])
    first = job(tmp_path / inputs, tmp_path / output)

    def stop(_: BatchProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_local(first, 1, stop)
    if output == "out.jsonl":  # as if it had been killed while it joined its parts
        (tmp_path / "out.jsonl").touch()
        (tmp_path / "out.jsonl.errors.jsonl").touch()
    assert run_local(replace(first, resume=True), 1) == Totals(25, 1, 0)


def test_the_name_of_a_file_need_not_be_utf_8(tmp_path: Path) -> None:
    source, out = write_lines(tmp_path / os.fsdecode(b"in\xff.jsonl"), b'{"text": "REFUSE"}\n'), tmp_path / "out"
    for resume in (False, True):
        assert run_local(job(source, out, resume=resume), 1) == Totals(0, 1, 0)
    assert [entry["file"] for entry in read_corpus(out / "errors.jsonl")] == [str(source)]


def test_an_impossible_job_is_refused_before_it_begins(tmp_path: Path) -> None:
    table, lines = write_corpus(tmp_path / "a.parquet", articles(2)), write_corpus(tmp_path / "a.jsonl", articles(2))
    other, nothing = write_corpus(tmp_path / "b.parquet", [{"text": "x"}]), write_corpus(tmp_path / "c.jsonl", [])
    double = tmp_path / "d.parquet"
    pq.write_table(pa.table([["a"], [1], [2]], names=["text", "x", "x"]), double)
    hollow = write_corpus(tmp_path / "hollow.jsonl", [{"text": "x", "a": [{}]}])
    mixed = write_corpus(tmp_path / "mixed.jsonl", [{"text": "x"}, {"text": 1}])
    out = tmp_path / "out"
    for wrong, said in (
        (job(table, out, text="body"), "no column 'body', but id, text"),
        (job(table, out, id="name"), "no column 'name', but id, text"),
        (
            replace(job(table, out), function=Summarize(options={"max_chars": 9}, column="id")),
            "the column 'id' exists already",
        ),
        (
            replace(job(lines, out), function=Summarize(options={"max_chars": 9}, column="id")),
            "the column 'id' exists already",
        ),
        (job(lines, tmp_path / "out.xls"), r"cannot write .xls files, only .jsonl, .*; for a folder .*, end it with /"),
        (job(lines, tmp_path / f"{'n' * 240}.jsonl"), "the name of the output is too long"),
        (job(lines, tmp_path / "out.JSONL"), "cannot write .JSONL files"),
        (job(lines, tmp_path / "out.csv.gz"), "cannot write .csv.gz files"),
        (job(mixed, tmp_path / "out.parquet"), "the column 'text' has values of several types"),
        (job(hollow, tmp_path / "out.parquet"), "the column 'a' holds empty objects"),
        (job(lines, tmp_path / "out.jsonl", to="jsonl.gz"), "--to says"),
        (job(lines, Path("s3://bucket/out")), "object store"),
        (replace(job(table, out), inputs=(str(table), str(other))), "different columns"),
        (job(double, out, to="jsonl"), "two columns 'x'"),
        (job(nothing, tmp_path / "out.parquet"), "no column 'text', but none"),
        (replace(job(lines, out), function=Summarize({"model": "nope"})), "nope"),
        (replace(job(lines, out), part_size=0), "at least one"),
    ):
        with pytest.raises((UsageError, InputError), match=said):
            run_local(replace(wrong, output=wrong.output.replace("s3:/", "s3://", 1)), 1)
    assert not out.exists()


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "in.jsonl", articles(2))
    for name in ("out.xls/", "out.csv/", "2026.11", "v1.2.3", "a.version-two"):
        assert run_local(job(source, f"{tmp_path}/{name}"), 1) == Totals(2, 0, 0)
    assert run_local(job(source, tmp_path / "out.xls", resume=True), 1) == Totals(2, 0, 0)


@pytest.mark.usefixtures("processes")
def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "in.jsonl", [{"text": "a"}, {"text": "HANG"}, {"text": "b"}])
    assert run_local(job(source, tmp_path / "out.jsonl", timeout=2), 1) == Totals(2, 1, 0)
    [failed] = read_corpus(tmp_path / "out.jsonl.errors.jsonl")
    assert (failed["line"], failed["reason"]) == (2, "this document failed twice: it took more than 2 s")


@pytest.mark.usefixtures("processes")
def test_progress_goes_from_the_first_byte_to_the_last(tmp_path: Path) -> None:
    seen: list[BatchProgress] = []
    run_local(job(corpus(tmp_path / "in", "jsonl", articles(45)), tmp_path / "out"), 2, seen.append)
    assert (seen[-1].documents, seen[-1].share) == (45, 1.0)
    assert [at.share for at in seen] == sorted(at.share for at in seen)
