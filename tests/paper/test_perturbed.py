"""The perturbed knapsack computes mean solutions, and their derivatives."""

import numpy as np
import pytest
import torch
from torch import Tensor

from tersely.errors import UsageError
from tersely.paper.knapsack_problems import CNEWSUM, Problems, Simulation, dp
from tersely.paper.perturbed import perturbed_fenchel_young, perturbed_knapsack
from tersely.select import Problem
from tersely.select.knapsack import Knapsack

Four = tuple[Tensor, Tensor, Tensor, Tensor]


def tensors(batch: Problems) -> Four:
    profits, lengths, capacities, mask = batch.profits, batch.lengths, batch.capacities, batch.mask
    return (
        torch.from_numpy(profits),
        torch.from_numpy(lengths),
        torch.from_numpy(capacities),
        torch.from_numpy(mask),
    )


@pytest.fixture(scope="module")
def batch() -> Problems:
    return Simulation(CNEWSUM, seed=5).batch(0, 64)


@pytest.fixture(scope="module")
def small() -> Four:
    """One problem of five items, whose best set is only a little better than others."""
    values = torch.tensor([[0.9, 0.6, 0.5, 0.45, -0.1]])
    return values, torch.tensor([[5, 3, 3, 2, 1]]), torch.tensor([8]), torch.ones(1, 5, dtype=torch.bool)


def test_with_hardly_any_noise_it_is_the_exact_solution(batch: Problems) -> None:
    values, lengths, capacities, mask = tensors(batch)
    assert np.array_equal(perturbed_knapsack(values, lengths, capacities, mask, sigma=1e-9).bool().numpy(), dp(batch))
    for row in range(len(values)):
        count = int(mask[row].sum())
        problem = Problem(values[row, :count].double().numpy(), lengths[row, :count].numpy(), int(capacities[row]))
        assert tuple(np.flatnonzero(dp(batch)[row])) == Knapsack()(problem).chosen


@pytest.mark.parametrize("noise", ["gaussian", "gumbel"])
def test_every_sample_fits_and_padding_is_never_chosen(batch: Problems, noise: str) -> None:
    values, lengths, capacities, mask = tensors(batch)
    for seed in range(20):
        chosen = perturbed_knapsack(values, lengths, capacities, mask, samples=1, sigma=0.5, noise=noise, seed=seed)
        assert ((chosen == 0) | (chosen == 1)).all()
        assert ((chosen * lengths).sum(1) <= capacities).all()
        assert not chosen[~mask].any()


def test_padding_has_no_influence_and_no_gradient(batch: Problems) -> None:
    values, lengths, capacities, mask = tensors(batch)
    gradients = []
    for filler in (0.0, float("nan")):
        padded = values.masked_fill(~mask, filler).requires_grad_()
        weights = torch.linspace(-1, 1, values.shape[1])
        (perturbed_knapsack(padded, lengths.masked_fill(~mask, -3), capacities, mask) * weights).sum().backward()
        assert padded.grad is not None
        assert not padded.grad[~mask].any()
        gradients.append(padded.grad)
    assert torch.equal(*gradients)


@pytest.mark.parametrize("noise", ["gaussian", "gumbel"])
def test_the_mean_solution_is_the_gradient_of_the_smoothed_value(small: Four, noise: str) -> None:
    # The smoothed value is the mean over the same noise of the best worth: piecewise linear, so only at the few
    # samples with an edge within `step` can differences and gradient disagree (measured: 1e-4 at most).
    values, *rest = small
    values, step, options = values.double(), 1e-4, {"samples": 10_000, "sigma": 0.2, "noise": noise}
    nothing = torch.zeros_like(values)
    mean = perturbed_knapsack(values, *rest, **options)
    for item in range(5):
        nudge = step * torch.eye(5, dtype=torch.float64)[item]
        above, below = (perturbed_fenchel_young(values + by, *rest, nothing, **options) for by in (nudge, -nudge))
        assert (above - below).item() / (2 * step) == pytest.approx(mean[0, item].item(), abs=5e-4)


@pytest.mark.parametrize(("noise", "tolerance"), [("gaussian", 0.1), ("gumbel", 0.12)])
def test_the_jacobian_is_that_of_the_mean_solution(small: Four, noise: str, tolerance: float) -> None:
    # Differences of the mean solution under common noise; entries are up to 1.4. Over five seeds Gaussian
    # noise differed by 0.07 at most, Gumbel by 0.08: the spread of the samples.
    values, *rest = small
    step, options = 0.02, {"samples": 50_000, "sigma": 0.2, "noise": noise}

    def solution(at: Tensor) -> Tensor:
        return perturbed_knapsack(at, *rest, **options)[0]

    exact = torch.autograd.functional.jacobian(solution, values)[:, 0]  # [solution, values]
    columns = [(solution(values + by) - solution(values - by)) / (2 * step) for by in step * torch.eye(5)]
    assert (exact - torch.stack(columns, dim=1)).abs().max() < tolerance
    assert exact.abs().max() > 1


def test_the_gradient_is_right_on_average_for_few_samples(small: Four) -> None:
    values, *rest = small
    weights = torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0])

    def gradient(samples: int, problems: int) -> Tensor:
        many = values.repeat(problems, 1).requires_grad_()
        wide = [t.repeat(problems, *[1] * (t.ndim - 1)) for t in rest]
        (perturbed_knapsack(many, *wide, samples=samples, sigma=0.2) * weights).sum().backward()
        assert many.grad is not None
        return many.grad.mean(0)

    wanted = gradient(200_000, 1)
    assert (gradient(1, 50_000) - wanted).abs().max() < 0.2  # of 4.0: one sample cannot subtract a mean
    assert (gradient(4, 25_000) - wanted).abs().max() < 0.15


def test_the_fenchel_young_gradient_is_the_mean_solution_minus_the_target(batch: Problems) -> None:
    values, lengths, capacities, mask = tensors(batch)
    target = torch.from_numpy(dp(batch))
    values = values.flip(1).contiguous() * mask  # other values, so that the target is not the solution
    values.requires_grad_()
    loss = perturbed_fenchel_young(values, lengths, capacities, mask, target, seed=3)
    assert loss.shape == (64,)
    assert (loss >= 0).all()
    loss.sum().backward()
    mean = perturbed_knapsack(values.detach(), lengths, capacities, mask, seed=3)
    torch.testing.assert_close(values.grad, mean - target.float(), atol=1e-6, rtol=0)


def test_fenchel_young_learns_values_that_make_the_exact_knapsack_choose_the_targets(batch: Problems) -> None:
    _, lengths, capacities, mask = tensors(batch)
    target = torch.from_numpy(dp(batch))
    values = torch.full(mask.shape, 0.1, requires_grad=True)
    optimizer = torch.optim.SGD([values], lr=0.02)
    generator = torch.Generator().manual_seed(1)
    for _ in range(150):
        optimizer.zero_grad()
        perturbed_fenchel_young(values, lengths, capacities, mask, target, sigma=0.05, seed=generator).sum().backward()
        optimizer.step()
    found = perturbed_knapsack(values.detach(), lengths, capacities, mask, samples=1, sigma=1e-9).bool()
    assert (found == target).all(1).float().mean() == 1


def test_a_loss_through_the_mean_solution_also_learns(batch: Problems) -> None:
    _, lengths, capacities, mask = tensors(batch)
    target = torch.from_numpy(dp(batch)).float()
    values = torch.full(mask.shape, 0.1, requires_grad=True)
    optimizer = torch.optim.Adam([values], lr=0.01)
    generator = torch.Generator().manual_seed(1)
    for _ in range(150):
        optimizer.zero_grad()
        mean = perturbed_knapsack(values, lengths, capacities, mask, sigma=0.05, seed=generator)
        (mean - target).square().sum().backward()
        optimizer.step()
    found = perturbed_knapsack(values.detach(), lengths, capacities, mask, samples=1, sigma=1e-9)
    assert (found == target).all(1).float().mean() > 0.9


def test_a_seed_repeats_the_noise_a_generator_continues_and_threads_change_nothing(batch: Problems) -> None:
    problems = tensors(batch)
    first = perturbed_knapsack(*problems, seed=7)
    torch.set_num_threads(3)
    assert torch.equal(first, perturbed_knapsack(*problems, seed=7))
    generator = torch.Generator().manual_seed(7)
    assert torch.equal(first, perturbed_knapsack(*problems, seed=generator))
    assert not torch.equal(first, perturbed_knapsack(*problems, seed=generator))


def test_no_problems_give_no_solutions() -> None:
    none = torch.zeros(0, 4)
    assert perturbed_knapsack(none, none.int(), none[:, 0].int(), none.bool()).shape == (0, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": torch.ones(5)}, r"values must be floats of shape \[B, n\]"),
        ({"values": torch.ones(1, 5).int()}, "values must be floats"),
        ({"values": torch.full((1, 5), float("nan"))}, "every value must be finite"),
        ({"lengths": torch.ones(1, 5)}, "lengths must be whole numbers"),
        ({"lengths": torch.ones(1, 4).int()}, r"lengths must be whole numbers of shape \[1, 5\]"),
        ({"lengths": -torch.ones(1, 5).int()}, "must not be negative"),
        ({"capacities": torch.ones(2).int()}, r"capacities must be whole numbers of shape \[1\]"),
        ({"mask": torch.ones(1, 5)}, "the mask must be bool"),
        ({"samples": 0}, "at least 1 sample"),
        ({"sigma": 0.0}, "positive sigma"),
        ({"noise": "gausian"}, "did you mean 'gaussian'"),
    ],
)
def test_a_wrong_argument_is_reported_in_one_line(small: Four, change: dict[str, Tensor], message: str) -> None:
    arguments = dict(zip(("values", "lengths", "capacities", "mask"), small, strict=True)) | change
    with pytest.raises(UsageError, match=message) as caught:
        perturbed_knapsack(**arguments)
    assert "\n" not in str(caught.value)


def test_a_target_of_another_shape_is_refused(small: Four) -> None:
    with pytest.raises(UsageError, match="the target must be"):
        perturbed_fenchel_young(*small, torch.ones(1, 4))
