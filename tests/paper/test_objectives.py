"""Which objective trains which network, and what each of them measures."""

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from tersely.errors import UsageError
from tersely.learn.corpus import Corpus
from tersely.paper.batches import DocumentBatch, Documents
from tersely.paper.config import Objective, ScorerConfig
from tersely.paper.networks import ScorerModel, Siamese
from tersely.paper.objectives import (
    Cosines,
    agreement,
    bidirectional,
    choose,
    covered,
    forward,
    negatives,
    sample,
    score,
    targets,
    total_loss,
)
from tersely.paper.selection import SoftChoice, gumbel_top_k
from tersely.score.classic import Coverage

from .conftest import COLUMNS, Hashing

FIRST_TWO = torch.tensor([[True, True] + [False] * 7])


def made(config: ScorerConfig) -> ScorerModel:
    torch.manual_seed(0)
    return ScorerModel(config, COLUMNS)


def plain(batch: DocumentBatch) -> DocumentBatch:
    return batch._replace(features=batch.features[..., :0])


def cosines_of(model: ScorerModel, batch: DocumentBatch, settings: Objective) -> Cosines:
    given = score(model.scorer, plain(batch))
    choice = gumbel_top_k(given, 2, 1.0, "softmax", None)
    noise = torch.Generator().manual_seed(4)
    assert model.siamese is not None
    return bidirectional(model.siamese, batch.vectors, batch.mask, choice, given.scores, settings, noise)


def learns(term: Tensor, part: nn.Module | None) -> bool:
    assert part is not None
    grads = torch.autograd.grad(term, list(part.parameters()), retain_graph=True, allow_unused=True)
    return any(grad is not None and bool(grad.any()) for grad in grads)


@pytest.mark.parametrize("name", ["rest_ext", "ext_doc"])
def test_positives_train_all_networks_and_negatives_all_but_the_predictor(
    name: str, config: ScorerConfig, batch: DocumentBatch
) -> None:
    model = made(config)
    assert model.siamese is not None
    cosines = cosines_of(model, batch, config.objective)
    positive, negative = getattr(cosines, name).sum(), getattr(cosines, f"{name}_negative").abs().sum()
    for part in (model.scorer, model.siamese.encoder):
        assert learns(positive, part)
        assert learns(negative, part)
    assert learns(positive, model.siamese.predictor)
    assert not learns(negative, model.siamese.predictor)


def test_detaching_the_target_changes_the_gradient_of_the_encoder(config: ScorerConfig, batch: DocumentBatch) -> None:
    model = made(config)
    assert model.siamese is not None
    assert model.siamese.encoder is not None
    grads = []
    for detach in (True, False):
        cosines = cosines_of(model, batch, replace(config.objective, detach_target=detach))
        grads.append(torch.autograd.grad(cosines.rest_ext.sum(), list(model.siamese.encoder.parameters())))
    assert any(not torch.allclose(one, two) for one, two in zip(*grads, strict=True))


def test_the_two_readings_of_the_negative_target_differ(config: ScorerConfig, batch: DocumentBatch) -> None:
    model = made(config)
    selected, own = (
        cosines_of(model, batch, replace(config.objective, negative_target=reading)) for reading in ("selected", "own")
    )
    assert torch.equal(selected.rest_ext, own.rest_ext)
    assert not torch.allclose(selected.rest_ext_negative, own.rest_ext_negative)


def test_the_two_readings_of_the_negatives_relaxation_have_opposite_gradients(
    config: ScorerConfig, batch: DocumentBatch
) -> None:
    model, slopes = made(config), []
    assert model.siamese is not None
    for reading in ("unselected", "selected"):
        soft = torch.full(batch.mask.shape, 0.4, requires_grad=True)
        choice, settings = (
            SoftChoice(FIRST_TWO & batch.mask, soft),
            replace(config.objective, negative_relaxation=reading),
        )
        scores, noise = torch.zeros(batch.mask.shape), torch.Generator().manual_seed(4)
        found = bidirectional(model.siamese, batch.vectors, batch.mask, choice, scores, settings, noise)
        negative = found.rest_ext_negative.sum() + found.ext_doc_negative.sum()
        slopes += torch.autograd.grad(negative, soft)
    torch.testing.assert_close(slopes[0], -slopes[1])


@pytest.mark.parametrize("changes", [{}, {"contrast": 0.2, "target": "frozen"}])
def test_the_exact_gradient_is_the_effect_of_each_single_sentence(
    changes: dict, config: ScorerConfig, batch: DocumentBatch
) -> None:
    """Checked by doing it: with each sentence as the only candidate, and with each sentence put in or taken out."""
    settings = replace(config.objective, gradient="exact", negatives=False, **changes)
    siamese = made(replace(config, objective=settings)).siamese
    assert siamese is not None
    count = 5  # sentences that every document has
    vectors, mask = batch.vectors[:, :count], batch.mask[:, :count]
    assert mask.all()
    soft = torch.rand(mask.shape, generator=torch.Generator().manual_seed(2)).requires_grad_()

    def found(hard: Tensor) -> Cosines:
        scores, noise = torch.zeros(mask.shape), torch.Generator().manual_seed(4)
        return bidirectional(siamese, vectors, mask, SoftChoice(hard, soft), scores, settings, noise)

    hard = FIRST_TWO.expand(len(mask), -1)[:, :count]
    whole = found(hard)
    (rest_ext,) = torch.autograd.grad(whole.rest_ext.sum(), soft, retain_graph=True)
    (ext_doc,) = torch.autograd.grad(whole.ext_doc.sum(), soft)
    alone, changed = [], []
    for place in range(count):
        single = torch.zeros_like(hard)
        single[:, place] = True
        with torch.no_grad():
            alone.append(found(single).rest_ext)
            changed.append(found(hard | single).ext_doc - found(hard & ~single).ext_doc)
    torch.testing.assert_close(ext_doc, torch.stack(changed, 1))
    if not settings.contrast:  # with it, the other documents' sampled sentences differ, too
        expected = (soft / soft.sum(1, keepdim=True) * torch.stack(alone, 1)).sum()
        torch.testing.assert_close(rest_ext, *torch.autograd.grad(expected, soft))


def test_contrast_asks_to_tell_documents_apart() -> None:
    target = torch.eye(4)
    assert agreement(target, target, target, 0.1).exp().min() > 0.99
    same = torch.ones(4, 4)
    torch.testing.assert_close(agreement(same, same, same, 0.1).exp(), torch.full((4,), 0.25))
    one = torch.eye(2)[:, None].expand(-1, 3, -1)  # three predictions for each of two documents
    assert agreement(one, one, torch.eye(2), 0.1).shape == (2, 3)


def test_frozen_targets_are_what_the_encoder_of_sentences_gave(config: ScorerConfig, batch: DocumentBatch) -> None:
    settings = replace(config.objective, target="frozen")
    for part in ({}, {"encoder": False}, {"predictor": False}):
        siamese = made(replace(config, objective=settings, siamese=replace(config.siamese, **part))).siamese
        assert siamese is not None
        assert targets(siamese, batch.vectors, batch.mask, settings) is batch.vectors
        encoded = siamese.encode(batch.vectors, batch.mask)
        assert siamese.predict(encoded, batch.mask).shape == batch.vectors.shape


def test_the_masked_sentence_is_not_seen(
    config: ScorerConfig, batch: DocumentBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rest-Ext predicts the sampled sentence from the rest; Ext-Doc predicts the document from the selection."""
    model = made(config)
    siamese = model.siamese
    assert siamese is not None
    hard = torch.zeros_like(batch.mask)
    hard[:, 1] = True  # the only candidate, so it is the sampled one
    choice = SoftChoice(hard, torch.full(batch.mask.shape, 0.5) * batch.mask)
    predicted: list[Tensor] = []

    def predict(encoded: Tensor, mask: Tensor, frozen: bool = False) -> Tensor:
        found = Siamese.predict(siamese, encoded, mask, frozen)
        if not frozen:
            predicted.append(found.detach())
        return found

    monkeypatch.setattr(siamese, "predict", predict)
    other = batch.vectors.clone()
    other[:, 1] += 5
    for vectors in (batch.vectors, other):
        noise = torch.Generator().manual_seed(4)
        scores = torch.zeros(batch.mask.shape)
        bidirectional(siamese, vectors, batch.mask, choice, scores, config.objective, noise)
    (sentence, summary), (sentence_after, summary_after) = (both.chunk(2) for both in predicted)
    assert torch.equal(sentence, sentence_after)
    assert not torch.allclose(summary, summary_after)


def test_negatives_are_the_lowest_unselected() -> None:
    hard = torch.tensor([[True, False, False, True, False, False], [True, True, False, False, False, False]])
    mask = torch.tensor([[True] * 6, [True, True, True, False, False, False]])
    scores = torch.tensor([[0.1, 0.5, 0.2, 0.9, 0.4, 0.3]] * 2)
    assert negatives(hard, scores, mask)[0].tolist() == [False, False, True, False, False, True]
    assert negatives(hard, scores, mask)[1].tolist() == [False, False, True, False, False, False]


def test_every_marked_sentence_is_sampled_and_no_other(noise: torch.Generator) -> None:
    among = torch.tensor([[False, True, False, True]]).expand(200, 4)
    assert set(sample(among, noise).tolist()) == {1, 3}
    assert set(sample(among, None).tolist()) == {1}


def test_the_loss_is_the_papers_formula() -> None:
    def row(*values: float) -> Tensor:
        return torch.tensor(values)

    yes = torch.tensor([True, True])
    cosines = Cosines(row(0.8, 0.6), row(-0.3, 0.1), row(0.5, 0.7), row(0.2, -0.4), yes, yes)
    expected = (-0.8 + 0.3 - 0.6 + 0.1) + 0.3 * (-0.5 + 0.2 - 0.7 + 0.4)
    assert total_loss(cosines, Objective()).item() == pytest.approx(expected)
    # A document that selects nothing, or leaves nothing, adds nothing to the term that it lacks.
    cosines = cosines._replace(selects=torch.tensor([True, False]), leaves=torch.tensor([False, True]))
    assert total_loss(cosines, Objective()).item() == pytest.approx(-0.8 - 0.3 * 0.5)


@given(st.data())
def test_covered_is_the_expected_share_of_sentences_kept_at_random(data: st.DataObject) -> None:
    sentences, terms = (data.draw(st.integers(1, 4)) for _ in "nt")
    share = st.floats(0, 1, width=32)
    says = [[data.draw(share) for _ in range(terms)] for _ in range(sentences)]
    kept = [data.draw(share) for _ in range(sentences)]
    weights = [data.draw(st.floats(0.125, 4, width=32)) for _ in range(terms)]
    expected = 0.0
    for inside in product((True, False), repeat=sentences):
        chance = prod(p if i else 1 - p for p, i in zip(kept, inside, strict=True))
        missed = [prod(1 - row[t] for row, i in zip(says, inside, strict=True) if i) for t in range(terms)]
        expected += chance * sum(w * (1 - m) for w, m in zip(weights, missed, strict=True)) / sum(weights)
    found = covered(torch.tensor([kept]), torch.tensor([says]), torch.tensor([weights]))
    assert found.item() == pytest.approx(expected, abs=1e-5)


def test_the_objective_words_counts_like_coverage(corpus: Corpus) -> None:
    coverage = Coverage(bias=-0.5)
    documents = Documents(corpus.documents, Hashing(), words=coverage)
    batch = documents.batch([3, 4], [100, 100])
    for row, number in enumerate((3, 4)):
        document = corpus.documents[number]
        each, says = torch.eye(len(document)), batch.says[row : row + 1, : len(document)]
        alone = covered(each, says, batch.weights[row : row + 1])
        values = torch.from_numpy(coverage.score(document, np.empty((len(document), 0), np.float32))).float()
        torch.testing.assert_close(alone * batch.weights[row].sum(), values, rtol=0, atol=2e-3)


@pytest.mark.parametrize(
    ("objective", "siamese"),
    [
        ({"ext_doc": 0.0}, {}),
        ({"rest_ext": 0.0}, {}),
        ({}, {"predictor": False}),
        ({}, {"encoder": False}),
        ({"negatives": False}, {}),
        ({"detach_target": False, "negative_target": "own"}, {}),
        ({"rest_ext": 0.0, "ext_doc": 0.0, "imitation": 1.0}, {}),
        ({"rest_ext": 0.0, "ext_doc": 0.0, "supervised": 1.0}, {}),
        ({"imitation": 0.5}, {}),
        ({"rest_ext": 0.0, "ext_doc": 0.0, "words": 1.0}, {}),
        ({"words": 0.5}, {}),
        ({"gradient": "exact", "negative_relaxation": "selected", "negative_target": "own"}, {}),
        ({"gradient": "exact", "target": "frozen", "contrast": 0.1}, {"encoder": False}),
        ({}, {"encoder_positions": "learned", "predictor_positions": "none", "scaled": True}),
    ],
)
@pytest.mark.parametrize("kind", ["gumbel", "perturbed"])
def test_every_ablation_trains_the_scorer(
    objective: dict, siamese: dict, kind: str, config: ScorerConfig, batch: DocumentBatch, noise: torch.Generator
) -> None:
    from tersely.paper.selection import selector

    changed = replace(
        config,
        objective=replace(config.objective, **objective),
        siamese=replace(config.siamese, **siamese),
        selection=replace(config.selection, kind=kind),
    )
    model = made(changed)
    step = forward(model, plain(batch), changed, selector(changed.selection), noise)
    assert learns(step.loss, model.scorer)
    assert choose(model.scorer, plain(batch), changed).any()


def test_the_fenchel_young_loss_leads_to_the_choice_of_the_teacher(config: ScorerConfig, batch: DocumentBatch) -> None:
    changed = replace(
        config,
        network=replace(config.network, features="position words", value="length_exp"),
        objective=Objective(rest_ext=0.0, ext_doc=0.0, imitation=1.0),
        selection=replace(config.selection, kind="perturbed"),
    )
    model = made(changed)
    assert model.siamese is None
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)

    def agreement() -> float:
        chosen = choose(model.scorer, batch, changed)
        return float((chosen == batch.target)[batch.mask].float().mean())

    before = agreement()
    for step in range(60):
        found = forward(
            model, batch, changed, lambda *_: pytest.fail("nothing to select"), torch.Generator().manual_seed(step)
        )
        optimizer.zero_grad()
        found.loss.backward()
        optimizer.step()
    assert agreement() > before
    assert agreement() > 0.9


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("objective", {"rest_ext": 0.0, "ext_doc": 0.0}, "no objective is left"),
        ("objective", {"imitation": 1.0, "supervised": 1.0}, "use labels or a teacher, not both"),
        ("siamese", {"encoder": False, "predictor": False}, "nothing is left to predict with"),
        ("objective", {"negative_target": "selectd"}, "did you mean 'selected'"),
        ("network", {"features": "position wrods"}, "did you mean 'words'"),
        ("siamese", {"encoder_positions": "learnd"}, "did you mean 'learned'"),
        ("objective", {"gradient": "exakt"}, "did you mean 'exact'"),
        ("network", {"width": 9}, "multiple of 2 heads"),
        ("selection", {"kind": "network"}, "needs its 'folder'"),
        ("selection", {"shortest": 500}, "must not exceed longest"),
        ("training", {"batch": 0}, "'batch' must be positive"),
        ("objective", {"ext_doc": -1.0}, "'ext_doc' must be 0 or more"),
        ("data", {"held_out": 0.9}, "held_out"),
        ("data", {"shuffled": 1.5}, "shuffled is a share"),
        ("selection", {"sigma": float("nan")}, "'sigma' must be positive, not nan"),
        ("network", {"value": "length"}, "did you mean 'length_exp'"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(
    config: ScorerConfig, table: str, change: dict, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        replace(config, **{table: replace(getattr(config, table), **change)})
