"""The network that is trained and the one that reads say the same, and figures tell how well it agrees."""

from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from learn.editors import SHAPE, unlabeled
from strategies import prose
from tersely.learn.editor_labels import Lesson
from tersely.learn.editor_network import EditorNetwork, batch_of
from tersely.learn.editor_run import average_precision, figures_of, rank_correlation, stored, weights_file
from tersely.read import Network
from tersely.read.features import feature_names
from tersely.read.reader import CAUSES, NOISES, ROLES, Outputs
from tersely.read.tokens import Floats, Tokens, TokenTerms
from tersely.text import Document


@pytest.fixture(scope="module")
def random_network() -> EditorNetwork:
    """A network in which no weight is 0, so that each of them counts."""
    torch.manual_seed(5)
    network = EditorNetwork(SHAPE, len(feature_names()), dropout=0.3)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.3 * torch.randn_like(weight)
        network.update_averages(0, 0.0)
        network.mean += 0.2
        network.deviation *= 1.5
    return network.eval()


def assert_alike(network: EditorNetwork, documents: list[Document]) -> None:
    """Read documents by PyTorch, all in one batch, and one by one by NumPy."""
    with torch.no_grad():
        heads, pointer = network(batch_of(list(map(unlabeled, documents)), network.shape))
    reader, done = Network(network.arrays()), 0
    for lesson in map(unlabeled, documents):
        count = len(lesson.document)
        parts = heads[done : done + count].split([len(ROLES), 1, 1, len(CAUSES), len(NOISES), 1], 1)
        outputs = reader(lesson.tokens, lesson.terms, lesson.features)
        chances = pointer[done : done + count].softmax(1)[:, :-1]
        expected = [
            (outputs.roles, parts[0].softmax(1)),
            (outputs.worth, parts[1][:, 0]),
            (outputs.need, parts[2][:, 0].sigmoid()),
            (outputs.causes, parts[3].softmax(1)),
            (outputs.noises, parts[4].softmax(1)),
            (outputs.certainty, chances.max(1).values),
        ]
        for ours, theirs in expected:
            np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5, rtol=1e-5)
        done += count


@settings(max_examples=30, deadline=None)
@given(prose, prose)
def test_both_networks_say_the_same(random_network: EditorNetwork, text: str, other: str) -> None:
    documents = [document for document in map(Document.from_text, (text, other)) if len(document)]
    if documents:
        assert_alike(random_network, documents)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 150])
def test_both_networks_say_the_same_of_long_texts(random_network: EditorNetwork, count: int) -> None:
    texts = [f"The {('river', 'town', 'mayor')[i % 3]} of {i % 7} rose {i * i} times." for i in range(count)]
    long = Document.from_sentences(texts, "en")
    assert len(long) == count
    assert_alike(random_network, [long, Document.from_text("One fish. Two fish.")])


def test_the_file_of_weights_has_no_time_and_is_read_as_it_was_measured(random_network: EditorNetwork) -> None:
    written = weights_file(random_network)
    with ZipFile(BytesIO(written)) as packed:
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(BytesIO(written)) as arrays:
        read_again = {name: arrays[name].astype(np.float32) for name in arrays.files}
    assert Network(read_again).fingerprint == Network(stored(random_network)).fingerprint


class Agreeing(Network):
    """Says of lessons what the editor says."""

    lessons: list[Lesson]

    def __call__(self, tokens: Tokens, terms: TokenTerms, features: Floats) -> Outputs:
        lesson = next(lesson for lesson in self.lessons if lesson.features is features)
        outputs = super().__call__(tokens, terms, features)
        cures = np.array([cures[0][0] if cures else 0 for cures in lesson.cures])
        roles = np.eye(len(ROLES), dtype=np.float32)[lesson.roles]
        return outputs._replace(roles=roles, worth=lesson.worth, need=lesson.needs, cure=cures)


def test_figures_are_1_for_a_reader_that_agrees(lessons: list[Lesson], random_network: EditorNetwork) -> None:
    reader = Agreeing(random_network.arrays())
    object.__setattr__(reader, "lessons", lessons)
    figures = figures_of(reader, lessons)
    assert figures == pytest.approx(dict.fromkeys(figures, 1.0))
    assert min(figures_of(Network(random_network.arrays()), lessons).values()) < 0.9


def test_average_precision_and_rank_correlation() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.6])
    assert average_precision(chances, np.array([False, True, False, True])) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert average_precision(chances, np.zeros(4, bool)) == 0
    assert rank_correlation(chances, -chances) == pytest.approx(-1)
    assert rank_correlation(chances, np.ones(4)) == 0
    assert rank_correlation(np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 3, 4])) == pytest.approx(0.9486833)
