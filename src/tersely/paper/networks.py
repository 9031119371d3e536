"""The networks of Fig. 1: the scorer, and the siamese encoder and predictor that train it.

All are made of the same transformer encoder, and so is the compact knapsack network.
"""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from tersely.paper.config import ScorerConfig, SiameseNetworks
from tersely.score.learned import COLUMNS


class AttentionBlock(nn.Module):
    """Attention with a bias, then two linear layers, each normed before and added after."""

    def __init__(self, width: int, heads: int, inner: int, activation: nn.Module) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.attend = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.think = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, inner), activation, nn.Linear(inner, width))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Transform x [B, n, d]; the bias, [B, heads, n, n] or broadcast to it, is added to the attention scores."""
        split = self.attend(self.norm(x)).unflatten(2, (3, self.heads, -1))  # [B, n, 3, heads, d / heads]
        query, key, value = split.permute(2, 0, 3, 1, 4)  # each [B, heads, n, d / heads]
        scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5 + bias
        mixed = torch.softmax(scores, dim=-1) @ value  # [B, heads, n, d / heads]
        x = x + self.merge(mixed.transpose(1, 2).flatten(2))
        y: Tensor = x + self.think(x)
        return y


# Learned codes of places: all sentences from the last of these on share one.
PLACES = 64


class Transformer(nn.Module):
    """A transformer encoder over a document's sentences, from `inputs` numbers per sentence to `outputs`.

    `width`, `layers`, `heads` and `inner` (the width of the feed-forward layers) are its size. `positions` is
    sinusoidal, learned or none. Vectors of unit length have small components, and sinusoids have large ones. `scaled`
    multiplies the embedded vectors by the root of the width (Vaswani et al., 2017), so that content counts as much as
    position.
    """

    def __init__(
        self,
        inputs: int,
        width: int,
        layers: int,
        heads: int,
        inner: int,
        outputs: int,
        positions: str,
        scaled: bool = False,
    ) -> None:
        super().__init__()
        self.scale = width**0.5 if scaled else 1.0
        self.embed = nn.Linear(inputs, width)
        self.places = nn.Embedding(PLACES, width) if positions == "learned" else None
        self.sinusoidal = positions == "sinusoidal"
        self.blocks = nn.ModuleList(AttentionBlock(width, heads, inner, nn.GELU()) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, outputs)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return [B, n, outputs] for x [B, n, inputs]; sentences outside the mask [B, n] are not attended to."""
        y: Tensor = self.out(self.think(self.embed(x), mask))
        return y

    def think(self, x: Tensor, mask: Tensor) -> Tensor:
        """Apply the layers between the two linear maps, from embedded sentences [B, n, d] to [B, n, d]."""
        x = x * self.scale
        if self.sinusoidal:
            x = x + sinusoids(x)
        elif self.places is not None:
            x = x + self.places(torch.arange(x.shape[1], device=x.device).clamp(max=PLACES - 1))
        bias = hidden(mask)
        for block in self.blocks:
            x = block(x, bias)
        y: Tensor = self.norm(x)
        return y


def hidden(mask: Tensor) -> Tensor:
    """Return the attention bias [B, 1, 1, n] that hides whatever is outside the mask [B, n]."""
    return torch.where(mask, 0.0, -1e4)[:, None, None, :]


def sinusoids(x: Tensor) -> Tensor:
    """Return the position codes of Vaswani et al. (2017) for x [B, n, d], as [n, d]."""
    place = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)[:, None]  # [n, 1]
    rates = torch.exp(torch.arange(0, x.shape[2], 2, device=x.device, dtype=x.dtype) * (-math.log(1e4) / x.shape[2]))
    return torch.cat([torch.sin(place * rates), torch.cos(place * rates)], dim=1)


class ScoringNetwork(nn.Module):
    """From first-level vectors and features to one score per sentence: all that inference needs."""

    def __init__(self, config: ScorerConfig, columns: int) -> None:
        super().__init__()
        network = config.network
        self.value, self.strength = network.value, network.strength
        inputs = columns + sum(COLUMNS[name] for name in config.features)
        self.normalize = config.data.normalize
        size = network.width, network.layers, network.heads, network.inner
        self.transformer = Transformer(inputs, *size, 1, network.positions, network.scaled)

    def forward(self, vectors: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return scores [B, n] for vectors [B, n, d] and features [B, n, f]."""
        vectors = normalized(vectors, self.normalize)
        scores: Tensor = self.transformer(torch.cat([vectors, features], dim=-1), mask).squeeze(-1)
        return scores

    def values(self, scores: Tensor, lengths: Tensor, coverage: Tensor) -> Tensor:
        """Return the positive values that a knapsack adds up, for scores, lengths and coverage, all [B, n]."""
        if self.value == "sigmoid":
            return torch.sigmoid(scores)
        if self.value == "coverage_exp":
            return coverage * torch.exp((self.strength * scores).clamp(-3, 3))
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


def normalized(vectors: Tensor, scale: str) -> Tensor:
    """Scale vectors [B, n, d] to length 1 (`unit`) or to the root of d (`width`); zeros stay zeros."""
    if scale == "encoder":
        return vectors
    length: float = 1.0 if scale == "unit" else vectors.shape[-1] ** 0.5
    return functional.normalize(vectors, dim=-1) * length


def mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over a document's sentences, [B, d], from [B, n, d]."""
    total = (vectors * mask[..., None]).sum(1)
    averaged: Tensor = total / mask.sum(1, keepdim=True).clamp(min=1)
    return averaged
