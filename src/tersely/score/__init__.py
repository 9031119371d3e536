"""Turns a document and its vectors into one value per sentence."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Matrix
from tersely.registry import Registry
from tersely.text.document import Document

Values = NDArray[np.float64]


class Scorer(Protocol):
    """Gives each sentence of a document a value; the higher, the more it belongs in a summary.

    `encoder` names the encoder for its vectors, unless the user chooses another; None means that it works on words
    and gets no vectors. `select` names the selector that suits its values.
    """

    encoder: ClassVar[str | None]
    select: ClassVar[str]

    def score(self, document: Document, vectors: Matrix) -> Values:
        """Return one value per sentence; `vectors` has one row per sentence, and no columns if `encoder` is None."""
        ...


# The second package has the scorers of other papers. It is named here and not imported: nothing below it needs it.
SCORERS: Registry[Scorer] = Registry("scorer", __name__, "tersely.paper.scorers")

__all__ = ["SCORERS", "Matrix", "Scorer", "Values"]
