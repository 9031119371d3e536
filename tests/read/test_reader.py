"""The reader: any text, in any order, gives a whole reading, and the same one each time."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import texts
from tersely.read import Reading, read, read_together
from tersely.read.features import feature_names
from tersely.read.reader import BODY, CAUSES, FEATURES, NOISES, ROLES, WINDOW, shared_windows, windows
from tersely.read.tokens import Extents
from tersely.text import Document
from tersely.text.sources import Collection

NEWS = "The mayor of Ghent resigned on Monday. But he gave no reason for it. The council meets on Friday."


def assert_whole(reading: Reading, count: int) -> None:
    """Check what must be true of the reading of any text."""
    assert {len(part) for part in vars(reading).values()} == {count}
    if not count:
        return
    assert reading.worth.sum() == pytest.approx(1, abs=1e-5 * count)
    assert (reading.worth >= 0).all()
    for chances in (reading.noise, reading.needs, reading.certainty):
        assert ((chances >= 0) & (chances <= 1)).all()
    assert set(reading.roles) <= set(ROLES)
    assert set(reading.causes) <= set(CAUSES)
    assert set(reading.kinds) <= set(NOISES)
    assert_no_circle(reading.cures)


def assert_no_circle(cures: tuple[int, ...]) -> None:
    assert all(-1 <= cure < len(cures) and cure != i for i, cure in enumerate(cures))
    safe: set[int] = {-1}
    for start in range(len(cures)):
        path, at = [], start
        while at not in safe:
            assert at not in path[-1000:]
            path.append(at)
            at = cures[at]
        safe.update(path)


def same(reading: Reading, other: Reading) -> bool:
    return all(np.array_equal(part, vars(other)[name]) for name, part in vars(reading).items())


@given(texts)
def test_any_text_is_read(text: str) -> None:
    document = Document.from_text(text)
    assert_whole(read(document), len(document))


@given(st.lists(texts, max_size=4), texts)
def test_a_reading_does_not_depend_on_what_was_read_before(others: list[str], text: str) -> None:
    first = read(Document.from_text(text))
    for other in others:
        read(Document.from_text(other))
    assert same(first, read(Document.from_text(text)))


@given(st.lists(st.tuples(texts, st.sampled_from(["en", "zh", "de", "other"])), max_size=6))
@example(
    [(NEWS, "en"), ("Rain.", "en"), ("", "en"), ("今天下雨。他走了。", "zh"), ("Ann: Hi. Yes.\nBob: No. So?", "en")]
)
@example([(NEWS * 30, "en"), (NEWS, "en"), ('He said: "Rain', "en"), ('fell." It did.', "en")])
def test_documents_that_are_read_together_read_like_each_alone(pairs: list[tuple[str, Any]]) -> None:
    alone, together = ([Document.from_text(text, language) for text, language in pairs] for _ in range(2))
    for document, reading in zip(alone, read_together(together), strict=True):
        expected = read(document)
        assert_whole(reading, len(document))
        for name in ("worth", "noise", "needs", "certainty"):
            assert vars(reading)[name] == pytest.approx(vars(expected)[name], abs=3e-5)


def test_small_documents_share_a_window_and_no_needs() -> None:
    documents = [Document.from_text(NEWS) for _ in range(30)]
    readings = read_together(documents)
    assert len(shared_windows(Extents.of([3] * 30))) == 2
    assert {reading.cures for reading in readings} == {read(Document.from_text(NEWS)).cures}


@given(st.lists(st.integers(1, 200), min_size=1, max_size=30))
def test_shared_windows_cover_all_sentences_once(sizes: list[int]) -> None:
    shared = shared_windows(Extents.of(sizes))
    assert [i for spans in shared for first, end in spans for i in range(first, end)] == list(range(sum(sizes)))
    assert max(spans[-1][1] - spans[0][0] for spans in shared) <= WINDOW


def test_a_document_is_read_once() -> None:
    document = Document.from_text(NEWS)
    assert read(document) is read(document)


def test_a_long_text_is_read_in_little_memory() -> None:
    sentences = [f"The river rose by {i} meters, and the town of Ghent was under water again." for i in range(5000)]
    document = Document.from_sentences(sentences, "en")
    assert len(document.tokens.words)
    read(Document.from_text(NEWS))  # what is kept for all texts
    tracemalloc.start()
    try:
        read(document)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2500 * len(sentences)


@given(st.integers(1, 3000))
def test_windows_cover_all_sentences_once(count: int) -> None:
    parts = windows(count)
    assert [i for first, end in parts for i in range(first, end)] == list(range(count))
    sizes = [end - first for first, end in parts]
    assert max(sizes) <= WINDOW
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == -(-count // WINDOW)


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        "😀😀😀 🎉! 😀? 🏳️‍🌈.",
        "ꦱꦸꦒꦼꦁ ꦫꦮꦸꦃ. ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ. Qapla' batlh je.",
        "_ _ _\n\n***\n\n...",
        "雨が降った。川が増えた。町は水に浸かった。",
        "\u202eabc. \ud800x. \x00.",
    ],
)
def test_a_strange_text_is_read(text: str) -> None:
    document = Document.from_text(text)
    assert len(document)
    assert_whole(read(document), len(document))


def test_nothing_is_read_as_nothing() -> None:
    assert_whole(read(Document.from_text("")), 0)
    assert_whole(read(Collection.gather([])), 0)


def test_ten_thousand_short_sentences_are_read() -> None:
    document = Document.from_sentences([f"Fish {i % 97} swims." for i in range(10_000)], "en")
    reading = read(document)
    assert_whole(reading, 10_000)
    parts = windows(10_000)
    for first, end in (parts[0], parts[70], parts[-1]):  # a cure is in the same window
        assert all(first <= cure < end for cure in reading.cures[first:end] if cure >= 0)


def test_sources_are_read_each_by_itself() -> None:
    other = "Rain fell on the town. It fell all day."
    together = read(Collection.gather([NEWS, "", other]))
    first, second = (read(Document.from_text(text)) for text in (NEWS, other))
    count = len(first.cures)
    assert_whole(together, count + len(second.cures))
    assert together.cures[:count] == first.cures
    assert together.cures[count:] == tuple(cure + count if cure >= 0 else cure for cure in second.cures)
    np.testing.assert_array_equal(together.needs, np.concatenate([first.needs, second.needs]))


def test_the_network_and_the_features_agree() -> None:
    assert len(feature_names()) == FEATURES
    assert feature_names()[BODY] == "body"
