"""A server that requires a token, and one that goes away: the page says so and keeps the text."""

import re
import socket
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from playwright.sync_api import Browser, expect

from serve.page.app import App

Start = Callable[..., tuple[Popen[str], str]]


def test_token_required_then_text_too_large_then_server_gone(browser: Browser, start: Start, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("芝麻 open sesame\n")
    options = ("--tokens-file", str(tmp_path / "tokens"), "--max-body", "2000")
    server, address = start(*options)
    context = browser.new_context()
    app = App(context.new_page(), address).open("#model=another")

    app["input"].fill("One fish. Two fish. Red fish.")
    app.rest()
    expect(app["notice"]).to_contain_text("requires a token")
    app["token"].fill("wrong")
    app["token"].press("Enter")
    expect(app["token"]).to_have_value("")
    expect(app["notice"]).to_contain_text("does not know that token")
    expect(app["token"]).to_be_focused()
    app.page.keyboard.type("芝麻 open sesame")
    app.page.keyboard.press("Enter")
    app.answered()  # a model that the server does not have is forgotten
    app.rest()
    expect(app.page).not_to_have_url(re.compile("model="))
    expect(app["notice"]).to_be_hidden()
    expect(app["slider"]).to_be_focused()
    assert app.summary == "One fish. Two fish. Red fish."

    app["input"].fill("A sentence like many others. " * 100)
    app.rest()
    expect(app["notice"]).to_contain_text("The body is larger than the 2,000 bytes that this server accepts")
    expect(app["retry"]).to_be_hidden()
    app["input"].fill("One fish. Two fish. Red fish.")
    app.rest()
    expect(app["notice"]).to_be_hidden()
    app["read"].click()

    server.terminate()
    server.wait(timeout=60)
    port = int(address.rpartition(":")[2])
    reserved = socket.socket()  # nobody else gets the port of the server while it is away
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", port))
    app.sentences.nth(1).click()
    expect(app["notice"]).to_contain_text("The server does not respond. Your text is still here.")
    expect(app["input"]).to_have_value("One fish. Two fish. Red fish.")
    app.allow(10)  # what the page already has needs no server
    assert len(app.marked) == 1
    app["retry"].click()
    expect(app["notice"]).to_contain_text("The server does not respond.")

    start(*options, "--port", str(port))
    reserved.close()
    app["retry"].click()
    expect(app["notice"]).to_be_hidden()
    expect(app["summary"]).to_have_text("Two fish.")
    context.close()
