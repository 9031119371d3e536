"""The other methods of Table 1 do what their papers say, and learn; one command trains and measures them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from torch import Tensor, nn

from tersely.cli.reproduce import command as reproduce
from tersely.cli.train import command as train
from tersely.errors import UsageError
from tersely.learn.training import read_tensors
from tersely.paper.knapsack_measure import Evaluation, evaluate, feasible
from tersely.paper.knapsack_network import KnapsackTraining, ProblemData
from tersely.paper.knapsack_problems import CNEWSUM, Problems, Simulation, dp
from tersely.paper.neural_knapsacks import DeepQ, FptasNetwork, Game
from tersely.paper.table1 import (
    NETWORKS,
    Table1Config,
    Table1Network,
    greedy_figures,
    read_table1_config,
    train_baseline,
)
from tersely.paper.train_knapsack import tensors

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("cpu-knapsack-*-c*.toml"))
RATES = {"error_rate": 0.12, "matched_rate": 0.34}
OURS = [path for path in CONFIGS if path.stem.split("-")[2] in NETWORKS]


@pytest.fixture(scope="module")
def batch() -> Problems:
    return Simulation(CNEWSUM, seed=11).batch(0, 64)


def network(kind: str) -> Any:
    torch.manual_seed(3)
    return NETWORKS[kind](Table1Network(kind=kind, width=16, layers=1, heads=2, granules=16)).eval()


def config(kind: str, **training: Any) -> Table1Config:
    sizes = Table1Network(kind=kind, width=16, layers=1, heads=2, granules=16)
    settings = {"steps": 4, "batch": 32, "parts": 2, "warmup": 2, "validate_every": 2, "validation": 50} | training
    return Table1Config(f"tiny-{kind}", ProblemData("cnewsum", "dp"), KnapsackTraining(**settings), network=sizes)


@pytest.mark.parametrize("kind", NETWORKS)
def test_neither_padding_nor_other_problems_change_an_answer(kind: str, batch: Problems) -> None:
    solver = network(kind)
    with torch.no_grad():
        together = solver(*tensors(batch))
        for row in (0, 31, 63):
            count = int(batch.mask[row].sum())
            alone = solver(*(tensor[row : row + 1, :count] for tensor in tensors(batch)))
            torch.testing.assert_close(alone[0], together[row, :count], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("granules", [8, 64])
def test_fptas_computes_the_dynamic_program_of_rounded_profits(granules: int, batch: Problems) -> None:
    profits, sizes, mask = tensors(batch)
    states = FptasNetwork(8, 1, 1, granules).values(profits, sizes)
    for row in (0, 20, 40, 63):
        least = np.full(granules + 1, 2.0)  # the least size that reaches p granules
        least[0] = 0
        for item in range(int(mask[row].sum())):
            whole = int(np.floor(profits[row, item].item() * granules))
            reached = [least[max(p - whole, 0)] + sizes[row, item].item() for p in range(granules + 1)]
            least = np.minimum(np.minimum(least, reached), 2)
            np.testing.assert_allclose(states[row, item].numpy(), least[1:], atol=1e-5)


def test_fptas_with_fine_granules_is_close_to_the_optimum(batch: Problems) -> None:
    profits, sizes, _ = tensors(batch.part(slice(32)))
    told = (FptasNetwork(8, 1, 1, 256).values(profits, sizes)[:, -1] <= 1 + 1e-6).sum(1) / 256
    best = (profits * torch.from_numpy(dp(batch.part(slice(32))))).sum(1)
    assert (told <= best + 1e-6).all()  # profits are rounded down
    assert (best - told).max() < profits.shape[1] / 256


def test_a_game_of_dqn_takes_only_items_that_fit_and_ends_when_none_does(batch: Problems) -> None:
    chosen = (network("dqn")(*tensors(batch)) > 0).numpy()
    assert feasible(chosen, batch).all()
    left = batch.capacities - (chosen * batch.lengths).sum(1)
    assert not (batch.mask & ~chosen & (batch.lengths <= left[:, None])).any()


def test_a_game_shows_the_items_by_density(batch: Problems) -> None:
    game, order = Game.start(*tensors(batch))
    density = (game.profits / game.sizes.clamp(min=1e-6)).masked_fill(~game.free, -1)
    assert (density.diff(dim=1) <= 0).all()
    assert torch.equal(game.profits, torch.from_numpy(batch.profits).gather(1, order))


def test_the_loss_of_dqn_is_zero_if_the_estimate_is_right() -> None:
    # One item fits in each knapsack: nothing follows, so an estimator that adds nothing to the profit is right.
    dqn = DeepQ(8, 1, 1)
    nn.init.zeros_(dqn.online.leave.weight)
    nn.init.zeros_(dqn.online.leave.bias)
    profits, sizes = torch.tensor([[0.7, 0.3], [0.4, 0.6]]), torch.tensor([[0.6, 0.9], [0.8, 0.7]])
    problems = profits, sizes, torch.ones(2, 2, dtype=torch.bool)
    assert dqn.loss(*problems, 0.5, torch.Generator().manual_seed(0)).item() == pytest.approx(0, abs=1e-12)
    nn.init.constant_(dqn.online.leave.bias, 0.1)
    assert dqn.loss(*problems, 0.5, torch.Generator().manual_seed(0)).item() == pytest.approx(0.01, abs=1e-6)


def test_the_target_network_follows_and_is_not_trained() -> None:
    dqn = DeepQ(8, 1, 1, refresh=0.25)
    before = dqn.target.leave.bias.clone()
    nn.init.constant_(dqn.online.leave.bias, 1.0)
    dqn.follow()
    torch.testing.assert_close(dqn.target.leave.bias, before + 0.25 * (1 - before))
    assert not any(parameter.requires_grad for parameter in dqn.target.parameters())


@pytest.mark.parametrize("kind", NETWORKS)
def test_training_improves_every_baseline(kind: str, tmp_path: Path) -> None:
    steps, rate = (80, 8e-3) if kind == "neural" else (40, 1e-2)
    setup = config(kind, steps=steps, batch=64, rate=rate, warmup=5, validate_every=steps, validation=200)
    problems = Evaluation.of(setup.data.simulation().fixed(200), "dp")
    torch.manual_seed(setup.training.seed)
    before = evaluate(setup.build(), problems).rounded
    train_baseline(setup, tmp_path, False, lambda _: None, samples=100)
    after = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert after["error_rate"] < before.error_rate - 0.03


def test_a_stopped_run_resumes_to_the_same_weights(tmp_path: Path) -> None:
    kind = "dqn"  # the others learn from labels, as the knapsack transformer does

    def stop(progress: Any) -> None:
        if progress.finished == 2:
            raise RuntimeError

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train_baseline(config(kind), whole, False, lambda _: None, samples=50)
    with pytest.raises(RuntimeError):
        train_baseline(config(kind), parts, False, stop, samples=50)
    train_baseline(config(kind), parts, True, lambda _: None, samples=50)
    (wanted, _), (found, _) = (read_tensors(folder / "checkpoint.safetensors") for folder in (whole, parts))
    assert wanted.keys() == found.keys()
    assert all(torch.equal(wanted[name], found[name]) for name in wanted)
    with pytest.raises(UsageError, match="another configuration"):
        train_baseline(replace(config(kind), name="other"), parts, True, lambda _: None)


def test_density_greedy_always_fits() -> None:
    rates = greedy_figures("cnewsum", samples=500)["rounded"]
    assert rates["feasible_rate"] == 1
    assert 0.9 < rates["value_ratio"] < 1


def test_the_command_trains_and_its_row_is_in_table_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(
        'name = "tiny"\n[data]\ndistribution = "cnewsum"\nlabels = "dp"\n[network]\nkind = "neural"\nwidth = 8\n'
        "[training]\nsteps = 2\nbatch = 16\nparts = 1\nvalidation = 20\n"
    )
    done = CliRunner().invoke(train, ["knapsack", str(file), "--samples", "50", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "| Neural Knapsack | cnewsum |" in done.output
    (tmp_path / "out").rename(tmp_path / "neural-cnewsum")
    monkeypatch.setattr("tersely.paper.knapsack_measure.measure_folder", lambda _: {"rounded": RATES})
    monkeypatch.setattr("tersely.paper.table1.greedy_figures", lambda _: {"rounded": RATES})
    shown = CliRunner().invoke(reproduce, ["table1", "--models", str(tmp_path)], catch_exceptions=False)
    assert re.search(r"cnewsum Neural Knapsack +published .*\n +measured +\d", shown.stdout)
    assert len(re.findall(r"Density greedy +measured +12\.00 +34\.00", shown.stdout)) == 2


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_every_configuration_sees_as_many_samples_as_the_docs_say(path: Path) -> None:
    read = read_table1_config(path)
    assert read.network.kind in path.stem
    assert read.data.distribution in path.stem
    longer = path.stem in ("cpu-knapsack-fptas-cnewsum", "cpu-knapsack-neural-cnewsum")
    assert read.training.steps * read.training.batch == (614_400 if longer else 128_000)
    assert read.training.threads == 1


def test_there_are_six_configurations() -> None:
    assert len(OURS) == 6


def test_an_unknown_baseline_suggests_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'fptas'"):
        config("ftpas")


def test_gradients_reach_the_profits(batch: Problems) -> None:
    profits, sizes, mask = tensors(batch)
    for kind in ("fptas", "neural"):
        given: Tensor = profits.clone().requires_grad_()
        network(kind)(given, sizes, mask)[mask].sum().backward()
        assert given.grad is not None
        assert given.grad[mask].abs().max() > 0
