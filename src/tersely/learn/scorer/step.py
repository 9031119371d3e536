"""One pass over a batch: scores, a selection, the loss and what is worth watching."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.perturbed import perturbed_fenchel_young
from tersely.learn.scorer.config import Config, Selection
from tersely.learn.scorer.data import Batch
from tersely.learn.scorer.network import Model, Scorer
from tersely.learn.scorer.objectives import bidirectional, covered, siamese_sum
from tersely.learn.scorer.selection import Scores, Select, exact, gumbel_top_k, profits, straight_through


class Step(NamedTuple):
    """What makes up the loss, as sums over the documents, and means over the documents by name."""

    siamese: Tensor
    selecting: Tensor  # how many documents select something: the siamese term is their mean
    others: Tensor
    documents: int
    figures: dict[str, float]

    @property
    def loss(self) -> Tensor:
        """The loss of these documents."""
        return self.part(self.selecting, self.documents)

    def part(self, selecting: Tensor, documents: int) -> Tensor:
        """Return what these documents add to the loss of a batch with so many."""
        return self.siamese / selecting.clamp(min=1) + self.others / documents


def score(scorer: Scorer, batch: Batch) -> Scores:
    """Run the scorer."""
    scores = scorer(batch.vectors, batch.features, batch.mask)
    values = scorer.values(scores, batch.chars, batch.coverage)
    return Scores(scores, values, batch.lengths, batch.capacities, batch.mask, batch.rows)


def forward(
    model: Model, batch: Batch, config: Config, select: Select, sampling: torch.Generator, noisy: bool = True
) -> Step:
    """Return the loss of a batch. `sampling` draws all that is random; without `noisy`, no noise is on the scores.

    Watch `rest_ext` and `rest_ext_negative` part, not the loss alone: where both rise, only position was learned.
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
    return Step(siamese, selecting, others, len(batch.mask), means)


def imitation(
    given: Scores, batch: Batch, settings: Selection, select: Select, noise: torch.Generator | None
) -> Tensor:
    """Return how far each document's selection is from the teacher's choice, [B]: a loss through the selection itself.

    For the exact knapsack it is the Fenchel-Young loss, for a knapsack network the cross-entropy of its probabilities.
    Without length control it is the cross-entropy of the scores, as if the choice were labels.
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


def cross_entropy(logits: Tensor, batch: Batch) -> Tensor:
    """Return the mean cross-entropy of the targets over each document's sentences, [B]."""
    wrong = F.binary_cross_entropy_with_logits(logits, batch.target.float(), reduction="none") * batch.mask
    return wrong.sum(1) / batch.mask.sum(1)


def choose(scorer: Scorer, batch: Batch, config: Config) -> Tensor:
    """Return what would be selected at inference, bool [B, n]: the best few, or the exact knapsack's choice."""
    given = score(scorer, batch)
    if config.selection.kind != "gumbel":
        return exact(given)
    return gumbel_top_k(given, config.selection.count, 1.0, "softmax", None).hard
