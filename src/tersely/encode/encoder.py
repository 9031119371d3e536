"""What an encoder is."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


@runtime_checkable
class Encoder(Protocol):
    """Turns the sentences of one document into one float32 matrix, a row a sentence."""

    @property
    def name(self) -> str:
        """The name a user chose it by."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would: a hash of weights and settings."""
        ...

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row a sentence."""
        ...
