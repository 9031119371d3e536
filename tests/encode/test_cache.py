"""Vectors are computed once, even if the process that computes them is killed."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tersely.encode import Cache
from tersely.encode.light import TfIdf
from tersely.errors import InputError, ModelError, UsageError


class Counting:
    """An encoder that counts its calls."""

    name = "counting"

    def __init__(self, fingerprint: str = "counting-1", scale: float = 1.0) -> None:
        self.fingerprint, self.scale, self.calls = fingerprint, scale, 0

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return self.scale * np.array([[len(s) / 3, len(s) ** 0.5, 1.0] for s in sentences], np.float32).reshape(-1, 3)


def test_a_document_is_encoded_once(tmp_path: Path) -> None:
    encoder = Counting()
    one, two = ["a", "bcd"], ["bcd"]
    cache = Cache(tmp_path, encoder, "float32")
    np.testing.assert_array_equal(cache.encode(one), Counting().encode(one))
    cache.encode(two)
    again = Cache(tmp_path, encoder, "float32")
    assert len(again) == 2
    assert one in again
    np.testing.assert_array_equal(again.encode(one), Counting().encode(one))
    np.testing.assert_array_equal(again.encode(two), Counting().encode(two))
    assert encoder.calls == 2


def test_half_precision_vectors_are_the_same_fresh_and_cached(tmp_path: Path) -> None:
    fresh = Cache(tmp_path, Counting()).encode(["a", "bcd"])
    kept = Cache(tmp_path, Counting()).encode(["a", "bcd"])
    assert fresh.dtype == np.float32
    np.testing.assert_array_equal(fresh, kept)
    np.testing.assert_allclose(fresh, Counting().encode(["a", "bcd"]), rtol=1e-3)


def test_another_encoder_or_precision_has_its_own_cache(tmp_path: Path) -> None:
    Cache(tmp_path, Counting()).encode(["a"])
    assert len(Cache(tmp_path, Counting("counting-2"))) == 0
    assert len(Cache(tmp_path, Counting(), "float32")) == 0
    assert Cache(tmp_path, Counting()).fingerprint != Cache(tmp_path, Counting(), "float32").fingerprint


def test_where_sentences_end_is_part_of_the_key(tmp_path: Path) -> None:
    cache = Cache(tmp_path, Counting())
    cache.encode(["ab", "c"])
    assert ["a", "bc"] not in cache
    assert ["abc"] not in cache


def test_a_torn_end_is_cut_and_rewritten(tmp_path: Path) -> None:
    documents = [["a"], ["b", "cc"], ["ddd"]]
    cache = Cache(tmp_path, Counting(), "float32")
    for document in documents:
        cache.encode(document)
    folder = next(tmp_path.iterdir())
    index, vectors = (folder / "index").read_bytes(), (folder / "vectors").read_bytes()
    for lost in range(len(index) + 1):
        (folder / "index").write_bytes(index[: len(index) - lost])
        (folder / "vectors").write_bytes(vectors + b"half a row")
        found = Cache(tmp_path, Counting(), "float32")
        for document in documents:
            np.testing.assert_array_equal(found.encode(document), Counting().encode(document))
        assert len(Cache(tmp_path, Counting(), "float32")) == 3


def test_an_entry_without_its_vectors_is_ignored(tmp_path: Path) -> None:
    cache = Cache(tmp_path, Counting(), "float32")
    cache.encode(["a"])
    cache.encode(["bb"])
    file = next(tmp_path.iterdir()) / "vectors"
    file.write_bytes(file.read_bytes()[:-1])
    found = Cache(tmp_path, Counting(), "float32")
    assert len(found) == 1
    found.encode(["ccc"])
    again = Cache(tmp_path, Counting(), "float32")
    assert ["bb"] not in again
    np.testing.assert_array_equal(again.encode(["bb"]), Counting().encode(["bb"]))
    np.testing.assert_array_equal(again.encode(["ccc"]), Counting().encode(["ccc"]))


SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from tersely.encode import Cache
class Encoder:
    name, fingerprint = "slow", "slow-1"
    def encode(self, sentences):
        return np.full((len(sentences), 8), len(sentences[0]), np.float32)
cache = Cache(Path(sys.argv[1]), Encoder())
for number in range(1, 100000):
    cache.encode(["x" * number] * (number % 5 + 1))
    print(number, flush=True)
"""


def test_kill_9_leaves_a_valid_prefix(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"50\n":
            pass
        process.kill()  # anywhere in its work, which does not end before
    assert process.returncode == -signal.SIGKILL

    class Refusing:
        name, fingerprint = "slow", "slow-1"

        def encode(self, sentences: Sequence[str]) -> np.ndarray:
            raise AssertionError(f"{len(sentences[0])} is not kept")

    cache = Cache(tmp_path, Refusing())
    assert len(cache) >= 50
    for number in range(1, 51):
        assert (cache.encode(["x" * number] * (number % 5 + 1)) == number).all()


def test_two_processes_may_share_a_folder(tmp_path: Path) -> None:
    one, two = Cache(tmp_path, Counting(), "float32"), Cache(tmp_path, Counting(), "float32")
    one.encode(["a"])
    two.encode(["bb"])
    one.encode(["ccc"])
    for cache in (one, two, Cache(tmp_path, Counting(), "float32")):
        for text in ("a", "bb", "ccc"):
            np.testing.assert_array_equal(cache.encode([text]), Counting().encode([text]))


def test_vectors_that_cannot_be_stored_are_reported(tmp_path: Path) -> None:
    cache = Cache(tmp_path, TfIdf())
    cache.encode(["Rain fell.", "Snow fell."])
    with pytest.raises(InputError, match="choose an encoder with fixed columns"):
        cache.encode(["Only sun."])
    with pytest.raises(UsageError, match="choose float32"):
        Cache(tmp_path, Counting(scale=1e6)).encode(["a"])
    with pytest.raises(UsageError, match="precision 'float8'"):
        Cache(tmp_path, Counting(), "float8")
    folder = tmp_path / Cache(tmp_path, Counting("other")).fingerprint
    folder.mkdir()
    (folder / "index").write_bytes(b"something else entirely")
    (folder / "vectors").write_bytes(b"")
    with pytest.raises(ModelError, match="not a vector cache"):
        Cache(tmp_path, Counting("other"))


def test_no_sentences_give_no_rows(tmp_path: Path) -> None:
    assert Cache(tmp_path, Counting()).encode([]).shape == (0, 3)
