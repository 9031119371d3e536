"""Evaluation: read a dataset, run systems over it, measure and compare them, and have people rate summaries.

Here are the cells of its tables as aligned columns, Markdown or CSV, and the name of a budget in one of them.
"""

import csv
from collections.abc import Sequence
from io import StringIO

from tersely.options import Budget


def describe(budget: Budget) -> str:
    """Name a budget briefly.

    >>> describe(Budget(3, "sentences")), describe(Budget(0.2, "ratio"))
    ('3 sentences', 'ratio 0.2')
    """
    return f"ratio {budget.limit}" if budget.unit == "ratio" else f"{budget.limit} {budget.unit}"


def columns(cells: Sequence[tuple[str, ...]], names: int = 2, apart: bool = True) -> str:
    """Align the cells below their header; the first `names` columns are names.

    If `apart`, there is a blank line wherever the first name changes.
    """
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines, first = [], cells[0][0]
    for row in cells:
        if apart and row[0] != first:
            lines.append("")
            first = row[0]
        padded = [
            cell.ljust(w) if k < names else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown_table(cells: Sequence[tuple[str, ...]], names: int = 2) -> str:
    """Return the cells as a table in Markdown."""
    header, *rest = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([header, "|" + "---|" * names + "---:|" * (len(cells[0]) - names), *rest]) + "\n"


def csv_table(cells: Sequence[tuple[str, ...]]) -> str:
    """Return the cells as CSV."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue()
