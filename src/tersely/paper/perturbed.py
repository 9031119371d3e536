"""The exact knapsack as a layer: noise on the values makes its mean solution differentiable.

With noise Z of a smooth density, the mean solution E[y*(values + sigma Z)] is a smooth function of the values; y*
is the exact dynamic program's solution. Its derivative needs only solutions, no relaxation of the solver:

    E[y* (values + sigma Z) s(Z)^T] / sigma,  with s = -grad log density, s(Z) = Z for Gaussian noise.

Reference: Berthet, Blondel, Teboul, Cuturi, Vert, Bach: Learning with Differentiable Perturbed Optimizers, 2020.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from tersely.errors import UsageError, unknown_name
from tersely.paper.knapsack_problems import solve

_EULER = float(np.euler_gamma)
# Solving fewer problems than this takes less time than starting a thread.
_WORTH_A_THREAD = 256


class SharedRows(NamedTuple):
    """Which rows of a batch that several processes share are in this process: `first` to `last`, without `last`."""

    first: int
    last: int
    total: int


def draw(
    numbers: Callable[..., Tensor],
    shape: tuple[int, ...],
    noise: torch.Generator,
    rows: SharedRows | None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Draw `torch.rand` or `torch.randn` numbers of a shape and `dtype` from the generator `noise`.

    For a shared batch (`rows`) this draws the numbers of all rows and returns those of the rows in this process. So a
    row gets the same numbers in every process.
    """
    full_shape = shape if rows is None else (rows.total, *shape[1:])
    drawn = numbers(full_shape, generator=noise, dtype=dtype, device=noise.device)
    return drawn if rows is None else drawn[rows.first : rows.last]


class Noise(NamedTuple):
    """Noise of mean 0, and its score function: the negative gradient of its log density."""

    draw: Callable[[Tensor], Tensor]  # from standard normal numbers
    score: Callable[[Tensor], Tensor]


def _gumbel(normal: Tensor) -> Tensor:
    """Turn normal numbers into Gumbel numbers of mean 0: -log(-log u), minus Euler's constant."""
    gumbel: Tensor = -(-torch.special.log_ndtr(normal)).log() - _EULER
    return gumbel


NOISES = {
    "gaussian": Noise(lambda normal: normal, lambda noise: noise),
    "gumbel": Noise(_gumbel, lambda noise: 1 - (-noise - _EULER).exp()),
}


def perturbed_knapsack(
    values: Tensor,
    lengths: Tensor,
    capacities: Tensor,
    mask: Tensor,
    *,
    samples: int = 16,
    sigma: float = 0.02,
    noise: str = "gaussian",
    seed: int | torch.Generator = 0,
    rows: SharedRows | None = None,
) -> Tensor:
    """Return how often each item is in the exact solution under noise, [B, n], differentiable in the values.

    `values`: float [B, n], of any sign. `lengths`: whole numbers [B, n]. `capacities`: whole numbers [B], in the same
    unit. `mask`: bool [B, n], True where there is an item. `samples` is the number of noisy solutions. `sigma` is the
    size of the `noise` (gaussian or gumbel) in the unit of the values: the default suits profits that sum to 1. An
    integer `seed` draws the same noise at every call; a generator continues its stream. `rows` says which rows of a
    shared batch these are.
    """
    _check(values, lengths, capacities, mask)
    drawn = _draw(values, samples, sigma, noise, seed, rows)
    apply: Any = _Perturbed.apply
    mean: Tensor = apply(values, lengths, capacities, mask, drawn, sigma, NOISES[noise])
    return mean


def perturbed_fenchel_young(
    values: Tensor,
    lengths: Tensor,
    capacities: Tensor,
    mask: Tensor,
    target: Tensor,
    *,
    samples: int = 16,
    sigma: float = 0.02,
    noise: str = "gaussian",
    seed: int | torch.Generator = 0,
    rows: SharedRows | None = None,
) -> Tensor:
    """Return how much less the target sets [B, n] are worth than the best sets under noise, on average, [B].

    The loss is convex in the values and never negative where the target fits. Its gradient is the mean solution minus
    the target, which has a lower variance than a loss through `perturbed_knapsack`, as nothing is divided by sigma.
    The other arguments are those of `perturbed_knapsack`.
    """
    _check(values, lengths, capacities, mask)
    if target.shape != values.shape:
        raise UsageError(f"the target must be {list(values.shape)} like the values, not {list(target.shape)}")
    drawn = _draw(values, samples, sigma, noise, seed, rows)
    noisy = values.masked_fill(~mask, 0).unsqueeze(1) + sigma * drawn  # [B, K, n]
    solutions = _solve(noisy, lengths, capacities, mask)
    # The solutions are constants here: the derivative of a maximum is that of the term which attains it.
    surplus = (solutions - target.to(values.dtype).unsqueeze(1)) * mask.unsqueeze(1)
    return (surplus * noisy).sum(2).mean(1)


def _backward(ctx: Any, *gradients: Any) -> Any:
    solutions, drawn, mask = ctx.saved_tensors
    count = solutions.shape[1]
    along = torch.einsum("bkn,bn->bk", solutions, *gradients)
    if count > 1:
        # The score has mean 0, so subtracting the mean of the other samples adds no bias; where profits sum to 1 it
        # reduces the spread to a fifth.
        along = (along - along.mean(1, keepdim=True)) * (count / (count - 1))
    slope = torch.einsum("bk,bkn->bn", along, ctx.noise.score(drawn)) / (count * ctx.sigma)
    return slope * mask, None, None, None, None, None, None


class _Perturbed(torch.autograd.Function):
    """The mean of the solutions and its derivative."""

    @staticmethod
    def forward(
        ctx: Any,
        values: Tensor,
        lengths: Tensor,
        capacities: Tensor,
        mask: Tensor,
        drawn: Tensor,  # [B, K, n]
        sigma: float,
        noise: Noise,
    ) -> Tensor:
        solutions = _solve(values.unsqueeze(1) + sigma * drawn, lengths, capacities, mask)
        ctx.save_for_backward(solutions, drawn, mask)
        ctx.sigma, ctx.noise = sigma, noise
        return solutions.mean(1)

    backward: Any = staticmethod(once_differentiable(_backward))


def _draw(
    values: Tensor, samples: int, sigma: float, noise: str, seed: int | torch.Generator, rows: SharedRows | None
) -> Tensor:
    """Draw the noise, [B, K, n], in one stream whatever the number of threads."""
    if noise not in NOISES:
        raise unknown_name("noise", noise, NOISES)
    if samples < 1 or not sigma > 0:
        raise UsageError(f"at least 1 sample and a positive sigma are needed, not {samples} and {sigma:g}")
    generator = torch.Generator().manual_seed(seed) if isinstance(seed, int) else seed
    shape = values.shape[0], samples, values.shape[1]
    normal = draw(torch.randn, shape, generator, rows, values.dtype)
    return NOISES[noise].draw(normal).to(values.device)


def _solve(noisy: Tensor, lengths: Tensor, capacities: Tensor, mask: Tensor) -> Tensor:
    """Solve all [B, K, n] exactly on the CPU, split over as many threads as torch uses."""
    problems, samples, count = noisy.shape
    rows = problems * samples
    if not rows:
        return torch.zeros_like(noisy)
    parts = max(1, min(torch.get_num_threads(), rows // _WORTH_A_THREAD))
    arrays = [noisy.detach().reshape(rows, count).cpu().double().numpy()]
    arrays += [np.repeat(t.cpu().numpy(), samples, axis=0) for t in (lengths, mask, capacities)]
    if parts == 1:
        return torch.from_numpy(solve(*arrays)).view(noisy.shape).to(noisy)
    cuts = [slice(part * rows // parts, (part + 1) * rows // parts) for part in range(parts)]
    with ThreadPoolExecutor(parts) as pool:
        solved = list(pool.map(lambda cut: solve(*(array[cut] for array in arrays)), cuts))
    return torch.from_numpy(np.concatenate(solved)).view(noisy.shape).to(noisy)


def _check(values: Tensor, lengths: Tensor, capacities: Tensor, mask: Tensor) -> None:
    shape = list(values.shape)
    if values.ndim != 2 or not values.is_floating_point():
        raise UsageError(f"values must be floats of shape [B, n], not {values.dtype} of {shape}")
    integers = [("lengths", lengths, shape), ("capacities", capacities, shape[:1])]
    for name, tensor, expected in integers:
        if tensor.is_floating_point() or tensor.dtype == torch.bool or list(tensor.shape) != expected:
            actual = f"{tensor.dtype} of {list(tensor.shape)}"
            raise UsageError(f"{name} must be whole numbers of shape {expected}, not {actual}")
    if mask.dtype != torch.bool or list(mask.shape) != shape:
        raise UsageError(f"the mask must be bool of shape {shape}, not {mask.dtype} of {list(mask.shape)}")
    if ((lengths < 0) & mask).any() or (capacities < 0).any():
        raise UsageError("lengths and capacities must not be negative")
    if not values.detach()[mask].isfinite().all():
        raise UsageError("every value must be finite")
