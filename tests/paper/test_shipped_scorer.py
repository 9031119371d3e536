"""The shipped scorer is what a configuration of the repository makes, and it summarizes."""

import numpy as np
import torch

from tersely import Summarizer
from tersely.learn.training import read_tensors
from tersely.models import model_folder
from tersely.paper.config import read_network_config
from tersely.paper.networks import ScoringNetwork
from tersely.score.learned import Learned, features
from tersely.text import Document

NEWS = (
    "The bridge over the river was closed on Monday. Heavy rain had damaged two of its pillars. The mayor said that "
    "repairs would take six months. Buses will use the old road. Shops near the bridge fear for their trade. Engineers "
    "will inspect the other bridges of the city."
)
FOLDER, CONFIG = model_folder("siamese-en"), read_network_config("cpu-siamese-words-en")


def test_the_shipped_scorer_is_small_and_has_the_configuration_of_the_repository() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 10_000_000
    assert read_network_config(str(FOLDER / "training.toml")) == CONFIG
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "seed 42" in card
    assert "## Measured" in card


def test_the_onnx_graph_and_the_weights_of_the_shipped_scorer_agree() -> None:
    document = Document.from_text(NEWS)
    vectors = np.random.default_rng(1).normal(size=(len(document), 512)).astype(np.float32)
    scorer = ScoringNetwork(CONFIG, 512)
    scorer.load_state_dict(read_tensors(FOLDER / "model.safetensors")[0])
    seen = torch.from_numpy(features(document, CONFIG.features))
    with torch.no_grad():
        scores = scorer(torch.from_numpy(vectors)[None], seen[None], torch.ones(1, len(document), dtype=torch.bool))
    np.testing.assert_allclose(Learned(str(FOLDER)).score(document, vectors), scores[0].exp(), rtol=1e-3)


def test_the_shipped_scorer_is_chosen_by_its_name() -> None:
    summary = Summarizer.load("siamese-en").summarize(NEWS, max_chars=130)
    assert summary.model == "siamese-en"
    assert 0 < len(summary.text) <= 130
    assert all(NEWS[one.start : one.end] in summary.text for one in summary.sentences)
