"""A trained knapsack network as a model folder: weights, ONNX, configuration, curve and card."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

from tersely.learn.files import json_lines, replace_file
from tersely.learn.graph import onnx_graph
from tersely.learn.knapsack.config import Config
from tersely.learn.knapsack.folder import measure_network
from tersely.learn.knapsack.train import State
from tersely.learn.settings import toml

_CARD = Template("""# $name

A knapsack network: from the profits and sizes of items it tells which of them a solver ($labels) would choose.
It is differentiable, so that length control can be trained through it; at inference tersely solves exactly instead.

* Inputs of `model.onnx`: `profits` [B, n] float32, summing to 1 in each problem; `sizes` [B, n] float32, lengths
  divided by the capacity; `mask` [B, n] bool, true where there is an item. Output: `probabilities` [B, n].
* Network: $network, $parameters parameters.
* Data: problems simulated by the paper's $distribution distribution$corpus, seed $seed; $samples samples, none
  of them seen twice.
* Made by `tersely train knapsack CONFIG --out DIR` with the `config.toml` in this folder, in $minutes minutes on
  $threads thread(s); $date.

Measured on $tested fresh problems:

| choice | error rate | matched rate | feasible rate | value / optimum |
|---|---|---|---|---|
$rows

Error rate: items decided otherwise than by the solver. Matched rate: problems decided wholly as by the solver$ties.
`log.jsonl` has the curve. No text of anyone is in the data, and nothing but numbers goes in or comes out.
""")


class Probabilities(nn.Module):
    """A network with the sigmoid after it, and 0 where there is no item."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return the probabilities [B, n]."""
        return torch.sigmoid(self.network(profits, sizes, mask)) * mask


def export(config: Config, state: State, folder: Path, samples: int = 20_000) -> dict[str, Any]:
    """Write the model folder; return what was measured."""
    figures = measure_network(state.network, config, samples)
    weights = {name: tensor.contiguous() for name, tensor in state.network.state_dict().items()}
    replace_file(folder / "model.onnx", onnx_bytes(state.network))
    replace_file(folder / "model.safetensors", save(weights))
    replace_file(folder / "log.jsonl", json_lines(state.notes["curve"]))
    replace_file(folder / "README.md", card(config, state, figures).encode())
    # Last, as it is what makes a folder a model folder.
    replace_file(folder / "config.toml", toml(asdict(config)).encode())
    return figures


def onnx_bytes(network: nn.Module) -> bytes:
    """Return the network as ONNX, for any number of problems and items."""
    example = torch.rand(2, 5), torch.rand(2, 5), torch.ones(2, 5, dtype=torch.bool)
    graph = onnx_graph(Probabilities(network), example, {0: "problems", 1: "items"}, "probabilities")
    data: bytes = graph.SerializeToString()
    return data


def card(config: Config, state: State, figures: dict[str, Any]) -> str:
    """Fill the card in."""
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
        date=datetime.now(UTC).date().isoformat(),
        tested=f"{figures['samples']:,}",
        rows=rows,
        ties=", or worth as much and fitting" if config.data.labels == "dp" else "",
    )
