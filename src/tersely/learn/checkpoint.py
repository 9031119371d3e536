"""Checkpoints: one safetensors file with weights, optimizer state and notes; and the curve and the best weights."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from tersely.errors import ModelError, UsageError
from tersely.io.files import write_whole
from tersely.learn.artifacts import to_json_lines

Ranking = list[list[float]]  # [loss, step] pairs as JSON keeps them, lowest loss first


def save_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, notes: dict[str, Any]) -> None:
    """Write everything at once; `notes` is anything that JSON can hold."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, save(contiguous, metadata={"notes": json.dumps(notes)}))


def load_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Restore the network and the optimizer, and return the notes."""
    tensors, notes = read_tensors(path)
    weights = {name.removeprefix("network."): t for name, t in tensors.items() if name.startswith("network.")}
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, number, key = name.split(".", 2)
            state.setdefault(int(number), {})[key] = tensor
    try:
        network.load_state_dict(weights)
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"{path} belongs to another network: {error}") from None
    return notes


def check_settings(path: Path, were: dict[str, Any], are: dict[str, Any]) -> None:
    """Refuse to resume with another configuration, and name the settings that differ."""
    before, now = _flat(were), _flat(are)
    names = [name for name in now | before if before.get(name) != now.get(name)]
    if names:
        changed = ", ".join(f"{name} was {before.get(name)} and is {now.get(name)}" for name in names)
        raise UsageError(f"{path} was made with another configuration and cannot be resumed with this one: {changed}")


def _flat(settings: dict[str, Any], table: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _flat(value, f"{table}{name}.") if isinstance(value, dict) else {table + name: value}
    return flat


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a safetensors file and its notes."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(metadata.get("notes", "{}"))  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None


@dataclass(frozen=True)
class Best:
    """The best few weights by validation loss, one file per checkpoint.

    A file is written before a ranking names it, and removed only when no saved ranking names it any longer.
    """

    folder: Path
    keep: int = 3

    def offer(self, ranking: Ranking, loss: float, step: int, weights: dict[str, Tensor]) -> Ranking:
        """Return the ranking with this checkpoint, if it is among the best; of equal ones the earlier is better."""
        ranked = sorted([*ranking, [loss, step]])[: self.keep]
        if [loss, step] in ranked:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(step), save({name: tensor.contiguous() for name, tensor in weights.items()}))
        return ranked

    def tidy(self, ranking: Ranking) -> None:
        """Remove the files that are no longer ranked."""
        named = {self._file(int(step)) for _, step in ranking}
        for file in self.folder.glob("best-*.safetensors"):
            if file not in named:
                file.unlink()

    def load(self, ranking: Ranking) -> list[dict[str, Tensor]]:
        """Return the weights, best first."""
        return [read_tensors(self._file(int(step)))[0] for _, step in ranking]

    def _file(self, step: int) -> Path:
        return self.folder / f"best-{step:08d}.safetensors"


def averaged(several: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Return the mean of each weight."""
    return {name: torch.stack([weights[name] for weights in several]).mean(0) for name in several[0]}


class RunFiles:
    """The files of one training run: checkpoint, curve, TensorBoard's curve and, if asked for, the best weights."""

    def __init__(self, folder: Path, log: Path, step: int) -> None:
        self.folder, self._log = folder, log
        self._writer: Any = SummaryWriter(folder / "tensorboard", purge_step=step)

    def add(self, notes: dict[str, Any], point: dict[str, float], figures: dict[str, float]) -> None:
        """Add a validation to both curves."""
        notes["curve"].append(point | figures)
        for name, value in figures.items():
            self._writer.add_scalar(name, value, notes["step"])
        self._writer.flush()

    def save(self, network: nn.Module, optimizer: torch.optim.Optimizer, notes: dict[str, Any]) -> None:
        """Write the checkpoint and the curve, then remove what the checkpoint no longer needs."""
        save_checkpoint(self.folder / "checkpoint.safetensors", network, optimizer, notes)
        write_whole(self._log, to_json_lines(notes["curve"]))
        Best(self.folder).tidy(notes.get("best", []))

    def close(self) -> None:
        """Close TensorBoard's file."""
        self._writer.close()
