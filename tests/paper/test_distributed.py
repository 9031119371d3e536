"""Two processes that share each batch train like one process."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tersely.encode import Cache, load_encoder
from tersely.learn.artifacts import to_toml
from tersely.learn.training import read_tensors
from tersely.paper.batches import DocumentBatch
from tersely.paper.config import (
    Objective,
    ScorerConfig,
    ScorerNetwork,
    ScorerTraining,
    SiameseNetworks,
    TrainingSelection,
)
from tersely.paper.distributed import padded

from .conftest import make_text

SCRIPT = Path(__file__).with_name("together.py")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
TINY = ScorerConfig(
    "tiny",
    # A batch that two processes cannot share evenly.
    ScorerTraining(steps=6, batch=7, rate=1e-3, siamese_rate=1e-3, clip=0.5, validate_every=2, keep=2),
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
        network=replace(BASE.network, value="length_exp", features="position words"),
        objective=Objective(imitation=0.7, words=0.5),
        selection=replace(BASE.selection, kind="perturbed"),
    ),
    "network": replace(BASE, selection=replace(BASE.selection, kind="network", folder="knapsack-cnndm-dp")),
    "supervised": replace(BASE, objective=Objective(rest_ext=0.0, ext_doc=0.0, supervised=1.0)),
}


def jobs(folder: Path, configs: dict[str, ScorerConfig], **more: int) -> list[dict[str, Any]]:
    """Make a folder for each job and return the jobs."""
    made: list[dict[str, Any]] = []
    for name, config in configs.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "config.toml").write_bytes(to_toml(config))
        made.append({"config": str(folder / name / "config.toml"), "out": str(folder / name), **more})
    return made


def arguments(folder: Path) -> list[str]:
    """Write what a command needs, and return its arguments."""
    file, texts = folder / "tiny.toml", folder / "texts.jsonl"
    file.write_bytes(to_toml(replace(TINY, training=replace(TINY.training, steps=4, keep=1))))
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    places = (texts, "--config", file, "--out", folder / "model", "--cache", folder / "vectors")
    return ["train", "scorer", *map(str, places), "--device", "cpu"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Runs by one process, and by two: undisturbed, killed, interrupted, resumed after one process, and commands."""
    alone, together = (tmp_path_factory.mktemp(name) for name in ("alone", "together"))
    everything = KINDS | dict.fromkeys(("killed", "interrupted", "resumed"), BASE)
    command = {"processes": 2, "arguments": arguments(together)}
    plan: list[dict[str, Any]] = [
        {"processes": 1, "jobs": jobs(alone, KINDS)},
        {"processes": 1, "jobs": jobs(together, {"resumed": BASE}, interrupt=3)},
        {"processes": 2, "jobs": jobs(together, {"killed": BASE}, kill=3)},
        {"processes": 2, "jobs": jobs(together, {"interrupted": BASE}, interrupt=3)},
        {"processes": 2, "jobs": jobs(together, everything)},
        command | {"said": str(together / "apart.txt"), "environment": {"GLOO_SOCKET_IFNAME": "no-card"}},
        command | {"said": str(together / "said.txt")},
    ]
    (alone / "runs.json").write_text(json.dumps(plan))
    start = [sys.executable, str(SCRIPT), str(alone / "runs.json")]
    done = subprocess.run(start, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True)
    *trainings, apart, finished = json.loads(done.stdout)
    assert trainings == [[0], [0], [-signal.SIGKILL, 0], [0, 0], [0, 0]]
    assert all(apart)
    assert finished == [0, 0]
    return alone, together


@pytest.fixture
def alone(runs: tuple[Path, Path]) -> Path:
    return runs[0]


@pytest.fixture
def together(runs: tuple[Path, Path]) -> Path:
    return runs[1]


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
    assert len(losses) == 6
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


def test_only_one_process_reports_and_writes(together: Path) -> None:
    said, out = (together / "said.txt").read_text(), together / "model"
    assert len(re.findall("24 documents; 0 with fewer", said)) == 1
    assert len(re.findall("training 4/4", said)) == 1
    assert (out / "config.toml").exists()
    assert len(Cache(together / "vectors", load_encoder("use"))) == 24
    assert len(list((out / "training" / "tensorboard").iterdir())) == 1


def test_processes_that_cannot_reach_each_other_say_what_to_set(together: Path) -> None:
    [said] = re.findall("^tersely: .*", (together / "apart.txt").read_text(), re.MULTILINE)
    assert "cannot reach each other: set GLOO_SOCKET_IFNAME" in said


def test_torchrun_starts_processes_of_which_one_says_what_is_wrong(tmp_path: Path) -> None:
    given = arguments(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.toml").touch()
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "tersely"]
    done = subprocess.run([*torchrun, *given], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode
    assert re.findall("^tersely: .*", done.stderr, re.MULTILINE) == [
        f"tersely: {tmp_path / 'model'} holds a model already: "
        "choose another folder, or pass --resume to continue with it"
    ]


def test_padding_adds_no_sentences(batch: DocumentBatch) -> None:
    longer = padded(batch, batch.mask.shape[1] + 3)
    for name in ("vectors", "features", "chars", "lengths", "mask", "target", "says"):
        there, more = getattr(longer, name).split([batch.mask.shape[1], 3], dim=1)
        assert torch.equal(there, getattr(batch, name))
        assert (more == (1 if name == "chars" else 0)).all()
