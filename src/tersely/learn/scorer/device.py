"""Where the networks compute, and how precisely."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tersely.errors import UsageError
from tersely.learn.scorer.network import Transformer

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str, number: int = 0) -> torch.device:
    """Return the CPU, or the GPU with this number; `auto` is a GPU where there is one."""
    count = torch.cuda.device_count()
    if name == "cpu" or (name == "auto" and not count):
        return torch.device("cpu")
    if not count:
        raise UsageError("there is no GPU that PyTorch can use here: choose --device cpu")
    if number >= count:
        raise UsageError(f"{count} GPUs are too few: start as many processes as there are GPUs, or --device cpu")
    device = torch.device("cuda", number)
    torch.cuda.set_device(device)
    return device


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse what a device cannot do."""
    if precision == "float16" and device.type == "cpu":
        raise UsageError("float16 needs a GPU: choose --precision bfloat16 or float32")


def lower_precision(network: nn.Module, precision: str, device: torch.device) -> None:
    """Have the transformers compute in a lower precision; what they are given and what they return stays float32."""
    if precision == "float32":
        return
    for module in network.modules():
        if isinstance(module, Transformer):
            module.forward = Autocast(module.forward, device.type, PRECISIONS[precision])  # type: ignore[method-assign]


@dataclass(frozen=True)
class Autocast:
    """A network's forward pass in a lower precision."""

    forward: Callable[[Tensor, Tensor], Tensor]
    device: str
    dtype: torch.dtype

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the same, in float32."""
        with torch.autocast(self.device, self.dtype):
            return self.forward(x, mask).float()
