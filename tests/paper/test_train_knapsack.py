"""A knapsack network's training run can be killed at any time and resumes as if nothing had happened."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest
import torch
from click.testing import CliRunner

from killing import kill_at
from tersely.cli._running import Progress
from tersely.cli.train import command
from tersely.errors import ModelError, UsageError
from tersely.learn.artifacts import to_toml
from tersely.learn.training import RunFiles, TrainingProgress, read_tensors
from tersely.paper.knapsack_measure import device_of, export_knapsack, load_folder, measure_folder, probabilities
from tersely.paper.knapsack_network import KnapsackConfig, KnapsackNetwork, KnapsackTraining, ProblemData
from tersely.paper.knapsack_problems import CNNDM, Simulation
from tersely.paper.train_knapsack import schedule, tensors, train_knapsack

CONFIG = KnapsackConfig(
    "tiny",
    ProblemData("cnewsum", "dp"),
    KnapsackTraining(steps=40, batch=32, parts=2, warmup=5, validate_every=4, validation=50),
    network=KnapsackNetwork(width=8, layers=1, heads=2, pairs=4),
)

SCRIPT = """
import sys
from pathlib import Path
from tersely.paper.knapsack_network import read_knapsack
from tersely.paper.train_knapsack import train_knapsack
train_knapsack(read_knapsack(Path(sys.argv[1])), Path(sys.argv[2]), False, lambda at: reached(at.finished))
"""


def silent(progress: TrainingProgress) -> None:
    del progress


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("straight")
    train_knapsack(CONFIG, out, resume=False, report=silent)
    return out


def assert_same(one: Path, two: Path) -> None:
    tensors, notes = read_tensors(one / "checkpoint.safetensors")
    others, other_notes = read_tensors(two / "checkpoint.safetensors")
    assert tensors.keys() == others.keys()
    assert any(name.startswith("optimizer.") for name in tensors)
    assert all(torch.equal(tensors[name], others[name]) for name in tensors)
    assert notes["step"] == other_notes["step"] == CONFIG.training.steps
    for point, other in zip(notes["curve"], other_notes["curve"], strict=True):
        assert {**point, "seconds": 0} == {**other, "seconds": 0}


def test_a_killed_run_resumes_bit_for_bit(straight: Path, tmp_path: Path) -> None:
    config, out = tmp_path / "config.toml", tmp_path / "run"
    config.write_bytes(to_toml(CONFIG))
    kill_at(6, SCRIPT, config, out)
    assert 4 <= read_tensors(out / "checkpoint.safetensors")[1]["step"] < 40
    train_knapsack(CONFIG, out, resume=True, report=silent)
    assert_same(straight, out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_finishes_the_step_and_saves_it_for_resuming(straight: Path, tmp_path: Path, number: int) -> None:
    def interrupt(at: TrainingProgress) -> None:
        if at.finished == 5:
            os.kill(os.getpid(), number)

    with pytest.raises(KeyboardInterrupt):
        train_knapsack(CONFIG, tmp_path, resume=False, report=interrupt)
    assert read_tensors(tmp_path / "checkpoint.safetensors")[1]["step"] == 5
    train_knapsack(CONFIG, tmp_path, resume=True, report=silent)
    assert_same(straight, tmp_path)


def test_two_trainings_in_one_folder_are_refused(tmp_path: Path) -> None:
    def interfere(at: TrainingProgress) -> None:
        if at.finished == 5:
            with pytest.raises(UsageError, match="another process is training"):
                train_knapsack(CONFIG, tmp_path, resume=True, report=silent)

    train_knapsack(CONFIG, tmp_path, resume=False, report=interfere)
    RunFiles(tmp_path, tmp_path / "log.jsonl", 0).close()  # it is unlocked again


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_how_to_resume_an_interrupted_run(tmp_path: Path, monkeypatch, number: signal.Signals) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(to_toml(CONFIG))
    monkeypatch.setattr("tersely.cli._running.Progress.__call__", lambda *_: os.kill(os.getpid(), number))
    arguments = ["--seed", "5", "--set", "training.rate=0.01", "--out", str(tmp_path / "run")]
    run = CliRunner().invoke(command, ["knapsack", str(config), *arguments])
    assert (tmp_path / "run" / "checkpoint.safetensors").is_file()
    assert run.exit_code == 130
    assert "to continue, run the same command with --resume" in run.stderr


def test_a_run_is_neither_overwritten_nor_resumed_with_other_settings(straight: Path) -> None:
    with pytest.raises(UsageError, match="--resume"):
        train_knapsack(CONFIG, straight, resume=False, report=silent)
    longer = replace(CONFIG, training=replace(CONFIG.training, steps=50))
    with pytest.raises(UsageError, match="another configuration"):
        train_knapsack(longer, straight, resume=True, report=silent)
    wider = replace(CONFIG, network=replace(CONFIG.network, width=16))
    with pytest.raises(ModelError, match="another network"):
        train_knapsack(wider, straight, resume=True, report=silent)


def test_the_gradients_of_a_knapsack_network_are_clipped(tmp_path: Path) -> None:
    """Adam hides the scale of gradients, so look at those of the last step."""
    norms = []
    for clip in (1e6, 1e-4):
        changed = replace(CONFIG, training=replace(CONFIG.training, steps=1, clip=clip))
        state = train_knapsack(changed, tmp_path / str(clip), resume=False, report=silent)
        gradients = [weight.grad for weight in state.network.parameters() if weight.grad is not None]
        norms.append(float(torch.nn.utils.get_total_norm(gradients)))
    assert norms[0] > 1e-3
    assert norms[1] == pytest.approx(1e-4, rel=1e-2)


def test_the_log_has_one_point_per_validation(straight: Path) -> None:
    lines = [json.loads(line) for line in (straight / "log.jsonl").read_text().splitlines()]
    assert [line["samples"] for line in lines] == [32 * step for step in range(4, 41, 4)]
    assert {"loss", "error_rate", "matched_rate", "feasible_rate", "value_ratio", "seconds"} <= lines[0].keys()
    assert any((straight / "tensorboard").iterdir())


def test_the_learning_rate_rises_and_then_falls() -> None:
    rates = [schedule(step, CONFIG.training) for step in range(40)]
    assert rates[0] == pytest.approx(0.2)
    assert max(rates) == rates[4]
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[-1] < 0.02


def test_a_network_that_selects_nothing_is_not_exported(tmp_path: Path) -> None:
    network = replace(CONFIG.network, kind="paper")
    config = replace(CONFIG, network=network, training=replace(CONFIG.training, steps=1, rate=1e-9))
    state = train_knapsack(config, tmp_path / "run", resume=False, report=silent)
    export_knapsack(config, state, tmp_path / "model", samples=20)  # as it happens, this one selects something
    state.network.decide.bias.data.fill_(-50)
    with pytest.raises(ModelError, match="selects nothing in any of 20 problems"):
        export_knapsack(config, state, tmp_path / "nothing", samples=20)
    assert not (tmp_path / "nothing").exists()


def test_the_command_makes_a_folder_that_loads_and_has_a_card(straight: Path, tmp_path: Path) -> None:
    del straight
    config = tmp_path / "config.toml"
    config.write_bytes(to_toml(CONFIG))
    arguments = ["knapsack", str(config), "--out", str(tmp_path / "run"), "--steps", "4", "--samples", "100"]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "matched rate" in result.output
    assert "samples/s" in result.output
    folder = tmp_path / "run" / "model"
    assert {file.name for file in folder.iterdir()} == {
        "README.md", "config.toml", "log.jsonl", "model.onnx", "model.safetensors",
    }  # fmt: skip
    network, loaded = load_folder(folder)
    assert loaded == replace(CONFIG, training=replace(CONFIG.training, steps=4))
    assert not network.training
    figures = measure_folder(folder, samples=100)
    assert figures["repaired"]["feasible_rate"] == 1
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"{100 * figures['rounded']['matched_rate']:.2f} %" in card
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    for size in (1, 33):
        batch = Simulation(CNNDM, seed=4).batch(0, size)
        (found,) = session.run(None, {"profits": batch.profits, "sizes": batch.sizes, "mask": batch.mask})
        assert np.allclose(found, probabilities(network, batch), atol=1e-4)
    # The exporter would name source folders at every operation.
    assert b".py" not in (folder / "model.onnx").read_bytes()


def test_the_network_of_the_paper_stays_on_its_device() -> None:
    """A tensor on the device `meta` has only a shape, but cannot be mixed with tensors on another device.

    The compact network looks at numbers to group its problems, so it cannot be tested in this way.
    """
    device = torch.device("meta")
    batch = CONFIG.data.simulation().batch(0, 8)
    network = replace(CONFIG, network=replace(CONFIG.network, kind="paper")).build().to(device)
    assert device_of(network) == device
    logits = network(*tensors(batch, device))
    assert logits.device == device


def test_without_a_terminal_a_line_each_minute_says_how_far_a_run_is(monkeypatch, capsys) -> None:
    now = [0.0]
    # Not the clock of this process: event loops of other tests may run in it.
    monkeypatch.setattr("tersely.cli._running.time", SimpleNamespace(monotonic=lambda: now[0]))
    progress = Progress()
    for step in range(1, 11):
        now[0] += 25
        progress(TrainingProgress("training", step, 10, now[0], {"loss": 1.0}, validated=step == 10))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["3/10", "6/10", "9/10", "10/10"]
