import numpy as np
import pytest

from tersely.select import Problem
from tersely.select.ranked import Top


@pytest.mark.parametrize("k", range(5))
def test_top_takes_the_k_highest_values_if_sentences_are_counted(k: int) -> None:
    values = np.array([0.2, 0.9, 0.4, 0.6])
    chosen = Top()(Problem(values, np.ones(4, dtype=np.int64), k)).chosen
    assert chosen == tuple(sorted([1, 3, 2, 0][:k]))


def test_top_chooses_nothing_if_the_best_sentence_is_too_long() -> None:
    assert Top()(Problem(np.array([0.9, 0.5]), np.array([11, 1]), 10)).chosen == ()
