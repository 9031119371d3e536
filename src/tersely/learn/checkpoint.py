"""Checkpoints: one safetensors file with the weights, the optimizer's state and what else is needed to go on."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from tersely.errors import ModelError, UsageError
from tersely.learn.files import replace_file


def save_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, notes: dict[str, Any]) -> None:
    """Write all of it at once; `notes` is anything that JSON can say."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    replace_file(path, save(contiguous, metadata={"notes": json.dumps(notes)}))


def load_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put the network and the optimizer back where they were, and return the notes."""
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
        raise ModelError(f"{path} is of another network: {error}") from None
    return notes


def check_settings(path: Path, were: dict[str, Any], are: dict[str, Any]) -> None:
    """Say by which settings the checkpoint's configuration differs from that which is to go on with it."""
    before, now = _flat(were), _flat(are)
    names = [name for name in now | before if before.get(name) != now.get(name)]
    if names:
        changed = ", ".join(f"{name} was {before.get(name)} and is {now.get(name)}" for name in names)
        raise UsageError(f"{path} was made with another configuration, and cannot be resumed with this one: {changed}")


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
