"""How much each content term of a document matters."""

import numpy as np
from numpy.typing import NDArray

from tersely.text.document import Document


def term_weights(
    document: Document, decay: float = 1.0, once: float = 0.1, from_end: bool = False
) -> NDArray[np.float64]:
    """Return one weight a term: the sum of decay^j over the sentences j that have it.

    Sentences are counted from the beginning or from the end. A term of one sentence only says little about the
    document: its weight is multiplied by `once`.

    >>> document = Document.from_sentences(["Rain fell.", "Rain and snow."], "en")
    >>> document.terms.vocabulary, term_weights(document, decay=0.5, once=0.1).tolist()
    (('rain', 'fell', 'snow'), [1.5, 0.1, 0.05])
    """
    rows = document.terms.sentences
    count = len(document.terms.vocabulary)
    if not count:
        return np.zeros(0)
    terms = np.concatenate(rows)
    sentence = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    place = len(rows) - 1 - sentence if from_end else sentence
    weights = np.bincount(terms, decay ** place.astype(np.float64), minlength=count)
    return np.where(np.bincount(terms, minlength=count) == 1, weights * once, weights)
