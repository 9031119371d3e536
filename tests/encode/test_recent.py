"""Remembered vectors."""

import numpy as np

from tersely.encode import Recent


class Counting:
    name = fingerprint = "counting"

    def __init__(self) -> None:
        self.calls = 0

    def encode(self, sentences):
        self.calls += 1
        return np.full((len(sentences), 2), self.calls, np.float32)


def test_the_last_documents_are_encoded_once_and_older_ones_again() -> None:
    inner = Counting()
    recent = Recent(inner, size=2)
    first = recent.encode(["a"])
    assert recent.encode(["a"]) is first
    recent.encode(["b"])
    recent.encode(["a"])  # now "b" is the oldest
    recent.encode(["c"])
    assert inner.calls == 3
    recent.encode(["b"])
    assert inner.calls == 4
    assert not first.flags.writeable
