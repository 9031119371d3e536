"""Gradients are clipped, and padding is not looked at."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tersely.learn.knapsack.config import Config as KnapsackConfig
from tersely.learn.knapsack.config import Data
from tersely.learn.knapsack.config import Training as KnapsackTraining
from tersely.learn.knapsack.train import State, take_step
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.network import Siamese
from tersely.learn.scorer.train import train
from torch import nn

from tersely.learn.scorer.config import Config, Network, Selection, Training
from tersely.learn.scorer.config import Siamese as SiameseConfig
from tersely.text import Document


class Lengths:
    """Vectors of a few numbers that depend on the sentence."""

    name = fingerprint = "lengths"

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([[len(s) % 7, len(s) % 5, len(s) % 3, 1] for s in sentences], np.float32)


def norm(network: nn.Module) -> float:
    gradients = [weight.grad.flatten() for weight in network.parameters() if weight.grad is not None]
    return float(torch.cat(gradients).norm())


@pytest.mark.parametrize("clip", [1e-4, 1e-3])
def test_the_gradients_of_a_scorer_are_clipped(clip: float, tmp_path: Path) -> None:
    words = "rain river town bridge mayor storm school harbor plan money".split()
    texts = [" ".join(f"The {a} saw the {b} of day {n}." for a in words[:4] for b in words[4:6]) for n in range(12)]
    small = {"width": 8, "layers": 1, "heads": 2, "inner": 16}
    config = Config(
        "tiny",
        Training(steps=1, batch=4, clip=clip, validate_every=1, keep=1),
        network=Network(**small),
        siamese=SiameseConfig(**small),
        selection=Selection(count=2, shortest=60, longest=120, samples=4),
    )
    corpus = Corpus(tuple(map(Document.from_text, texts)))
    state = train(config, corpus, Lengths(), tmp_path, resume=False, report=lambda _: None)
    assert norm(state.model) == pytest.approx(clip, rel=0.01)


def test_the_gradients_of_a_knapsack_network_are_clipped() -> None:
    config = KnapsackConfig("tiny", Data("cnewsum", "dp"), KnapsackTraining(steps=10, clip=0.5))
    network = nn.Linear(3, 1)
    state = State(network, torch.optim.SGD(network.parameters(), lr=1.0), {"step": 0})

    def learn(state: State, *_: Any) -> tuple[float, float, float]:
        for weight in state.network.parameters():
            weight.grad = torch.full_like(weight, 1e6)
        return 0.0, 0.0, 0.0

    take_step(state, SimpleNamespace(), config, learn)  # type: ignore[arg-type]
    assert norm(network) == pytest.approx(0.5, rel=0.01)


def test_padding_changes_nothing_in_the_siamese_network() -> None:
    torch.manual_seed(0)
    siamese = Siamese(SiameseConfig(width=8, layers=1, heads=2, inner=16), 4)
    alone = torch.randn(1, 3, 4)
    padded = torch.cat([alone, torch.randn(1, 2, 4) * 9], dim=1)
    mask = torch.tensor([[True, True, True, False, False]])
    encoded = siamese.encode(alone, mask[:, :3])
    torch.testing.assert_close(siamese.encode(padded, mask)[:, :3], encoded)
    # The predictor by itself: what it is given is padded with anything.
    padded = torch.cat([encoded, torch.randn(1, 2, 8) * 9], dim=1)
    torch.testing.assert_close(siamese.predict(padded, mask)[:, :3], siamese.predict(encoded, mask[:, :3]))
