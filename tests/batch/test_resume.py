"""Runs that were killed, or met each other: nothing is lost, and nothing is done twice."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from batch.corpora import articles, contents, corpus, expected, parts, read_corpus, write_corpus
from batch.functions import job
from tersely.batch.engine_local import run_local
from tersely.batch.job import BatchProgress
from tersely.batch.output import Output, Totals
from tersely.batch.records import Summarize
from tersely.errors import InputError, UsageError


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("form", "seed"), [("jsonl", 1), ("jsonl.gz", 2), ("parquet", 3)])
def test_a_run_killed_again_and_again_ends_like_one_that_was_not(tmp_path: Path, form: str, seed: int) -> None:
    records = articles(60)
    for i in (3, 40, 41, 57):
        records[i]["text"] = "REFUSE"
    source, out = corpus(tmp_path / "in", form, records), tmp_path / "out"
    run_local(job(source, tmp_path / "whole"), 2)
    draw, deaths = random.Random(seed), 0
    while (code := _run_and_die(draw.randint(1, 30), source, out, tmp_path / "pids")) != 0:
        assert code == -9
        deaths += 1
    assert deaths >= 3
    assert contents(out) == contents(tmp_path / "whole")
    assert [record["id"] for record in read_corpus(*parts(out))] == [i for i in range(60) if i not in (3, 40, 41, 57)]


@pytest.mark.parametrize("moment", range(1, 10))
def test_a_run_killed_while_it_removes_joined_parts_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    source, one, moments = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "one.jsonl", 0

    def dying(remove: Callable[..., None]) -> Callable[..., None]:
        def remove_or_die(*args: Any, **more: Any) -> None:
            nonlocal moments
            moments += 1
            if moments == moment:
                raise SystemExit("killed")
            remove(*args, **more)

        return remove_or_die

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", dying(os.unlink))
        patch.setattr(os, "rmdir", dying(os.rmdir))
        with pytest.raises(SystemExit):
            run_local(job(source, one), 1)
    if (tmp_path / "one.jsonl.parts" / "_manifest.jsonl").exists():
        assert run_local(job(source, one, resume=True), 1) == Totals(25, 0, 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "one.jsonl"]
    else:  # only the empty folder is left
        assert moment == 9
        with pytest.raises(UsageError, match="complete: there is nothing to resume"):
            run_local(job(source, one, resume=True), 1)
    assert read_corpus(one) == expected(articles(25))


def _run_and_die(moment: int, source: Path, out: Path, pids: Path) -> int:
    script = Path(__file__).with_name("killed.py")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(script), str(moment), str(source), str(out), str(pids)]
    code = subprocess.run(command, env=env, check=False).returncode
    if code:
        # Workers do not outlive the process that started them.
        deadline = time.monotonic() + 60
        while any(map(_alive, pids.read_text().split())):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    return code


def _alive(pid: str) -> bool:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_parts_that_cannot_be_joined_are_kept_and_joined_later(tmp_path: Path) -> None:
    source, one = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "one.jsonl"

    def get_in_the_way(at: BatchProgress) -> None:
        if at.documents == 25:
            one.mkdir()

    with pytest.raises(InputError, match="cannot be written: Is a directory; continue with --resume"):
        run_local(job(source, one), 1, get_in_the_way)
    one.rmdir()
    assert run_local(job(source, one, resume=True), 1) == Totals(25, 0, 0)
    assert read_corpus(one) == expected(articles(25))


def test_a_finished_run_is_not_done_again(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    run_local(job(source, out), 1)
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    assert run_local(job(source, out, resume=True), 1) == Totals(25, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before


@pytest.mark.parametrize("length", [0, 20, -100, -10])
def test_a_damaged_manifest_is_one_line(tmp_path: Path, length: int) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    run_local(job(source, out), 1)
    manifest = out / "_manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes()[:length])
    with pytest.raises(InputError, match=r"_manifest.jsonl is damaged: choose another output"):
        run_local(job(source, out, resume=True), 1)


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_parts_are_done_again_from_the_first_missing_note_on(tmp_path: Path, damage: str) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(60)), tmp_path / "out"
    run_local(job(source, tmp_path / "whole"), 1)

    def stop(progress: BatchProgress) -> None:
        if progress.documents > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_local(job(source, out), 1, stop)
    note = out / "_done" / "part-0000001.json"
    if damage == "gone":
        note.unlink()
        assert run_local(job(source, out, resume=True), 1) == Totals(60, 0, 0)
        assert contents(out) == contents(tmp_path / "whole")
    else:
        note.write_bytes(note.read_bytes()[:-9])
        with pytest.raises(InputError, match=r"_done/part-0000001.json is damaged"):
            run_local(job(source, out, resume=True), 1)
        note.write_bytes(b'{"name": "part-0000001.jsonl"}')
        with pytest.raises(InputError, match=r"_done is damaged"):
            run_local(job(source, out, resume=True), 1)


def test_a_run_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(2)), tmp_path / "out"
    run_local(job(source, out), 1)
    manifest = out / "_manifest.jsonl"
    manifest.write_text(manifest.read_text().replace('"tersely": 5', '"tersely": 4'))
    with pytest.raises(UsageError, match="is from another version of tersely"):
        run_local(job(source, out, resume=True), 1)


def test_an_existing_output_is_not_overwritten(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    run_local(job(source, out), 1)
    with pytest.raises(UsageError, match="add --resume"):
        run_local(job(source, out), 1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").touch()
    with pytest.raises(UsageError, match="not from this command"):
        run_local(job(source, tmp_path / "mine", resume=True), 1)
    (tmp_path / "one.jsonl").touch()
    for resume in (False, True):
        with pytest.raises(UsageError, match="exists already"):
            run_local(job(source, tmp_path / "one.jsonl", resume=resume), 1)


def test_a_run_is_resumed_only_with_the_same_input_and_options(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    first = replace(job(source, out), function=Summarize(options={"max_chars": 40}))
    run_local(first, 1)
    again = replace(first, resume=True)
    for other in (
        replace(again, function=Summarize(options={"max_chars": 41})),
        replace(again, function=Summarize({"scorer": "lead"}, {"max_chars": 40})),
        replace(again, function=Summarize({"select": "greedy"}, {"max_chars": 40})),
        replace(again, function=Summarize(options={"max_chars": 40}, form="json")),
        replace(again, text="id"),
        replace(again, part_size=11),
    ):
        with pytest.raises(UsageError, match="was started with different options"):
            run_local(other, 1)
    shutil.copy(source, tmp_path / "copy.jsonl")
    with pytest.raises(UsageError, match="was started with different input"):
        run_local(replace(again, inputs=(*again.inputs, str(tmp_path / "copy.jsonl"))), 1)
    write_corpus(source, articles(26))
    with pytest.raises(UsageError, match="was started with different input"):
        run_local(replace(first, resume=True), 1)


def test_changed_input_is_noticed_even_if_its_size_and_time_are_the_same(tmp_path: Path) -> None:
    file, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    run_local(job(file, out), 1)
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"ship", b"shop", 1))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    with pytest.raises(UsageError, match="was started with different input"):
        run_local(job(file, out, resume=True), 1)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("size", [65, 100])
def test_a_part_has_as_many_documents_as_was_asked(tmp_path: Path, form: str, size: int) -> None:
    records = articles(230)
    source, out = corpus(tmp_path / "in", form, records), tmp_path / "out"
    asked = replace(job(source, out, to="jsonl"), part_size=size)
    run_local(asked, 2)
    counts = [len(read_corpus(part)) for part in parts(out)]
    assert counts == [size] * (230 // size) + ([230 % size] if 230 % size else [])
    whole = contents(out)
    for part in parts(out)[1:3]:
        part.unlink()
    run_local(replace(asked, resume=True), 2)
    assert contents(out) == whole


def test_two_runs_cannot_write_to_the_same_folder(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"

    def interfere(_: BatchProgress) -> None:
        with pytest.raises(UsageError, match="another process"):
            run_local(job(source, out, resume=True), 1)

    assert run_local(job(source, out), 1, interfere).documents == 25


def test_if_two_runs_begin_at_the_same_moment_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out, begin = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out", Output.begin

    def let_another_begin(output: Output) -> bool:
        monkeypatch.setattr(Output, "begin", begin)
        with pytest.raises(UsageError, match="another process"):
            run_local(job(source, out), 1)
        return begin(output)

    monkeypatch.setattr(Output, "begin", let_another_begin)
    assert run_local(job(source, out), 1).documents == 25
    assert read_corpus(*parts(out)) == expected(articles(25))


def test_a_run_is_resumed_only_by_the_same_engine(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(2)), tmp_path / "out"
    run_local(job(source, out), 1)
    head, *rest = (out / "_manifest.jsonl").read_text().splitlines(keepends=True)
    (out / "_manifest.jsonl").write_text("".join([head.replace('"local"', '"ray"'), *rest]))
    with pytest.raises(UsageError, match="was started with --engine ray: resume with the same engine"):
        run_local(job(source, out, resume=True), 1)


@pytest.mark.parametrize(
    ("form", "damage"), [("jsonl", "gone"), ("jsonl", "cut"), ("jsonl", "changed"), ("parquet", "changed")]
)
def test_a_damaged_part_is_done_again(tmp_path: Path, form: str, damage: str) -> None:
    records = articles(45)
    records[12]["text"] = "REFUSE"
    source, out = corpus(tmp_path / "in", form, records), tmp_path / "out"
    totals = run_local(job(source, out), 2)
    whole = {name: data for name, data in contents(out).items() if name != "_manifest.jsonl"}
    for part in (parts(out)[1], parts(out)[-1]):
        data = part.read_bytes()
        part.write_bytes(data[:-9] if damage == "cut" else data.replace(b"SHIP", b"SHOP", 1))
        if damage == "gone":
            part.unlink()
        assert damage != "changed" or part.read_bytes() != data
    (out / "errors.jsonl").unlink()
    for _ in range(2):
        assert run_local(job(source, out, resume=True), 2) == totals
        assert {name: data for name, data in contents(out).items() if name != "_manifest.jsonl"} == whole


def test_a_damaged_part_of_an_unfinished_run_is_done_again_and_errors_are_restored(tmp_path: Path) -> None:
    records = articles(60)
    records[3]["text"] = records[33]["text"] = "REFUSE"
    source, out = write_corpus(tmp_path / "in.jsonl", records), tmp_path / "out"
    run_local(job(source, tmp_path / "whole"), 2)

    def stop(at: BatchProgress) -> None:
        if at.documents > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_local(job(source, out), 1, stop)
    parts(out)[0].unlink()
    (out / "errors.jsonl").write_bytes((out / "errors.jsonl").read_bytes()[:5])
    assert run_local(job(source, out, resume=True), 2) == Totals(58, 2, 0)
    for name in ("errors.jsonl", *(part.name for part in parts(tmp_path / "whole"))):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_documents_that_were_set_aside_are_tried_again_if_asked(tmp_path: Path, form: str) -> None:
    records, mark = articles(35), tmp_path / "mark"
    records[14]["text"] = f"UNLESS {mark}"
    records[20]["text"] = "REFUSE"
    source, out = write_corpus(tmp_path / f"in.{form}", records), tmp_path / "out"
    assert run_local(job(source, out, id="id"), 2) == Totals(33, 2, 0)
    aside, refused = read_corpus(out / "errors.jsonl")
    assert (aside["id"], aside["set_aside"], refused["id"], "set_aside" in refused) == (14, True, 20, False)
    mark.touch()
    assert run_local(job(source, out, id="id", resume=True), 2) == Totals(33, 2, 0)
    assert run_local(job(source, out, id="id", resume=True, retry=True), 2) == Totals(34, 1, 0)
    assert read_corpus(out / "errors.jsonl") == [refused]
    assert [record["id"] for record in read_corpus(*parts(out))] == [i for i in range(35) if i != 20]
    with pytest.raises(UsageError, match="add --resume"):
        run_local(job(source, tmp_path / "new", retry=True), 1)
