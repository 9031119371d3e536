"""What a scorer is."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Matrix
from tersely.text import Document

Values = NDArray[np.float64]


class Scorer(Protocol):
    """Gives each sentence of a document a value; the higher, the more it belongs in a summary.

    `encoder` names the encoder whose vectors it works on unless the user chooses another; None means that it
    works on the words and gets no vectors. `select` names the selector its values are made for.
    """

    encoder: ClassVar[str | None]
    select: ClassVar[str]

    def score(self, document: Document, vectors: Matrix) -> Values:
        """Return one value a sentence; `vectors` has one row a sentence, and no columns where encoder is None."""
        ...
