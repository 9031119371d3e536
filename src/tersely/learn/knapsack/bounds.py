"""What a branch-and-bound solver knows about a problem before it searches, and which items that settles.

Nothing here searches, sorts or calls a solver. Sums in density order are products with the matrix that says which item
comes before which, so everything is equivariant to permutations, and differentiable in the profits almost everywhere.
"""

from typing import NamedTuple

import torch
from torch import Tensor

# Sizes are whole lengths over a capacity: up to a capacity of 100,000 two different sizes differ by more than this.
EPSILON = 1e-5
ITEM_FEATURES = {"dp": 38, "density": 20}
PAIR_FEATURES = 11


class View(NamedTuple):
    """B problems of n items, relative to the filling: items in density order as long as they fit."""

    profits: Tensor  # [B, n], times the number of items, so that their mean is 1
    sizes: Tensor  # [B, n]
    mask: Tensor  # [B, n], items that exist and fit on their own
    before: Tensor  # [B, n, n], True at (i, k) where k comes before i in density order
    density: Tensor  # [B, n]
    inside: Tensor  # [B, n], the filling
    end: Tensor  # [B, n], the sum of the sizes up to and including the item, in density order
    slack: Tensor  # [B, 1], what the filling leaves
    price: Tensor  # [B, 1], the density of the critical item, the first that does not fit

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
    """What the best set with (or without) each item is worth at most and at least, [B, n]."""

    upper: Tensor
    lower: Tensor


def bounds(seen: View, include: bool) -> Bounds:
    """Bound the worth of the best set with the item, or without it, for every item at once.

    The remaining room is filled in density order. The solution of the linear program (Dantzig) is the upper bound; the
    filling plus the best single item that still fits is the lower bound. Below, j is the item and i any other.
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


class KnapsackCore(NamedTuple):
    """Which items are left to decide, how the others are decided, and by what margin in profits, [B, n] each."""

    open: Tensor
    chosen: Tensor
    margin: Tensor
    items: Tensor  # [B, n, ITEM_FEATURES]

    @property
    def logits(self) -> Tensor:
        """The logits of settled items: nearly certain, and growing with the margin, so that profits get a gradient."""
        sure = 4 + self.margin.clamp(min=0)
        return torch.where(self.chosen, sure, -sure)


def dp_core(seen: View) -> KnapsackCore:
    """Settle an item if every set that decides it otherwise is worth less than a known set."""
    with_it, without_it = bounds(seen, include=True), bounds(seen, include=False)
    best = (torch.maximum(with_it.lower, without_it.lower) * seen.mask).amax(1, keepdim=True)  # [B, 1]
    must, must_not = best - without_it.upper, best - with_it.upper
    chosen = seen.mask & (must > EPSILON)
    refused = ~seen.mask | (must_not > EPSILON)
    margins = (
        with_it.lower - without_it.lower,
        with_it.upper - without_it.upper,
        best - with_it.lower,
        best - without_it.lower,
        with_it.upper - best,
        without_it.upper - best,
    )
    items = [scaled for margin in margins for scaled in (margin.clamp(-2, 2), *_tanh(margin, 5, 50))]
    return KnapsackCore(~chosen & ~refused, chosen, torch.where(chosen, must, must_not), _stack(seen, items))


def density_core(seen: View) -> KnapsackCore:
    """Settle the filling, which is certainly in, and items larger than the slack, which are certainly out."""
    is_open = seen.mask & ~seen.inside & (seen.sizes <= seen.slack + EPSILON)
    return KnapsackCore(is_open, seen.inside, _ratio(seen).abs(), _stack(seen, []))


CORES = {"dp": dp_core, "density": density_core}


def _stack(seen: View, more: list[Tensor]) -> Tensor:
    wide = torch.ones_like(seen.sizes)
    fits = seen.mask & ~seen.inside & (seen.sizes <= seen.slack + EPSILON)
    ahead = (seen.before * (fits * seen.sizes)[:, None, :]).sum(2)  # what else may go into the slack before it
    place = (seen.before & seen.mask[:, None, :]).sum(2) - seen.inside.sum(1, keepdim=True)
    features = [
        seen.profits,
        seen.sizes,
        seen.inside * wide,
        fits * wide,
        seen.reduced.clamp(-4, 4),
        _ratio(seen),
        (place / 4).clamp(-4, 4),
        seen.price.clamp(max=20) / 4 * wide,
        *_sharp(seen.slack * wide),
        *_sharp(seen.slack - seen.sizes),
        *_sharp(seen.slack - seen.sizes - ahead),
        *_sharp(1 - seen.end),
        *more,
    ]
    return torch.stack(features, dim=-1)


def pair_features(seen: View) -> Tensor:
    """Describe what happens if both items of a pair are decided against the filling, [B, n, n, f]."""
    sign = torch.where(seen.inside, 1.0, -1.0)  # [B, n]
    freed, lost = sign * seen.sizes, sign * seen.profits
    left = seen.slack[:, :, None] + freed[:, :, None] + freed[:, None, :]
    gain = -lost[:, :, None] - lost[:, None, :]
    reduced = seen.reduced[:, :, None] - seen.reduced[:, None, :]
    wide = torch.ones_like(gain)
    index = torch.arange(gain.shape[1], device=gain.device)
    features = [
        *_sharp(left),
        gain.clamp(-4, 4),
        *_tanh(gain, 5, 50),
        reduced.clamp(-4, 4),
        sign[:, :, None] * wide,
        sign[:, None, :] * wide,
        seen.before * wide,
        (index[:, None] == index[None, :]) * wide,
    ]
    return torch.stack(features, dim=-1)


def _ratio(seen: View) -> Tensor:
    """Compare an item's density with that of the critical item."""
    return torch.log((seen.density + EPSILON) / (seen.price + EPSILON)).clamp(-4, 4)


def _sharp(margin: Tensor) -> list[Tensor]:
    """Give a margin in sizes at three scales, because the last character decides what fits."""
    return [margin.clamp(-2, 2), *_tanh(margin, 10, 200)]


def _tanh(margin: Tensor, *scales: float) -> list[Tensor]:
    return [torch.tanh(scale * margin) for scale in scales]
