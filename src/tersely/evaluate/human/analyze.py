"""Raters' answers become means, agreement and tests: the numbers of the paper's table of human evaluation."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from tersely.evaluate.human.agreement import krippendorff_alpha
from tersely.evaluate.human.answers import Key, Rating
from tersely.evaluate.human.compare import Points, document_differences, permutation_p, welch_p
from tersely.evaluate.human.questions import NAMES


@dataclass(frozen=True)
class Score:
    """What one system got on one question; no mean without a rating, no deviation without two."""

    system: str
    question: str
    ratings: int
    mean: float | None
    deviation: float | None


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha on one question, over the summaries that more than one rater rated."""

    question: str
    summaries: int
    ordinal: float | None
    interval: float | None


@dataclass(frozen=True)
class Comparison:
    """Two systems on one question: the first's mean less the second's, and how likely chance gives as much."""

    first: str
    second: str
    question: str
    difference: float | None
    documents: int
    permutation_p: float | None
    welch_p: float | None


@dataclass(frozen=True)
class Report:
    """All of it, with how many ratings there are of how many the form asks for."""

    form: str
    raters: tuple[int, ...]
    raters_expected: int
    ratings: int
    ratings_expected: int
    scores: tuple[Score, ...]
    agreement: tuple[Agreement, ...]
    comparisons: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return asdict(self)


def analyze(key: Key, ratings: Sequence[Rating], seed: int = 42) -> Report:
    """Unblind the ratings and sum them up; what is missing is left out and counted."""
    points = _points(key, ratings)
    raters = tuple(sorted({rating.rater for rating in ratings}))
    return Report(
        form=key.form,
        raters=raters,
        raters_expected=key.raters,
        ratings=len(ratings),
        ratings_expected=key.raters * len(key.summaries) * len(NAMES),
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


def _points(key: Key, ratings: Sequence[Rating]) -> defaultdict[tuple[str, str], dict[tuple[int, str], int]]:
    """Return (system, question) -> (rater, document) -> points; a shared summary counts for each system."""
    points: defaultdict[tuple[str, str], dict[tuple[int, str], int]] = defaultdict(dict)
    for rater, opaque, question, value in ratings:
        document, systems = key.summaries[opaque]
        for system in systems:
            points[system, question][rater, document] = value
    return points


def _score(system: str, question: str, values: list[int]) -> Score:
    mean = fmean(values) if values else None
    return Score(system, question, len(values), mean, stdev(values) if len(values) > 1 else None)


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
