"""What the compact knapsack transformer sees of items and pairs, and which items need no network."""

from typing import NamedTuple

import torch
from torch import Tensor

from tersely.learn.knapsack.view import EPSILON, View, bounds

ITEM_FEATURES = {"dp": 38, "density": 20}
PAIR_FEATURES = 11


class Core(NamedTuple):
    """Which items are left to decide, how the others are, and how surely: a margin in profits, [B, n] each."""

    open: Tensor
    chosen: Tensor
    margin: Tensor
    items: Tensor  # [B, n, ITEM_FEATURES]

    @property
    def logits(self) -> Tensor:
        """Of the settled items: nearly sure, and surer with the margin, so that a gradient reaches the profits."""
        sure = 4 + self.margin.clamp(min=0)
        return torch.where(self.chosen, sure, -sure)


def dp_core(seen: View) -> Core:
    """Settle an item if a set that decides it otherwise is worth less, at most, than one that is known."""
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
    return Core(~chosen & ~refused, chosen, torch.where(chosen, must, must_not), _stack(seen, items))


def density_core(seen: View) -> Core:
    """Settle the filling, which is surely in, and what is larger than the slack, which is surely not."""
    is_open = seen.mask & ~seen.inside & (seen.sizes <= seen.slack + EPSILON)
    return Core(is_open, seen.inside, _ratio(seen).abs(), _stack(seen, []))


CORES = {"dp": dp_core, "density": density_core}


def _stack(seen: View, more: list[Tensor]) -> Tensor:
    wide = torch.ones_like(seen.sizes)
    fits = seen.mask & ~seen.inside & (seen.sizes <= seen.slack + EPSILON)
    ahead = (seen.before * (fits * seen.sizes)[:, None, :]).sum(2)  # what else might go into the slack before it
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
    """Describe what happens if both items of a pair are decided otherwise than the filling does, [B, n, n, f]."""
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
    """How an item's density compares with the critical item's."""
    return torch.log((seen.density + EPSILON) / (seen.price + EPSILON)).clamp(-4, 4)


def _sharp(margin: Tensor) -> list[Tensor]:
    """A margin in sizes at three scales: what fits is decided down to the last character."""
    return [margin.clamp(-2, 2), *_tanh(margin, 10, 200)]


def _tanh(margin: Tensor, *scales: float) -> list[Tensor]:
    return [torch.tanh(scale * margin) for scale in scales]
