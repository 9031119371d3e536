"""Results as tables: for the terminal, as Markdown, CSV and JSON."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from typing import Any

from tersely.budget import Budget
from tersely.evaluate.rouge import MEASURES
from tersely.evaluate.run import Result
from tersely.evaluate.significance import Difference, interval, paired_bootstrap
from tersely.evaluate.tokens import Tokenization

SHORT = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}
HEADER = ("budget", "system", *SHORT.values(), "Δ R-1 (95 %)", "p", "length (sd)", "fill", "over", "repeated")


def describe(budget: Budget) -> str:
    """Name a budget in a few letters.

    >>> describe(Budget(3, "sentences")), describe(Budget(0.2, "ratio"))
    ('3 sentences', 'ratio 0.2')
    """
    return f"ratio {budget.limit}" if budget.unit == "ratio" else f"{budget.limit} {budget.unit}"


def settings(tokenization: Tokenization, documents: int, baseline: str) -> str:
    """Return the line that stands under every table."""
    return (
        f"{documents} documents. ROUGE F1 x 100; {tokenization}; R-L on the summary as one line, R-Lsum sentence by "
        f"sentence (the papers' ROUGE-L). Δ and p: against {baseline} on the same documents, paired bootstrap, "
        "10,000 draws, seed 42. Length in characters, fill: part of the budget used, over: summaries over budget, "
        "repeated: % of bigrams said twice."
    )


def rows(results: Sequence[Result], baseline: str) -> list[tuple[str, ...]]:
    """Return the cells of the table, a row a result."""
    return [_row(result, _compare(result, results, baseline)) for result in results]


def _compare(result: Result, results: Sequence[Result], baseline: str, measure: str = "rouge1") -> Difference | None:
    base = next(r for r in results if r.system == baseline and r.budget == result.budget)
    return None if base is result else paired_bootstrap(result.f1(measure), base.f1(measure))


def _row(result: Result, difference: Difference | None) -> tuple[str, ...]:
    delta = f"{difference.mean:+.2f} ({difference.low:+.2f}, {difference.high:+.2f})" if difference else ""
    return (
        describe(result.budget),
        result.system,
        *(f"{result.mean(measure):.2f}" for measure in MEASURES),
        delta,
        f"{difference.p:.4f}" if difference else "",
        f"{result.lengths.mean():.0f} ({result.lengths.std():.0f})",
        f"{result.fill:.0%}",
        str(result.violations),
        f"{result.redundancy:.1f}",
    )


def terminal(results: Sequence[Result], baseline: str) -> str:
    """Return the table in columns, the budgets apart."""
    cells = [HEADER, *rows(results, baseline)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEADER))]
    lines, budget = [], HEADER[0]
    for row in cells:
        if row[0] != budget:
            lines.append("")
            budget = row[0]
        padded = [
            cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown(results: Sequence[Result], baseline: str) -> str:
    """Return the table as Markdown."""
    lines = ["| " + " | ".join(HEADER) + " |", "|---|---|" + "---:|" * (len(HEADER) - 2)]
    lines += ["| " + " | ".join(row) + " |" for row in rows(results, baseline)]
    return "\n".join(lines) + "\n"


def as_csv(results: Sequence[Result], baseline: str) -> str:
    """Return the table as CSV."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows(results, baseline)])
    return text.getvalue()


def as_json(results: Sequence[Result], baseline: str, tokenization: Tokenization) -> str:
    """Return everything: means of all parts of all measures, intervals, differences, and each document's scores."""
    data = {
        "settings": settings(tokenization, len(results[0].outcomes), baseline),
        "results": [_data(result, results, baseline) for result in results],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _data(result: Result, results: Sequence[Result], baseline: str) -> dict[str, Any]:
    scores = {}
    for measure in MEASURES:
        low, high = interval(result.f1(measure))
        difference = _compare(result, results, baseline, measure)
        scores[measure] = {
            **{part: round(result.mean(measure, part), 4) for part in ("precision", "recall", "f1")},
            "interval": [round(low, 4), round(high, 4)],
            "difference": difference._asdict() if difference else None,
            "documents": [round(score, 4) for score in result.f1(measure).tolist()],
        }
    return {
        "system": result.system,
        "budget": {"limit": result.budget.limit, "unit": result.budget.unit},
        "scores": scores,
        "length": {"mean": result.lengths.mean(), "sd": result.lengths.std()},
        "fill": result.fill,
        "violations": result.violations,
        "redundancy": result.redundancy,
        "positions": result.positions(),
    }
