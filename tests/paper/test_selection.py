"""A selection is binary, fits, and passes a gradient on."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tersely.learn.artifacts import to_toml
from tersely.paper.batches import DocumentBatch
from tersely.paper.config import TrainingSelection
from tersely.paper.knapsack_network import KnapsackConfig, KnapsackNetwork, KnapsackTraining, ProblemData
from tersely.paper.selection import ScoredBatch, exact, gumbel_top_k, rank, selector, straight_through


@pytest.fixture
def given(batch: DocumentBatch) -> ScoredBatch:
    scores = torch.randn(batch.mask.shape, generator=torch.Generator().manual_seed(3)).requires_grad_()
    return ScoredBatch(scores, torch.sigmoid(scores), batch.lengths, batch.capacities, batch.mask)


@pytest.fixture(scope="module")
def network_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained knapsack network."""
    folder = tmp_path_factory.mktemp("knapsack")
    config = KnapsackConfig(
        "tiny",
        ProblemData("cnndm", "dp"),
        KnapsackTraining(steps=1),
        network=KnapsackNetwork(width=8, layers=1, heads=2, pairs=4),
    )
    torch.manual_seed(5)
    save_file(config.build().state_dict(), folder / "model.safetensors")
    (folder / "config.toml").write_bytes(to_toml(config))
    return folder


def settings(kind: str, folder: Path) -> TrainingSelection:
    return TrainingSelection(kind, count=2, samples=64, sigma=0.05, folder=str(folder) if kind == "network" else "")


@pytest.mark.parametrize("kind", ["gumbel", "network", "perturbed"])
def test_the_forward_pass_is_binary_and_the_gradient_is_that_of_the_relaxation(
    kind: str, given: ScoredBatch, network_folder: Path, noise: torch.Generator
) -> None:
    choice = selector(settings(kind, network_folder))(given, noise)
    selected = straight_through(choice.hard, choice.soft)
    assert set(selected.detach().unique().tolist()) <= {0.0, 1.0}
    assert torch.equal(selected.detach().bool(), choice.hard)
    assert not (choice.hard & ~given.mask).any()
    assert not choice.soft.detach()[~given.mask].any()
    weights = torch.rand(selected.shape, generator=noise)
    through = torch.autograd.grad((selected * weights).sum(), given.scores, retain_graph=True)[0]
    relaxed = torch.autograd.grad((choice.soft * weights).sum(), given.scores)[0]
    assert torch.equal(through, relaxed)
    assert through[given.mask].abs().sum() > 0
    assert not through[~given.mask].any()


@pytest.mark.parametrize(("relaxation", "total"), [("softmax", 1.0), ("k_hot", 3.0)])
def test_the_relaxations_sum_to_1_or_to_the_count(
    relaxation: str, total: float, given: ScoredBatch, noise: torch.Generator
) -> None:
    choice = gumbel_top_k(given, 3, 0.5, relaxation, noise)
    torch.testing.assert_close(choice.soft.sum(1), torch.full((8,), total), atol=1e-3, rtol=0)
    assert (choice.hard.sum(1) == 3).all()
    # The selected sentences are those with the most in the relaxation.
    assert torch.equal(choice.hard, (rank(choice.soft, given.mask) < 3) & given.mask)


def test_at_a_low_temperature_the_k_hot_relaxation_is_the_selection(given: ScoredBatch) -> None:
    scores = given.scores.detach().argsort(1).float().mul(0.3).requires_grad_()
    choice = gumbel_top_k(given._replace(scores=scores), 3, 0.05, "k_hot", None)
    torch.testing.assert_close(choice.soft, choice.hard.float(), atol=0.05, rtol=0)
    assert torch.autograd.grad(choice.soft.square().sum(), scores)[0].isfinite().all()


def test_noise_selects_others_than_the_best(given: ScoredBatch, noise: torch.Generator) -> None:
    quiet = gumbel_top_k(given, 2, 1.0, "softmax", None).hard
    assert torch.equal(quiet, (rank(given.scores, given.mask) < 2) & given.mask)
    assert not torch.equal(quiet, gumbel_top_k(given, 2, 1.0, "softmax", noise).hard)


def test_one_sentence_always_stays_unselected(given: ScoredBatch) -> None:
    choice = gumbel_top_k(given, 100, 1.0, "softmax", None)
    assert torch.equal(choice.hard.sum(1), given.mask.sum(1) - 1)


def test_gumbel_noise_samples_with_the_probabilities_of_softmax() -> None:
    scores = torch.tensor([[0.0, 1.0, 2.0]]).expand(4000, 3)
    ones = torch.ones(4000, 3, dtype=torch.int64)
    given = ScoredBatch(scores, scores, ones, ones[:, 0], ones.bool())
    drawn = gumbel_top_k(given, 1, 1.0, "softmax", torch.Generator().manual_seed(0)).hard.float().mean(0)
    torch.testing.assert_close(drawn, torch.softmax(scores[0], 0), atol=0.03, rtol=0)


def test_the_exact_choice_fits(given: ScoredBatch, noise: torch.Generator) -> None:
    chosen = selector(settings("perturbed", Path()))(given, noise).hard
    assert torch.equal(chosen, exact(given))
    assert ((chosen * given.lengths).sum(1) <= given.capacities).all()
    assert chosen.any(1).all()


def test_the_knapsack_network_is_frozen(network_folder: Path, given: ScoredBatch) -> None:
    from tersely.paper.knapsack_measure import load_folder

    before = {name: weight.clone() for name, weight in load_folder(network_folder)[0].state_dict().items()}
    select = selector(settings("network", network_folder))
    select(given, None).soft.sum().backward()
    after = load_folder(network_folder)[0].state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert given.scores.grad is not None
