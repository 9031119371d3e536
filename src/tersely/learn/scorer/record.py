"""What is written of a training: its curve, TensorBoard's, the best weights and the checkpoint."""

from pathlib import Path
from typing import Any

import torch
from torch.utils.tensorboard import SummaryWriter

from tersely.learn.checkpoint import save_checkpoint
from tersely.learn.files import json_lines, replace_file
from tersely.learn.scorer.best import Best
from tersely.learn.scorer.network import Model


class Record:
    """The files of one training. Where processes train together, one of them keeps it."""

    def __init__(self, folder: Path, keep: int, step: int) -> None:
        self._folder, self._best = folder, Best(folder, keep)
        self._writer: Any = SummaryWriter(folder / "tensorboard", purge_step=step)

    def add(self, notes: dict[str, Any], figures: dict[str, float], model: Model) -> None:
        """Take in a validation."""
        notes["curve"].append({"step": notes["step"], "seconds": round(notes["seconds"], 1), **figures})
        for name, value in figures.items():
            self._writer.add_scalar(name, value, notes["step"])
        self._writer.flush()
        # The scorer's weights are all that inference needs.
        weights = {name: tensor.contiguous() for name, tensor in model.scorer.state_dict().items()}
        notes["best"] = self._best.offer(notes["best"], figures["validation_loss"], notes["step"], weights)

    def save(self, notes: dict[str, Any], model: Model, optimizer: torch.optim.Optimizer) -> None:
        """Write the checkpoint, and the curve as lines of JSON."""
        save_checkpoint(self._folder / "checkpoint.safetensors", model, optimizer, notes)
        replace_file(self._folder.parent / "log.jsonl", json_lines(notes["curve"]))
        self._best.tidy(notes["best"])

    def close(self) -> None:
        """End TensorBoard's file."""
        self._writer.close()
