"""Krippendorff's alpha against numbers that others have published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.evaluate.human.agreement import Level, krippendorff_alpha

# Krippendorff (2011), section C: four observers, twelve units, missing data; a dot is no answer.
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
# Wikipedia, "Krippendorff's alpha": three coders, fifteen units.
WIKIPEDIA = [
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
]

units = st.lists(st.lists(st.integers(1, 5), max_size=5), max_size=12)


def by_unit(raters: list[str]) -> list[list[int]]:
    return [[int(v) for v in unit if v != "."] for unit in zip(*map(str.split, raters), strict=True)]


@pytest.mark.parametrize(
    ("raters", "level", "published"),
    [
        (KRIPPENDORFF, "nominal", 0.743),
        (KRIPPENDORFF, "ordinal", 0.815),
        (KRIPPENDORFF, "interval", 0.849),
        (WIKIPEDIA, "nominal", 0.691),
        (WIKIPEDIA, "interval", 0.811),
    ],
)
def test_alpha_is_the_published_one(raters: list[str], level: Level, published: float) -> None:
    assert krippendorff_alpha(by_unit(raters), level) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("units", [[], [[3]], [[3, 3], [3, 3, 3]], [[1], [5]]])
def test_without_shared_units_or_differing_values_there_is_no_alpha(units: list[list[int]]) -> None:
    assert krippendorff_alpha(units, "ordinal") is None


@given(units, st.sampled_from(["ordinal", "interval"]))
def test_alpha_is_at_most_one_and_the_same_from_either_end_of_the_scale(units: list[list[int]], level: Level) -> None:
    alpha = krippendorff_alpha(units, level)
    turned = krippendorff_alpha([[6 - value for value in unit] for unit in units], level)
    assert turned == (None if alpha is None else pytest.approx(alpha, abs=1e-9))
    assert alpha is None or alpha <= 1
