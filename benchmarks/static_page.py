"""Builds the page without a server: its files, and the answers about its examples, computed now."""

import argparse
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from tersely import summarize
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
    parser.add_argument("--lines", action="store_true", help="only print how many lines a browser would have to run")
    args = parser.parse_args()
    if args.lines:
        print(lines_run())
        return
    build(args.out, args.docs)
    print(args.out / "index.html")


def lines_run() -> str:
    """Count the lines of the package that run for an English, a Chinese and a spoken text once it is loaded."""
    package, files = str(PAGE.parents[1]), Counter[str]()
    seen: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(package):
            return None
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    spoken = (
        "Anna: Hi, did you get the tickets?\nBen: Yes. They cost 40 euros.\nAnna: When do we leave?\nBen: At eight."
    )
    sys.settrace(trace)
    for text in (*((ROOT / "examples" / name).read_text("utf-8") for name in ("harbor.txt", "古城.txt")), spoken):
        summarize(text, max_chars=200)
    sys.settrace(None)
    files.update(file for file, _ in seen)
    return f"{len(seen):,} lines in {len(files)} modules"


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
