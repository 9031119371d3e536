"""A small corpus and a small encoder, so that a training run takes a second."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
import torch

from tersely.learn.corpus import Corpus
from tersely.paper.batches import DocumentBatch, Documents, Teacher
from tersely.paper.config import (
    Objective,
    ScorerConfig,
    ScorerNetwork,
    ScorerTraining,
    SiameseNetworks,
    TrainingSelection,
)
from tersely.score.classic import Coverage
from tersely.text import Document

WORDS = "rain river town bridge mayor storm school harbor plan money winter council train ship flood".split()
COLUMNS = 6

collect_ignore = ["together.py"]  # a script that torchrun runs


class Hashing:
    """Random vectors, always the same for the same sentence."""

    name, fingerprint = "hashing", "hashing-1"

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        rows = [np.random.default_rng(crc32(s.encode())).normal(size=COLUMNS) for s in sentences]
        return np.array(rows, np.float32).reshape(-1, COLUMNS)


def make_text(number: int) -> str:
    rng = np.random.default_rng(number)
    sentences = [" ".join(rng.choice(WORDS, rng.integers(3, 9))).capitalize() + "." for _ in range(rng.integers(5, 10))]
    return " ".join(sentences)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return Corpus(tuple(Document.from_text(make_text(number)) for number in range(30)))


@pytest.fixture
def config() -> ScorerConfig:
    return ScorerConfig(
        "tiny",
        ScorerTraining(steps=12, batch=8, rate=1e-3, siamese_rate=1e-3, validate_every=4, keep=2),
        network=ScorerNetwork(width=8, layers=1, heads=2, inner=16),
        siamese=SiameseNetworks(width=8, layers=1, heads=2, inner=16),
        objective=Objective(),
        selection=TrainingSelection(count=2, shortest=60, longest=120, samples=4),
    )


@pytest.fixture
def batch(corpus: Corpus) -> DocumentBatch:
    teacher = Teacher.load("coverage", "coverage")
    documents = Documents(corpus.documents, Hashing(), ("position", "words"), teacher, words=Coverage())
    return documents.batch(range(8), [100] * 8)


@pytest.fixture
def data(tmp_path: Path, english: str) -> Path:
    """A folder with the test split of a dataset."""
    lines = [{"id": str(i), "text": english, "summary": ["The harbor will close to cars."]} for i in range(2)]
    (tmp_path / "my_cnndm_test.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


@pytest.fixture
def noise() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Train on one thread, which always adds up in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
