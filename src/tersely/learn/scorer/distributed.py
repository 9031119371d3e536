"""Processes that train together, as torchrun starts them: each has some documents of every batch."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed, nn
from torch.distributed.rendezvous import rendezvous
from torch.nn import functional as F  # noqa: N812

from tersely.errors import TerselyError
from tersely.learn.rows import Rows
from tersely.learn.scorer.data import Batch, Documents
from tersely.learn.scorer.device import choose_device
from tersely.learn.scorer.step import Step

# One process may encode for hours while another is done; one that dies is noticed at once all the same.
_PATIENCE = timedelta(days=7)


class Part(NamedTuple):
    """What this process's documents add to the loss and to the figures of a batch."""

    loss: Tensor
    figures: dict[str, float]


@dataclass(frozen=True)
class Team:
    """This process among those that train together, and the device that its networks are on."""

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes and speaks."""
        return self.rank == 0

    def batch(self, documents: Documents, numbers: Sequence[int], capacities: Sequence[int]) -> Batch:
        """Return this process's documents of a batch, on its device, padded to the longest document of the batch.

        A batch of fewer documents than processes is done by each of them.
        """
        if self.size == 1:
            return on_device(documents.batch(numbers, capacities), self.device)
        count = len(numbers)
        mine, parts = (self.rank, self.size) if count >= self.size else (0, 1)
        rows = Rows(count * mine // parts, count * (mine + 1) // parts, count)
        longest = max(len(documents.documents[number]) for number in numbers)
        here = slice(rows.first, rows.last)
        batch = padded(documents.batch(numbers[here], capacities[here]), longest)._replace(rows=rows)
        return on_device(batch, self.device)

    def part(self, step: Step) -> Part:
        """Return this process's part of a step: the parts of all processes add up to the loss and the figures."""
        if self.size == 1:
            return Part(step.loss, step.figures)
        counts = torch.tensor([float(step.selecting), step.documents], dtype=torch.float64)
        selecting, documents = self.add(counts).to(step.others.dtype)
        share = step.documents / float(documents)
        return Part(step.part(selecting, int(documents)), {name: share * value for name, value in step.figures.items()})

    def total(self, figures: dict[str, float]) -> dict[str, float]:
        """Add figures up over the processes."""
        if self.size == 1:
            return figures
        added = self.add(torch.tensor(list(figures.values()), dtype=torch.float64))
        return dict(zip(figures, added.tolist(), strict=True))

    def any(self, here: bool) -> bool:
        """Tell whether it is so in any process."""
        return bool(self.total({"": float(here)})[""])

    def add_gradients(self, network: nn.Module) -> None:
        """Give every process the sum of all gradients.

        Not DistributedDataParallel: it averages, where the parts of a loss add up, and it follows one call of one
        module, where here each network is called by itself, twice, or with frozen weights.
        """
        if self.size == 1:
            return
        weights = list(network.parameters())
        parts = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
        added = self.add(torch.cat([part.flatten() for part in parts]))
        for weight, part in zip(weights, added.split([weight.numel() for weight in weights]), strict=True):
            weight.grad = part.view_as(weight)

    def add(self, tensor: Tensor) -> Tensor:
        """Return the sum of a tensor over the processes; each waits here for all."""
        added = tensor.detach().to(self.device, copy=True)
        if self.size > 1:
            try:
                distributed.all_reduce(added)
            except RuntimeError:
                raise TerselyError("another process of this training has ended: go on with --resume") from None
        return added


def on_device(batch: Batch, device: torch.device) -> Batch:
    """Return a batch whose tensors are on a device."""
    moved: dict[str, Any] = {name: t.to(device) for name, t in batch._asdict().items() if isinstance(t, Tensor)}
    return batch._replace(**moved)


def padded(batch: Batch, longest: int) -> Batch:
    """Return a batch whose documents have so many places for sentences."""
    more = longest - batch.mask.shape[1]
    sizes = dict.fromkeys(("vectors", "features", "says"), (0, 0, 0, more))
    fills = {"chars": 1.0, "coverage": 1.0}
    names = ("vectors", "features", "chars", "lengths", "mask", "coverage", "target", "says")
    longer: dict[str, Any] = {
        name: F.pad(getattr(batch, name), sizes.get(name, (0, more)), value=fills.get(name, 0)) for name in names
    }
    return batch._replace(**longer)


@contextmanager
def joined(device: str = "auto") -> Iterator[Team]:
    """Join the processes that torchrun has started, if it has; where several fail, one of them says why."""
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
            f"the processes of this training cannot reach each other: set {card} to the name of the network card that "
            f"leads from machine to machine ({str(error).splitlines()[0]})"
        ) from None
