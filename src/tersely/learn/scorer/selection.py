"""Selecting sentences in training, so that a gradient reaches their scores."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.knapsack.labels import solve
from tersely.learn.perturbed import SharedRows, draw, perturbed_knapsack
from tersely.learn.scorer.config import TrainingSelection
from tersely.models import model_folder


class Scores(NamedTuple):
    """What a selection is made from, for B documents."""

    scores: Tensor  # [B, n]
    values: Tensor  # [B, n], positive
    lengths: Tensor  # [B, n], whole numbers, each with its separator
    capacities: Tensor  # [B], whole numbers, each with one separator
    mask: Tensor  # [B, n]
    rows: SharedRows | None = None  # of a shared batch


class Choice(NamedTuple):
    """The selected sentences, and the relaxed selection that replaces them in the backward pass."""

    hard: Tensor  # bool [B, n]
    soft: Tensor  # float [B, n]


# From scores and a noise generator to a choice; without a generator there is no noise.
Select = Callable[[Scores, torch.Generator | None], Choice]


def straight_through(hard: Tensor, soft: Tensor) -> Tensor:
    """Return `hard` with the gradient of `soft`."""
    return (hard.to(soft.dtype) - soft).detach() + soft


def selector(config: TrainingSelection) -> Select:
    """Return the selection that a configuration names."""
    if config.kind == "gumbel":
        return lambda given, noise: gumbel_top_k(given, config.count, config.temperature, config.relaxation, noise)
    if config.kind == "perturbed":
        return lambda given, noise: perturbed(given, config.samples, config.sigma, noise)
    return by_network(model_folder(config.folder))


def gumbel_top_k(
    given: Scores, count: int, temperature: float, relaxation: str, noise: torch.Generator | None
) -> Choice:
    """Sample `count` sentences without replacement (Kool et al., 2019).

    The relaxation is a softmax, which sums to 1, or `k_hot`, which sums to `count`: one softmax after another, each
    with less of what the earlier ones have taken (Xie and Ermon, 2019).
    """
    scores = given.scores
    if noise is not None:
        uniform = draw(torch.rand, scores.shape, noise, given.rows, scores.dtype).clamp(1e-20, 1 - 1e-7)
        scores = scores - (-uniform.log()).log().to(scores.device)
    scores = scores.masked_fill(~given.mask, -1e9)
    soft = F.softmax(scores / temperature, dim=1)
    if relaxation == "k_hot":
        total, left = soft, scores
        for _ in range(count - 1):
            left = left + (1 - soft).clamp(min=torch.finfo(soft.dtype).tiny).log()
            soft = F.softmax(left / temperature, dim=1)
            total = total + soft
        soft = total
    # Something must stay unselected even in a short document.
    room = (given.mask.sum(1, keepdim=True) - 1).clamp(1, count)
    hard = rank(scores, given.mask) < room
    return Choice(hard & given.mask, soft * given.mask)


def by_network(folder: Path) -> Select:
    """Select with a frozen knapsack network (KTDP, KTDEN), rounded."""
    from tersely.learn.knapsack import load_folder

    network, _ = load_folder(folder)
    network.requires_grad_(False)

    def select(given: Scores, noise: torch.Generator | None) -> Choice:
        del noise
        network.to(given.scores.device)
        sizes = given.lengths / given.capacities[:, None] * given.mask
        soft = torch.sigmoid(network(profits(given), sizes, given.mask)) * given.mask
        return Choice(soft > 0.5, soft)

    return select


def perturbed(given: Scores, samples: int, sigma: float, noise: torch.Generator | None) -> Choice:
    """Select with the exact knapsack; the relaxation is how often a sentence is selected under noise."""
    normed = profits(given)
    problem = given.lengths, given.capacities, given.mask
    seed = 0 if noise is None else noise
    soft = perturbed_knapsack(normed, *problem, samples=samples, sigma=sigma, seed=seed, rows=given.rows)
    return Choice(exact(given), soft)


def exact(given: Scores) -> Tensor:
    """Return the exact knapsack's choice, bool [B, n]."""
    arrays = (t.detach().cpu().numpy() for t in (given.values, given.lengths, given.mask, given.capacities))
    return torch.from_numpy(solve(*arrays)).to(given.mask.device)


def profits(given: Scores) -> Tensor:
    """Return the values, scaled to sum to 1 in each document, [B, n]."""
    values = given.values * given.mask
    normed: Tensor = values / values.sum(1, keepdim=True)
    return normed


def rank(scores: Tensor, mask: Tensor) -> Tensor:
    """Return the rank of each sentence by score, 0 for the highest; sentences outside the mask come last, [B, n]."""
    order = scores.masked_fill(~mask, -torch.inf).argsort(dim=1, descending=True, stable=True)
    return order.argsort(dim=1)
