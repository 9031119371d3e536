"""The losses of one batch: the paper's two predictive objectives, Ext-Doc in words, imitation and supervision."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.perturbed import perturbed_fenchel_young
from tersely.learn.scorer.batches import DocumentBatch
from tersely.learn.scorer.bidirectional import bidirectional, siamese_sum
from tersely.learn.scorer.config import ScorerConfig, TrainingSelection
from tersely.learn.scorer.networks import ScorerModel, ScoringNetwork, normalized
from tersely.learn.scorer.selection import Scores, Select, exact, gumbel_top_k, profits, straight_through


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
    if scorer.value in ("length_exp", "coverage_exp"):
        scores = values.log()  # so that the best few are the same by score and by value, as at inference
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
        vectors, known = normalized(batch.vectors, config.data.normalize), given.scores.detach()
        if settings.gradient == "exact" and config.selection.kind == "gumbel":
            choice = choice._replace(soft=select(given, None).soft)  # the chances themselves, not a sample
        cosines = bidirectional(model.siamese, vectors, batch.mask, choice, known, settings, sampling, batch.rows)
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


def covered(kept: Tensor, says: Tensor, weights: Tensor) -> Tensor:
    """Return the share, from 0 to 1, of the weight of a document's terms that the kept sentences say, [B].

    A reader of a kept sentence [B, n] takes in a term with the probability `says` [B, n, t]; `weights` are [B, t]. If
    sentences are kept at random, independently of each other, this is the expected share.
    """
    missed = (1 - kept[..., None] * says).prod(1)
    share: Tensor = (weights * (1 - missed)).sum(1) / weights.sum(1).clamp(min=1e-9)
    return share
