import subprocess
import sys
from collections.abc import Callable, Iterator
from subprocess import Popen

import httpx
import pytest
from playwright.sync_api import Page

from serve.page.app import App
from serve.service import until

Start = Callable[..., tuple[Popen[str], str]]


@pytest.fixture(scope="session")
def start() -> Iterator[Start]:
    """Start real servers; each is ready when its process and address are returned."""
    started: list[Popen[str]] = []

    def start(*options: str) -> tuple[Popen[str], str]:
        command = [sys.executable, "-m", "tersely", "serve", "--workers", "1", "--port", "0", *options]
        server = Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(server)
        address = server.stdout.readline().split()[-1]
        with httpx.Client(timeout=60) as client:
            until(lambda: client.get(f"{address}/readyz").status_code == 200)
        return server, address

    yield start
    for server in started:
        server.terminate()
    for server in started:
        server.communicate(timeout=60)


@pytest.fixture(scope="session")
def server(start: Start) -> str:
    return start()[1]


@pytest.fixture(scope="session")
def news(english: str) -> str:
    """A text short enough that the server gives all budgets at once."""
    return english[: english.index("Not everybody")].strip()


@pytest.fixture(scope="session")
def chinese_news(chinese: str) -> str:
    return "\n\n".join(chinese.split("\n\n")[:4])


@pytest.fixture
def app(page: Page, server: str) -> App:
    return App(page, server).open()
