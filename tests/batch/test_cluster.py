"""The Ray engine: its parts in this process, and a few runs on one real cluster on this machine."""

import gc
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from moto.server import ThreadedMotoServer
from pyarrow import fs

from batch.corpora import articles, contents, corpus, parts, read_corpus, write_corpus, write_lines
from batch.functions import job
from tersely.batch import engine_ray
from tersely.batch.engine_local import run_local
from tersely.batch.engine_ray import PartActor, PartReader, cluster, run_ray
from tersely.batch.job import BatchProgress, Job
from tersely.batch.output import NOTES, Output, Totals
from tersely.batch.records import Summarize
from tersely.cli.batch import encode as encode_command
from tersely.encode import Cache, load_encoder
from tersely.errors import InputError, UsageError
from tersely.io.files import Store

BUCKET = "shelf"


def in_process(reader: PartReader, output: Output) -> Generator[dict[str, Any], None, None]:
    """Take the parts from the reader to one actor, as Ray Data does on a cluster."""
    actor = PartActor(output)
    with actor.pool:
        for file in range(len(reader.files)):
            for table in reader(pa.table({"file": [file]})):
                yield from actor(table).to_pylist()


def run(job: Job, show: Callable[[BatchProgress], None] = lambda _: None) -> Totals:
    return run_ray(job, 1, show=show, stream=in_process)


def stop_at(documents: int) -> Callable[[BatchProgress], None]:
    def stop(progress: BatchProgress) -> None:
        if progress.documents > documents:
            raise KeyboardInterrupt

    return stop


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # Ray leaves sockets and files to the garbage collector.
        warnings.simplefilter("ignore")
        # So that its processes can import the functions of these tests.
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        store = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        store.start()
        for name, value in {
            "AWS_ENDPOINT_URL": "http://{}:{}".format(*store.get_host_and_port()),
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            patch.setenv(name, value)
        # Only an address can ask for a bucket to be made.
        fs.FileSystem.from_uri(f"s3://{BUCKET}?allow_bucket_creation=true")[0].create_dir(BUCKET)
        with cluster("local", 2):
            yield
        store.stop()
        gc.collect()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("ray_cluster", "processes")
def test_a_cluster_writes_the_same_as_one_machine(tmp_path: Path) -> None:
    records = articles(45)
    records[7]["text"], records[8]["text"], records[40]["text"] = "KILL", "REFUSE", ""
    source = corpus(tmp_path / "in", "jsonl.gz", records)
    local, ray, alone = tmp_path / "local", tmp_path / "ray", tmp_path / "alone"
    shown: list[BatchProgress] = []
    assert run_ray(job(source, ray, id="id"), 2, show=shown.append) == Totals(43, 2, 1)
    assert (shown[-1].documents, round(shown[-1].share, 6)) == (43, 1.0)
    run_local(job(source, local, id="id"), 2)
    # Names sort in the order of the input.
    assert read_corpus(*parts(ray)) == read_corpus(*parts(local))
    assert (ray / "errors.jsonl").read_bytes() == (local / "errors.jsonl").read_bytes()
    # The other tests may do without a cluster.
    assert run(job(source, alone, id="id")) == Totals(43, 2, 1)
    assert contents(alone) == contents(ray)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("ray_cluster", "processes")
def test_a_store_is_read_and_written_and_a_run_is_resumed(tmp_path: Path) -> None:
    place = f"s3://{BUCKET}"
    fs.copy_files(str(corpus(tmp_path / "in", "parquet", articles(45))), f"{place}/in")
    store, folder = fs.FileSystem.from_uri(f"{place}/out")
    whole = job(f"{place}/in", f"{place}/out")

    def times(under: str = "") -> dict[str, Any]:
        files = store.get_file_info(fs.FileSelector(f"{folder}{under}"))
        return {info.base_name: info.mtime_ns for info in files if info.base_name.startswith("part-")}

    with pytest.raises(KeyboardInterrupt):
        run_ray(whole, 1, show=stop_at(20))
    before = times()
    noted = {name.replace(".json", ".parquet") for name in times(f"/{NOTES}")}
    assert len(noted) >= 2
    assert run_ray(replace(whole, resume=True), 1) == Totals(45, 0, 0)
    (tmp_path / "copy").mkdir()
    fs.copy_files(f"{place}/out", str(tmp_path / "copy"))
    assert [record["id"] for record in read_corpus(*parts(tmp_path / "copy"))] == list(range(45))
    # Finished parts were not done again.
    after = times()
    assert {name: after[name] for name in noted} == {name: before[name] for name in noted}
    entries = [json.loads(entry) for entry in (tmp_path / "copy" / "_manifest.jsonl").read_text().splitlines()]
    assert [entry["name"] for entry in entries[1:-1]] == sorted(after)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("ray_cluster", "processes")
def test_a_cluster_computes_the_same_vectors(tmp_path: Path) -> None:
    texts = [" ".join(f"The council of town {i} has met {k} times." for k in range(4)) for i in range(20)]
    source = write_corpus(tmp_path / "in.jsonl", [{"text": text} for text in (*texts, texts[2])])
    for engine in ("local", "ray"):
        options = ["--cache", str(tmp_path / engine), "--workers", "2", "--engine", engine]
        outcome = CliRunner().invoke(encode_command, [str(source), *options], catch_exceptions=False)
        assert outcome.exit_code == 0
        assert "documents: 20 computed, 1 already" in outcome.output
    local, ray = (Cache(tmp_path / engine, load_encoder("use")) for engine in ("local", "ray"))
    assert len(ray) == 20
    for text in texts:
        sentences = tuple(f"{sentence.rstrip('.')}." for sentence in text.split(". "))
        assert sentences in ray
        assert ray.encode(sentences).tobytes() == local.encode(sentences).tobytes()


def fake_ray(patch: pytest.MonkeyPatch, late_starts: int) -> tuple[list[subprocess.Popen[bytes]], SimpleNamespace]:
    """Install a Ray whose first starts are too late, and leave a process behind each."""
    started: list[subprocess.Popen[bytes]] = []
    state = SimpleNamespace(running=False)

    def init(**_: Any) -> None:
        call = [sys.executable, "-c", "import signal; signal.pause()"]
        started.append(subprocess.Popen(call, start_new_session=True))
        if len(started) <= late_starts:
            raise RuntimeError("The current node timed out during startup.")
        state.running = True

    def shutdown() -> None:
        state.running = False

    ray = ModuleType("ray")
    vars(ray).update(init=init, shutdown=shutdown, is_initialized=lambda: False, data=ModuleType("ray.data"))
    patch.setitem(sys.modules, "ray", ray)
    patch.setitem(sys.modules, "ray.data", vars(ray)["data"])
    return started, state


def test_a_late_start_is_tried_again_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    started, state = fake_ray(monkeypatch, late_starts=2)
    with cluster("local", 1):
        assert state.running
        assert [process.wait() for process in started[:2]] == [-9, -9]
        assert started[2].poll() is None
    assert not state.running
    assert [process.wait() for process in started] == [-9, -9, -9]


def test_a_start_that_is_always_late_is_one_line_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    started, _ = fake_ray(monkeypatch, late_starts=99)
    with pytest.raises(InputError, match="cannot join the Ray cluster at local: The current node"), cluster("local", 1):
        pass
    assert [process.wait() for process in started] == [-9] * engine_ray._STARTS


def test_only_the_same_job_is_resumed(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    assert run(job(source, out, id="id")) == Totals(25, 0, 0)
    with pytest.raises(UsageError, match="add --resume"):
        run(job(source, out, id="id"))
    with pytest.raises(UsageError, match="different options"):
        run(job(source, out, resume=True))
    before = contents(out)
    assert run(job(source, out, id="id", resume=True)) == Totals(25, 0, 0)
    assert contents(out) == before


@pytest.mark.parametrize("scheme", ["", "file://"])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_driver_killed_again_and_again_ends_like_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, scheme: str
) -> None:
    records = articles(45)
    records[3]["text"] = records[40]["text"] = "REFUSE"
    source, out = corpus(tmp_path / "in", form, records), tmp_path / "out"
    run(job(source, f"{scheme}{tmp_path / 'whole'}"))
    write, remove, deaths, moments = Store.write, Store.remove, 0, 0

    def dying(act: Callable[..., None]) -> Callable[..., None]:
        def act_or_die(*args: Any) -> None:
            nonlocal moments
            moments += 1
            if moments == deaths + 1:  # each run dies a moment later than the one before it
                raise SystemExit("killed before")
            act(*args)
            moments += 1
            if moments == deaths + 1:
                raise SystemExit("killed after")

        return act_or_die

    monkeypatch.setattr(Store, "write", dying(write))
    monkeypatch.setattr(Store, "remove", dying(remove))
    while True:
        moments = 0
        try:
            totals = run(job(source, f"{scheme}{out}", resume=True))
            break
        except SystemExit:
            deaths += 1
    assert totals == Totals(43, 2, 0)
    assert deaths > 5
    assert contents(out) == contents(tmp_path / "whole")


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_left_by_killed_actors_are_no_parts_and_are_removed(tmp_path: Path, scheme: str) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(job(source, f"{scheme}{out}"), stop_at(0))
    [note, *_] = sorted((out / NOTES).iterdir())
    for half in (out / NOTES / f".{note.name}.0.tmp", out / ".part-0000000-0000000.jsonl.0.tmp"):
        half.write_bytes(note.read_bytes()[:9])
    again = job(source, f"{scheme}{out}", resume=True)
    assert run(again) == Totals(25, 0, 0)
    assert [record["id"] for record in read_corpus(*parts(out))] == list(range(25))
    (out / NOTES).mkdir()  # as if it had been killed before it removed that
    assert run(again) == Totals(25, 0, 0)
    assert sorted(contents(out)) == ["_manifest.jsonl", *(path.name for path in parts(out))]


def test_an_input_without_documents_makes_no_parts(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", b"")
    for output in (str(tmp_path / "here"), f"{tmp_path.as_uri()}/there", str(tmp_path / "one.jsonl")):
        assert run(job(source, output)) == Totals(0, 0, 0)
    assert (tmp_path / "one.jsonl").read_bytes() == b""


def test_two_runs_at_once_do_not_lose_parts(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(45)), tmp_path / "out"

    def interfere(progress: BatchProgress) -> None:
        with pytest.raises(UsageError, match="another process is writing"):
            run(job(source, out, resume=True))
        if progress.documents == 45:  # a run elsewhere, which no lock keeps out, has ended and collected all notes
            shutil.rmtree(out / NOTES)

    with pytest.raises(UsageError, match="another process wrote"):
        run(job(source, out), interfere)
    assert len((out / "_manifest.jsonl").read_text().splitlines()) == 1


@pytest.mark.usefixtures("processes")
def test_a_damaged_part_is_done_again_and_documents_set_aside_if_asked(tmp_path: Path) -> None:
    records, out, mark = articles(25), tmp_path / "out", tmp_path / "mark"
    records[14]["text"] = f"UNLESS {mark}"
    source = write_corpus(tmp_path / "in.jsonl", records)
    assert run(job(source, out.as_uri())) == Totals(24, 1, 0)
    whole = contents(out)
    parts(out)[0].unlink()
    parts(out)[-1].write_bytes(b"{")
    (out / "errors.jsonl").unlink()
    again = job(source, out.as_uri(), resume=True)
    assert run(again) == Totals(24, 1, 0)
    assert contents(out) == whole
    mark.touch()
    assert run(replace(again, retry=True)) == Totals(25, 0, 0)
    assert [record["id"] for record in read_corpus(*parts(out))] == list(range(25))
    assert sorted(contents(out)) == ["_manifest.jsonl", *(path.name for path in parts(out))]


def test_questions_and_sources_are_the_same_on_a_cluster(tmp_path: Path) -> None:
    sources = [{"text": "The harbor closes in May. Boats must leave."}, {"text": "The mayor is Ann Bell."}]
    questions = ("When does the harbor close?", "Who is the mayor?")
    source = write_corpus(tmp_path / "in.jsonl", [{"sources": sources, "asked": query} for query in questions])
    summarize = Summarize(options={"max_chars": 30}, has_query=True)
    summaries = []
    for engine, output in ((lambda job: run_local(job, 1), tmp_path / "local"), (run, tmp_path / "ray")):
        engine(Job((str(source),), str(output), summarize, text="sources", query="asked"))
        summaries.append([record["summary"] for record in read_corpus(*parts(output))])
    assert summaries == [["The harbor closes in May.", "The mayor is Ann Bell."]] * 2
