"""A batch that several processes share: which of its rows are here, and the chance that belongs to them."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Rows(NamedTuple):
    """The rows from `first` to `last` (not included) of a batch of `total`."""

    first: int
    last: int
    total: int


def draw(
    numbers: Callable[..., Tensor],
    shape: tuple[int, ...],
    noise: torch.Generator,
    rows: Rows | None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Draw `torch.rand` or `torch.randn` numbers of a shape.

    Of a shared batch the numbers of all rows are drawn and those of the rows here kept, so that a row has the same
    ones whoever has it.
    """
    whole = shape if rows is None else (rows.total, *shape[1:])
    drawn = numbers(whole, generator=noise, dtype=dtype, device=noise.device)
    return drawn if rows is None else drawn[rows.first : rows.last]
