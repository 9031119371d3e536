"""The device, the precision and the processes of torchrun that a scorer is trained with."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, distributed, nn
from torch.distributed.rendezvous import rendezvous
from torch.nn import functional as F  # noqa: N812

from tersely.encode import torch_device
from tersely.errors import TerselyError, UsageError
from tersely.paper.perturbed import SharedRows
from tersely.paper.transformer import Transformer

if TYPE_CHECKING:
    from tersely.paper.batches import DocumentBatch, Documents
    from tersely.paper.objectives import BatchLoss


PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
# One process may encode for hours after another is done; a process that dies is noticed at once anyway.
_PATIENCE = timedelta(days=7)


class LossPart(NamedTuple):
    """The share of this process in the loss and the figures of a batch."""

    loss: Tensor
    figures: dict[str, float]


@dataclass(frozen=True)
class Team:
    """The processes that train together: the rank of this one, their number, and its device."""

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def leads(self) -> bool:
        """Whether this process writes and reports."""
        return self.rank == 0

    def batch(self, documents: "Documents", numbers: Sequence[int], capacities: Sequence[int]) -> "DocumentBatch":
        """Return this process's share of a batch, on its device, padded to the longest document of the whole batch.

        A batch with fewer documents than processes is computed by each of them.
        """
        if self.size == 1:
            return to_device(documents.batch(numbers, capacities), self.device)
        count = len(numbers)
        mine, parts = (self.rank, self.size) if count >= self.size else (0, 1)
        rows = SharedRows(count * mine // parts, count * (mine + 1) // parts, count)
        longest = max(len(documents.documents[number]) for number in numbers)
        shard = slice(rows.first, rows.last)
        batch = padded(documents.batch(numbers[shard], capacities[shard]), longest)._replace(rows=rows)
        return to_device(batch, self.device)

    def part(self, step: "BatchLoss") -> LossPart:
        """Return this process's part of the loss and the figures; the parts of all processes add up to the whole."""
        if self.size == 1:
            return LossPart(step.loss, step.figures)
        counts = torch.tensor([float(step.selecting), step.documents], dtype=torch.float64)
        selecting, documents = self.add(counts).to(step.other_terms.dtype)
        share = step.documents / float(documents)
        return LossPart(
            step.part(selecting, int(documents)), {name: share * value for name, value in step.figures.items()}
        )

    def total(self, figures: dict[str, float]) -> dict[str, float]:
        """Add up figures over the processes."""
        if self.size == 1:
            return figures
        added = self.add(torch.tensor(list(figures.values()), dtype=torch.float64))
        return dict(zip(figures, added.tolist(), strict=True))

    def in_any(self, value: bool) -> bool:
        """Tell whether it holds in any process."""
        return bool(self.total({"": float(value)})[""])

    def add_gradients(self, network: nn.Module) -> None:
        """Give every process the sum of all gradients.

        DistributedDataParallel does not fit: it averages, while parts of a loss add up; and it expects one call of one
        module, while here each network is called by itself, twice, or with frozen weights.
        """
        if self.size == 1:
            return
        weights = list(network.parameters())
        parts = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
        added = self.add(torch.cat([part.flatten() for part in parts]))
        for weight, part in zip(weights, added.split([weight.numel() for weight in weights]), strict=True):
            weight.grad = part.view_as(weight)

    def add(self, tensor: Tensor) -> Tensor:
        """Return the sum of a tensor over the processes; each process waits here for all others."""
        added = tensor.detach().to(self.device, copy=True)
        if self.size > 1:
            try:
                distributed.all_reduce(added)
            except RuntimeError:
                raise TerselyError("another process of this training run has ended: continue with --resume") from None
        return added


def to_device(batch: "DocumentBatch", device: torch.device) -> "DocumentBatch":
    """Move a batch to a device."""
    moved: dict[str, Any] = {name: t.to(device) for name, t in batch._asdict().items() if isinstance(t, Tensor)}
    return batch._replace(**moved)


def padded(batch: "DocumentBatch", longest: int) -> "DocumentBatch":
    """Pad a batch to this many sentences."""
    more = longest - batch.mask.shape[1]
    sizes = dict.fromkeys(("vectors", "features", "says"), (0, 0, 0, more))
    names = ("vectors", "features", "chars", "lengths", "mask", "target", "says")
    longer: dict[str, Any] = {
        name: F.pad(getattr(batch, name), sizes.get(name, (0, more)), value=int(name == "chars")) for name in names
    }
    return batch._replace(**longer)


def leads() -> bool:
    """Tell whether this process is the only one, or the first that torchrun has started."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def joined(device: str = "auto") -> Iterator[Team]:
    """Join the processes that torchrun has started, if any; if several fail, only one of them says why."""
    rank, size, local = (int(os.environ.get(name, 0)) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    if size < 2:
        yield Team(device=choose_device(device))
        return
    store, _, _ = next(rendezvous("env://"))
    try:
        chosen = choose_device(device, local)
        _meet("nccl" if chosen.type == "cuda" else "gloo", store, rank, size)
        yield Team(rank, size, chosen)
    except Exception:
        if store.add("failed", 1) > 1:
            raise SystemExit(1) from None
        raise
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


def _meet(backend: str, store: Any, rank: int, size: int) -> None:
    try:
        distributed.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=_PATIENCE)
    except RuntimeError as error:
        card = f"{backend.upper()}_SOCKET_IFNAME"
        raise TerselyError(
            f"the processes of this training run cannot reach each other: set {card} to the network interface that "
            f"connects the machines ({str(error).splitlines()[0]})"
        ) from None


def choose_device(name: str, number: int = 0) -> torch.device:
    """Return the CPU, or make the GPU with this number the device of this process; see `torch_device`."""
    device = torch_device(name, number)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    return device


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse a precision that the device does not support."""
    if precision == "float16" and device.type == "cpu":
        raise UsageError("float16 needs a GPU: choose --precision bfloat16 or float32")


def lower_precision(network: nn.Module, precision: str, device: torch.device) -> None:
    """Let the transformers compute in a lower precision; their inputs and outputs stay float32."""
    if precision == "float32":
        return
    for module in network.modules():
        if isinstance(module, Transformer):
            module.forward = Autocast(module.forward, device.type, PRECISIONS[precision])  # type: ignore[method-assign]


@dataclass(frozen=True)
class Autocast:
    """The forward pass of a network in a lower precision."""

    forward: Callable[[Tensor, Tensor], Tensor]
    device: str
    dtype: torch.dtype

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the output in float32."""
        with torch.autocast(self.device, self.dtype):
            return self.forward(x, mask).float()
