"""Checkpoints, the best weights, and model folders."""

from pathlib import Path

import pytest
import torch

from tersely.errors import ModelError
from tersely.learn.artifacts import write_folder
from tersely.learn.checkpoint import Best, averaged, read_tensors


def test_a_broken_checkpoint_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.safetensors"
    file.write_bytes(b"not safetensors")
    with pytest.raises(ModelError, match=r"checkpoint\.safetensors cannot be read"):
        read_tensors(file)


def test_the_best_few_are_kept(tmp_path: Path) -> None:
    best, ranking = Best(tmp_path, keep=2), []
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
