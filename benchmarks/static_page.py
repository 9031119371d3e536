"""Builds the page without a server: its files, and the answers about its examples, computed now."""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from tersely.models import DEFAULT
from tersely.serve import schema, site
from tersely.serve.desk import Desk
from tersely.serve.problems import Reply

ROOT = Path(__file__).parents[1]
PAGE = Path(site.__file__).parent / "page"
UNITS = ("chars", "words", "sentences", "bytes")
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
HEAD = f"""<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="answers" content="static/answers.json">
<title>"""


def main() -> None:
    """Build the page into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site" / "page")
    parser.add_argument("--docs", default="../service.html", help="where the link to the interface leads")
    args = parser.parse_args()
    build(args.out, args.docs)
    print(args.out / "index.html")


def build(out: Path, docs: str) -> None:
    """Write the page, its files and the answers."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(PAGE, out / "static")
    html = (out / "static" / "index.html").rename(out / "index.html")
    html.write_text(_alone(html.read_text(encoding="utf-8"), docs), encoding="utf-8")
    desk = Desk((DEFAULT,))
    answers = [_answer(desk, request) for file in sorted(PAGE.glob("*.txt")) for request in requests(file)]
    (out / "static" / "answers.json").write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")


def _alone(html: str, docs: str) -> str:
    return html.replace("<title>", HEAD, 1).replace('href="docs"', f'href="{docs}"', 1)


def requests(file: Path) -> list[dict[str, Any]]:
    """Return what the page asks about an example: all budgets in each unit, growing freely and steadily.

    In an example with several texts, "? " comes before the question and "# " before the name of each text.
    """
    opening, *parts = ("\n" + file.read_text(encoding="utf-8")).split("\n# ")
    about: dict[str, Any] = {"text": opening[1:]}
    if parts:
        texts = [part.partition("\n") for part in parts]
        about = {
            "text": [{"id": name, "text": text.strip()} for name, _, text in texts],
            "query": opening.strip().removeprefix("? "),
        }
    return [about | {"unit": unit} | mode for unit in UNITS for mode in ({}, {"nested": True})]


def _answer(desk: Desk, request: dict[str, Any]) -> dict[str, Any]:
    reply = desk(("frontier", schema.FrontierBody.model_validate(request).request()))
    assert isinstance(reply, Reply), reply
    return {"request": request, "answer": json.loads(reply.body)}


if __name__ == "__main__":
    main()
