"""Batches are padded, and follow from the seed and the step."""

from dataclasses import replace

import numpy as np

from tersely.learn.corpus import Corpus
from tersely.paper.batches import Documents, Order, Teacher
from tersely.paper.config import ScorerConfig
from tersely.paper.train_scorer import make_documents
from tersely.score.classic import Coverage
from tersely.score.learned import features
from tersely.text import Document

from .conftest import Hashing


def test_every_document_comes_once_per_round_in_an_order_that_depends_only_on_the_step(config: ScorerConfig) -> None:
    order = Order.of(range(24), config)
    rounds = [[number for step in range(3 * r, 3 * r + 3) for number in order.at(step)[0]] for r in range(2)]
    assert sorted(rounds[0]) == sorted(rounds[1]) == list(range(24))
    assert rounds[0] != rounds[1]
    assert order.at(5) == Order.of(range(24), config).at(5)
    assert order.documents_of(2) == [*order.at(0)[0], *order.at(1)[0]]
    assert order.documents_of(3) == order.documents_of(9) == range(24)
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


def test_shuffled_sentences_keep_what_they_count_in_the_text_as_it_was(corpus: Corpus) -> None:
    parts = corpus.documents, Hashing(), ("position", "words"), Teacher.load("coverage", "coverage"), (), Coverage(0.9)
    count = len(corpus.documents[0])
    order = np.random.default_rng(1).permutation(count)
    plain = Documents(*parts).batch([0, 1], [90, 90])
    mixed = Documents(*parts, orders={0: order}).batch([0, 1], [90, 90])
    for name in ("vectors", "chars", "lengths", "target", "says"):
        was, now = getattr(plain, name), getattr(mixed, name)
        np.testing.assert_array_equal(now[0, :count], was[0, order], err_msg=name)
        np.testing.assert_array_equal(now[1], was[1], err_msg=name)
    shuffled = Document.from_sentences([corpus.documents[0].texts[i] for i in order], corpus.documents[0].language)
    np.testing.assert_array_equal(mixed.features[0, :count], features(shuffled, ("position", "words")))


def test_only_documents_to_train_on_are_shuffled_and_the_seed_says_which(config: ScorerConfig, corpus: Corpus) -> None:
    learning = Order.of(range(20), config)
    orders = []
    for share, seed in ((0.5, 1), (0.5, 1), (0.5, 2), (0.0, 1), (1.0, 1)):
        data, training = replace(config.data, shuffled=share), replace(config.training, seed=seed)
        changed = replace(config, data=data, training=training)
        found = make_documents(changed, corpus, Hashing(), learning).orders
        orders.append({number: order.tolist() for number, order in found.items()})
    assert orders[0] == orders[1] != orders[2]
    assert 0 < len(orders[0]) < 20
    assert orders[3] == {}
    assert list(orders[4]) == list(range(20))
    assert all(sorted(order) == list(range(len(corpus.documents[number]))) for number, order in orders[4].items())
