"""What each tuned number is worth: 25 % less, 25 % more, and 0, with the figures that it was chosen for.

Prints Markdown. The numbers of the choice are measured on the labels of `editor/dev.jsonl.gz` at 300 and 600
characters, those of answers on questions at a fifth of the text. Differences of two or three points are a few
documents: noise.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tersely.datasets import read
from tersely.errors import UsageError
from tersely.evaluate import queries
from tersely.evaluate.annotation import LabeledRecord, labeled_lines
from tersely.evaluate.readability import evaluate_reading
from tersely.options import Budget
from tersely.score.question import Answering

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
FACTORS = (0.75, 1.25, 0.0)
# Module, name, and key if the name is that of a table.
CHOICE = (
    ("tersely.candidates", "COHERENCE", "strict"),
    ("tersely.candidates", "_PRICE", None),
    ("tersely.candidates", "_NOISE", None),
)
QUESTIONS = ("en_hotpot", "en_xquad", "zh_xquad", "de_xquad")
MOST_QUESTIONS = 80  # of each file


def main() -> None:
    """Print both tables."""
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set TERSELY_DATA to a folder with editor/ and queries/")
    file = DATA / "editor" / "dev.jsonl.gz"
    items = labeled_lines(read(file, strict=True), "editor", file.name)[0]
    print("| number | value | as it is | 25 % less | 25 % more | 0 |\n|---|---|---|---|---|---|")
    base = reading(items)
    for module, name, key in CHOICE:
        table = getattr(import_module(module), name)
        value = table if key is None else table[key]
        cells = []
        for factor in FACTORS:
            with changed(module, name, key, value * factor):
                cells.append(reading(items))
        print(f"| {key or name.strip('_').lower()} | {value} | {base} | {' | '.join(cells)} |", flush=True)
    print("\nflawed, main point, choice, in %\n")
    print("| setting of answers | value | as it is | 25 % less | 25 % more | 0 |\n|---|---|---|---|---|---|")
    base = answers({})
    for field in fields(Answering):
        if isinstance(field.default, float):
            cells = [answers({field.name: field.default * factor}) for factor in FACTORS]
            print(f"| {field.name} | {field.default} | {base} | {' | '.join(cells)} |", flush=True)
    print(f"\nanswers kept in {', '.join(QUESTIONS)}; of the first, all facts, in %")


@contextmanager
def changed(module: str, name: str, key: str | None, value: float) -> Iterator[None]:
    """Let a module have another number."""
    if key is None:
        with patch(f"{module}.{name}", value):
            yield
    else:
        with patch.dict(getattr(import_module(module), name), {key: value}):
            yield


def reading(items: list[LabeledRecord]) -> str:
    """Return how the summaries of the default read: flawed, main point and choice at each budget."""
    results = evaluate_reading(items, ["editor"], workers=1)
    return "; ".join(" ".join(f"{r.percent(name):.1f}" for name in ("flawed", "main", "choice")) for r in results)


def answers(settings: dict[str, Any]) -> str:
    """Return the share of answers that is kept of each file, with other settings."""
    cells = []
    with patch.object(queries, "Answering", partial(Answering, **settings)):
        for name in QUESTIONS:
            questions = islice(queries.read_questions(DATA / "queries" / f"{name}.jsonl.gz"), MOST_QUESTIONS)
            try:
                [_, row] = queries.compare(questions, ["query"], [Budget(0.2, "ratio")])
            except UsageError:  # some settings must not be 0
                return "impossible"
            cells.append(row[4] if name == QUESTIONS[0] else row[3])
    return " ".join(cells)


if __name__ == "__main__":
    main()
