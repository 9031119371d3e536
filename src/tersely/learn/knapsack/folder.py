"""Model folders of knapsack networks: written with ONNX graph and card, loaded, and measured."""

from dataclasses import asdict
from pathlib import Path
from string import Template
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

from tersely.errors import ModelError, UsageError
from tersely.learn.artifacts import onnx_graph, to_json_lines, to_toml, today, write_folder
from tersely.learn.checkpoint import read_tensors
from tersely.learn.knapsack.measure import Evaluation, evaluate
from tersely.learn.knapsack.network import KnapsackConfig, read_knapsack
from tersely.learn.knapsack.simulate import Simulation, Space
from tersely.learn.loop import TrainingState

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
    """Return the rates of the rounded and the repaired choice by name, and what they were measured on."""
    problems = Simulation(config.data.source(), seed, Space.TEST).batch(0, samples)
    found = evaluate(network, Evaluation.of(problems, config.data.labels))
    return {
        "name": config.name,
        "distribution": config.data.distribution,
        "labels": config.data.labels,
        "samples": samples,
        "seed": seed,
        "rounded": asdict(found.rounded),
        "repaired": asdict(found.repaired),
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
    """Measure the network, write its model folder, and return what was measured."""
    figures = measure_network(state.network, config, samples)
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
