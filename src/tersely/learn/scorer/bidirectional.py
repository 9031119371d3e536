"""Rest-Ext and Ext-Doc: the selected sentences are predicted by the rest, and they predict the document.

A masked sentence becomes a vector of zeros, and the sequence keeps its length. By the straight-through trick each mask
is binary in the forward pass and has the gradient of the relaxed selection `soft`: on the selected side the gradient of
soft, on the negative side that of 1 - soft, as a negative is what is not selected, or of soft, as the formula is
printed. With `gradient = "exact"` the masks stay binary, and the scorer gets the effect of each single sentence: see
`Effects`.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from tersely.learn.perturbed import SharedRows, draw
from tersely.learn.scorer.config import Objective
from tersely.learn.scorer.networks import Siamese, mean
from tersely.learn.scorer.selection import Choice, rank, straight_through


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
    exact = settings.gradient == "exact"
    soft, low_soft = choice.soft, relaxed(choice, mask, settings)
    if exact:
        soft, low_soft = soft.detach(), low_soft.detach()
    k_rest = 1 - straight_through(F.one_hot(k, mask.shape[1]), soft)  # E': all but the sampled sentence
    places = torch.arange(mask.shape[1], device=mask.device)
    follows, precedes = places > k[:, None], places < k[:, None]
    kept = torch.stack(
        [
            k_rest * follows if settings.direction == "forward" else k_rest,
            straight_through(choice.hard, soft),  # E'': the selected
            1 - straight_through(F.one_hot(i, mask.shape[1]), low_soft),
            straight_through(low, low_soft),
            *([k_rest * precedes] if settings.direction == "forward" else []),
        ]
    )  # [4 or 5, B, n]
    target = targets(siamese, vectors, mask, settings)  # [B, n, d']
    encoded = siamese.encode((kept[..., None] * vectors).flatten(0, 1), mask.repeat(len(kept), 1))
    selected, others = encoded.split([2 * len(mask), (len(kept) - 2) * len(mask)])
    sentence, summary = siamese.predict(selected, mask.repeat(2, 1)).chunk(2)  # [B, n, d'] each
    # The negatives must not make the predictor worse: it is frozen for them, but passes the gradient on.
    low_sentence, low_summary, *before = siamese.predict(others, mask.repeat(len(kept) - 2, 1), frozen=True).split(
        len(mask)
    )
    compared = k if settings.negative_target == "selected" else i
    document, sampled = mean(target, mask), at(target, k)
    found = Cosines(
        rest_ext=agreement(at(sentence, k), sampled, sampled, settings.contrast),
        rest_ext_negative=F.cosine_similarity(at(low_sentence, i), at(target, compared)),
        ext_doc=agreement(mean(summary, mask), document, document, settings.contrast),
        ext_doc_negative=F.cosine_similarity(mean(low_summary, mask), document),
        selects=choice.hard.any(1),
        leaves=low.any(1),
    )
    if before:
        earlier = agreement(at(before[0], k), sampled, sampled, settings.contrast)
        found = found._replace(rest_ext=found.rest_ext - earlier)
    if not (exact and torch.is_grad_enabled()):
        return found
    return Effects(siamese, vectors, mask, target.detach(), sampled.detach(), settings).on(found, choice, low)


class Effects(NamedTuple):
    """What each single sentence does to the objectives, computed and not relaxed: the gradient of the scorer.

    Rest-Ext is the expectation over the sampled sentence: each sentence in turn is predicted from the rest, and counts
    with the chance that it is the sampled one. In Ext-Doc a sentence counts with the difference that it makes to the
    prediction of the document if it alone is put in or taken out. For a function that is linear in each part of the
    mask these are the exact derivatives.
    """

    siamese: Siamese
    vectors: Tensor  # [B, n, d]
    mask: Tensor  # [B, n]
    target: Tensor  # [B, n, d']
    sampled: Tensor  # [B, d'], the targets that the documents contrast with each other
    settings: Objective

    def on(self, found: Cosines, choice: Choice, low: Tensor) -> Cosines:
        """Add terms that are 0 and carry the gradient of the relaxed selection."""
        soft, low_soft = choice.soft, relaxed(choice, self.mask, self.settings)
        if self.settings.rest_ext:
            chance, low_chance = (part / part.sum(1, keepdim=True).clamp(min=1e-6) for part in (soft, low_soft))
            predicted, pairs = self.rest_ext()
            negative = torch.einsum("bi,bik,bk->b", low_chance, pairs, chance)
            found = found._replace(
                rest_ext=_carry(found.rest_ext, (chance * predicted).sum(1)),
                rest_ext_negative=_carry(found.rest_ext_negative.abs(), negative),
            )
        if self.settings.ext_doc:
            changed, low_changed = self.ext_doc(choice.hard, True), self.ext_doc(low, False)
            found = found._replace(
                ext_doc=_carry(found.ext_doc, (soft * changed).sum(1)),
                ext_doc_negative=_carry(found.ext_doc_negative.abs(), (low_soft * low_changed).sum(1)),
            )
        return found

    @torch.no_grad()
    def rest_ext(self) -> tuple[Tensor, Tensor]:
        """Return how well each sentence is predicted, [B, n], and |cos| of each prediction with each target."""
        count = self.mask.shape[1]
        eye = torch.eye(count, dtype=torch.bool, device=self.mask.device).expand(len(self.mask), -1, -1)
        predicted = self.itself(~eye)
        contrast, own = self.settings.contrast, self.target
        pairs = (F.normalize(predicted, dim=-1) @ F.normalize(own, dim=-1).transpose(1, 2)).abs()
        if self.settings.negative_target == "own":
            pairs = pairs.diagonal(dim1=1, dim2=2)[..., None].expand_as(pairs)
        if self.settings.direction == "both":
            return agreement(predicted, own, self.sampled, contrast) * self.mask, pairs
        places = torch.arange(count, device=self.mask.device)
        later = (places[None, :] > places[:, None]).expand_as(eye)
        after, before = (self.itself(part) for part in (later, ~later & ~eye))
        gain = agreement(after, own, self.sampled, contrast) - agreement(before, own, self.sampled, contrast)
        return gain * self.mask, pairs

    @torch.no_grad()
    def ext_doc(self, hard: Tensor, positive: bool) -> Tensor:
        """Return what each sentence adds to the prediction of the document, in or out of this set, [B, n]."""
        eye = torch.eye(hard.shape[1], dtype=torch.bool, device=hard.device)
        sets = torch.cat([hard[:, None], hard[:, None] ^ eye], dim=1)  # the set itself, then each sentence changed
        wanted = torch.cat([torch.ones_like(self.mask[:, :1]), self.mask], dim=1)
        predicted = self.predictions(sets, wanted, False)  # [B, 1 + n, d']
        document = mean(self.target, self.mask)
        own = document[:, None].expand_as(predicted)
        if positive:
            worth = agreement(predicted, own, document, self.settings.contrast)
        else:
            worth = F.cosine_similarity(predicted, own, dim=-1).abs()
        change = worth[:, :1] - worth[:, 1:]
        return torch.where(hard, change, -change) * self.mask

    def itself(self, kept: Tensor) -> Tensor:
        """Return the prediction of each sentence [B, n, d'] from its own set of kept sentences, bool [B, n, n]."""
        return self.predictions(kept, self.mask, True)

    def predictions(self, kept: Tensor, wanted: Tensor, own: bool) -> Tensor:
        """Return the prediction of a set's own sentence or of the document, [B, m, d'], by the wanted of m sets."""
        owner, number = wanted.nonzero(as_tuple=True)
        place = number if own else None
        found = self.siamese.predict_each(self.vectors, self.mask, kept[owner, number], owner, place)
        return found.new_zeros(*wanted.shape, found.shape[1]).index_put((owner, number), found)


def targets(siamese: Siamese, vectors: Tensor, mask: Tensor, settings: Objective) -> Tensor:
    """Return what is predicted, [B, n, d']: second-level vectors, or first-level ones."""
    if settings.target == "frozen":
        return vectors
    target = siamese.encode(vectors, mask)
    return target.detach() if settings.detach_target else target


def relaxed(choice: Choice, mask: Tensor, settings: Objective) -> Tensor:
    """Return the relaxation of the negatives' mask, [B, n]."""
    return choice.soft if settings.negative_relaxation == "selected" else (1 - choice.soft) * mask


def agreement(predicted: Tensor, own: Tensor, all_documents: Tensor, temperature: float) -> Tensor:
    """Return the cosine of predictions and targets, both [B, d] or [B, m, d].

    With a temperature it is instead the log of the chance to tell the target from those of the other documents [B, d].
    """
    cosine = F.cosine_similarity(predicted, own, dim=-1)
    if not temperature:
        return cosine
    others = F.normalize(predicted, dim=-1) @ F.normalize(all_documents, dim=-1).T  # [B, B] or [B, m, B]
    itself = torch.eye(len(predicted), dtype=torch.bool, device=predicted.device)
    if predicted.ndim == 3:
        itself = itself[:, None]
    logits = torch.cat([cosine[..., None], others.masked_fill(itself, -torch.inf)], dim=-1) / temperature
    return torch.log_softmax(logits, dim=-1)[..., 0]


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


def _carry(value: Tensor, gradient: Tensor) -> Tensor:
    return value + gradient - gradient.detach()
