"""Makes docs/page.png: starts the service, opens the page with its example, and takes a picture in Chromium."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "page.png")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--dark", action="store_true")
    args = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed: run 'make chromium'")
    command = [sys.executable, "-m", "tersely", "serve", "--workers", "1", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
        sync_playwright() as playwright,
    ):
        try:
            address = server.stdout.readline().split()[-1] if server.stdout else ""
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(
                viewport={"width": args.width, "height": args.height},
                color_scheme="dark" if args.dark else "light",
                reduced_motion="reduce",
            )
            arrange(page, address)
            page.screenshot(path=args.out)
            browser.close()
        finally:
            server.terminate()
    print(args.out)


def arrange(page: Page, address: str) -> None:
    """Bring the page to where it shows what it does."""
    page.goto(f"{address}/#unit=chars&budget=280&language=en")
    page.locator("body:not(.asking) [aria-selected=true]").first.wait_for()
    page.get_by_role("option", name="Households that join").click()
    page.locator("body:not(.asking) [data-pin=in][aria-selected=true]").wait_for()
    page.locator("#summary [data-index]").first.click()
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    page.locator("#why").wait_for()


if __name__ == "__main__":
    main()
