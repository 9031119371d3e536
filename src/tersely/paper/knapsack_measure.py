"""The rates of Table 1, which compare a network's choices with a solver's; and model folders of networks."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor, nn

from tersely.errors import ModelError, UsageError
from tersely.learn.artifacts import onnx_graph, to_json_lines, to_toml, today, write_folder
from tersely.learn.training import TrainingState, read_tensors
from tersely.paper.knapsack_network import KnapsackConfig, read_knapsack
from tersely.paper.knapsack_problems import Bools, Floats, Ints, Problems, Simulation, Space, dp, labels

# Profits sum to 1 and are float32: sums in float64 are exact far below this.
_TIE = 1e-9


def rounded(probabilities: Floats, mask: Bools) -> Bools:
    """Choose the items that are more likely in than out, [B, n], as the paper does."""
    chosen: Bools = (probabilities > 0.5) & mask
    return chosen


def repaired(probabilities: Floats, batch: Problems) -> Bools:
    """Round, drop the least likely items until the rest fits, then add the likeliest that still fit, [B, n]."""
    order = np.argsort(np.where(batch.mask, -probabilities, np.inf), axis=1, kind="stable")
    chosen = rounded(probabilities, batch.mask)
    repaired: Bools = _repair(chosen, order, batch.lengths, batch.mask, batch.capacities)
    return repaired


@numba.njit(cache=True, nogil=True)
def _repair(chosen: Bools, order: NDArray[np.int64], lengths: Ints, mask: Bools, capacities: Ints) -> Bools:
    for row in range(len(order)):
        room = capacities[row]
        for item in order[row]:
            if chosen[row, item]:
                room -= lengths[row, item]
        for item in order[row, ::-1]:
            if room < 0 and chosen[row, item]:
                chosen[row, item] = False
                room += lengths[row, item]
        for item in order[row]:
            if mask[row, item] and not chosen[row, item] and lengths[row, item] <= room:
                chosen[row, item] = True
                room -= lengths[row, item]
    return chosen


@dataclass(frozen=True)
class Measures:
    """Rates from 0 to 1."""

    error_rate: float  # items whose decision differs from the label
    matched_rate: float  # problems whose whole choice is the label's or, for DP, fits and is worth as much
    feasible_rate: float  # problems whose choice fits
    value_ratio: float  # mean worth relative to the optimum; a choice that does not fit is worth 0
    selecting_rate: float  # problems of which anything is chosen


def measure(chosen: Bools, label: Bools, batch: Problems, ties: bool = True, best: Bools | None = None) -> Measures:
    """Compare the choices `chosen` [B, n] with the labels `label` [B, n] of the problems `batch`.

    `ties` accepts a choice that fits and is worth as much as the label. `best` are the exact solutions, if they are
    known.
    """
    chosen = chosen & batch.mask
    wrong = (chosen != label) & batch.mask
    fits = feasible(chosen, batch)
    value, label_value = worth(chosen, batch), worth(label, batch)
    matched = ~wrong.any(axis=1)
    if ties:
        matched |= fits & (np.abs(value - label_value) <= _TIE)
    optimum = worth(dp(batch) if best is None else best, batch)
    solvable = optimum > 0
    ratio = np.where(solvable, fits * value / np.where(solvable, optimum, 1), 1)
    return Measures(
        error_rate=float(wrong.sum() / batch.mask.sum()),
        matched_rate=float(matched.mean()),
        feasible_rate=float(fits.mean()),
        value_ratio=float(ratio.mean()),
        selecting_rate=float(chosen.any(axis=1).mean()),
    )


def feasible(chosen: Bools, batch: Problems) -> Bools:
    """Tell which choices fit, in whole characters, [B]."""
    fits: Bools = (chosen * batch.lengths).sum(axis=1) <= batch.capacities
    return fits


def worth(chosen: Bools, batch: Problems) -> NDArray[np.float64]:
    """Return the total profit of each choice, [B]."""
    total: NDArray[np.float64] = (chosen * batch.profits.astype(np.float64)).sum(axis=1)
    return total


class Evaluation(NamedTuple):
    """Problems to measure on, with their labels and exact solutions."""

    batch: Problems
    label: Bools
    best: Bools
    ties: bool

    @classmethod
    def of(cls, batch: Problems, kind: str) -> "Evaluation":
        """Label the problems; ties count only for DP, as density greedy has one outcome."""
        return cls(batch, labels(kind, batch), dp(batch), ties=kind == "dp")

    def measure(self, chosen: Bools) -> Measures:
        """Measure a choice."""
        return measure(chosen, self.label, self.batch, self.ties, self.best)


class Evaluated(NamedTuple):
    """The measures of a network's choice, rounded and repaired."""

    rounded: Measures
    repaired: Measures


def evaluate(network: Callable[..., torch.Tensor], problems: Evaluation) -> Evaluated:
    """Measure a network with both ways of choosing."""
    predicted = probabilities(network, problems.batch)
    return Evaluated(
        problems.measure(rounded(predicted, problems.batch.mask)),
        problems.measure(repaired(predicted, problems.batch)),
    )


def probabilities(network: Callable[..., torch.Tensor], batch: Problems, size: int = 500) -> Floats:
    """Return a network's probabilities [B, n], 0 where there is no item; `size` problems are computed at a time."""
    predicted, device = np.zeros(batch.mask.shape, dtype=np.float32), device_of(network)
    for first in range(0, len(batch.mask), size):
        rows = slice(first, first + size)
        part = batch.part(rows)
        with torch.no_grad():
            logits = network(*(torch.from_numpy(array).to(device) for array in part[:3])).cpu()
        predicted[rows, : part.mask.shape[1]] = torch.sigmoid(logits).numpy() * part.mask
    return predicted


def device_of(network: Callable[..., torch.Tensor]) -> torch.device:
    """Return where a network computes."""
    weights = network.parameters() if isinstance(network, torch.nn.Module) else iter(())
    return next((weight.device for weight in weights), torch.device("cpu"))


_CARD = Template("""# $name

A knapsack network: it predicts from the profits and sizes of items which of them a solver ($labels) would choose.
It is differentiable, so length control can be trained through it; at inference tersely solves the knapsack exactly.

* Inputs of `model.onnx`: `profits` [B, n] float32, summing to 1 in each problem; `sizes` [B, n] float32, lengths
  divided by the capacity; `mask` [B, n] bool, true where there is an item. Output: `probabilities` [B, n].
* Network: $network, $parameters parameters.
* Data: problems simulated by the paper's $distribution distribution$corpus, seed $seed; $samples samples, none
  seen twice.
* Made by `tersely train knapsack CONFIG --out DIR` with the `config.toml` in this folder, in $minutes minutes on
  $threads thread(s); $date.

Measured on $tested fresh problems:

| choice | error rate | matched rate | feasible rate | value / optimum |
|---|---|---|---|---|
$rows

Error rate: items whose decision differs from the solver's. Matched rate: problems whose whole choice is the
solver's$ties. `log.jsonl` has the curve. The data contains no text; inputs and outputs are numbers.
""")


def load_folder(folder: Path) -> tuple[nn.Module, KnapsackConfig]:
    """Return the network of a model folder, ready to use or to train through, and its configuration."""
    try:
        config = read_knapsack(folder / "config.toml")
    except UsageError as error:
        raise ModelError(f"{folder} is not the folder of a knapsack network: {error}") from None
    network, (weights, _) = config.build(), read_tensors(folder / "model.safetensors")
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise ModelError(f"{folder}: the weights do not belong to the network in config.toml: {error}") from None
    return network.eval(), config


def measure_folder(folder: Path, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Measure the network of a folder on fresh problems from the distribution that it was trained on."""
    network, config = load_folder(folder)
    return measure_network(network, config, samples, seed)


def measure_network(network: nn.Module, config: KnapsackConfig, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Measure a network on `samples` fresh problems of the distribution in `config`, drawn with `seed`.

    Return the rates of the rounded and the repaired choice by name, and what the problems were.
    """
    problems = Simulation(config.data.source(), seed, Space.TEST).batch(0, samples)
    measured = evaluate(network, Evaluation.of(problems, config.data.labels))
    return {
        "name": config.name,
        "distribution": config.data.distribution,
        "labels": config.data.labels,
        "samples": samples,
        "seed": seed,
        "rounded": asdict(measured.rounded),
        "repaired": asdict(measured.repaired),
    }


class Probabilities(nn.Module):
    """A network followed by a sigmoid, with 0 where there is no item."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return the probabilities [B, n]."""
        return torch.sigmoid(self.network(profits, sizes, mask)) * mask


def export_knapsack(
    config: KnapsackConfig, state: TrainingState[Any], folder: Path, samples: int = 20_000
) -> dict[str, Any]:
    """Measure the network of `state` on `samples` problems, write its model folder, and return the rates.

    A network that selects nothing is refused: a scorer that is trained through it would have a loss of 0.
    """
    figures = measure_network(state.network, config, samples)
    if not figures["rounded"]["selecting_rate"]:
        raise ModelError(
            f"the network selects nothing in any of {samples:,} problems, so it is not exported: "
            "train it in a new folder with more --steps or another rate, such as --set training.rate=1e-3"
        )
    weights = {name: tensor.contiguous() for name, tensor in state.network.state_dict().items()}
    files = {
        "model.onnx": onnx_bytes(state.network),
        "model.safetensors": save(weights),
        "log.jsonl": to_json_lines(state.notes["curve"]),
        "README.md": card(config, state, figures).encode(),
        "config.toml": to_toml(config),
    }
    write_folder(folder, files)
    return figures


def onnx_bytes(network: nn.Module) -> bytes:
    """Return the network as ONNX, for any number of problems and items."""
    example = torch.rand(2, 5), torch.rand(2, 5), torch.ones(2, 5, dtype=torch.bool)
    graph = onnx_graph(Probabilities(network), example, {0: "problems", 1: "items"}, "probabilities")
    data: bytes = graph.SerializeToString()
    return data


def card(config: KnapsackConfig, state: TrainingState[Any], figures: dict[str, Any]) -> str:
    """Fill in the card."""
    network = config.network
    keys = ("error_rate", "matched_rate", "feasible_rate", "value_ratio")
    rows = "\n".join(
        f"| {way} | " + " | ".join(f"{100 * figures[way][key]:.2f} %" for key in keys) + " |"
        for way in ("rounded", "repaired")
    )
    return _CARD.substitute(
        name=config.name,
        labels={"dp": "exact dynamic programming", "density": "greedy by density"}[config.data.labels],
        network=f"{network.kind} transformer, {network.layers} layers, {network.heads} heads, width {network.width}",
        parameters=f"{sum(p.numel() for p in state.network.parameters()):,}",
        distribution={"cnndm": "CNN/DailyMail", "cnewsum": "CNewSum"}[config.data.distribution],
        corpus=" fitted to real documents" if config.data.corpus else "",
        seed=config.data.seed,
        samples=f"{state.notes['step'] * config.training.batch:,}",
        minutes=round(state.notes["seconds"] / 60, 1),
        threads=config.training.threads,
        date=today(),
        tested=f"{figures['samples']:,}",
        rows=rows,
        ties=", or worth as much and fitting" if config.data.labels == "dp" else "",
    )
