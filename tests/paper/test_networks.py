"""Shapes, padding and order of sentences."""

from dataclasses import replace

import pytest
import torch

from tersely.paper.batches import DocumentBatch
from tersely.paper.config import ScorerConfig, read_network_config
from tersely.paper.networks import ScorerModel, ScoringNetwork, Siamese
from tersely.paper.transformer import Transformer

from .conftest import COLUMNS


@pytest.fixture
def scorer(config: ScorerConfig) -> ScoringNetwork:
    torch.manual_seed(0)
    return ScoringNetwork(config, COLUMNS)


def scores_of(scorer: ScoringNetwork, batch: DocumentBatch) -> torch.Tensor:
    return scorer(batch.vectors, batch.features[..., :0], batch.mask)


def test_there_is_one_score_per_sentence(scorer: ScoringNetwork, batch: DocumentBatch) -> None:
    assert scores_of(scorer, batch).shape == batch.mask.shape


def test_padding_changes_nothing(scorer: ScoringNetwork, batch: DocumentBatch) -> None:
    row = int(batch.mask.sum(1).argmin())
    count = int(batch.mask[row].sum())
    assert count < batch.mask.shape[1]
    alone = scorer(
        batch.vectors[row : row + 1, :count], batch.features[row : row + 1, :count, :0], batch.mask[:1, :count]
    )
    torch.testing.assert_close(alone[0], scores_of(scorer, batch)[row, :count])


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
def test_order_matters_only_with_positions(config: ScorerConfig, batch: DocumentBatch, positions: str) -> None:
    torch.manual_seed(0)
    scorer = ScoringNetwork(replace(config, network=replace(config.network, positions=positions)), COLUMNS)
    turned = batch._replace(vectors=batch.vectors.flip(1), features=batch.features.flip(1), mask=batch.mask.flip(1))
    same = torch.allclose(
        scores_of(scorer, turned).flip(1)[batch.mask], scores_of(scorer, batch)[batch.mask], atol=1e-5
    )
    assert same is (positions == "none")


def test_scaled_embeds_content_larger_by_the_root_of_the_width() -> None:
    torch.manual_seed(0)
    scaled = Transformer(COLUMNS, 16, 1, 2, 16, 1, "sinusoidal", scaled=True)
    plain = Transformer(COLUMNS, 16, 1, 2, 16, 1, "sinusoidal")
    plain.load_state_dict(scaled.state_dict())
    x, mask = torch.randn(2, 5, COLUMNS), torch.ones(2, 5, dtype=torch.bool)
    assert not torch.allclose(scaled(x, mask), plain(x, mask))
    plain.embed.weight.data *= 4
    plain.embed.bias.data *= 4
    torch.testing.assert_close(scaled(x, mask), plain(x, mask))


@pytest.mark.parametrize("value", ["sigmoid", "exp", "length_exp"])
def test_values_are_positive_and_rise_with_the_score(config: ScorerConfig, value: str) -> None:
    scorer = ScoringNetwork(replace(config, network=replace(config.network, value=value)), COLUMNS)
    values = scorer.values(torch.linspace(-5, 5, 9)[None], torch.full((1, 9), 30.0))[0]
    assert (values > 0).all()
    assert (values.diff() > 0).all()
    twice = scorer.values(torch.zeros(1, 2), torch.tensor([[30.0, 60.0]]))[0]
    assert (twice[1] / twice[0]).item() == pytest.approx(2.0 if value == "length_exp" else 1.0)


def test_the_siamese_encoder_and_the_predictor_can_be_left_out(config: ScorerConfig, batch: DocumentBatch) -> None:
    siamese = Siamese(config.siamese, COLUMNS)
    encoded = siamese.encode(batch.vectors, batch.mask)
    assert encoded.shape == (*batch.mask.shape, 8)
    assert siamese.predict(encoded, batch.mask).shape == encoded.shape
    without_encoder = Siamese(replace(config.siamese, encoder=False), COLUMNS)
    assert without_encoder.encode(batch.vectors, batch.mask) is batch.vectors
    assert without_encoder.predict(batch.vectors, batch.mask).shape == batch.vectors.shape
    without_predictor = Siamese(replace(config.siamese, predictor=False), COLUMNS)
    assert without_predictor.predict(encoded, batch.mask) is encoded


def test_padding_changes_nothing_in_the_siamese_networks(config: ScorerConfig) -> None:
    torch.manual_seed(0)
    siamese = Siamese(config.siamese, COLUMNS)
    alone, mask = torch.randn(1, 3, COLUMNS), torch.tensor([[True, True, True, False, False]])
    # The padding may hold anything.
    padded = torch.cat([alone, 9 * torch.randn(1, 2, COLUMNS)], dim=1)
    encoded = siamese.encode(alone, mask[:, :3])
    torch.testing.assert_close(siamese.encode(padded, mask)[:, :3], encoded)
    padded = torch.cat([encoded, 9 * torch.randn(1, 2, encoded.shape[2])], dim=1)
    torch.testing.assert_close(siamese.predict(padded, mask)[:, :3], siamese.predict(encoded, mask[:, :3]))


def test_a_frozen_predictor_predicts_the_same_and_learns_nothing(config: ScorerConfig, batch: DocumentBatch) -> None:
    siamese = Siamese(config.siamese, COLUMNS)
    encoded = siamese.encode(batch.vectors, batch.mask)
    frozen = siamese.predict(encoded, batch.mask, frozen=True)
    torch.testing.assert_close(frozen, siamese.predict(encoded, batch.mask))
    frozen.sum().backward()
    assert siamese.predictor is not None
    assert siamese.encoder is not None
    assert all(weight.grad is None for weight in siamese.predictor.parameters())
    assert all(weight.grad is not None for weight in siamese.encoder.parameters())


@pytest.mark.parametrize("left_out", [{}, {"encoder": False}, {"predictor": False}])
def test_sets_of_sentences_predict_together_what_each_predicts_alone(
    config: ScorerConfig, batch: DocumentBatch, left_out: dict[str, bool]
) -> None:
    torch.manual_seed(0)
    siamese = Siamese(replace(config.siamese, **left_out), COLUMNS, frozen=True)
    owner, place = torch.tensor([0, 2, 2, 5]), torch.tensor([1, 0, 3, 4])
    kept = torch.rand(4, batch.mask.shape[1]) < 0.5
    found = siamese.predict_each(batch.vectors, batch.mask, kept, owner, place)
    means = siamese.predict_each(batch.vectors, batch.mask, kept, owner)
    for i, document in enumerate(owner.tolist()):
        count = int(batch.mask[document].sum())
        vectors, mask = (kept[i, :, None] * batch.vectors[document])[None, :count], batch.mask[document, None, :count]
        alone = siamese.predict(siamese.encode(vectors, mask), mask)[0]
        torch.testing.assert_close(found[i], alone[place[i]])
        torch.testing.assert_close(means[i], alone.mean(0))


def test_the_networks_of_the_paper_have_its_sizes() -> None:
    config = read_network_config("paper-cnndm")
    with torch.device("meta"):
        model = ScorerModel(config, 768)
    assert (len(model.scorer.transformer.blocks), model.scorer.transformer.blocks[0].heads) == (2, 4)
    assert model.siamese is not None
    for part in (model.siamese.encoder, model.siamese.predictor):
        assert part is not None
        assert (len(part.blocks), part.blocks[0].heads, part.embed.out_features) == (4, 8, 768)
