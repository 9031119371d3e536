"""What a branch-and-bound solver knows of a problem before it searches, as differentiable tensors.

Nothing here searches, sorts or calls a solver. Sums in density order are products with the matrix that says which item
comes before which, so all of it is equivariant to permutations, and differentiable in the profits almost everywhere.
"""

from typing import NamedTuple

import torch
from torch import Tensor

# Sizes are whole lengths over a capacity: two that differ do so by more than this up to a capacity of 100,000.
EPSILON = 1e-5


class View(NamedTuple):
    """B problems of n items, each relative to the filling by density: items in that order while they fit."""

    profits: Tensor  # [B, n], times the number of items, so that their mean is 1
    sizes: Tensor  # [B, n]
    mask: Tensor  # [B, n], items that are there and fit alone
    before: Tensor  # [B, n, n], True at (i, k) where k comes before i in density order
    density: Tensor  # [B, n]
    inside: Tensor  # [B, n], the filling
    end: Tensor  # [B, n], the sum of the sizes up to and with the item, in density order
    slack: Tensor  # [B, 1], what the filling leaves
    price: Tensor  # [B, 1], the density of the critical item, the first that did not fit

    @property
    def reduced(self) -> Tensor:
        """The reduced cost of the linear program, [B, n]: positive inside, negative outside."""
        return self.profits - self.price * self.sizes


def view(profits: Tensor, sizes: Tensor, mask: Tensor) -> View:
    """Look at problems [B, n] in density order."""
    profits = profits * mask.sum(1, keepdim=True)
    mask = mask & (sizes <= 1 + EPSILON)
    profits, sizes = profits * mask, sizes * mask
    density = profits / sizes.clamp(min=EPSILON)
    index = torch.arange(density.shape[1], device=density.device)
    mine, other = density[:, :, None], density[:, None, :]
    before = (other > mine) | ((other == mine) & (index[None, :] < index[:, None]))
    end = sizes + (before * sizes[:, None, :]).sum(2)
    inside = (end <= 1 + EPSILON) & mask
    slack = 1 - (sizes * inside).sum(1, keepdim=True)
    price = (density * (mask & ~inside)).amax(1, keepdim=True)
    return View(profits, sizes, mask, before, density, inside, end, slack, price)


class Bounds(NamedTuple):
    """How much a set with (or without) each item is worth at most and at least, [B, n]."""

    upper: Tensor
    lower: Tensor


def bounds(seen: View, include: bool) -> Bounds:
    """Bound the worth of the best set that has the item, or has it not, for every item at once.

    The rest of the room is filled in density order. The linear program's solution (Dantzig) is the upper bound; the
    filling and the best one item that still fits is the lower bound. Below, j is the item in question, i any other.
    """
    profits, sizes = seen.profits, seen.sizes
    room = 1 - sizes if include else torch.ones_like(sizes)  # [B, j]
    index = torch.arange(sizes.shape[1], device=sizes.device)
    others = (index[:, None] != index[None, :]) & seen.mask[:, None, :]
    others = others & (sizes[:, None, :] <= room[:, :, None] + EPSILON)  # [B, j, i]
    costs = others * sizes[:, None, :]
    end = costs + costs @ seen.before.transpose(1, 2).to(costs.dtype)  # [B, j, i]
    filled = (end <= room[:, :, None] + EPSILON) & others
    worth = (filled * profits[:, None, :]).sum(2) + (profits if include else 0)  # [B, j]
    left = (room - (filled * sizes[:, None, :]).sum(2)).clamp(min=0)
    rest = others & ~filled
    next_density = (rest * seen.density[:, None, :]).amax(2)
    next_item = (rest * (costs <= left[:, :, None] + EPSILON) * profits[:, None, :]).amax(2)
    return Bounds(worth + left * next_density, worth + next_item)
