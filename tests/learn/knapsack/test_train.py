"""A training can be killed at any time and goes on as if nothing had happened."""

import json
import os
import signal
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from click.testing import CliRunner

from killing import kill_at
from tersely.cli.train import command
from tersely.errors import ModelError, UsageError
from tersely.learn.checkpoint import read_tensors
from tersely.learn.knapsack import CNNDM, Simulation, load_folder, measure_folder
from tersely.learn.knapsack.config import Config, Data, Network, Training
from tersely.learn.knapsack.measure import probabilities
from tersely.learn.knapsack.train import Progress, schedule, train
from tersely.learn.settings import toml

CONFIG = Config(
    "tiny",
    Data("cnewsum", "dp"),
    Training(steps=40, batch=32, parts=2, warmup=5, validate_every=4, validation=50),
    network=Network(width=8, layers=1, heads=2, pairs=4),
)

SCRIPT = """
import sys
from pathlib import Path
from tersely.learn.knapsack.config import read_config
from tersely.learn.knapsack.measure import probabilities
from tersely.learn.knapsack.train import train
train(read_config(Path(sys.argv[1])), Path(sys.argv[2]), False, lambda at: print(at.step, flush=True))
"""


def silent(progress: Progress) -> None:
    del progress


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that nothing disturbed."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("straight")
    train(CONFIG, out, resume=False, report=silent)
    return out


def assert_same(one: Path, two: Path) -> None:
    tensors, notes = read_tensors(one / "checkpoint.safetensors")
    others, other_notes = read_tensors(two / "checkpoint.safetensors")
    assert tensors.keys() == others.keys()
    assert any(name.startswith("optimizer.") for name in tensors)
    assert all(torch.equal(tensors[name], others[name]) for name in tensors)
    assert notes["step"] == other_notes["step"] == CONFIG.training.steps
    for point, other in zip(notes["curve"], other_notes["curve"], strict=True):
        # The mean loss since the last validation starts anew after a kill, as does the clock.
        assert {k: v for k, v in point.items() if k not in ("seconds", "loss")} == {
            k: v for k, v in other.items() if k not in ("seconds", "loss")
        }


def test_after_kill_9_it_goes_on_bit_for_bit(straight: Path, tmp_path: Path) -> None:
    config, out = tmp_path / "config.toml", tmp_path / "run"
    config.write_text(toml(asdict(CONFIG)), encoding="utf-8")
    kill_at(6, SCRIPT, config, out)
    assert 4 <= read_tensors(out / "checkpoint.safetensors")[1]["step"] < 40
    train(CONFIG, out, resume=True, report=silent)
    assert_same(straight, out)


def test_ctrl_c_ends_the_step_saves_and_can_be_resumed(straight: Path, tmp_path: Path) -> None:
    def interrupt(at: Progress) -> None:
        if at.step == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(CONFIG, tmp_path, resume=False, report=interrupt)
    assert read_tensors(tmp_path / "checkpoint.safetensors")[1]["step"] == 6
    train(CONFIG, tmp_path, resume=True, report=silent)
    assert_same(straight, tmp_path)


def test_the_command_says_how_an_interrupted_training_goes_on(tmp_path: Path, monkeypatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text(toml(asdict(CONFIG)), encoding="utf-8")
    monkeypatch.setattr("tersely.cli.train._show", lambda _: os.kill(os.getpid(), signal.SIGINT))
    run = CliRunner().invoke(command, ["knapsack", str(config), "--out", str(tmp_path / "run")])
    assert run.exit_code == 130
    assert "the same command with --resume goes on" in run.stderr


def test_a_training_is_not_overwritten_nor_resumed_by_another(straight: Path) -> None:
    with pytest.raises(UsageError, match="--resume"):
        train(CONFIG, straight, resume=False, report=silent)
    longer = replace(CONFIG, training=replace(CONFIG.training, steps=50))
    with pytest.raises(UsageError, match="another configuration"):
        train(longer, straight, resume=True, report=silent)
    wider = replace(CONFIG, network=replace(CONFIG.network, width=16))
    with pytest.raises(ModelError, match="another network"):
        train(wider, straight, resume=True, report=silent)


def test_the_log_has_a_point_a_validation(straight: Path) -> None:
    lines = [json.loads(line) for line in (straight / "log.jsonl").read_text().splitlines()]
    assert [line["samples"] for line in lines] == [32 * step for step in range(4, 41, 4)]
    assert {"loss", "error_rate", "matched_rate", "feasible_rate", "value_ratio", "seconds"} <= lines[0].keys()
    assert any((straight / "tensorboard").iterdir())


def test_the_learning_rate_warms_up_and_comes_down() -> None:
    rates = [schedule(step, CONFIG.training) for step in range(40)]
    assert rates[0] == pytest.approx(0.2)
    assert max(rates) == rates[4]
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[-1] < 0.02


def test_the_command_makes_a_folder_that_loads_and_has_a_card(straight: Path, tmp_path: Path) -> None:
    del straight
    config = tmp_path / "config.toml"
    config.write_text(toml(asdict(CONFIG)), encoding="utf-8")
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
    # The exporter notes the folders of the source at every operation.
    assert b".py" not in (folder / "model.onnx").read_bytes()
