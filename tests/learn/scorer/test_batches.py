"""Batches are padded, and follow from the seed and the step."""

import numpy as np

from tersely.learn.corpus import Corpus
from tersely.learn.scorer.batches import Documents, Order, Teacher
from tersely.learn.scorer.config import ScorerConfig

from .conftest import Hashing


def test_every_document_comes_once_per_round_in_an_order_that_depends_only_on_the_step(config: ScorerConfig) -> None:
    order = Order.of(range(24), config)
    rounds = [[number for step in range(3 * r, 3 * r + 3) for number in order.at(step)[0]] for r in range(2)]
    assert sorted(rounds[0]) == sorted(rounds[1]) == list(range(24))
    assert rounds[0] != rounds[1]
    assert order.at(5) == Order.of(range(24), config).at(5)
    assert all(60 <= budget <= 120 for budget in order.at(1)[1])
    assert [number for numbers, _ in order.fixed() for number in numbers] == list(range(24))


def test_a_batch_is_padded_and_its_target_fits(corpus: Corpus) -> None:
    documents = Documents(corpus.documents, Hashing(), ("position", "length"), Teacher.load("coverage", "coverage"))
    batch = documents.batch([0, 1, 2], [60, 90, 120])
    for row in range(3):
        count = len(corpus.documents[row])
        assert batch.mask[row].tolist() == [i < count for i in range(batch.mask.shape[1])]
        np.testing.assert_array_equal(batch.vectors[row, :count], Hashing().encode(corpus.documents[row].texts))
        assert not batch.vectors[row, count:].any()
        assert batch.target[row].any()
        assert (batch.lengths[row] * batch.target[row]).sum() <= batch.capacities[row]
    assert batch.features.shape[2] == 5
