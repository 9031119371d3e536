"""Properties of every knapsack network, trained or not."""

import numpy as np
import pytest
import torch
from torch import nn

from tersely.paper.knapsack_measure import probabilities
from tersely.paper.knapsack_network import CORES, CompactTransformer, KnapsackTransformer, bounds, dp_core, view
from tersely.paper.knapsack_problems import CNEWSUM, CNNDM, Problems, Simulation, density, dp
from tersely.paper.train_knapsack import tensors

NAMES = ("paper", "compact dp", "compact density")


@pytest.fixture(params=NAMES, scope="module")
def network(request: pytest.FixtureRequest) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        if request.param == "paper":
            return KnapsackTransformer(width=16, layers=1, heads=2)
        return CompactTransformer(request.param.split()[1], width=16, layers=1, heads=2)


@pytest.fixture(scope="module")
def batch() -> Problems:
    return Simulation(CNNDM, seed=4).batch(0, 64)


def test_padding_does_not_change_the_answer(network: nn.Module, batch: Problems) -> None:
    part = batch.part(slice(0, 16))
    profits, sizes, mask = tensors(part)
    wider = [nn.functional.pad(tensor, (0, 5)) for tensor in (profits, sizes, mask)]
    # The padding may hold anything.
    wider[0] = torch.where(wider[2], wider[0], torch.full_like(wider[0], 0.3))
    wider[1] = torch.where(wider[2], wider[1], torch.full_like(wider[1], 0.1))
    with torch.no_grad():
        expected, found = network(profits, sizes, mask), network(*wider)[:, : mask.shape[1]]
    assert torch.allclose(found[mask], expected[mask], atol=1e-5)


def test_the_order_of_the_items_does_not_matter(network: nn.Module, batch: Problems) -> None:
    inputs = tensors(batch)
    order = torch.from_numpy(np.random.default_rng(0).permutation(batch.mask.shape[1]))
    with torch.no_grad():
        expected, found = network(*inputs)[:, order], network(*(tensor[:, order] for tensor in inputs))
    mask = inputs[2][:, order]
    # Sums in another order differ in the last bit, and features with a threshold magnify that.
    assert torch.allclose(found[mask], expected[mask], atol=1e-3)


def test_other_problems_in_a_batch_do_not_change_the_answer(network: nn.Module, batch: Problems) -> None:
    part = batch.part(slice(20, 32))
    assert np.allclose(probabilities(network, part, size=1), probabilities(network, part), atol=1e-5)


def test_a_finite_gradient_reaches_the_profits(network: nn.Module, batch: Problems) -> None:
    profits, sizes, mask = tensors(batch)
    profits.requires_grad_()
    torch.sigmoid(network(profits, sizes, mask))[mask].sum().backward()
    assert profits.grad is not None
    assert torch.isfinite(profits.grad).all()
    assert (profits.grad[mask] != 0).float().mean() > 0.5
    profits.requires_grad_(False)


@pytest.mark.parametrize(("kind", "solver"), [("dp", dp), ("density", density)])
@pytest.mark.parametrize("paper", [CNNDM, CNEWSUM])
def test_items_settled_without_a_network_are_always_right(kind: str, solver: object, paper: object) -> None:
    problems = Simulation(paper, seed=6).batch(0, 1000)  # type: ignore[arg-type]
    core = CORES[kind](view(*tensors(problems)))
    settled = problems.mask & ~core.open.numpy()
    label = solver(problems)  # type: ignore[operator]
    assert np.array_equal(core.chosen.numpy()[settled], label[settled])
    assert (core.logits.numpy()[settled] > 0).tolist() == label[settled].tolist()


def test_the_best_worth_is_within_the_bounds(batch: Problems) -> None:
    seen = view(*tensors(batch))
    label = torch.from_numpy(dp(batch))
    best = (seen.profits * label).sum(1, keepdim=True)
    with_it, without_it = bounds(seen, include=True), bounds(seen, include=False)
    here = seen.mask
    for bound in (with_it, without_it):
        assert (bound.lower[here] <= best.expand_as(bound.lower)[here] + 1e-4).all()
        assert (bound.lower[here] <= bound.upper[here] + 1e-4).all()
    assert (with_it.upper[here & label] >= best.expand_as(label)[here & label] - 1e-4).all()
    assert (without_it.upper[here & ~label] >= best.expand_as(label)[here & ~label] - 1e-4).all()


def test_nothing_is_open_if_everything_fits_or_nothing_does() -> None:
    profits, mask = torch.full((2, 4), 0.25), torch.ones(2, 4, dtype=torch.bool)
    core = dp_core(view(profits, torch.tensor([[0.2], [1.5]]).expand(2, 4), mask))
    assert not core.open.any()
    assert core.chosen.tolist() == [[True] * 4, [False] * 4]
