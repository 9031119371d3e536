"""Checkpoints: one safetensors file with weights, optimizer state and notes; and the curve and the best weights."""

import json
import os
from dataclasses import dataclass
from hashlib import sha256
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
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _packed(tensors, json.dumps(notes)))


def _packed(tensors: dict[str, Tensor], notes: str) -> bytes:
    """Return a safetensors file that can be checked: the format itself does not notice a changed byte."""
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    return save(contiguous, metadata={"notes": notes, "sha256": _digest(contiguous, notes)})


def _digest(tensors: dict[str, Tensor], notes: str) -> str:
    digest = sha256(notes.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def load_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Restore the network and the optimizer, and return the notes."""
    tensors, notes = read_tensors(path, checked=True)
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
        raise ModelError(f"{path} belongs to another network: {' '.join(str(error).split())[:300]}") from None
    if missing := {"step", "seconds", "curve", "config"} - notes.keys():
        raise ModelError(f"{path} is not the checkpoint of a training run: it has no {min(missing)}")
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


def read_tensors(path: Path, checked: bool = False) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a safetensors file and its notes; if it is to be `checked`, it must have a checksum."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, ValueError, RuntimeError) as error:
        raise ModelError(f"{path} cannot be read: {str(error).partition(chr(10))[0]}") from None
    notes = metadata.get("notes", "{}")
    if ("sha256" in metadata or checked) and metadata.get("sha256") != _digest(tensors, notes):
        raise ModelError(f"{path} is damaged: its content is not what was saved")
    try:
        found = json.loads(notes)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ModelError(f"{path} is damaged: its notes cannot be read")
    return tensors, found


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
            write_whole(self._file(step), _packed(weights, "{}"))
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
    """The files of one training run: checkpoint, curve, TensorBoard's curve and, if asked for, the best weights.

    Only one process at a time may have those of a folder.
    """

    def __init__(self, folder: Path, log: Path, step: int) -> None:
        self.folder, self._log, self._lock = folder, log, _lock(folder)
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
        """Close TensorBoard's file, and let others train here."""
        self._writer.close()
        if self._lock is not None:
            os.close(self._lock)


def _lock(folder: Path) -> int | None:
    """Lock a folder for this process; the system unlocks it when the process ends, however it does."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows has no such lock
        return None
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except OSError:
        os.close(handle)
        raise UsageError(f"another process is training in {folder}: wait until it ends, or choose another") from None
    return handle
