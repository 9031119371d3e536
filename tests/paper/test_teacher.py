"""The teacher finds the position bias of a corpus by itself."""

import numpy as np
import pytest

from tersely.errors import UsageError
from tersely.learn.bias import halves
from tersely.paper.batches import Teacher
from tersely.score import SCORERS
from tersely.text import Document

from ..learn.test_bias import lopsided


def test_a_teacher_that_needs_vectors_is_refused() -> None:
    with pytest.raises(UsageError, match="works on words"):
        Teacher.load("textrank", "knapsack")


def test_a_bias_to_the_beginning_or_the_end_is_found() -> None:
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


def test_only_coverage_can_be_tuned() -> None:
    with pytest.raises(UsageError, match="only the teacher 'coverage'"):
        Teacher.load("lead", "greedy").tuned([], 0.2)


def test_a_teacher_can_be_created_again_from_its_specs() -> None:
    teacher = Teacher.load("coverage", "coverage").tuned([lopsided(number, False) for number in range(40)], 0.2)
    assert Teacher.load(*teacher.specs) == teacher
    assert SCORERS.create(teacher.specs[0]).bias < 0
