"""A report as a table for the terminal."""

from collections.abc import Iterable, Sequence

from tersely.evaluate.human.analyze import Comparison, Report, Score
from tersely.evaluate.human.questions import NAMES

_NOTHING = "–"


def table(report: Report) -> str:
    """Return the report's three parts, each a small table."""
    systems = list(dict.fromkeys(score.system for score in report.scores))
    scores = [[system, *(_mean(score) for score in report.scores if score.system == system)] for system in systems]
    agreement = [
        ["ordinal", *(_number(part.ordinal, ".3f") for part in report.agreement)],
        ["interval", *(_number(part.interval, ".3f") for part in report.agreement)],
        ["summaries rated by several", *(str(part.summaries) for part in report.agreement)],
    ]
    parts = [
        f"{len(report.raters)} of {report.raters_expected} raters, "
        f"{report.ratings} of {report.ratings_expected} ratings (form {report.form})",
        "Points from 1 to 5: mean ± standard deviation (ratings)\n" + _lines([["system", *NAMES], *scores]),
        "Agreement of the raters: Krippendorff's alpha\n" + _lines([["", *NAMES], *agreement]),
    ]
    if report.comparisons:
        head = ["systems", "question", "difference", "paired p", "documents", "Welch p"]
        rows = [head, *map(_compared, report.comparisons)]
        parts.append(
            "Differences: paired permutation test over documents, and Welch's two-sample t-test\n"
            "(two-sided, not corrected for their number)\n" + _lines(rows)
        )
    return "\n\n".join(parts)


def _mean(score: Score) -> str:
    return f"{_number(score.mean, '.3f')} ± {_number(score.deviation, '.2f')} ({score.ratings})"


def _compared(part: Comparison) -> list[str]:
    return [
        f"{part.first} − {part.second}",
        part.question,
        _number(part.difference, "+.3f"),
        _number(part.permutation_p, ".4f"),
        str(part.documents),
        _number(part.welch_p, ".4f"),
    ]


def _number(value: float | None, form: str) -> str:
    return _NOTHING if value is None else format(value, form)


def _lines(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Iterable[str], widths: Iterable[int]) -> str:
    return "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
