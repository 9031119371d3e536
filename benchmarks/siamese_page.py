"""The table of benchmarks/siamese.py, from its rows, between two marks in docs/siamese.md."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from siamese_rows import CONTROLLED, NEAREST, ROWS, SEEDS

BEGIN, END = "<!-- grid: written by benchmarks/siamese.py -->", "<!-- end of grid -->"
Line = dict[str, Any]
SELECTORS = ("consensus", "coverage")  # the first one is gone, and its figures are those of versions that had it


def write_page(out: Path, rows: Path) -> None:
    """Write the tables of all languages that have rows; the rest of the page stays."""
    parts = [part for file in sorted(rows.glob("siamese-*.jsonl")) for part in section(file)]
    parts += [part for file in sorted(rows.glob("siamese-*.json")) for part in whole_documents(file)]
    text = out.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit(f"{out} has no '{BEGIN}' and '{END}' to write between")
    out.write_text("\n".join([before + BEGIN, "", *parts, "", END + after]), encoding="utf-8")


def section(file: Path) -> Iterator[str]:
    """Yield the table of one language."""
    lines: list[Line] = [json.loads(line) for line in file.read_text().splitlines()]
    budgets = list(lines[0]["budgets"])
    yield f"**{'Chinese' if file.stem.endswith('-zh') else 'English'}**\n"
    yield (
        f"| | seeds | R-1 by seed | its course, from step {_course(lines)[0]} to {_course(lines)[-1]} | shuffled "
        f"| {' / '.join(budgets)} characters | places 1 to 9, later, % | Rest-Ext + / − | Ext-Doc + / − |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in ROWS:
        own = [line for line in lines if line["row"] == row.name]
        if own:
            yield table_row(row.title + ("" if row.paper else " °"), own, budgets)


def table_row(title: str, own: Sequence[Line], budgets: Sequence[str]) -> str:
    """Return one row of the table: all seeds of a setting."""
    ends = [line["trajectory"][-1] for line in own]
    course = np.array([[point["r1"] for point in line["trajectory"]] for line in own])
    places = np.sum([line["places"] for line in own], axis=0)
    within = " / ".join(f"{np.mean([line['budgets'][limit] for line in own]):.1f}" for limit in budgets)
    cells = [
        title,
        ", ".join(str(line["seed"]) for line in own),
        ", ".join(f"{end['r1']:.1f}" for end in ends),
        " · ".join(f"{low:.0f}–{high:.0f}" for low, high in zip(course.min(0), course.max(0), strict=True)),
        ", ".join(f"{end['shuffled']:.1f}" for end in ends),
        within,
        " ".join(f"{share:.0f}" for share in 100 * places / places.sum()),
        *(_cosines(ends, term) for term in ("rest_ext", "ext_doc")),
    ]
    return f"| {' | '.join(cells)} |"


def whole_documents(file: Path) -> Iterator[str]:
    """Yield for each dev set what length control in training adds, and what the nearest rows reach."""
    titles = {row.name: _title(row.name) for row in ROWS}
    for dev, both in json.loads(file.read_text()).items():
        limits = [limit for limit in both["marks"]["lead"] if limit != "sentences"]
        yield f"\n| {dev}: R-1 less that without length control | seeds | {' | '.join(limits)} |"
        yield "|---|---|" + "---|" * len(limits)
        for name in (name for name in CONTROLLED if name in both.get("gains", {})):
            gain = both["gains"][name]
            cells = (f"{gain[limit][0]:+.2f} ({gain[limit][1]:+.2f}, {gain[limit][2]:+.2f})" for limit in limits)
            yield f"| {titles[name]} | {len(gain['seeds'])} | {' | '.join(cells)} |"
        for selector in SELECTORS:
            if selector in both:
                yield from _nearest(dev, both, selector, ("sentences", *limits))


def _nearest(dev: str, both: dict[str, Any], selector: str, keys: Sequence[str]) -> Iterator[str]:
    """Yield what the nearest rows and the shipped model reach with a selector."""
    yield f"\n| {dev}: whole documents, `{selector}` | seed | {' | '.join(keys)} | shuffled |"
    yield "|---|---|" + "---|" * (len(keys) + 1)
    shipped = {"42": both["shipped"]} if selector == "consensus" and "shipped" in both else {}
    rows = {_title(name): both[selector].get(name, {}) for name in NEAREST}
    for title, near in {**rows, "**the shipped model**": both[selector].get("shipped", shipped)}.items():
        for seed in (str(seed) for seed in SEEDS if str(seed) in near):
            cells = (f"{near[seed][key]:.2f}" for key in (*keys, "shuffled"))
            yield f"| {title} | {seed} | {' | '.join(cells)} |"
    for name in ("lead", "lead+top"):
        cells = (f"{value:.2f}" for value in (*(both["marks"][name][key] for key in keys), both["marks"]["random"]))
        yield f"| `{name}`; shuffled: random sentences | | {' | '.join(cells)} |"


def _title(name: str) -> str:
    """Return the title of a row; for "the same" that of the row above it that says what."""
    titles = [row.title for row in ROWS]
    at = next(i for i, row in enumerate(ROWS) if row.name == name)
    whole = next(title for title in titles[at::-1] if not title.startswith("the same"))
    return titles[at].replace("the same", whole)


def _cosines(ends: Sequence[Line], term: str) -> str:
    if term not in ends[0]:
        return ""
    both = (", ".join(f"{end[name]:.2f}" for end in ends) for name in (term, f"{term}_negative"))
    return " / ".join(both)


def _course(lines: Sequence[Line]) -> list[int]:
    return [point["step"] for point in lines[0]["trajectory"]]
