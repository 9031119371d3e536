"""A teacher on words finds the bias of a corpus by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import UsageError
from tersely.learn.scorer.bias import halves
from tersely.learn.scorer.teacher import Teacher
from tersely.score import SCORERS
from tersely.text import Document


def test_a_teacher_that_needs_vectors_is_refused() -> None:
    with pytest.raises(UsageError, match="works on the words"):
        Teacher.load("textrank", "knapsack")


def lopsided(number: int, early: bool) -> Document:
    """A text that says at one end what it keeps coming back to, and at the other what nobody says again."""
    rng = np.random.default_rng(number)
    themes = [f"theme{number}{letter}" for letter in "abcdef"]
    dense = [" ".join(themes[:n]) + f" {rng.integers(1e6)}." for n in (6, 5, 4)]
    thin = [f"{themes[i % 3]} " + " ".join(f"w{rng.integers(1e9)}" for _ in range(5)) + "." for i in range(8)]
    sentences = dense + thin if early else thin + dense
    return Document.from_sentences(sentences, "en")


def test_the_bias_is_found_in_both_directions() -> None:
    teacher = Teacher.load("coverage", "coverage")
    early, late = (teacher.tuned([lopsided(number, early) for number in range(40)], 0.2) for early in (True, False))
    assert early.scorer.bias > 0.2
    assert late.scorer.bias < -0.2
    assert late.choose(lopsided(50, False), late.values(lopsided(50, False)), 60)[-1] == 10


def test_shuffled_texts_have_no_bias() -> None:
    rng = np.random.default_rng(0)
    shuffled = [
        Document.from_sentences(list(rng.permutation(lopsided(number, True).texts)), "en") for number in range(60)
    ]
    assert abs(halves(shuffled)) < 3
    assert Teacher.load("coverage", "coverage").tuned(shuffled[:1], 0.2).scorer.bias == 0


@given(st.lists(st.sampled_from(["Rain fell.", "Rain fell on the town.", "The town slept.", "!"]), max_size=6))
def test_texts_in_reverse_have_the_opposite_bias(sentences: list[str]) -> None:
    # A middle sentence belongs to one half in both directions; without one the halves change places.
    one, other = [*sentences, *sentences[::-1]], [*sentences, *sentences]
    documents = [Document.from_sentences(texts, "en") for texts in (one, other, [*one, *other])]
    backwards = [Document.from_sentences(list(d.texts)[::-1], "en") for d in documents]
    even = all(sum(map(len, d.texts[: len(d) // 2])) * 2 == sum(map(len, d.texts)) for d in documents)
    if even:
        assert halves(backwards) == pytest.approx(-halves(documents))


def test_only_coverage_is_tuned() -> None:
    with pytest.raises(UsageError, match="only the teacher 'coverage'"):
        Teacher.load("lead", "greedy").tuned([], 0.2)


def test_a_teacher_is_made_again_from_its_specs() -> None:
    teacher = Teacher.load("coverage", "coverage").tuned([lopsided(number, False) for number in range(40)], 0.2)
    assert Teacher.load(*teacher.specs) == teacher
    assert SCORERS.create(teacher.specs[0]).bias < 0
