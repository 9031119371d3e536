"""Where a corpus says what matters: at the beginning, at the end, or anywhere; found in the texts alone."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from tersely.text import Document
from tersely.text.words import term_weights

# A difference between the halves that chance would hardly make: about one corpus in twenty has it.
_SURE = 2.0
# In texts of so many sentences the bias is 1; in longer ones it is flatter by the square of their length.
_SENTENCES, _STEEPEST = 18.0, 2.0
# A summary that takes so much of a text is without a bias: where a sentence stands says nothing then.
_MUCH = 0.6


def bias_of(documents: Sequence[Document], share: float) -> float:
    """Return the bias of a corpus, for coverage: positive to the beginning, negative to the end, 0 if it has none.

    `share` is how much of a text its summary will be. The more it is, the less it matters where a sentence stands: a
    bias for short summaries would spoil long ones.
    """
    t = halves(documents)
    if abs(t) < _SURE:
        return 0.0
    steep = min((_SENTENCES / float(np.mean([len(document) for document in documents]))) ** 2, _STEEPEST)
    steep *= max(1 - (share / _MUCH) ** 2, 0.0)
    return round(steep if t > 0 else -steep, 3)


def halves(documents: Sequence[Document]) -> float:
    """Return how much more of what it repeats a text says in its first half than in its second: Student's t.

    Each half is measured by the share it covers of the weight of all repeated terms. Texts whose sentences are
    shuffled have a t of about 0.
    """
    differences = [difference for document in documents if (difference := _difference(document)) is not None]
    if len(differences) < 2:
        return 0.0
    spread = float(np.std(differences, ddof=1)) / sqrt(len(differences))
    return float(np.mean(differences)) / spread if spread else 0.0


def _difference(document: Document) -> float | None:
    weights = term_weights(document.terms, once=0.0)
    total = float(weights.sum())
    if not total:
        return None
    chars = np.array([len(text) for text in document.texts])
    first = np.cumsum(chars) - chars / 2 < chars.sum() / 2
    rows = document.terms.sentences
    one, other = (
        np.unique(np.concatenate([row for row, inside in zip(rows, half, strict=True) if inside] or [rows[0][:0]]))
        for half in (first, ~first)
    )
    return float(weights[one].sum() - weights[other].sum()) / total
