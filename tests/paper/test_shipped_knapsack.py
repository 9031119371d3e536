"""The shipped networks do what their cards say, and have the configurations of the repository."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

import tersely.models
from tersely.errors import ModelError, UsageError
from tersely.paper.knapsack_measure import load_folder, measure_folder, probabilities
from tersely.paper.knapsack_network import KnapsackConfig, KnapsackNetwork, read_knapsack
from tersely.paper.knapsack_problems import DISTRIBUTIONS, Simulation

CONFIGS = Path(__file__).parents[2] / "configs"
MODELS = Path(tersely.models.__file__).parent
# Well below the rates on 20,000 problems, as 2,000 vary more; well above the paper's.
FLOORS = {
    "knapsack-cnndm-dp": 0.92,
    "knapsack-cnewsum-dp": 0.97,
    "knapsack-cnndm-density": 0.98,
    "knapsack-cnewsum-density": 0.99,
}


@pytest.mark.parametrize("name", FLOORS)
def test_a_shipped_network_solves_problems_it_has_never_seen(name: str) -> None:
    figures = measure_folder(MODELS / name, samples=2000, seed=7)
    assert figures["rounded"]["matched_rate"] >= FLOORS[name]
    assert figures["repaired"]["matched_rate"] >= FLOORS[name]
    assert figures["repaired"]["feasible_rate"] == 1


@pytest.mark.parametrize("name", FLOORS)
def test_the_onnx_graph_and_the_weights_of_a_shipped_network_agree(name: str) -> None:
    network, config = load_folder(MODELS / name)
    batch = Simulation(DISTRIBUTIONS[config.data.distribution], seed=8).batch(0, 100)
    session = onnxruntime.InferenceSession(MODELS / name / "model.onnx")
    (found,) = session.run(None, {"profits": batch.profits, "sizes": batch.sizes, "mask": batch.mask})
    assert np.allclose(found, probabilities(network, batch), atol=1e-4)


@pytest.mark.parametrize("name", FLOORS)
def test_a_shipped_folder_is_small_and_has_the_configuration_of_the_repository(name: str) -> None:
    assert sum(file.stat().st_size for file in (MODELS / name).iterdir()) <= 8_000_000
    _, config = load_folder(MODELS / name)
    assert config == read_knapsack(CONFIGS / f"cpu-{name}.toml")
    assert "Measured on 20,000 fresh problems" in (MODELS / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*-knapsack-c*.toml")), ids=lambda file: file.stem)
def test_every_configuration_can_be_read_and_is_named_like_its_file(file: Path) -> None:
    assert read_knapsack(file).name in (file.stem, file.stem.removeprefix("cpu-"))


def test_the_network_of_the_paper_has_its_size() -> None:
    network = read_knapsack(CONFIGS / "paper-knapsack-cnndm.toml").network
    assert asdict(network) | {"pairs": 0} == {"kind": "paper", "width": 768, "layers": 8, "heads": 8, "pairs": 0}


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (KnapsackNetwork(kind="compcat"), "did you mean 'compact'"),
        (KnapsackNetwork(width=10, heads=4), "not a multiple of 4 heads"),
        (KnapsackNetwork(layers=0), "'layers' must be positive"),
    ],
)
def test_a_configuration_that_cannot_be_built_is_refused(network: KnapsackNetwork, message: str) -> None:
    config: KnapsackConfig = read_knapsack(CONFIGS / "cpu-knapsack-cnndm-dp.toml")
    with pytest.raises(UsageError, match=message):
        replace(config, network=network)


def test_a_folder_of_anything_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not the folder of a knapsack network"):
        load_folder(tmp_path)
    with pytest.raises(ModelError, match="unknown key"):
        load_folder(MODELS / "news")
