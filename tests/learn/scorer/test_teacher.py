"""A teacher on words finds the bias of a corpus by itself."""

import numpy as np
import pytest

from tersely.errors import UsageError
from tersely.learn.scorer.teacher import Teacher, likeliest_decay
from tersely.text import Document


def test_a_teacher_that_needs_vectors_is_refused() -> None:
    with pytest.raises(UsageError, match="works on the words"):
        Teacher.load("textrank", "knapsack")


@pytest.mark.parametrize("decay", [-0.1, 0.0, 0.15, 0.6])
def test_the_decay_that_made_the_choices_is_found(decay: float) -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(5, 30, 3000)
    chosen = []
    for count in counts:
        likely = np.exp(-decay * np.minimum(np.arange(count), 15))
        chosen.append(tuple(rng.choice(count, 2, p=likely / likely.sum())))
    assert likeliest_decay(counts.tolist(), chosen) == pytest.approx(decay, abs=0.02)


def test_where_all_choose_alike_the_decay_stays_within_bounds() -> None:
    assert likeliest_decay([9, 9], [(0,), (0,)]) == 2.0
    assert likeliest_decay([9, 9], [(8,), (8,)]) == -1.0
    assert likeliest_decay([1], [(0,)]) == 0.0


def lopsided(number: int, early: bool) -> Document:
    """A text that says at one end what it keeps coming back to, and at the other what nobody says again."""
    rng = np.random.default_rng(number)
    themes = [f"theme{number}{letter}" for letter in "abcdef"]
    dense = [" ".join(themes) + f" {rng.integers(1e6)}." for _ in range(2)]
    thin = [f"{themes[i % 6]} " + " ".join(f"w{rng.integers(1e9)}" for _ in range(5)) + "." for i in range(8)]
    sentences = dense + thin if early else thin + dense
    return Document.from_sentences(sentences, "en")


def test_the_bias_is_found_in_both_directions() -> None:
    leads = []
    for early in (True, False):
        documents = [lopsided(number, early) for number in range(40)]
        tuned = Teacher.load("coverage", "coverage").tuned(documents, [100] * 40, rounds=4)
        leads.append(tuned.scorer.lead)
    assert leads[0] > 0.1
    assert leads[1] < -0.05


def test_only_a_teacher_with_a_lead_is_tuned() -> None:
    with pytest.raises(UsageError, match="setting 'lead'"):
        Teacher.load("lead", "greedy").tuned([], [], rounds=1)
