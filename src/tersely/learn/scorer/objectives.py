"""The losses of one batch: the paper's two predictive objectives, Ext-Doc in words, imitation and supervision.

For Rest-Ext and Ext-Doc a masked sentence becomes a vector of zeros, and the sequence keeps its length. By the
straight-through trick each mask is binary in the forward pass and has the gradient of the relaxed selection `soft`: on
the selected side the gradient of soft, on the negative side that of 1 - soft, as a negative is what is not selected.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.perturbed import SharedRows, draw, perturbed_fenchel_young
from tersely.learn.scorer.batches import DocumentBatch
from tersely.learn.scorer.config import Objective, ScorerConfig, TrainingSelection
from tersely.learn.scorer.networks import ScorerModel, ScoringNetwork, Siamese
from tersely.learn.scorer.selection import (
    Choice,
    Scores,
    Select,
    exact,
    gumbel_top_k,
    profits,
    rank,
    straight_through,
)


class BatchLoss(NamedTuple):
    """The loss of a batch, as sums over its documents, and the means of what else was measured, by name."""

    siamese: Tensor
    selecting: Tensor  # how many documents select something: the siamese term is the mean over these
    others: Tensor
    documents: int
    figures: dict[str, float]

    @property
    def loss(self) -> Tensor:
        """The loss of these documents."""
        return self.part(self.selecting, self.documents)

    def part(self, selecting: Tensor, documents: int) -> Tensor:
        """Return what these documents add to the loss of a batch with these counts."""
        return self.siamese / selecting.clamp(min=1) + self.others / documents


def score(scorer: ScoringNetwork, batch: DocumentBatch) -> Scores:
    """Run the scorer on a batch."""
    scores = scorer(batch.vectors, batch.features, batch.mask)
    values = scorer.values(scores, batch.chars, batch.coverage)
    return Scores(scores, values, batch.lengths, batch.capacities, batch.mask, batch.rows)


def forward(
    model: ScorerModel,
    batch: DocumentBatch,
    config: ScorerConfig,
    select: Select,
    sampling: torch.Generator,
    noisy: bool = True,
) -> BatchLoss:
    """Return the loss of a batch. `sampling` draws everything random; without `noisy` the scores get no noise.

    Watch whether `rest_ext` and `rest_ext_negative` part, not only the loss: if both rise, only position was learned.
    """
    given = score(model.scorer, batch)
    settings, noise = config.objective, sampling if noisy else None
    siamese = selecting = others = torch.zeros((), device=batch.mask.device)
    figures: dict[str, Tensor] = {}
    choice = select(given, noise) if model.siamese is not None or settings.words else None
    if model.siamese is not None and choice is not None:
        cosines = bidirectional(
            model.siamese, batch.vectors, batch.mask, choice, given.scores.detach(), settings, sampling, batch.rows
        )
        siamese, selecting = siamese_sum(cosines, settings), cosines.selects.sum()
        figures |= {name: getattr(cosines, name) for name in cosines._fields}
    if choice is not None and settings.words:
        figures["words"] = covered(straight_through(choice.hard, choice.soft), batch.says, batch.weights)
        others = others - settings.words * figures["words"].sum()
    if settings.imitation:
        figures["imitation"] = imitation(given, batch, config.selection, select, noise)
        others = others + settings.imitation * figures["imitation"].sum()
    if settings.supervised:
        figures["cross_entropy"] = cross_entropy(given.scores, batch)
        others = others + settings.supervised * figures["cross_entropy"].sum()
    means = {name: float(tensor.detach().float().mean()) for name, tensor in figures.items()}
    return BatchLoss(siamese, selecting, others, len(batch.mask), means)


def imitation(
    given: Scores, batch: DocumentBatch, settings: TrainingSelection, select: Select, noise: torch.Generator | None
) -> Tensor:
    """Return the distance of each document's selection from the teacher's choice, [B], as a loss through the selection.

    It is the Fenchel-Young loss for the exact knapsack, and the cross-entropy of the probabilities for a knapsack
    network. Without length control it is the cross-entropy of the scores, as if the choice were labels.
    """
    if settings.kind == "perturbed":
        return perturbed_fenchel_young(
            profits(given),
            *(batch.lengths, batch.capacities, batch.mask, batch.target),
            samples=settings.samples,
            sigma=settings.sigma,
            seed=0 if noise is None else noise,
            rows=batch.rows,
        )
    if settings.kind == "network":
        return cross_entropy(torch.logit(select(given, noise).soft, eps=1e-5), batch)
    return cross_entropy(given.scores, batch)


def cross_entropy(logits: Tensor, batch: DocumentBatch) -> Tensor:
    """Return the mean cross-entropy of the targets over each document's sentences, [B]."""
    wrong = F.binary_cross_entropy_with_logits(logits, batch.target.float(), reduction="none") * batch.mask
    return wrong.sum(1) / batch.mask.sum(1)


def choose(scorer: ScoringNetwork, batch: DocumentBatch, config: ScorerConfig) -> Tensor:
    """Return what inference would select, bool [B, n]: the best few, or the exact knapsack's choice."""
    given = score(scorer, batch)
    if config.selection.kind != "gumbel":
        return exact(given)
    return gumbel_top_k(given, config.selection.count, 1.0, "softmax", None).hard


class Cosines(NamedTuple):
    """How well the selected and the negative sentences predict and are predicted, [B] each."""

    rest_ext: Tensor
    rest_ext_negative: Tensor
    ext_doc: Tensor
    ext_doc_negative: Tensor
    selects: Tensor  # bool: whether anything is selected
    leaves: Tensor  # bool: whether anything is left unselected


def siamese_sum(cosines: Cosines, settings: Objective) -> Tensor:
    """Return lambda1 L_rest_ext + lambda2 L_ext_doc, each -positive + |negative|, summed over documents that select."""
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
    rows: SharedRows | None = None,
) -> Cosines:
    """Predict a selected sentence from the rest, and the document from the selection; then the same for negatives."""
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
    # The negatives must not make the predictor worse: it is frozen for them, but passes the gradient on.
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
    """Return the share, from 0 to 1, of the weight of a document's terms that the kept sentences say, [B].

    A reader of a kept sentence [B, n] takes in a term with the probability `says` [B, n, t]; `weights` are [B, t]. If
    sentences are kept at random, independently of each other, this is the expected share.
    """
    missed = (1 - kept[..., None] * says).prod(1)
    share: Tensor = (weights * (1 - missed)).sum(1) / weights.sum(1).clamp(min=1e-9)
    return share


def negatives(hard: Tensor, scores: Tensor, mask: Tensor) -> Tensor:
    """Return the lowest-scored unselected sentences, as many as are selected or as there are, bool [B, n]."""
    unselected = mask & ~hard
    return unselected & (rank(-scores, unselected) < hard.sum(1, keepdim=True).clamp(min=1))


def sample(among: Tensor, noise: torch.Generator | None, rows: SharedRows | None = None) -> Tensor:
    """Draw one marked sentence of each document, [B]; without noise the first, and sentence 0 if none is marked."""
    if noise is None:
        return among.int().argmax(1)
    draws = draw(torch.rand, among.shape, noise, rows).to(among.device)
    return (draws * among).argmax(1)


def at(vectors: Tensor, index: Tensor) -> Tensor:
    """Return the vector at one place of each document, [B, d], from [B, n, d]."""
    return vectors[torch.arange(len(index)), index]


def mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over a document's sentences, [B, d]."""
    total = (vectors * mask[..., None]).sum(1)
    averaged: Tensor = total / mask.sum(1, keepdim=True).clamp(min=1)
    return averaged
