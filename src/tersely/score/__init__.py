"""Turns a document and its vectors into one value per sentence."""

from typing import ClassVar, NamedTuple, Protocol

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


class Answer(NamedTuple):
    """What each sentence is worth as part of an answer, and the chance, from 0 to 1, that the text answers at all.

    The chance is meant for as many questions with an answer as without. If it is too small, nothing in the text
    `answers`.
    """

    values: Values
    confidence: float
    answers: bool


# The scorers of other papers are in a package above this one. It is named here, and imported only to make one.
SCORERS: Registry[Scorer] = Registry(
    "scorer",
    {
        "bertsum": "tersely.paper.scorers:BertSum",
        "centroid": "tersely.score.classic:Centroid",
        "coverage": "tersely.score.classic:Coverage",
        "editor": "tersely.score.learned:Editor",
        "far": "tersely.score.classic:Far",
        "lead": "tersely.score.classic:Lead",
        "learned": "tersely.score.learned:Learned",
        "lexrank": "tersely.score.classic:LexRank",
        "pacsum": "tersely.score.classic:PacSum",
        "pmi": "tersely.paper.scorers.pmi:Pmi",
        "random": "tersely.score.classic:Random",
        "stas": "tersely.paper.scorers:Stas",
        "textrank": "tersely.score.classic:TextRank",
    },
)

__all__ = ["SCORERS", "Answer", "Matrix", "Scorer", "Values"]
