"""`tersely batch`, run as a user runs it."""

import os
import random
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from batch.corpora import FORMS, articles, parts, read_corpus, write_corpus, write_lines
from commands import tersely

TERSELY = [sys.executable, "-m", "tersely"]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    "options",
    [
        ("--max-chars", "200", "--query", "Who voted?"),
        ("--ratio", "0.2", "--scorer", "lexrank", "--order", "rank", "--redundancy", "trigrams"),
    ],
)
def test_a_summary_is_byte_for_byte_what_summarize_prints(
    tmp_path: Path, english: str, chinese: str, form: str, options: tuple[str, ...]
) -> None:
    texts = [english, chinese, "", "A sentence that is short.", "词" * 300]
    source = write_corpus(tmp_path / f"in.{form}", [{"id": i, "text": text} for i, text in enumerate(texts)])
    run = tersely("batch", source, tmp_path / "out", *options, "--format", "json", "--workers", "2")
    assert run.returncode == 0
    records = read_corpus(*parts(tmp_path / "out"))
    assert [record["id"] for record in records] == [0, 1, 2, 3, 4]
    for record, text in zip(records, texts, strict=True):
        article = tmp_path / "article.txt"
        article.write_text(text, encoding="utf-8")
        assert record["summary"] + "\n" == tersely("summarize", article, *options, "--format", "json").stdout


def test_a_summary_comes_with_its_length_and_its_reason(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "in.jsonl", articles(3))
    run = tersely("batch", source, tmp_path / "out", "--max-chars", "20", "--summary-column", "short")
    assert (run.returncode, run.stderr) == (0, f"3 documents written to {tmp_path / 'out'}\n")
    assert read_corpus(*parts(tmp_path / "out"))[1] == {
        **articles(2)[1],
        "short": "Ship 1 came in.",
        "short_length": 15,
        "short_reason": "selected",
    }


def test_failed_and_empty_documents_are_counted_at_the_end(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", b'{"text": "One."}\n{"text": ""}\n{"text": 3}\n{\n')
    run = tersely("batch", source, tmp_path / "out", "--max-chars", "9")
    assert run.returncode == 3
    assert run.stderr.splitlines() == [
        "tersely: 1 of 4 summaries are empty; the output says why",
        "tersely: 2 of 4 documents failed; the first reason: the column 'text' is not a string; "
        f"see {tmp_path / 'out'}/errors.jsonl",
    ]
    assert [entry["line"] for entry in read_corpus(tmp_path / "out" / "errors.jsonl")] == [3, 4]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("in.jsonl", "--max-chars", "9"), "the OUTPUT"),
        (("in.jsonl", "out"), "no budget"),
        (("in.jsonl", "out", "--max-chars", "9", "--max-words", "3"), "two budgets"),
        (("in.jsonl", "out", "--max-chars", "9", "--scorer", "leed"), "did you mean 'lead'?"),
        (("in.jsonl", "out", "--max-tokens", "9"), "needs a tokenizer"),
        (("in.jsonl", "out", "--max-chars", "9", "--address", "auto"), "--engine ray"),
        (("in.jsonl", "out", "--max-chars", "9", "--timeout", "nan"), "above 0"),
        (("in.jsonl", "out", "--max-chars", "9", "--workers", "0"), "--workers"),
        (("in.jsonl", "in.jsonl", "--max-chars", "9"), "exists already"),
        (("in.jsonl", "s3://bucket/out", "--max-chars", "9"), "--engine ray"),
    ],
)
def test_a_wrong_call_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "in.jsonl", articles(1))
    run = tersely("batch", *args)
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (2, "", 1)
    assert said in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("missing.jsonl", "out"), "missing.jsonl does not exist"),
        (
            ("in.jsonl", "out", "--engine", "ray", "--address", "127.0.0.1:1"),
            "cannot join the Ray cluster",
        ),
    ],
)
def test_a_missing_input_or_cluster_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "in.jsonl", articles(1))
    run = tersely("batch", *args, "--max-chars", "9")
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (3, "", 1)
    assert said in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_run_cannot_be_resumed_with_another_selector(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(2)), tmp_path / "out"
    given = ("batch", source, out, "--max-chars", "40", "--workers", "1", "--select")
    assert tersely(*given, "knapsack").returncode == 0
    run = tersely(*given, "greedy", "--resume")
    assert (run.returncode, len(run.stderr.splitlines())) == (2, 1)
    assert "was started with different options (model)" in run.stderr
    assert tersely(*given, "knapsack", "--resume").returncode == 0


def test_a_terminal_shows_progress_and_ctrl_c_keeps_finished_parts(tmp_path: Path) -> None:
    # Enough that even a busy machine delivers the signal before all of them are done.
    source, out = write_corpus(tmp_path / "in.jsonl", articles(8_000)), tmp_path / "out"
    options = ["--max-chars", "40", "--part-size", "20"]
    terminal, stderr = os.openpty()
    listening = partial(
        signal.signal, signal.SIGINT, signal.default_int_handler
    )  # the tests may run where it is ignored
    command = [*TERSELY, "batch", str(source), str(out), *options]
    with subprocess.Popen(command, stderr=stderr, preexec_fn=listening) as process:
        os.close(stderr)
        said = b""
        while b"left" not in said:
            said += os.read(terminal, 1_000)
        assert re.search(rb"\d documents  [\d,]+ per second  \d+ %  0:\d\d:\d\d left", said)
        process.send_signal(signal.SIGINT)
        while data := _read(terminal):
            said += data
    os.close(terminal)
    assert process.returncode == 130
    assert said.decode().endswith(f"tersely: stopped; finished parts are in {out}: continue with --resume\r\n")
    assert 0 < len(parts(out)) < 400


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1_000)
    except OSError:  # a terminal says so when nobody writes to it any more
        return b""


def test_sentences_can_be_required_and_texts_without_them_fail(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "in.jsonl", [*articles(2), {"text": "One."}])
    run = tersely("batch", source, tmp_path / "out.jsonl", "--max-chars", "20", "--include", "2", "--order", "rank")
    assert (run.returncode, run.stderr.count("\n")) == (3, 1)
    assert [record["summary"] for record in read_corpus(tmp_path / "out.jsonl")] == ["It rained."] * 2
    [failed] = read_corpus(tmp_path / "out.jsonl.errors.jsonl")
    assert failed["line"] == 3


@pytest.mark.parametrize("nobody", ["2>&-", "2>/dev/full"])
def test_a_run_does_not_need_standard_error(tmp_path: Path, nobody: str) -> None:
    source = write_corpus(tmp_path / "in.jsonl", articles(2))
    given = ["batch", str(source), str(tmp_path / "out"), "--max-chars", "20"]
    run = subprocess.run(["sh", "-c", f'exec "$@" {nobody}', "sh", *TERSELY, *given], check=False)
    assert run.returncode == 0
    assert len(read_corpus(*parts(tmp_path / "out"))) == 2


def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "in.jsonl", articles(2))
    run = tersely("batch", source, source / "out", "--max-chars", "20")
    assert (run.returncode, len(run.stderr.splitlines())) == (3, 1)
    assert "cannot be written: Not a directory" in run.stderr


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_one_line_and_the_run_can_be_resumed(tmp_path: Path, form: str) -> None:
    noise = [random.Random(i).randbytes(300).hex() for i in range(200)]
    records = [{**record, "noise": noise[i]} for i, record in enumerate(articles(200))]
    source, out = write_corpus(tmp_path / f"in.{form}", records), tmp_path / "out"
    given = ["batch", str(source), str(out), "--max-chars", "20", "--workers", "1", "--part-size"]
    # No file may grow beyond 64 blocks, which looks like a full disk.
    full = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", *TERSELY, *given, "200"]
    run = subprocess.run(full, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr.count("\n")) == (3, 1)
    assert "cannot be written: File too large; continue with --resume" in run.stderr
    assert [path.name for path in out.iterdir()] == ["_manifest.jsonl"]
    assert tersely(*given, "200", "--resume").returncode == 0
    assert [record["noise"] for record in read_corpus(*parts(out))] == noise


def _first_on_path(folder: Path) -> str:
    return os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])


@pytest.mark.parametrize(("name", "module"), [("in.parquet", "pyarrow"), ("in.jsonl.zst", "zstandard")])
def test_a_missing_extra_is_named(tmp_path: Path, name: str, module: str) -> None:
    source = write_corpus(tmp_path / name, articles(1))
    (tmp_path / f"{module}.py").write_text(f"raise ImportError('no {module}')")
    run = tersely("batch", source, tmp_path / "out", "--max-chars", "9", PYTHONPATH=_first_on_path(tmp_path))
    assert (run.returncode, "pip install 'tersely[batch]'" in run.stderr) == (3, True)


def test_plain_and_gzip_lines_need_no_extra(tmp_path: Path) -> None:
    for module in ("pyarrow", "zstandard", "ray"):
        (tmp_path / f"{module}.py").write_text(f"raise ImportError('no {module}')")
    for name in ("a.jsonl", "a.jsonl.gz"):
        source = write_corpus(tmp_path / name, articles(2))
        run = tersely(
            "batch", source, tmp_path / f"out.{name}", "--max-chars", "20", PYTHONPATH=_first_on_path(tmp_path)
        )
        assert run.returncode == 0
        assert len(read_corpus(tmp_path / f"out.{name}")) == 2


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_every_record_may_have_sources_and_a_question_of_its_own(tmp_path: Path, form: str) -> None:
    sources = [
        {"id": "port", "text": "The harbor closes in May. Boats must leave."},
        {"id": "town", "text": "The mayor is Ann Bell. She likes tea."},
    ]
    asked = ["When does the harbor close?", "Who is the mayor?", None]
    records = [{"id": i, "sources": sources, "asked": query} for i, query in enumerate(asked)]
    source = write_corpus(tmp_path / f"in.{form}", records)
    columns = ("--text-column", "sources", "--query-column", "asked", "--id", "id", "--max-chars", "30")
    run = tersely("batch", source, tmp_path / "out", *columns, "--workers", "1")
    assert run.returncode == 3
    assert "the column 'asked' is null" in run.stderr
    found = read_corpus(*parts(tmp_path / "out"))
    assert [record["summary"] for record in found] == ["The harbor closes in May.", "The mayor is Ann Bell."]
    assert found[0]["sources"] == sources
    for wrong in (("--query", "Who?", *columns), ("--query-column", "none", *columns[:2], *columns[4:])):
        run = tersely("batch", source, tmp_path / "other", *wrong)
        assert run.returncode == (3 if form == "jsonl" and "none" in wrong else 2)
        assert "--query-column" in run.stderr or "no column 'none'" in run.stderr


def test_a_folder_of_files_of_any_form_is_a_corpus(tmp_path: Path, english: str) -> None:
    folder = tmp_path / "古 files"
    (folder / "below").mkdir(parents=True)
    (folder / "a.md").write_text(f"# Title\n\n{english}", encoding="utf-8")
    (folder / "b.eml").write_text(f"MIME-Version: 1.0\nSubject: Harbor\n\n{english}", encoding="utf-8")
    (folder / "below/c.tex").write_text(rf"\section{{Harbor}} {english.replace('%', '')}", encoding="utf-8")
    (folder / "d.png").write_bytes(b"\x89PNG\r\n")
    (folder / ".hidden").write_bytes(b"\x00")
    options = ("--max-words", "30", "--format", "json")
    run = tersely("batch", folder, tmp_path / "out", *options, "--workers", "1")
    assert run.returncode == 3
    assert "1 of 4 documents failed; the first reason: " in run.stderr
    records = read_corpus(*parts(tmp_path / "out"))
    assert [record["file"] for record in records] == [f"{folder}/{name}" for name in ("a.md", "b.eml", "below/c.tex")]
    for record in records:
        assert record["summary"] + "\n" == tersely("summarize", record["file"], *options).stdout.replace(
            f'"id": "{record["file"]}"', '"id": ""'
        )
    [error] = read_corpus(tmp_path / "out/errors.jsonl")
    assert (error["file"], "is a picture" in error["reason"]) == (f"{folder}/d.png", True)
    before = [part.read_bytes() for part in parts(tmp_path / "out")]
    assert tersely("batch", folder, tmp_path / "out", *options, "--resume").returncode == 3
    assert [part.read_bytes() for part in parts(tmp_path / "out")] == before


def test_documents_and_tables_are_not_mixed(tmp_path: Path) -> None:
    table = write_corpus(tmp_path / "in.jsonl", articles(1))
    (tmp_path / "a.txt").write_text("It rains.")
    run = tersely("batch", table, tmp_path / "a.txt", tmp_path / "out", "--max-chars", "9")
    assert (run.returncode, run.stderr) == (
        2, "tersely: the input has both documents and other files: run them separately\n"
    )  # fmt: skip
    # In a folder with tables, everything else is left alone, as before.
    assert tersely("batch", tmp_path, tmp_path / "out", "--max-chars", "20").returncode == 0
    assert len(read_corpus(*parts(tmp_path / "out"))) == 1
