"""Two processes that share each batch train like one process."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tersely.encode import Cache, load_encoder
from tersely.learn.artifacts import to_toml
from tersely.learn.checkpoint import read_tensors
from tersely.learn.scorer.batches import DocumentBatch
from tersely.learn.scorer.config import (
    Objective,
    ScorerConfig,
    ScorerNetwork,
    ScorerTraining,
    SiameseNetworks,
    TrainingSelection,
)
from tersely.learn.scorer.distributed import padded

from .conftest import make_text

SCRIPT = Path(__file__).with_name("together.py")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
TINY = ScorerConfig(
    "tiny",
    # A batch that two processes cannot share evenly.
    ScorerTraining(steps=12, batch=7, rate=1e-3, siamese_rate=1e-3, clip=0.5, validate_every=4, keep=2),
    network=ScorerNetwork(width=8, layers=1, heads=2, inner=16),
    siamese=SiameseNetworks(width=8, layers=1, heads=2, inner=16),
    selection=TrainingSelection(count=2, shortest=15, longest=60, samples=4),
)
# 15 documents to validate on: the last batch is a single document.
BASE = replace(TINY, data=replace(TINY.data, held_out=0.5))
KINDS = {
    "gumbel": BASE,
    "perturbed": replace(
        BASE,
        network=replace(BASE.network, value="coverage_exp", features="position words"),
        objective=Objective(imitation=0.7),
        selection=replace(BASE.selection, kind="perturbed"),
    ),
    "words": replace(
        BASE,
        objective=Objective(rest_ext=0.0, ext_doc=0.0, words=1.0),
        selection=replace(BASE.selection, kind="perturbed"),
    ),
    "network": replace(BASE, selection=replace(BASE.selection, kind="network", folder="knapsack-cnndm-dp")),
    "supervised": replace(BASE, objective=Objective(rest_ext=0.0, ext_doc=0.0, supervised=1.0)),
}


def torchrun(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Start two processes and wait for them."""
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *arguments]
    return subprocess.run(list(map(str, start)), env=ENVIRONMENT, capture_output=True, text=True, check=False)


def write_jobs(folder: Path, configs: dict[str, ScorerConfig], **more: int) -> Path:
    """Make a folder for each job and write the list of jobs."""
    jobs: list[dict[str, Any]] = []
    for name, config in configs.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "config.toml").write_bytes(to_toml(config))
        jobs.append({"config": str(folder / name / "config.toml"), "out": str(folder / name), **more})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    return folder / "jobs.json"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs by one process; the last is interrupted."""
    folder = tmp_path_factory.mktemp("alone")
    for configs, more in ((KINDS, {}), ({"resumed": BASE}, {"interrupt": 5})):
        subprocess.run([sys.executable, SCRIPT, write_jobs(folder, configs, **more)], env=ENVIRONMENT, check=True)
    return folder


@pytest.fixture(scope="module")
def together(alone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same runs by two processes: undisturbed, killed, interrupted, and resumed after one process."""
    folder = tmp_path_factory.mktemp("together")
    killed = torchrun(SCRIPT, write_jobs(folder, {"killed": BASE}, kill=6))
    assert killed.returncode
    (alone / "resumed").rename(folder / "resumed")
    assert torchrun(SCRIPT, write_jobs(folder, {"interrupted": BASE}, interrupt=6)).returncode == 0
    done = torchrun(SCRIPT, write_jobs(folder, KINDS | dict.fromkeys(("killed", "interrupted", "resumed"), BASE)))
    assert done.returncode == 0, done.stderr
    return folder


def notes(folder: Path) -> dict[str, Any]:
    return read_tensors(folder / "training" / "checkpoint.safetensors")[1]


def assert_as_one(one: Path, two: Path) -> None:
    """Compare the curves, what was best, and the scorer's weights."""
    for point, other in zip(notes(one)["curve"], notes(two)["curve"], strict=True):
        assert point.keys() == other.keys()
        for name in point.keys() - {"seconds"}:
            assert other[name] == pytest.approx(point[name], abs=1e-5), name
    assert [step for _, step in notes(one)["best"]] == [step for _, step in notes(two)["best"]]
    for file in (one / "training").glob("best-*"):
        weights, others = read_tensors(file)[0], read_tensors(two / "training" / file.name)[0]
        # Some biases, such as that of the keys, have no effect: their gradients are rounding errors scaled up by Adam.
        for name in (name for name in weights if not name.endswith("bias")):
            torch.testing.assert_close(others[name], weights[name], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_have_the_losses_of_one(kind: str, alone: Path, together: Path) -> None:
    losses, others = (json.loads((folder / kind / "losses.json").read_text()) for folder in (alone, together))
    assert len(losses) == 12
    assert others == pytest.approx(losses, abs=1e-5)
    assert_as_one(alone / kind, together / kind)
    if kind in ("perturbed", "network"):
        # Otherwise documents that select nothing would not be tested.
        assert 0 < notes(together / kind)["curve"][-1]["selects"] < 1


@pytest.mark.parametrize("kind", ["killed", "interrupted", "resumed"])
def test_a_run_can_be_resumed_with_another_number_of_processes(kind: str, alone: Path, together: Path) -> None:
    assert_as_one(alone / "gumbel", together / kind)
    assert len((together / kind / "log.jsonl").read_text().splitlines()) == 3


def test_if_a_process_dies_the_others_end_and_if_one_is_interrupted_all_stop(together: Path) -> None:
    said = (together / "killed" / "ended-1").read_text()
    assert said == "another process of this training run has ended: continue with --resume"
    assert sorted(file.name for file in (together / "interrupted").glob("interrupted-*")) == [
        "interrupted-0",
        "interrupted-1",
    ]


@pytest.fixture
def arguments(tmp_path: Path) -> Callable[..., list[object]]:
    file, texts = tmp_path / "tiny.toml", tmp_path / "texts.jsonl"
    file.write_bytes(to_toml(TINY))
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    return lambda *more: ["-m", "tersely", "train", "scorer", texts, "--config", file, "--steps", "4", *more]


def test_only_one_process_reports_and_writes(arguments: Callable[..., list[object]], tmp_path: Path) -> None:
    out, cache = tmp_path / "model", tmp_path / "vectors"
    done = torchrun(*arguments("--out", out, "--cache", cache, "--device", "cpu"))
    assert done.returncode == 0, done.stderr
    assert len(re.findall("24 documents; 0 with fewer", done.stderr)) == 1
    assert len(re.findall("training 4/4", done.stderr)) == 1
    assert (out / "config.toml").exists()
    assert len(Cache(cache, load_encoder("use"))) == 24
    assert len(list((out / "training" / "tensorboard").iterdir())) == 1
    again = torchrun(*arguments("--out", out, "--cache", cache))
    assert again.returncode
    assert re.findall("^tersely: .*", again.stderr, re.MULTILINE) == [
        f"tersely: {out} holds a model already: choose another folder, or pass --resume to continue with it"
    ]


def test_processes_that_cannot_reach_each_other_say_what_to_set(
    arguments: Callable[..., list[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "GLOO_SOCKET_IFNAME", "no-card")
    done = torchrun(*arguments("--out", tmp_path / "model", "--device", "cpu"))
    assert done.returncode
    [said] = re.findall("^tersely: .*", done.stderr, re.MULTILINE)
    assert "cannot reach each other: set GLOO_SOCKET_IFNAME" in said


def test_padding_adds_no_sentences(batch: DocumentBatch) -> None:
    longer = padded(batch, batch.mask.shape[1] + 3)
    for name in ("vectors", "features", "chars", "lengths", "mask", "coverage", "target", "says"):
        there, more = getattr(longer, name).split([batch.mask.shape[1], 3], dim=1)
        assert torch.equal(there, getattr(batch, name))
        assert (more == (1 if name in ("chars", "coverage") else 0)).all()
