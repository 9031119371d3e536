"""The networks of Fig. 1: the scorer, and the siamese encoder and predictor that train it."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from tersely.paper.config import ScorerConfig, SiameseNetworks
from tersely.paper.transformer import Transformer
from tersely.score.learned import COLUMNS


class ScoringNetwork(nn.Module):
    """From first-level vectors and features to one score per sentence: all that inference needs."""

    def __init__(self, config: ScorerConfig, columns: int) -> None:
        super().__init__()
        network = config.network
        self.value = network.value
        inputs = columns + sum(COLUMNS[name] for name in config.features)
        size = network.width, network.layers, network.heads, network.inner
        self.transformer = Transformer(inputs, *size, 1, network.positions, network.scaled)

    def forward(self, vectors: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return scores [B, n] for vectors [B, n, d] and features [B, n, f]."""
        scores: Tensor = self.transformer(torch.cat([vectors, features], dim=-1), mask).squeeze(-1)
        return scores

    def values(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the positive values that a knapsack adds up, for scores and lengths, both [B, n]."""
        if self.value == "sigmoid":
            return torch.sigmoid(scores)
        # A value beyond these bounds would drown all others in rounding errors.
        grown = torch.exp(scores.clamp(-15, 15))
        return grown * lengths if self.value == "length_exp" else grown


class Siamese(nn.Module):
    """The second-level encoder, shared by both sides, and the predictor of one side.

    With `frozen` targets, which are first-level vectors, the last of the two has as many outputs as those.
    """

    def __init__(self, config: SiameseNetworks, columns: int, frozen: bool = False) -> None:
        super().__init__()
        size = config.width, config.layers, config.heads, config.inner
        width = config.width if config.encoder else columns
        encoded = columns if frozen and not config.predictor else width
        predicted = columns if frozen else width
        kinds = config.encoder_positions, config.predictor_positions
        encoder = Transformer(columns, *size, encoded, kinds[0], config.scaled) if config.encoder else None
        predictor = Transformer(width, *size, predicted, kinds[1], config.scaled) if config.predictor else None
        self.encoder, self.predictor = encoder, predictor

    def encode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return second-level vectors [B, n, d']; without an encoder, the first-level ones."""
        return vectors if self.encoder is None else self.encoder(vectors, mask)

    def predict(self, encoded: Tensor, mask: Tensor, frozen: bool = False) -> Tensor:
        """Return the prediction [B, n, d'] of every sentence's vector.

        A frozen predictor passes gradients on to its input and gets none itself: the paper's weight copy.
        """
        if self.predictor is None:
            return encoded
        weights: dict[str, Tensor] = dict(self.predictor.named_parameters())
        if frozen:
            weights = {name: weight.detach() for name, weight in weights.items()}
        predicted: Tensor = functional_call(self.predictor, weights, (encoded, mask))
        return predicted

    def predict_each(
        self, vectors: Tensor, mask: Tensor, selected: Tensor, owner: Tensor, place: Tensor | None = None
    ) -> Tensor:
        """Return one prediction [m, d'] for each of m sets of selected sentences, bool [m, n].

        `vectors` are [B, n, d] and `mask` is [B, n]. A set belongs to the document `owner` [m]. The prediction is that
        of the sentence at `place` [m] or, without places, the mean over the document. The first map and the last one
        are linear. So wide vectors are mapped once per document, and only the answers become wide again.
        """
        networks = [network for network in (self.encoder, self.predictor) if network is not None]
        first, mask = networks[0].embed, mask[owner]
        x = selected[..., None] * functional.linear(vectors, first.weight)[owner] + first.bias
        hidden = networks[0].think(x, mask)
        for before, network in pairwise(networks):
            hidden = network.think(network.embed(before.out(hidden)), mask)
        answer = mean(hidden, mask) if place is None else hidden[torch.arange(len(place)), place]
        predicted: Tensor = networks[-1].out(answer)
        return predicted


class ScorerModel(nn.Module):
    """Everything that is trained: the scorer and, if the objectives need them, the siamese networks."""

    def __init__(self, config: ScorerConfig, columns: int) -> None:
        super().__init__()
        self.scorer = ScoringNetwork(config, columns)
        frozen = config.objective.target == "frozen"
        self.siamese = Siamese(config.siamese, columns, frozen) if config.objective.siamese else None


def mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over a document's sentences, [B, d], from [B, n, d]."""
    total = (vectors * mask[..., None]).sum(1)
    averaged: Tensor = total / mask.sum(1, keepdim=True).clamp(min=1)
    return averaged
