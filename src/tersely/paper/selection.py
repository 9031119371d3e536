"""Selection of sentences in training, differentiable in their scores.

Gumbel top-k selects a number of sentences. A knapsack network, or the exact knapsack under noise, selects within a
length.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.models import model_folder
from tersely.paper.config import TrainingSelection
from tersely.paper.knapsack_problems import solve
from tersely.paper.perturbed import SharedRows, draw, perturbed_knapsack


class ScoredBatch(NamedTuple):
    """The scores, values and lengths of B documents, and their budgets: the input of a selection."""

    scores: Tensor  # [B, n]
    values: Tensor  # [B, n], positive
    lengths: Tensor  # [B, n], whole numbers, each with its separator
    capacities: Tensor  # [B], whole numbers, each with one separator
    mask: Tensor  # [B, n]
    rows: SharedRows | None = None  # of a shared batch


class SoftChoice(NamedTuple):
    """The selected sentences, s-hat, and the relaxed selection whose gradient they get."""

    hard: Tensor  # bool [B, n]
    soft: Tensor  # float [B, n]


# From scores and a noise generator to a choice; without a generator there is no noise.
Select = Callable[[ScoredBatch, torch.Generator | None], SoftChoice]


def straight_through(hard: Tensor, soft: Tensor) -> Tensor:
    """Return s-hat = (hard - soft)_f + soft, between Eq. 8 and 9: values of `hard`, gradient of `soft`."""
    return (hard.to(soft.dtype) - soft).detach() + soft


def selector(config: TrainingSelection) -> Select:
    """Return the selection that a configuration names."""
    if config.kind == "gumbel":
        return lambda scored, noise: gumbel_top_k(scored, config.count, config.temperature, config.relaxation, noise)
    if config.kind == "perturbed":
        return lambda scored, noise: perturbed(scored, config.samples, config.sigma, noise)
    return by_network(model_folder(config.folder))


def gumbel_top_k(
    scored: ScoredBatch, count: int, temperature: float, relaxation: str, noise: torch.Generator | None
) -> SoftChoice:
    """Sample `count` sentences without replacement (Kool et al., 2019); without `noise`, select the best: Eq. 1.

    The `relaxation` is a softmax at this `temperature`, which sums to 1, or, ours, `k_hot`, which sums to `count`: one
    softmax after another, each with lower scores for the sentences that the earlier ones have chosen (Xie and Ermon,
    2019).
    """
    scores = scored.scores
    if noise is not None:
        uniform = draw(torch.rand, scores.shape, noise, scored.rows, scores.dtype).clamp(1e-20, 1 - 1e-7)
        scores = scores - (-uniform.log()).log().to(scores.device)
    scores = scores.masked_fill(~scored.mask, -1e9)
    soft = F.softmax(scores / temperature, dim=1)
    if relaxation == "k_hot":
        total, remaining = soft, scores
        for _ in range(count - 1):
            remaining = remaining + (1 - soft).clamp(min=torch.finfo(soft.dtype).tiny).log()
            soft = F.softmax(remaining / temperature, dim=1)
            total = total + soft
        soft = total
    # Something must stay unselected even in a short document.
    room = (scored.mask.sum(1, keepdim=True) - 1).clamp(1, count)
    hard = rank(scores, scored.mask) < room
    return SoftChoice(hard & scored.mask, soft * scored.mask)


def by_network(folder: Path) -> Select:
    """Select with a frozen knapsack network (KTDP, KTDEN), rounded: s_round, before Eq. 9."""
    from tersely.paper.knapsack_measure import load_folder

    network, _ = load_folder(folder)
    network.requires_grad_(False)

    def select(scored: ScoredBatch, noise: torch.Generator | None) -> SoftChoice:
        del noise
        network.to(scored.scores.device)
        sizes = scored.lengths / scored.capacities[:, None] * scored.mask
        soft = torch.sigmoid(network(profits(scored), sizes, scored.mask)) * scored.mask
        return SoftChoice(soft > 0.5, soft)

    return select


def perturbed(scored: ScoredBatch, samples: int, sigma: float, noise: torch.Generator | None) -> SoftChoice:
    """Ours: select with the exact knapsack; the relaxation is how often a sentence is selected under noise.

    `samples` is the number of noisy solutions, and `sigma` the size of the noise; see `perturbed_knapsack`.
    """
    normed = profits(scored)
    problem = scored.lengths, scored.capacities, scored.mask
    seed = 0 if noise is None else noise
    soft = perturbed_knapsack(normed, *problem, samples=samples, sigma=sigma, seed=seed, rows=scored.rows)
    return SoftChoice(exact(scored), soft)


def exact(scored: ScoredBatch) -> Tensor:
    """Return the exact knapsack's choice (Eq. 2), bool [B, n]."""
    arrays = (t.detach().cpu().numpy() for t in (scored.values, scored.lengths, scored.mask, scored.capacities))
    return torch.from_numpy(solve(*arrays)).to(scored.mask.device)


def profits(scored: ScoredBatch) -> Tensor:
    """Return the values, scaled to sum to 1 in each document, [B, n]."""
    values = scored.values * scored.mask
    normed: Tensor = values / values.sum(1, keepdim=True)
    return normed


def rank(scores: Tensor, mask: Tensor) -> Tensor:
    """Return the rank of each sentence by score, 0 for the highest; sentences outside the mask come last, [B, n]."""
    order = scores.masked_fill(~mask, -torch.inf).argsort(dim=1, descending=True, stable=True)
    return order.argsort(dim=1)
