"""One service, with two models, that most tests share."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from serve.service import client_of, running
from tersely.models import DEFAULT
from tersely.serve.server import Server


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own model folder."""
    folder = tmp_path_factory.mktemp("models") / "ranked"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'name = "ranked"\nscorer = "textrank"\nencoder = "tfidf"\nselect = "knapsack"\n'
    )
    return folder


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Server]:
    with running(workers=2, models=(DEFAULT, str(folder)), max_body=300_000) as server:
        yield server


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with client_of(server) as client:
        yield client
