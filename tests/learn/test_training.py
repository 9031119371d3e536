"""Checkpoints, the best weights, and model folders."""

import random
from pathlib import Path

import pytest
import torch

from tersely.errors import ModelError
from tersely.learn.artifacts import write_folder
from tersely.learn.training import BestWeights, averaged, load_checkpoint, read_tensors, save_checkpoint


def test_a_broken_checkpoint_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.safetensors"
    file.write_bytes(b"not safetensors")
    with pytest.raises(ModelError, match=r"checkpoint\.safetensors cannot be read"):
        read_tensors(file)


def test_the_best_few_are_kept(tmp_path: Path) -> None:
    best, ranking = BestWeights(tmp_path, keep=2), []
    for step, loss in enumerate([0.5, 0.3, 0.4, 0.3, 0.9], start=1):
        ranking = best.offer(ranking, loss, step, {"w": torch.full((2,), float(step))})
        best.tidy(ranking)
    assert ranking == [[0.3, 2], [0.3, 4]]
    assert len(list(tmp_path.iterdir())) == 2
    assert [float(weights["w"][0]) for weights in best.load(ranking)] == [2, 4]
    assert averaged(best.load(ranking))["w"].tolist() == [3, 3]


def test_a_folder_becomes_a_model_folder_only_when_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr("tersely.learn.artifacts.write_whole", lambda path, _: written.append(path.name))
    write_folder(tmp_path / "new", {"config.toml": b"", "model.onnx": b"", "README.md": b""})
    assert written == ["model.onnx", "README.md", "config.toml"]


def test_any_damage_to_a_checkpoint_is_one_line(tmp_path: Path) -> None:
    file, network = tmp_path / "checkpoint.safetensors", torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    save_checkpoint(file, network, optimizer, {"step": 1, "seconds": 0.5, "curve": [], "config": {}})
    whole = file.read_bytes()
    load_checkpoint(file, network, optimizer)
    draw = random.Random(1)
    for _ in range(150):
        at = draw.randrange(len(whole))
        broken = whole[:at] if draw.random() < 0.2 else whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :]
        file.write_bytes(broken)
        with pytest.raises(ModelError) as raised:
            load_checkpoint(file, network, optimizer)
        assert len(str(raised.value).splitlines()) == 1
    save_checkpoint(file, network, optimizer, {"step": 1})
    with pytest.raises(ModelError, match="not the checkpoint of a training run"):
        load_checkpoint(file, network, optimizer)
