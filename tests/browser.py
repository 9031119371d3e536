"""A page in Chromium for tests: it may ask no outside host for anything, and its console must stay quiet."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it; without it tests are skipped, but fail in continuous integration."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Chromium is not installed: run 'make chromium'")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page with storage of its own."""
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if _is_local(request.url) else wrong.append(f"asked for {request.url}"))
    yield page
    page.unroute_all(behavior="ignoreErrors")  # an answer on its way when a test ends is nobody's error
    context.close()
    assert wrong == []


def _is_local(address: str) -> bool:
    return urlsplit(address).scheme in ("file", "blob", "data") or urlsplit(address).hostname in (
        "127.0.0.1",
        "localhost",
    )
