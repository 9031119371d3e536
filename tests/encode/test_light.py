import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.encode import load_encoder
from tersely.encode.light import COLUMNS, Pieces, TfIdf
from tersely.errors import UsageError

anything = st.text(st.characters(exclude_categories=()), max_size=60)


@given(st.lists(anything, max_size=12), st.sampled_from(["smooth", "pacsum"]), st.booleans())
def test_any_text_gives_a_finite_matrix(sentences, idf, normalize):
    rows = TfIdf(idf, normalize).encode(sentences)
    assert rows.dtype == np.float32
    assert len(rows) == len(sentences)
    assert rows.shape[1] >= 1
    assert np.isfinite(rows).all()
    if normalize:
        norms = np.linalg.norm(rows, axis=1)
        assert ((np.abs(norms - 1) < 1e-6) | (norms == 0)).all()


def test_smooth_weights_follow_the_formula():
    rows = TfIdf(normalize=False).encode(["Rain fell.", "Rain and rain.", "Snow!"])
    common, rare = np.log(4 / 3) + 1, np.log(4 / 2) + 1
    np.testing.assert_allclose(rows, [[common, rare, 0], [2 * common, 0, 0], [0, 0, rare]], rtol=1e-6)


def test_products_of_pacsum_rows_are_the_edges_of_pacsum():
    rows = load_encoder("tfidf:idf=pacsum,normalize=false").encode(["Rain fell.", "Rain and rain.", "Snow!"])
    rain = np.log(3 - 2 + 0.5) - np.log(2 + 0.5)
    assert rain < 0
    edges = rows @ rows.T
    np.testing.assert_allclose(edges[0, 1], 1 * 2 * rain**2, rtol=1e-5)
    assert edges[0, 2] == 0


def test_chinese_is_weighted_by_bigrams():
    near, far = (
        TfIdf().encode(["今天天气很好。", "今天天气不好。", "他买了一本书。"])[0]
        @ TfIdf().encode(["今天天气很好。", "今天天气不好。", "他买了一本书。"])[1:].T
    )
    assert near > 0.3
    assert far == 0


def many_words(count):
    return [" ".join(f"word{i}x" for i in range(start, start + 10)) for start in range(0, count, 10)]


def test_many_words_share_the_columns_and_keep_their_products():
    sentences = many_words(6000)
    rows = TfIdf().encode([*sentences, sentences[0]])
    assert rows.shape == (601, COLUMNS)
    products = rows @ rows.T
    np.testing.assert_allclose(products[0, -1], 1, atol=1e-6)
    # Collisions are rare and of either sign, so they do not make everything similar.
    others = products[:-1, :-1][~np.eye(600, dtype=bool)]
    assert abs(others.mean()) < 1e-3
    assert np.abs(others).max() < 0.5


def test_columns_are_the_same_in_another_process():
    code = (
        "from zlib import crc32; from tersely.encode.light import TfIdf;"
        "s = [' '.join(f'word{i}x' for i in range(a, a + 10)) for a in range(0, 6000, 10)];"
        "print(crc32(TfIdf().encode(s).tobytes()))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_the_fingerprint_follows_the_settings():
    assert len({TfIdf(idf, n).fingerprint for idf in ("smooth", "pacsum") for n in (True, False)}) == 4
    assert TfIdf().fingerprint == TfIdf().fingerprint


def test_an_unknown_idf_suggests_the_closest():
    with pytest.raises(UsageError, match="did you mean 'smooth'"):
        TfIdf(idf="smoth")
    with pytest.raises(UsageError, match="choose from smooth, pacsum"):
        load_encoder("tfidf:idf=none")


def test_endless_words_are_not_remembered():
    table = Pieces()
    once = table.nearness("harbor", ["a" * 5000 + " harbor", "river"])
    assert max(map(len, table._pieces)) < 100
    assert table.nearness("harbor", ["a" * 5000 + " harbor", "river"]).tolist() == once.tolist()
