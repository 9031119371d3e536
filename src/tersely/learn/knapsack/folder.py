"""Knapsack networks in model folders: loading and measuring them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from tersely.errors import ModelError, UsageError
from tersely.learn.checkpoint import read_tensors
from tersely.learn.knapsack.config import Config, read_config
from tersely.learn.knapsack.measure import Evaluation, evaluate
from tersely.learn.knapsack.simulate import Simulation, Space


def load_folder(folder: Path) -> tuple[nn.Module, Config]:
    """Return the network of a model folder, ready to be used or trained through, and its configuration."""
    try:
        config = read_config(folder / "config.toml")
    except UsageError as error:
        raise ModelError(f"{folder} is not the folder of a knapsack network: {error}") from None
    network, (weights, _) = config.build(), read_tensors(folder / "model.safetensors")
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise ModelError(f"{folder}: the weights are not of the network in config.toml: {error}") from None
    return network.eval(), config


def measure_folder(folder: Path, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Measure the network of a folder on fresh problems of the distribution it was trained for."""
    network, config = load_folder(folder)
    return measure_network(network, config, samples, seed)


def measure_network(network: nn.Module, config: Config, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Return its rates by name for the rounded and for the repaired choice, and what they were measured on."""
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
