"""The two predictive objectives, Rest-Ext and Ext-Doc, with their negative terms, and Ext-Doc in the space of words.

Every sentence that is masked becomes a vector of zeros, and the sequence keeps its length. With the straight-through
trick each mask is binary in the forward pass, and its gradient is that of the relaxed selection `soft`: for the
selected side as it is, for the negative side of 1 - soft, as a negative is what is not selected.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.rows import Rows, draw
from tersely.learn.scorer.config import Objective
from tersely.learn.scorer.network import Siamese
from tersely.learn.scorer.selection import Choice, rank, straight_through


class Cosines(NamedTuple):
    """How well the selected and the negative sentences predict and are predicted, [B] each."""

    rest_ext: Tensor
    rest_ext_negative: Tensor
    ext_doc: Tensor
    ext_doc_negative: Tensor
    selects: Tensor  # bool: whether anything is selected
    leaves: Tensor  # bool: whether anything is left that is not


def siamese_sum(cosines: Cosines, settings: Objective) -> Tensor:
    """Return lambda1 L_rest_ext + lambda2 L_ext_doc, each -positive + |negative|, of the documents that select some."""
    total = -(settings.rest_ext * cosines.rest_ext + settings.ext_doc * cosines.ext_doc) * cosines.selects
    if settings.negatives:
        negative = settings.rest_ext * cosines.rest_ext_negative.abs()
        negative = negative + settings.ext_doc * cosines.ext_doc_negative.abs()
        total = total + negative * (cosines.selects & cosines.leaves)
    return total.sum()


def bidirectional(
    siamese: Siamese,
    vectors: Tensor,  # [B, n, d], first level
    mask: Tensor,  # [B, n]
    choice: Choice,
    scores: Tensor,  # [B, n]
    settings: Objective,
    noise: torch.Generator | None,
    rows: Rows | None = None,
) -> Cosines:
    """Predict a selected sentence from the rest, and the document from the selected; the same for the negatives."""
    low = negatives(choice.hard, scores, mask)
    k, i = sample(choice.hard, noise, rows), sample(low, noise, rows)  # [B] each
    soft, not_soft = choice.soft, (1 - choice.soft) * mask
    kept = torch.stack(
        [
            1 - straight_through(F.one_hot(k, mask.shape[1]), soft),  # E': all but the sampled sentence
            straight_through(choice.hard, soft),  # E'': the selected
            1 - straight_through(F.one_hot(i, mask.shape[1]), not_soft),
            straight_through(low, not_soft),
        ]
    )  # [4, B, n]
    target = siamese.encode(vectors, mask)  # [B, n, d']
    if settings.detach_target:
        target = target.detach()
    selected, negative = siamese.encode((kept[..., None] * vectors).flatten(0, 1), mask.repeat(4, 1)).chunk(2)
    sentence, summary = siamese.predict(selected, mask.repeat(2, 1)).chunk(2)  # [B, n, d'] each
    # The negatives must not make the predictor worse: it is frozen for them, while the gradient passes through.
    low_sentence, low_summary = siamese.predict(negative, mask.repeat(2, 1), frozen=True).chunk(2)
    compared = k if settings.negative_target == "selected" else i
    document = mean(target, mask)
    return Cosines(
        rest_ext=F.cosine_similarity(at(sentence, k), at(target, k)),
        rest_ext_negative=F.cosine_similarity(at(low_sentence, i), at(target, compared)),
        ext_doc=F.cosine_similarity(mean(summary, mask), document),
        ext_doc_negative=F.cosine_similarity(mean(low_summary, mask), document),
        selects=choice.hard.any(1),
        leaves=low.any(1),
    )


def covered(kept: Tensor, says: Tensor, weights: Tensor) -> Tensor:
    """Return how much of a document the kept sentences say, of what its terms weigh, from 0 to 1, [B].

    From a kept sentence [B, n] a reader takes a term [B, n, t] in as surely as `says` has it; `weights` are [B, t].
    For sentences that are kept by chance, each by itself, it is what can be expected.
    """
    missed = (1 - kept[..., None] * says).prod(1)
    share: Tensor = (weights * (1 - missed)).sum(1) / weights.sum(1).clamp(min=1e-9)
    return share


def negatives(hard: Tensor, scores: Tensor, mask: Tensor) -> Tensor:
    """Return the unselected sentences of lowest score, as many as are selected or as there are, bool [B, n]."""
    unselected = mask & ~hard
    return unselected & (rank(-scores, unselected) < hard.sum(1, keepdim=True).clamp(min=1))


def sample(among: Tensor, noise: torch.Generator | None, rows: Rows | None = None) -> Tensor:
    """Draw one of the marked sentences of each document, [B]; the first without noise, or where none is marked."""
    if noise is None:
        return among.int().argmax(1)
    draws = draw(torch.rand, among.shape, noise, rows).to(among.device)
    return (draws * among).argmax(1)


def at(vectors: Tensor, index: Tensor) -> Tensor:
    """Return the vector [B, d] at one place of each document [B, n, d]."""
    return vectors[torch.arange(len(index)), index]


def mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over a document's sentences, [B, d]."""
    total = (vectors * mask[..., None]).sum(1)
    averaged: Tensor = total / mask.sum(1, keepdim=True).clamp(min=1)
    return averaged
