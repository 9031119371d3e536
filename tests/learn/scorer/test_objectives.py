"""Which term teaches whom."""

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
from tersely.learn.scorer.config import Config, Objective
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.data import Batch, Documents
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.objectives import Cosines, bidirectional, covered, negatives, sample, siamese_sum
from tersely.learn.scorer.selection import gumbel_top_k
from tersely.learn.scorer.step import choose, forward, score
from tersely.score.coverage import Coverage

from .conftest import COLUMNS, Hashing


def made(config: Config) -> Model:
    torch.manual_seed(0)
    return Model(config, COLUMNS)


def plain(batch: Batch) -> Batch:
    return batch._replace(features=batch.features[..., :0])


def cosines_of(model: Model, batch: Batch, settings: Objective) -> Cosines:
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
def test_positives_teach_all_and_negatives_all_but_the_predictor(name: str, config: Config, batch: Batch) -> None:
    model = made(config)
    assert model.siamese is not None
    cosines = cosines_of(model, batch, config.objective)
    positive, negative = getattr(cosines, name).sum(), getattr(cosines, f"{name}_negative").abs().sum()
    for part in (model.scorer, model.siamese.encoder):
        assert learns(positive, part)
        assert learns(negative, part)
    assert learns(positive, model.siamese.predictor)
    assert not learns(negative, model.siamese.predictor)


def test_a_detached_target_gives_another_gradient_to_the_encoder(config: Config, batch: Batch) -> None:
    model = made(config)
    assert model.siamese is not None
    assert model.siamese.encoder is not None
    grads = []
    for detach in (True, False):
        cosines = cosines_of(model, batch, replace(config.objective, detach_target=detach))
        grads.append(torch.autograd.grad(cosines.rest_ext.sum(), list(model.siamese.encoder.parameters())))
    assert any(not torch.allclose(one, two) for one, two in zip(*grads, strict=True))


def test_both_readings_of_the_negative_target(config: Config, batch: Batch) -> None:
    model = made(config)
    selected, own = (
        cosines_of(model, batch, replace(config.objective, negative_target=reading)) for reading in ("selected", "own")
    )
    assert torch.equal(selected.rest_ext, own.rest_ext)
    assert not torch.allclose(selected.rest_ext_negative, own.rest_ext_negative)


def test_the_masked_sentence_is_not_seen(config: Config, batch: Batch) -> None:
    """Rest-Ext must predict the sampled sentence from the rest: its own vector must not matter to the prediction."""
    model = made(replace(config, objective=replace(config.objective, negatives=False)))
    assert model.siamese is not None
    hard = torch.zeros_like(batch.mask)
    hard[:, 1] = True
    kept = (~hard).float()[..., None]
    other = batch.vectors.clone()
    other[:, 1] += 5
    one, two = (
        model.siamese.predict(model.siamese.encode(v * kept, batch.mask), batch.mask) for v in (batch.vectors, other)
    )
    assert torch.equal(one, two)


def test_negatives_are_the_lowest_unselected() -> None:
    hard = torch.tensor([[True, False, False, True, False, False], [True, True, False, False, False, False]])
    mask = torch.tensor([[True] * 6, [True, True, True, False, False, False]])
    scores = torch.tensor([[0.1, 0.5, 0.2, 0.9, 0.4, 0.3]] * 2)
    assert negatives(hard, scores, mask)[0].tolist() == [False, False, True, False, False, True]
    assert negatives(hard, scores, mask)[1].tolist() == [False, False, True, False, False, False]


def test_only_marked_sentences_are_sampled_each_some_time(noise: torch.Generator) -> None:
    among = torch.tensor([[False, True, False, True]]).expand(200, 4)
    assert set(sample(among, noise).tolist()) == {1, 3}
    assert set(sample(among, None).tolist()) == {1}


def test_the_loss_is_the_papers_formula() -> None:
    def row(*values: float) -> Tensor:
        return torch.tensor(values)

    yes = torch.tensor([True, True])
    cosines = Cosines(row(0.8, 0.6), row(-0.3, 0.1), row(0.5, 0.7), row(0.2, -0.4), yes, yes)
    expected = (-0.8 + 0.3 - 0.6 + 0.1) + 0.3 * (-0.5 + 0.2 - 0.7 + 0.4)
    assert siamese_sum(cosines, Objective()).item() == pytest.approx(expected)
    # A document of which nothing is selected, or nothing left, has no part in what it has not.
    cosines = cosines._replace(selects=torch.tensor([True, False]), leaves=torch.tensor([False, True]))
    assert siamese_sum(cosines, Objective()).item() == pytest.approx(-0.8 - 0.3 * 0.5)


@given(st.data())
def test_covered_is_what_can_be_expected_of_sentences_kept_by_chance(data: st.DataObject) -> None:
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


def test_words_say_what_coverage_counts(corpus: Corpus) -> None:
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
    ],
)
@pytest.mark.parametrize("kind", ["gumbel", "perturbed"])
def test_each_ablation_teaches_the_scorer(
    objective: dict, siamese: dict, kind: str, config: Config, batch: Batch, noise: torch.Generator
) -> None:
    from tersely.learn.scorer.selection import selector

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


def test_the_fenchel_young_loss_falls_towards_the_teacher(config: Config, batch: Batch) -> None:
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
        ("objective", {"imitation": 1.0, "supervised": 1.0}, "labels or a teacher"),
        ("siamese", {"encoder": False, "predictor": False}, "nothing to predict with"),
        ("objective", {"negative_target": "selectd"}, "did you mean 'selected'"),
        ("network", {"features": "position wrods"}, "did you mean 'words'"),
        ("network", {"width": 9}, "multiple of 2 heads"),
        ("selection", {"kind": "network"}, "needs its 'folder'"),
        ("selection", {"shortest": 500}, "must not exceed longest"),
        ("training", {"batch": 0}, "'batch' must be positive"),
        ("objective", {"ext_doc": -1.0}, "'ext_doc' must be 0 or more"),
        ("data", {"held_out": 0.9}, "held_out"),
        ("selection", {"share": float("nan")}, "'share' must be positive, not nan"),
    ],
)
def test_a_senseless_configuration_is_refused(config: Config, table: str, change: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(config, **{table: replace(getattr(config, table), **change)})
