"""Each scorer is checked against its known preferences and a direct computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import threadpool_limits

from tersely.errors import InputError
from tersely.score import SCORERS
from tersely.score.classic import cosines, directed_centrality, page_rank
from tersely.text import Document

WORDLESS = np.empty((3, 0), np.float32)


def document(*sentences: str) -> Document:
    return Document.from_sentences(sentences)


vectors = arrays(np.float32, st.tuples(st.integers(1, 8), st.just(4)), elements=st.floats(-1, 1, width=32))


@pytest.mark.parametrize("name", sorted({*SCORERS.names()} - {"bertsum", "learned", "stas"}))
@given(rows=vectors)
def test_values_are_finite_repeatable_and_one_per_sentence(name: str, rows: np.ndarray) -> None:
    scorer = SCORERS.create(name)
    text = document(*(f"Sentence {i} on rain." for i in range(len(rows))))
    given_rows = rows if scorer.encoder else np.empty((len(rows), 0), np.float32)
    one, two = (scorer.score(text, given_rows) for _ in range(2))
    assert one.shape == (len(rows),)
    assert np.isfinite(one).all()
    np.testing.assert_array_equal(one, two)


def test_lead_values_fall_strictly_however_long_the_text() -> None:
    values = SCORERS.create("lead").score(document(*["x"] * 5000), WORDLESS)
    assert (np.diff(values) < 0).all()
    assert (values > 0).all()


def test_random_depends_only_on_the_seed_and_the_text() -> None:
    text = document("a", "b", "c")
    one = SCORERS.create("random").score(text, WORDLESS)
    assert not np.array_equal(one, SCORERS.create("random:seed=7").score(text, WORDLESS))
    assert not np.array_equal(one, SCORERS.create("random").score(document("a", "b", "d"), WORDLESS))


def test_page_rank_is_the_dominant_eigenvector() -> None:
    weights = np.random.default_rng(1).random((6, 6)).astype(np.float32)
    np.fill_diagonal(weights, 0)
    step = 0.85 * weights / weights.sum(axis=1, keepdims=True) + 0.15 / 6
    values, left = np.linalg.eig(step.T)
    expected = np.abs(left[:, values.real.argmax()].real)
    np.testing.assert_allclose(page_rank(weights, 0.85), expected / expected.sum(), atol=1e-5)


def test_page_rank_without_edges_is_uniform() -> None:
    np.testing.assert_allclose(page_rank(np.zeros((4, 4), np.float32), 0.85), 0.25)


CENTRAL = np.array([[0.64, -0.77], [1, 0], [0.64, 0.77], [-1, 0]], np.float32)


@pytest.mark.parametrize("name", ["textrank", "centroid", "lexrank:threshold=0.5"])
def test_centrality_prefers_the_sentence_near_the_others(name: str) -> None:
    values = SCORERS.create(name).score(document("a", "b", "c", "d"), CENTRAL)
    assert values.argmax() == 1


def test_degree_centrality_is_the_sum_of_similarities_to_all_others() -> None:
    values = SCORERS.create("textrank:centrality=degree").score(document("a", "b", "c", "d"), CENTRAL)
    sums = cosines(CENTRAL).sum(axis=1) - 1
    np.testing.assert_allclose(values, sums - sums.min(), atol=1e-5)


def test_directed_centrality_is_pacsums_double_sum() -> None:
    similarity = cosines(CENTRAL)
    low, high, beta = similarity.min(), similarity.max(), 0.3
    excess = np.maximum(similarity - (low + beta * (high - low)), 0)
    earlier = [sum(excess[i, j] for j in range(i)) for i in range(4)]
    later = [sum(excess[i, j] for j in range(i + 1, 4)) for i in range(4)]
    found = directed_centrality(similarity, beta)
    np.testing.assert_allclose(found[0], earlier, atol=1e-6)
    np.testing.assert_allclose(found[1], later, atol=1e-6)


def test_pacsum_prefers_the_earlier_of_equals_and_is_never_negative() -> None:
    values = SCORERS.create("pacsum").score(document("a", "b", "c"), np.ones((3, 4), np.float32))
    assert (values >= 0).all()
    rows = np.array([[1, 0], [0.9, 0.1], [0, 1]], np.float32)
    assert SCORERS.create("pacsum").score(document("a", "b", "c"), rows).argmax() == 0


def test_far_prefers_sentences_near_the_whole_document() -> None:
    rows = np.array([[1, 0], [0.8, 0.6], [0.7, 0.7], [0.6, 0.8]], np.float32)
    text = document("a", "b", "c", "d")
    assert SCORERS.create("far:alpha=0").score(text, rows).argmax() == 0
    assert SCORERS.create("far:alpha=9").score(text, rows).argmax() == 1


def test_coverage_prefers_repeated_content_and_early_sentences() -> None:
    scorer = SCORERS.create("coverage:bias=0")
    text = document("Nothing of note.", "The storm hit the harbor.", "The storm left the harbor in ruins.")
    values = scorer.score(text, WORDLESS)
    assert values.argmin() == 0
    early = SCORERS.create("coverage:bias=2").score(text, WORDLESS)
    assert early[1] > early[2]


def test_coverage_reads_chinese_by_character_pairs() -> None:
    text = document("今天下雨。", "洪水淹没了港口。", "港口的洪水正在退去。")
    values = SCORERS.create("coverage:bias=0").score(text, WORDLESS)
    assert values.argmin() == 0


@pytest.mark.parametrize("name", ["textrank", "lexrank", "pacsum", "far"])
def test_too_many_sentences_to_compare_are_refused_before_any_memory_is_taken(name: str) -> None:
    rows = np.ones((100_000, 1), np.float32)
    with pytest.raises(InputError, match=r"100,000 sentences, .* at most 20,000; split the text, or choose another"):
        SCORERS.create(name).score(document("a"), rows)


@pytest.mark.parametrize("name", ["textrank", "lexrank", "pacsum", "far"])
def test_scores_do_not_depend_on_the_number_of_threads(name: str) -> None:
    rows = np.random.default_rng(2).normal(size=(300, 512)).astype(np.float32)
    texts = document(*map(str, range(300)))
    with threadpool_limits(1, user_api="blas"):
        one = SCORERS.create(name).score(texts, rows)
    with threadpool_limits(4, user_api="blas"):
        assert (SCORERS.create(name).score(texts, rows) == one).all()


@pytest.mark.parametrize("name", ["textrank", "pacsum", "far"])
def test_the_last_digits_of_a_sum_do_not_change_the_ranking(name: str) -> None:
    """Another processor gives vectors and sums that differ by this much."""
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(6, 32)).astype(np.float32)
    rows = np.concatenate([rows, rows[::-1]])  # every sentence twice: only rounding keeps such ties
    texts = document(*map(str, range(12)))
    first = SCORERS.create(name).score(texts, rows)
    for _ in range(20):
        other = SCORERS.create(name).score(texts, rows * (1 + draw.normal(size=rows.shape) * 1e-8).astype(np.float32))
        assert (np.argsort(-other, kind="stable") == np.argsort(-first, kind="stable")).all()
        np.testing.assert_allclose(other, first, rtol=1e-5, atol=1e-5)
