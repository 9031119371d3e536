"""Turns a document and its vectors into one value per sentence."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Matrix
from tersely.settings import Registry
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


# The scorers of other papers are in a package above this one. It is named here, and imported only to make one.
SCORERS: Registry[Scorer] = Registry(
    "scorer",
    {
        "bertsum": "tersely.paper.scorers.bertsum:BertSum",
        "centroid": "tersely.score.graph:Centroid",
        "coverage": "tersely.score.simple:Coverage",
        "editor": "tersely.score.learned:Editor",
        "far": "tersely.score.graph:Far",
        "lead": "tersely.score.simple:Lead",
        "learned": "tersely.score.learned:Learned",
        "lexrank": "tersely.score.graph:LexRank",
        "pacsum": "tersely.score.graph:PacSum",
        "pmi": "tersely.paper.scorers.pmi:Pmi",
        "random": "tersely.score.simple:Random",
        "stas": "tersely.paper.scorers.stas:Stas",
        "textrank": "tersely.score.graph:TextRank",
    },
)

__all__ = ["SCORERS", "Matrix", "Scorer", "Values"]
