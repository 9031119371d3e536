"""How well a network reads, measured on an editor's labels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.learn.editor_labels import UNKNOWN, Lesson
from tersely.read import NOISE, Network
from tersely.read.reader import ROLES, Outputs

Floats = NDArray[np.floating]

MEANING = {
    "noise": "average precision of noise",
    "need": "average precision of needs",
    "worth": "rank correlation of worth with the editor's, mean over documents",
    "first": "documents whose best sentence is the editor's first choice",
    "main": "documents whose best sentence says the main point",
    "cure": "needs whose most probable cure is one of the editor's",
}


def figures_of(network: Network, lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return the figures that `MEANING` explains, from 0 to 1; there must be lessons.

    Sentences without a label do not count, nor does a need that nothing in its document cures.
    """
    outputs = [network(lesson.tokens, lesson.terms, lesson.features) for lesson in lessons]
    pairs = list(zip(outputs, lessons, strict=True))
    roles, needs = (np.concatenate([getattr(lesson, name) for lesson in lessons]) for name in ("roles", "needs"))
    noise = np.concatenate([output.roles[:, NOISE] for output in outputs])
    need = np.concatenate([output.need for output in outputs])
    known, asked = roles != UNKNOWN, needs >= 0
    best = [(int(output.worth.argmax()), lesson) for output, lesson in pairs]
    return {
        "noise": average_precision(noise[known], roles[known] == NOISE),
        "need": average_precision(need[asked], needs[asked] > 0),
        "worth": _mean([rank_correlation(output.worth, lesson.worth) for output, lesson in pairs]),
        "first": _mean([float(i == lesson.choice.argmax()) for i, lesson in best if lesson.choice.any()]),
        "main": _mean([float(lesson.roles[i] == ROLES.index("main")) for i, lesson in best]),
        "cure": _mean([hit for output, lesson in pairs for hit in _cured(output, lesson)]),
    }


def _cured(output: Outputs, lesson: Lesson) -> list[float]:
    """Return for each need that has a cure whether it is found, 1 or 0."""
    wanted = [{cure for cure, _ in cures if cure >= 0} for cures in lesson.cures]
    return [float(cure in cures) for cure, cures in zip(output.cure.tolist(), wanted, strict=True) if cures]


def _mean(numbers: Sequence[float]) -> float:
    return float(np.mean(numbers)) if numbers else 0.0


def average_precision(chances: Floats, labels: NDArray[np.bool_]) -> float:
    """Return the mean precision at each label that is true, from the highest chance to the lowest.

    >>> average_precision(np.array([0.9, 0.8, 0.1]), np.array([True, False, True])).__round__(3)
    0.833
    """
    hits = labels[np.argsort(-chances, kind="stable")]
    precision = hits.cumsum() / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean()) if hits.any() else 0.0


def rank_correlation(values: Floats, others: Floats) -> float:
    """Return Spearman's correlation, from -1 to 1; it is 0 if all values are equal.

    >>> rank_correlation(np.array([1.0, 2.0, 5.0]), np.array([0.0, 3.0, 4.0])).__round__(3)
    1.0
    """
    left, right = (_centered_ranks(numbers) for numbers in (values, others))
    spread = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / spread if spread else 0.0


def _centered_ranks(values: Floats) -> NDArray[np.float64]:
    """Return ranks with mean 0; equal values share the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (count.cumsum() - (count + 1) / 2)[place]
    centered: NDArray[np.float64] = ranks - ranks.mean()
    return centered
