"""The objectives of training: Rest-Ext and Ext-Doc (Eq. 4 to 10), coverage of words, imitation, labels.

The paper's come first, one function per equation, down to `bidirectional`. Ours are what follows: targets that cannot
collapse and contrast (`targets`, `agreement`), the gradient without a relaxation (`Effects`), words and imitation.

Rest-Ext: the rest of the document predicts a selected sentence. Ext-Doc: the selected sentences predict the document.
A masked sentence becomes a vector of zeros, so the sequence keeps its length. The straight-through trick makes each
mask binary in the forward pass and gives it the gradient of a relaxed selection in the backward pass. That is `soft`
for the selected sentences. For the negatives it is 1 - soft, because a negative is not selected, or soft, as the
formula is printed. With `gradient = "exact"` the masks stay binary, and the scorer learns from the effect of each
single sentence: see `Effects`.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.paper.batches import DocumentBatch
from tersely.paper.config import Objective, ScorerConfig, TrainingSelection
from tersely.paper.networks import ScorerModel, ScoringNetwork, Siamese, mean
from tersely.paper.perturbed import SharedRows, draw, perturbed_fenchel_young
from tersely.paper.selection import (
    ScoredBatch,
    Select,
    SoftChoice,
    exact,
    gumbel_top_k,
    profits,
    rank,
    straight_through,
)


class Cosines(NamedTuple):
    """The four cosines of Eq. 5 and 7, [B] each, and which documents they count for."""

    rest_ext: Tensor  # cos(predicted, actual) of a selected sentence
    rest_ext_negative: Tensor  # the same of a negative sentence
    ext_doc: Tensor  # cos(predicted, actual) of the document, predicted by the selected sentences
    ext_doc_negative: Tensor  # the same, predicted by the negative sentences
    selects: Tensor  # bool: whether anything is selected
    leaves: Tensor  # bool: whether anything is unselected


def rest_ext_loss(cosines: Cosines, with_negatives: bool = True) -> Tensor:
    """Return L_Rest-Ext of each document (Eq. 5), [B]: -cos(h-hat_i, h_i) + |cos(h-hat_i', h_i)|."""
    negative = cosines.rest_ext_negative.abs() * cosines.leaves * with_negatives
    return (negative - cosines.rest_ext) * cosines.selects


def ext_doc_loss(cosines: Cosines, with_negatives: bool = True) -> Tensor:
    """Return L_Ext-Doc of each document (Eq. 7), [B]: -cos(h-hat^D, h-bar) + |cos(h-hat'^D, h-bar)|."""
    negative = cosines.ext_doc_negative.abs() * cosines.leaves * with_negatives
    return (negative - cosines.ext_doc) * cosines.selects


def total_loss(cosines: Cosines, settings: Objective) -> Tensor:
    """Return Eq. 8, lambda1 L_Rest-Ext + lambda2 L_Ext-Doc, summed over the documents that select something.

    The weights lambda1 and lambda2 are `settings.rest_ext` and `settings.ext_doc`.
    """
    rest_ext, ext_doc = (loss(cosines, settings.negatives) for loss in (rest_ext_loss, ext_doc_loss))
    return (settings.rest_ext * rest_ext + settings.ext_doc * ext_doc).sum()


def summary_mask(hard: Tensor, soft: Tensor) -> Tensor:
    """Return the factors of Eq. 9, [B, n]: 1 for the sentences of the summary, 0 for the others."""
    return straight_through(hard, soft)


def rest_mask(index: Tensor, soft: Tensor) -> Tensor:
    """Return the factors of Eq. 10, [B, n]: 0 for the sentence at `index` [B] of each document, 1 for the others."""
    return 1 - straight_through(F.one_hot(index, soft.shape[1]), soft)


def bidirectional(
    siamese: Siamese,
    vectors: Tensor,  # [B, n, d], first level
    mask: Tensor,  # [B, n]
    choice: SoftChoice,
    scores: Tensor,  # [B, n]
    settings: Objective,
    noise: torch.Generator | None,
    rows: SharedRows | None = None,
) -> Cosines:
    """Predict a selected sentence from the rest (Eq. 4) and the document from the selection (Eq. 6): Fig. 4 and 5.

    Do the same for the negatives: the unselected sentences with the lowest `scores`. `choice` is the selection of
    sentences, whose first-level `vectors` the networks in `siamese` encode; `mask` says where there is a sentence.
    `noise` draws the sentence to predict; without it, the first one is predicted. `rows` says which documents of a
    shared batch these are, and `settings` which reading of the paper applies.
    """
    low = negatives(choice.hard, scores, mask)
    k, i = sample(choice.hard, noise, rows), sample(low, noise, rows)  # [B] each, of the selected and the negatives
    exact = settings.gradient == "exact"
    soft, low_soft = choice.soft, relaxed(choice, mask, settings)
    if exact:
        soft, low_soft = soft.detach(), low_soft.detach()
    masks = torch.stack(
        [
            rest_mask(k, soft),  # E': all but sentence k
            summary_mask(choice.hard, soft),  # E'': the selected sentences
            rest_mask(i, low_soft),  # all but the negative sentence i
            summary_mask(low, low_soft),  # the negative sentences
        ]
    )  # [4, B, n]
    target = targets(siamese, vectors, mask, settings)  # H^S, [B, n, d']
    encoded = siamese.encode((masks[..., None] * vectors).flatten(0, 1), mask.repeat(4, 1))
    selected, unselected = encoded.chunk(2)
    sentence, summary = siamese.predict(selected, mask.repeat(2, 1)).chunk(2)  # Eq. 4 and 6, [B, n, d'] each
    # The negatives must not make the predictor worse. It is frozen for them, but passes the gradient on.
    low_sentence, low_summary = siamese.predict(unselected, mask.repeat(2, 1), frozen=True).chunk(2)
    compared = k if settings.negative_target == "selected" else i
    document, sampled = mean(target, mask), at(target, k)
    cosines = Cosines(
        rest_ext=agreement(at(sentence, k), sampled, sampled, settings.contrast),
        rest_ext_negative=F.cosine_similarity(at(low_sentence, i), at(target, compared)),
        ext_doc=agreement(mean(summary, mask), document, document, settings.contrast),
        ext_doc_negative=F.cosine_similarity(mean(low_summary, mask), document),
        selects=choice.hard.any(1),
        leaves=low.any(1),
    )
    if not (exact and torch.is_grad_enabled()):
        return cosines
    return Effects(siamese, vectors, mask, target.detach(), sampled.detach(), settings).on(cosines, choice, low)


class Effects(NamedTuple):
    """Ours: the gradient of the scorer without a relaxation, the computed effect of each single sentence.

    For Rest-Ext each sentence in turn is predicted from the rest, and is weighted by its chance to be the sampled one.
    For Ext-Doc a sentence counts by how much the prediction of the document changes if this sentence alone is added or
    removed. These are the exact derivatives of a function that is linear in each part of the mask.
    """

    siamese: Siamese
    vectors: Tensor  # [B, n, d]
    mask: Tensor  # [B, n]
    target: Tensor  # [B, n, d']
    sampled: Tensor  # [B, d'], the targets that the documents contrast with each other
    settings: Objective

    def on(self, cosines: Cosines, choice: SoftChoice, low: Tensor) -> Cosines:
        """Return the cosines with the gradient of the effects: each gets a term of value 0 that carries it."""
        soft, low_soft = choice.soft, relaxed(choice, self.mask, self.settings)
        if self.settings.rest_ext:
            chance, low_chance = (part / part.sum(1, keepdim=True).clamp(min=1e-6) for part in (soft, low_soft))
            predicted, pairs = self.rest_ext()
            negative = torch.einsum("bi,bik,bk->b", low_chance, pairs, chance)
            cosines = cosines._replace(
                rest_ext=_carry(cosines.rest_ext, (chance * predicted).sum(1)),
                rest_ext_negative=_carry(cosines.rest_ext_negative.abs(), negative),
            )
        if self.settings.ext_doc:
            changed, low_changed = self.ext_doc(choice.hard, True), self.ext_doc(low, False)
            cosines = cosines._replace(
                ext_doc=_carry(cosines.ext_doc, (soft * changed).sum(1)),
                ext_doc_negative=_carry(cosines.ext_doc_negative.abs(), (low_soft * low_changed).sum(1)),
            )
        return cosines

    @torch.no_grad()
    def rest_ext(self) -> tuple[Tensor, Tensor]:
        """Return how well the rest predicts each sentence, [B, n], and |cos| of all predictions and targets."""
        count = self.mask.shape[1]
        eye = torch.eye(count, dtype=torch.bool, device=self.mask.device).expand(len(self.mask), -1, -1)
        predicted = self.itself(~eye)
        contrast, target = self.settings.contrast, self.target
        pairs = (F.normalize(predicted, dim=-1) @ F.normalize(target, dim=-1).transpose(1, 2)).abs()
        if self.settings.negative_target == "own":
            pairs = pairs.diagonal(dim1=1, dim2=2)[..., None].expand_as(pairs)
        return agreement(predicted, target, self.sampled, contrast) * self.mask, pairs

    @torch.no_grad()
    def ext_doc(self, hard: Tensor, positive: bool) -> Tensor:
        """Return by how much each sentence improves the prediction of the document by the set `hard`, [B, n].

        `positive` says whether `hard` has the selected sentences or the negatives.
        """
        eye = torch.eye(hard.shape[1], dtype=torch.bool, device=hard.device)
        sets = torch.cat([hard[:, None], hard[:, None] ^ eye], dim=1)  # the set, then it with each sentence flipped
        requested = torch.cat([torch.ones_like(self.mask[:, :1]), self.mask], dim=1)
        predicted = self.predictions(sets, requested, False)  # [B, 1 + n, d']
        document = mean(self.target, self.mask)
        target = document[:, None].expand_as(predicted)
        if positive:
            worth = agreement(predicted, target, document, self.settings.contrast)
        else:
            worth = F.cosine_similarity(predicted, target, dim=-1).abs()
        change = worth[:, :1] - worth[:, 1:]
        return torch.where(hard, change, -change) * self.mask

    def itself(self, masks: Tensor) -> Tensor:
        """Return the prediction of each sentence, [B, n, d'], from the sentences in its mask, bool [B, n, n]."""
        return self.predictions(masks, self.mask, True)

    def predictions(self, masks: Tensor, real: Tensor, of_sentence: bool) -> Tensor:
        """Return one prediction for each of m masks, [B, m, d']; zeros where `real` [B, m] is false.

        Mask number i predicts sentence i (`of_sentence`) or the document.
        """
        owner, number = real.nonzero(as_tuple=True)
        place = number if of_sentence else None
        predicted = self.siamese.predict_each(self.vectors, self.mask, masks[owner, number], owner, place)
        return predicted.new_zeros(*real.shape, predicted.shape[1]).index_put((owner, number), predicted)


def targets(siamese: Siamese, vectors: Tensor, mask: Tensor, settings: Objective) -> Tensor:
    """Return the vectors to predict, [B, n, d']: second-level ones, H^S, or, ours, first-level ones if frozen."""
    if settings.target == "frozen":
        return vectors
    target = siamese.encode(vectors, mask)
    return target.detach() if settings.detach_target else target


def relaxed(choice: SoftChoice, mask: Tensor, settings: Objective) -> Tensor:
    """Return the relaxation of the negatives' mask, [B, n]."""
    return choice.soft if settings.negative_relaxation == "selected" else (1 - choice.soft) * mask


def agreement(predicted: Tensor, target: Tensor, all_documents: Tensor, temperature: float) -> Tensor:
    """Return the cosine of predictions and targets, both [B, d] or [B, m, d], as in Eq. 5 and 7.

    Ours: with a positive `temperature` return instead the log of the chance to tell the target from the targets of the
    other documents, `all_documents` [B, d].
    """
    cosine = F.cosine_similarity(predicted, target, dim=-1)
    if not temperature:
        return cosine
    rivals = F.normalize(predicted, dim=-1) @ F.normalize(all_documents, dim=-1).T  # [B, B] or [B, m, B]
    itself = torch.eye(len(predicted), dtype=torch.bool, device=predicted.device)
    if predicted.ndim == 3:
        itself = itself[:, None]
    logits = torch.cat([cosine[..., None], rivals.masked_fill(itself, -torch.inf)], dim=-1) / temperature
    return torch.log_softmax(logits, dim=-1)[..., 0]


def negatives(hard: Tensor, scores: Tensor, mask: Tensor) -> Tensor:
    """Return the unselected sentences with the lowest scores, bool [B, n]; at most as many as are selected."""
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


def _carry(value: Tensor, gradient: Tensor) -> Tensor:
    """Return the value, plus the gradient of another tensor."""
    return value + gradient - gradient.detach()


class BatchLoss(NamedTuple):
    """The loss of a batch, as sums over its documents, and the means of other figures, by name."""

    siamese: Tensor
    selecting: Tensor  # how many documents select something: the siamese term is the mean over these
    other_terms: Tensor
    documents: int
    figures: dict[str, float]

    @property
    def loss(self) -> Tensor:
        """The loss of these documents."""
        return self.part(self.selecting, self.documents)

    def part(self, selecting: Tensor, documents: int) -> Tensor:
        """Return the share of these documents in the loss of a batch with these counts."""
        return self.siamese / selecting.clamp(min=1) + self.other_terms / documents


def score(scorer: ScoringNetwork, batch: DocumentBatch) -> ScoredBatch:
    """Run the scorer on a batch."""
    scores = scorer(batch.vectors, batch.features, batch.mask)
    values = scorer.values(scores, batch.chars)
    if scorer.value == "length_exp":
        scores = values.log()  # so that the best few are the same by score and by value, as at inference
    return ScoredBatch(scores, values, batch.lengths, batch.capacities, batch.mask, batch.rows)


def forward(
    model: ScorerModel,
    batch: DocumentBatch,
    config: ScorerConfig,
    select: Select,
    sampling: torch.Generator,
    noisy: bool = True,
) -> BatchLoss:
    """Return the loss of a batch under a configuration, with the selection `select`.

    `sampling` draws everything random; without `noisy` the scores get no noise.

    Watch whether `rest_ext` and `rest_ext_negative` part, not only the loss: if both rise, only position was learned.
    """
    scored = score(model.scorer, batch)
    settings, noise = config.objective, sampling if noisy else None
    siamese = selecting = other_terms = torch.zeros((), device=batch.mask.device)
    figures: dict[str, Tensor] = {}
    choice = select(scored, noise) if model.siamese is not None or settings.words else None
    if model.siamese is not None and choice is not None:
        scores = scored.scores.detach()
        if settings.gradient == "exact" and config.selection.kind == "gumbel":
            choice = choice._replace(soft=select(scored, None).soft)  # the chances themselves, not a sample
        vectors, mask = batch.vectors, batch.mask
        cosines = bidirectional(model.siamese, vectors, mask, choice, scores, settings, sampling, batch.rows)
        siamese, selecting = total_loss(cosines, settings), cosines.selects.sum()
        figures |= {name: getattr(cosines, name) for name in cosines._fields}
    if choice is not None and settings.words:
        figures["words"] = covered(straight_through(choice.hard, choice.soft), batch.says, batch.weights)
        other_terms = other_terms - settings.words * figures["words"].sum()
    if settings.imitation:
        figures["imitation"] = imitation(scored, batch, config.selection, select, noise)
        other_terms = other_terms + settings.imitation * figures["imitation"].sum()
    if settings.supervised:
        figures["cross_entropy"] = cross_entropy(scored.scores, batch)
        other_terms = other_terms + settings.supervised * figures["cross_entropy"].sum()
    means = {name: float(tensor.detach().float().mean()) for name, tensor in figures.items()}
    return BatchLoss(siamese, selecting, other_terms, len(batch.mask), means)


def imitation(
    scored: ScoredBatch,
    batch: DocumentBatch,
    settings: TrainingSelection,
    select: Select,
    noise: torch.Generator | None,
) -> Tensor:
    """Return the distance of each document's selection from the choice of a teacher, [B], as a loss.

    `batch.target` is that choice. The loss is the Fenchel-Young loss for the exact knapsack, and the cross-entropy of
    the probabilities for a knapsack network: `settings` and `select` say which, and `noise` perturbs it. Without
    length control it is the cross-entropy of the scores in `scored`, as if the choice were labels.
    """
    if settings.kind == "perturbed":
        return perturbed_fenchel_young(
            profits(scored),
            *(batch.lengths, batch.capacities, batch.mask, batch.target),
            samples=settings.samples,
            sigma=settings.sigma,
            seed=0 if noise is None else noise,
            rows=batch.rows,
        )
    if settings.kind == "network":
        return cross_entropy(torch.logit(select(scored, noise).soft, eps=1e-5), batch)
    return cross_entropy(scored.scores, batch)


def cross_entropy(logits: Tensor, batch: DocumentBatch) -> Tensor:
    """Return the mean cross-entropy of the targets over each document's sentences, [B]."""
    wrong = F.binary_cross_entropy_with_logits(logits, batch.target.float(), reduction="none") * batch.mask
    return wrong.sum(1) / batch.mask.sum(1)


def choose(scorer: ScoringNetwork, batch: DocumentBatch, config: ScorerConfig) -> Tensor:
    """Return the selection at inference, bool [B, n]: the best few, or the choice of the exact knapsack."""
    scored = score(scorer, batch)
    if config.selection.kind != "gumbel":
        return exact(scored)
    return gumbel_top_k(scored, config.selection.count, 1.0, "softmax", None).hard


def covered(selected: Tensor, says: Tensor, weights: Tensor) -> Tensor:
    """Return the share (0 to 1) of the weight of a document's terms that the selected sentences say, [B].

    A reader of a selected sentence [B, n] takes in a term with the probability `says` [B, n, t]; `weights` are [B, t].
    If sentences are selected at random, independently of each other, this is the expected share.
    """
    missed = (1 - selected[..., None] * says).prod(1)
    share: Tensor = (weights * (1 - missed)).sum(1) / weights.sum(1).clamp(min=1e-9)
    return share
