"""Krippendorff's alpha and the tests, against published numbers and definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.paper.human_analyze import (
    Level,
    document_differences,
    krippendorff_alpha,
    permutation_p,
    welch_p,
)

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
def test_alpha_equals_the_published_value(raters: list[str], level: Level, published: float) -> None:
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


def test_a_rater_who_rated_only_one_of_two_systems_is_left_out_of_the_paired_test() -> None:
    first = {(1, "d1"): 5, (2, "d1"): 4, (1, "d2"): 3}
    second = {(1, "d1"): 2, (2, "d1"): 3, (2, "d2"): 3}
    assert document_differences(first, second) == [2.0]


def test_the_permutation_test_is_exact_on_few_documents() -> None:
    # Of the 2^5 ways to give the signs, all plus and all minus are as extreme as what was seen.
    assert permutation_p([1, 2, 1, 3, 2], seed=1) == pytest.approx(2 / 32)
    assert permutation_p([1, -1, 2, -2], seed=1) == 1
    assert permutation_p([1], seed=1) is None


def test_the_permutation_test_is_repeatable_on_many_documents() -> None:
    differences = [(-1) ** at * (at % 4) + 0.3 for at in range(60)]
    p = permutation_p(differences, seed=1)
    assert p is not None
    assert 0 < p < 1
    assert permutation_p(differences, seed=1) == p


def test_welch_gives_the_textbook_value() -> None:
    # Student's sleep data (1908), as R gives it: t.test(extra ~ group), p-value = 0.07939; times ten to be whole.
    first = [7, -16, -2, -12, -1, 34, 37, 8, 0, 20]
    second = [19, 8, 11, 1, -1, 44, 55, 16, 46, 34]
    assert welch_p(first, second) == pytest.approx(0.07939, abs=5e-6)


@pytest.mark.parametrize(("first", "second"), [([3], [4, 5]), ([], []), ([3, 3], [4, 4])])
def test_welch_is_none_where_it_is_not_defined(first: list[int], second: list[int]) -> None:
    assert welch_p(first, second) is None
