"""Files that the server reads for the page, and the page without a server."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from serve.page.app import App, drop

ROOT = Path(__file__).parents[3]


def test_a_chinese_file_may_be_in_gb18030(app: App, chinese_news: str) -> None:
    drop(app.page, list(chinese_news.encode("gb18030")), "news.txt")
    app.answered()
    assert app["source"].locator("> *").first.text_content() == chinese_news.partition("\n")[0]
    expect(app["toast"]).to_contain_text("“news.txt”")  # how it was read


def test_subtitles_are_read_by_the_server_and_quoted_with_their_times(app: App) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cues = "1\n00:00:01,000 --> 00:00:02,000\nOne fish.\n\n2\n00:01:05,000 --> 00:01:07,000\nTwo fish.\n"
    drop(app.page, cues, "film.srt")
    expect(app.sentences).to_have_text(["One fish.", "Two fish."])
    app.answered()
    app["take"].locator("summary").click()
    app.page.locator("[data-take=quotations]").click()
    expect(app["copy"]).to_have_text("Copied")
    assert "(film.srt, time " in app.page.evaluate("navigator.clipboard.readText()")


def test_a_file_that_cannot_be_read_changes_nothing(browser: Browser, server: str) -> None:
    context = browser.new_context()  # the browser's console reports refused requests
    app = App(context.new_page(), server).open()
    app.give("One fish. Two fish.")
    drop(app.page, [0x89, 0x50, 0x4E, 0x47, 0x0D], "cat.png")
    expect(app["problem"]).to_have_text("“cat.png” is a picture: its text must be recognized first (OCR).")
    expect(app["retry"]).to_be_hidden()
    expect(app.sentences).to_have_text(["One fish.", "Two fish."])
    context.close()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page without a server: nothing but files."""
    folder = tmp_path_factory.mktemp("site") / "page"
    subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "static_page.py", "--out", folder], check=True, capture_output=True
    )

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder.parent)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/page"
        server.shutdown()


def test_the_page_shows_its_examples_without_a_server(page: Page, alone: str) -> None:
    app = App(page, alone, empty=False).open()
    app.answered()
    expect(app["question"]).to_be_hidden()
    seen = set()
    for position in range(100, 1000, 200):
        app.slide(position)
        seen.add(app.summary)
    assert len(seen) == 5
    app["unit"].select_option("words")
    expect(app["used"]).to_contain_text("words")
    page.locator("[data-example='bridge.en']").click()
    expect(app.page.locator("#source [role=group]")).to_have_count(3)
    expect(app["used"]).not_to_be_empty()
    expect(app["question"]).not_to_have_value("")
    expect(app["question"]).not_to_be_editable()
    expect(app["tools"]).to_be_hidden()
    app.sentences.first.click()
    expect(app.page.locator("[data-pin]")).to_have_count(0)
    app.rest()
    assert app.asked == []
