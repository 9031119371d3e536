"""`tersely encode` fills the cache exactly like a training run, however it computes the vectors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from serve.service import until
from tersely.cli.batch import encode as command
from tersely.encode import Cache, load_encoder
from tersely.errors import InputError, UsageError
from tersely.learn.artifacts import to_toml
from tersely.learn.corpus import Corpus
from tersely.paper.batches import Documents
from tersely.paper.config import ScorerConfig, ScorerData
from tersely.paper.distributed import Team
from tersely.paper.train_scorer import encode_all

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def text(number: int) -> str:
    """Return a document of a few sentences; some are longer than training reads."""
    count = 45 if number % 10 == 3 else 4 + number % 3
    return " ".join(f"The council of town {number} has met {i} times." for i in range(count))


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("corpus") / "articles.jsonl"
    texts = [*(text(number) for number in range(40)), text(2), "Too short. To be trained on."]
    file.write_text("".join(json.dumps({"text": each}) + "\n" for each in texts), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def trained(articles: Path, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A cache that a training run filled."""
    cache = Cache(tmp_path_factory.mktemp("trained"), load_encoder("use"))
    documents = Corpus.read([articles], 40).documents
    encode_all(Documents(documents, cache), range(len(documents)), lambda _: None, Team())
    return cache


def assert_same(trained: Cache, folder: Path, articles: Path) -> None:
    cache = Cache(folder, load_encoder("use"))
    documents = Corpus.read([articles], 40).documents
    assert len(cache) == len(trained) == len(documents) == 40
    for document in documents:
        assert document.texts in cache
        np.testing.assert_array_equal(cache.encode(document.texts), trained.encode(document.texts))


def encode(*arguments: object) -> str:
    done = CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_workers_compute_the_same_as_training_and_only_once(articles: Path, trained: Cache, tmp_path: Path) -> None:
    assert "documents: 40 computed, 1 already" in encode(articles, "--cache", tmp_path, "--workers", 2)
    assert_same(trained, tmp_path, articles)
    assert "documents: 0 computed, 41 already" in encode(articles, "--cache", tmp_path, "--workers", 2)
    assert_same(trained, tmp_path, articles)


def test_a_killed_run_continues(articles: Path, trained: Cache, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "tersely", "encode", articles, "--cache", tmp_path, "--workers", "2"]
    process = subprocess.Popen(arguments, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    encoder = load_encoder("use")
    until(lambda: len(Cache(tmp_path, encoder)) or process.poll() is not None, seconds=300)
    process.kill()
    process.wait()
    kept = len(Cache(tmp_path, encoder))
    assert kept > 0
    assert f"documents: {40 - kept} computed, {kept + 1} already" in encode(articles, "--cache", tmp_path)
    assert_same(trained, tmp_path, articles)


def test_the_configuration_decides_how_much_of_a_document_is_read(articles: Path, tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    config = ScorerConfig("short", data=ScorerData(sentences=4, precision="float32"))
    file.write_bytes(to_toml(config))
    encode(articles, "--cache", tmp_path, "--config", file, "--workers", 1)
    cache = Cache(tmp_path, load_encoder("use"), "float32")
    assert all(document.texts in cache for document in Corpus.read([articles], 4).documents)


def test_errors_are_one_line(articles: Path, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("One sentence.")
    with pytest.raises(InputError, match="no document with 4 or more sentences"):
        encode(tmp_path / "short.txt", "--cache", tmp_path / "vectors")
    with pytest.raises(UsageError, match="add --engine ray"):
        encode(articles, "--cache", tmp_path / "vectors", "--address", "auto")
    with pytest.raises(UsageError, match="did you mean 'use'"):
        encode(articles, "--cache", tmp_path / "vectors", "--encoder", "usee")
