"""The analysis of the human evaluation: means, agreement of the raters, and tests, as in Table 6.

Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, https://repository.upenn.edu/asc_papers/43
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isnan
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

from tersely.errors import MissingExtraError
from tersely.paper.human_answers import NAMES, FormKey, Rating

_NOTHING = "–"
_RESAMPLES = 9_999

Level = Literal["nominal", "ordinal", "interval"]
# (rater, document) -> points, for one system and one question.
Points = Mapping[tuple[int, str], int]


@dataclass(frozen=True)
class SystemRating:
    """One system on one question; the mean needs one rating, the deviation two."""

    system: str
    question: str
    ratings: int
    mean: float | None
    deviation: float | None


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha on one question, over the summaries that several raters rated."""

    question: str
    summaries: int
    ordinal: float | None
    interval: float | None


@dataclass(frozen=True)
class Comparison:
    """Two systems on one question: the difference of their means (first minus second), and two p-values."""

    first: str
    second: str
    question: str
    difference: float | None
    documents: int
    permutation_p: float | None
    welch_p: float | None


@dataclass(frozen=True)
class RatingReport:
    """Everything that the answers say, and how many of the expected ratings there are."""

    form: str
    raters: tuple[int, ...]
    raters_expected: int
    ratings: int
    ratings_expected: int
    scores: tuple[SystemRating, ...]
    agreement: tuple[Agreement, ...]
    comparisons: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return asdict(self)


def analyze(key: FormKey, ratings: Sequence[Rating], seed: int = 42) -> RatingReport:
    """Unblind the ratings and sum them up; missing ratings are left out."""
    points = _points(key, ratings)
    raters = tuple(sorted({rating.rater for rating in ratings}))
    return RatingReport(
        form=key.form,
        raters=raters,
        raters_expected=max(key.raters, len(raters)),
        ratings=len(ratings),
        ratings_expected=key.expected,
        scores=tuple(
            _score(system, question, list(points[system, question].values()))
            for system in key.systems
            for question in NAMES
        ),
        agreement=tuple(_agreement(question, ratings) for question in NAMES),
        comparisons=tuple(
            _comparison(first, second, question, points[first, question], points[second, question], seed)
            for first, second in combinations(key.systems, 2)
            for question in NAMES
        ),
    )


def _points(key: FormKey, ratings: Sequence[Rating]) -> defaultdict[tuple[str, str], dict[tuple[int, str], int]]:
    """Return (system, question) -> (rater, document) -> points; a shared summary counts for each of its systems."""
    points: defaultdict[tuple[str, str], dict[tuple[int, str], int]] = defaultdict(dict)
    for rater, opaque, question, value in ratings:
        document, systems = key.summaries[opaque]
        for system in systems:
            points[system, question][rater, document] = value
    return points


def _score(system: str, question: str, values: list[int]) -> SystemRating:
    mean = fmean(values) if values else None
    return SystemRating(system, question, len(values), mean, stdev(values) if len(values) > 1 else None)


def _agreement(question: str, ratings: Sequence[Rating]) -> Agreement:
    units: defaultdict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        if rating.question == question:
            units[rating.summary].append(rating.value)
    shared = [unit for unit in units.values() if len(unit) > 1]
    return Agreement(
        question, len(shared), krippendorff_alpha(shared, "ordinal"), krippendorff_alpha(shared, "interval")
    )


def _comparison(first: str, second: str, question: str, a: Points, b: Points, seed: int) -> Comparison:
    differences = document_differences(a, b)
    return Comparison(
        first,
        second,
        question,
        difference=fmean(a.values()) - fmean(b.values()) if a and b else None,
        documents=len(differences),
        permutation_p=permutation_p(differences, seed),
        welch_p=welch_p(list(a.values()), list(b.values())),
    )


def table(report: RatingReport) -> str:
    """Return the report for the terminal: points, agreement, differences."""
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
        parts.append(tests(report))
    return "\n\n".join(parts)


def tests(report: RatingReport) -> str:
    """Return the tests of all differences; Welch's is a two-sample test as the paper has it."""
    head = ["systems", "question", "difference", "paired p", "documents", "Welch p"]
    return (
        "Differences: paired permutation test over documents, and Welch's two-sample t-test\n"
        "(two-sided, not corrected for multiple tests)\n" + _lines([head, *map(_compared, report.comparisons)])
    )


def _mean(score: SystemRating) -> str:
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


def krippendorff_alpha(units: Sequence[Sequence[int]], level: Level) -> float | None:
    """Return alpha over units, each a list of ratings; None if the ratings do not differ or no unit has two.

    1 is perfect agreement, 0 is agreement by chance. Units with fewer than two ratings are ignored.

    >>> krippendorff_alpha([[1, 1], [5, 5], [3]], "ordinal")
    1.0
    """
    shared = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in shared for value in unit})
    if len(values) < 2:
        return None
    counts = np.array([[unit.count(value) for value in values] for unit in map(list, shared)], float)  # units × values
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    # How often two raters of one unit gave these two values; a rating is not paired with itself.
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))  # values × values
    totals = coincidences.sum(axis=0)
    distances = _distances(np.array(values, float), totals, level)
    observed = float((coincidences * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum()) / (float(totals.sum()) - 1)
    return 1 - observed / expected


def _distances(values: np.ndarray, totals: np.ndarray, level: Level) -> np.ndarray:
    if level == "nominal":
        return 1 - np.eye(len(values))
    # An ordinal value stands at the middle of its ranks, so that only order and frequency count.
    places = values if level == "interval" else np.cumsum(totals) - totals / 2
    result: np.ndarray = np.subtract.outer(places, places) ** 2
    return result


def document_differences(first: Points, second: Points) -> list[float]:
    """Return, per document, how much higher the raters rated the first system than the second.

    Only raters who rated both count. The raters of a document see the same two texts, so their differences are not
    independent: the document is the unit of the paired test.
    """
    of_document = defaultdict(list)
    for rated in sorted(first.keys() & second.keys()):
        of_document[rated[1]].append(first[rated] - second[rated])
    return [fmean(differences) for differences in of_document.values()]


def permutation_p(differences: Sequence[float], seed: int) -> float | None:
    """Return the two-sided p of a paired permutation test: exact for few documents, otherwise sampled with `seed`."""
    if len(differences) < 2:
        return None
    result = _stats().permutation_test(
        (np.array(differences),),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(seed),
        vectorized=True,
    )
    return float(result.pvalue)


def welch_p(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Return the two-sided p of Welch's two-sample t-test, or None where it is not defined."""
    if min(len(first), len(second)) < 2:
        return None
    spread = stdev(first), stdev(second)
    if not any(spread):
        return None
    result = _stats().ttest_ind_from_stats(
        fmean(first), spread[0], len(first), fmean(second), spread[1], len(second), equal_var=False
    )
    return None if isnan(result.pvalue) else float(result.pvalue)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError("comparing systems", "eval") from None
    return stats
