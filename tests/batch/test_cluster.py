"""The same job on Ray, with a small cluster on this machine."""

import gc
import json
import logging
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from moto.server import ThreadedMotoServer
from pyarrow import fs

from batch.corpora import articles, contents, corpus, parts, read_corpus, write_corpus, write_lines
from batch.functions import job
from tersely.batch.engine_local import run_local
from tersely.batch.engine_ray import DONE, run_ray
from tersely.batch.job import BatchProgress, Job
from tersely.batch.manifest import Totals
from tersely.batch.summaries import Summarize
from tersely.errors import UsageError

# Ray leaves sockets and files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore")

BUCKET = "shelf"


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_DATA_LOG_LEVEL", "ERROR")
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
        import ray

        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        yield
        ray.shutdown()
        store.stop()
        gc.collect()


def test_a_cluster_writes_the_same_as_one_machine(tmp_path: Path) -> None:
    records = articles(45)
    records[7]["text"], records[8]["text"], records[40]["text"] = "KILL", "REFUSE", ""
    source = corpus(tmp_path / "in", "jsonl.gz", records)
    here, there = tmp_path / "here", tmp_path / "there"
    seen: list[BatchProgress] = []
    assert run_ray(job(source, there, id="id"), 2, show=seen.append) == Totals(43, 2, 1)
    assert (seen[-1].documents, round(seen[-1].share, 6)) == (43, 1.0)
    run_local(job(source, here, id="id"), 2)
    # Names sort in the order of the input.
    assert read_corpus(*parts(there)) == read_corpus(*parts(here))
    assert (there / "errors.jsonl").read_bytes() == (here / "errors.jsonl").read_bytes()
    assert sorted(contents(there)) == ["_manifest.jsonl", "errors.jsonl", *(path.name for path in parts(there))]
    with pytest.raises(UsageError, match="add --resume"):
        run_ray(job(source, there, id="id"))
    with pytest.raises(UsageError, match="different options"):
        run_ray(job(source, there, resume=True))
    assert run_ray(job(source, there, id="id", resume=True)) == Totals(43, 2, 1)


def test_a_store_is_read_and_written_and_a_run_is_resumed(tmp_path: Path) -> None:
    place = f"s3://{BUCKET}"
    fs.copy_files(str(corpus(tmp_path / "in", "parquet", articles(45))), f"{place}/in")
    store, folder = fs.FileSystem.from_uri(f"{place}/out")
    whole = job(f"{place}/in", f"{place}/out")

    def written(under: str = "") -> dict[str, Any]:
        found = store.get_file_info(fs.FileSelector(f"{folder}{under}"))
        return {info.base_name: info.mtime_ns for info in found if info.base_name.startswith("part-")}

    def stop(at: BatchProgress) -> None:
        if at.documents > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_ray(whole, 1, show=stop)
    done = written()
    noted = {name.replace(".json", ".parquet") for name in written(f"/{DONE}")}
    assert len(noted) >= 2
    assert run_ray(replace(whole, resume=True), 1) == Totals(45, 0, 0)
    (tmp_path / "copy").mkdir()
    fs.copy_files(f"{place}/out", str(tmp_path / "copy"))
    assert [record["id"] for record in read_corpus(*parts(tmp_path / "copy"))] == list(range(45))
    # Finished parts were not done again.
    now = written()
    assert {name: now[name] for name in noted} == {name: done[name] for name in noted}
    entries = [json.loads(entry) for entry in (tmp_path / "copy" / "_manifest.jsonl").read_text().splitlines()]
    assert [entry["name"] for entry in entries[1:-1]] == sorted(now)


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_left_by_killed_actors_are_no_parts_and_are_removed(tmp_path: Path, scheme: str) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"

    def stop(_: BatchProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_ray(job(source, f"{scheme}{out}"), 1, show=stop)
    [note, *_] = sorted((out / DONE).iterdir())
    for half in (out / DONE / f".{note.name}.0.tmp", out / ".part-0000000-0000000.jsonl.0.tmp"):
        half.write_bytes(note.read_bytes()[:9])
    again = job(source, f"{scheme}{out}", resume=True)
    assert run_ray(again, 1) == Totals(25, 0, 0)
    assert [record["id"] for record in read_corpus(*parts(out))] == list(range(25))
    (out / DONE).mkdir()  # as if it had been killed before it removed that
    assert run_ray(again, 1) == Totals(25, 0, 0)
    assert sorted(contents(out)) == ["_manifest.jsonl", *(path.name for path in parts(out))]


def test_an_input_without_documents_makes_no_parts(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", b"")
    for output in (str(tmp_path / "here"), f"{tmp_path.as_uri()}/there", str(tmp_path / "one.jsonl")):
        assert run_ray(job(source, output), 1) == Totals(0, 0, 0)
    assert (tmp_path / "one.jsonl").read_bytes() == b""


def test_two_runs_at_once_do_not_lose_parts(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(45)), tmp_path / "out"

    def interfere(at: BatchProgress) -> None:
        if at.documents == 45:  # the other run has ended, and collected all notes
            shutil.rmtree(out / DONE)

    with pytest.raises(UsageError, match="another process"):
        run_ray(job(source, out), 1, show=interfere)
    assert len((out / "_manifest.jsonl").read_text().splitlines()) == 1


def test_a_damaged_part_is_done_again_and_documents_set_aside_if_asked(tmp_path: Path) -> None:
    records, out, mark = articles(25), tmp_path / "out", tmp_path / "mark"
    records[14]["text"] = f"UNLESS {mark}"
    source = write_corpus(tmp_path / "in.jsonl", records)
    assert run_ray(job(source, out.as_uri()), 1) == Totals(24, 1, 0)
    whole = {path.name: path.read_bytes() for path in parts(out)}
    parts(out)[0].unlink()
    parts(out)[-1].write_bytes(b"{")
    again = job(source, out.as_uri(), resume=True)
    assert run_ray(again, 1) == Totals(24, 1, 0)
    assert {path.name: path.read_bytes() for path in parts(out)} == whole
    mark.touch()
    assert run_ray(replace(again, retry=True), 1) == Totals(25, 0, 0)
    assert [record["id"] for record in read_corpus(*parts(out))] == list(range(25))
    assert sorted(contents(out)) == ["_manifest.jsonl", *(path.name for path in parts(out))]


def test_questions_and_sources_are_the_same_on_a_cluster(tmp_path: Path) -> None:
    sources = [{"text": "The harbor closes in May. Boats must leave."}, {"text": "The mayor is Ann Bell."}]
    asked = [{"sources": sources, "asked": query} for query in ("When does the harbor close?", "Who is the mayor?")]
    source = write_corpus(tmp_path / "in.jsonl", asked)
    summarize = Summarize(how={"max_chars": 30}, asked=True)
    found = []
    for run, output in ((run_local, tmp_path / "local"), (run_ray, tmp_path / "ray")):
        run(Job((str(source),), str(output), summarize, text="sources", query="asked"), 1)
        found.append([record["summary"] for record in read_corpus(*parts(output))])
    assert found == [["The harbor closes in May.", "The mayor is Ann Bell."]] * 2
