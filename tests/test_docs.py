"""The documentation builds without a warning, works offline, and shows what the package does."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page

ROOT = Path(__file__).parents[1]
DOCS, SITE = ROOT / "docs", ROOT / "build" / "site"
pytestmark = pytest.mark.skipif(
    find_spec("zensical") is None and "CI" not in os.environ, reason="the dependency group docs is not installed"
)


@pytest.fixture(scope="module")
def site() -> Path:
    """The built site; a warning, such as a broken link, fails the build."""
    run = subprocess.run([sys.executable, DOCS / "_build.py", "build"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return SITE


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Where the site is served while a test runs."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_scripts_styles_fonts_and_images_come_from_the_site_itself(site: Path) -> None:
    fetched = r"<(?:script|img|iframe|source|video|audio|object|embed)\b[^>]*?\b(?:src|srcset|data)=[\"']?([^\"' >]+)"
    kinds = "stylesheet|icon|preload|modulepreload|preconnect|dns-prefetch"
    linked = rf"<link\b(?=[^>]*\brel=[\"']?(?:{kinds}))[^>]*?\bhref=[\"']?([^\"' >]+)"
    styled = r"(?:url\(|@import)\s*[\"']?((?!data:)[^\"')\s]+)"
    outside = []
    for file in site.rglob("*"):
        patterns = {".html": (fetched, linked, styled), ".css": (styled,), ".svg": (fetched, styled)}.get(
            file.suffix, ()
        )
        for pattern in patterns:
            found = re.findall(pattern, file.read_text(encoding="utf-8"), re.IGNORECASE)
            outside += [f"{file.name}: {url}" for url in found if re.match(r"(?:[a-z]+:)?//", url, re.IGNORECASE)]
    assert outside == []


def test_every_local_link_leads_somewhere(site: Path) -> None:
    missing = []
    for page in site.glob("*.html"):
        for link in re.findall(r'<a\b[^>]*?\bhref="([^"#?]+)', page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:|/", link):
                continue
            # What leads out of the site leads to a file of the repository.
            if not (site / unquote(link)).exists() and not (DOCS / unquote(link)).exists():
                missing.append(f"{page.name}: {link}")
    assert missing == []


def test_every_page_is_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("*.md") if f'{page.stem}.html"' not in start] == []


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    import click

    from tersely.cli import cli

    page = (site / "commands.html").read_text(encoding="utf-8")

    def check(command: click.Command, ctx: click.Context) -> None:
        assert ctx.command_path in page
        for option in (name for param in command.params for name in param.opts if name.startswith("--")):
            assert f"<code>{option}" in page or f", {option}" in page, f"{ctx.command_path} {option}"
        for name in command.list_commands(ctx) if isinstance(command, click.Group) else ():
            child = command.get_command(ctx, name)
            assert child is not None
            check(child, click.Context(child, parent=ctx, info_name=name))

    check(cli, click.Context(cli, info_name="tersely"))


def test_doctests_are_shown_as_code(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    assert "<blockquote>" not in page
    assert page.count("&gt;&gt;&gt;") >= 5


def test_the_site_can_be_read_and_searched_without_a_network(page: Page, address: str) -> None:
    # The page fixture fails on any request to another host and on any error in the console.
    for name in ("index", "api", "commands", "knapsack"):
        page.goto(f"{address}/{name}.html")
        page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type("Fenchel")
    page.get_by_text(re.compile(r"^[1-9]\d* results?$")).wait_for()


@pytest.mark.parametrize("file", sorted(DOCS.glob("*.md")), ids=lambda file: file.stem)
def test_python_examples_compile(file: Path) -> None:
    for example in re.findall(r"```python\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL):
        compile(example, str(file), "exec")
