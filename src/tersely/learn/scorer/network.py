"""The networks: the scorer, and the siamese encoder and predictor that it is trained with."""

import math

import torch
from torch import Tensor, nn
from torch.func import functional_call

from tersely.learn.block import Block
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.config import Siamese as SiameseConfig
from tersely.score.learned import COLUMNS


class Transformer(nn.Module):
    """A transformer encoder over the sentences of a document, from `inputs` numbers each to `outputs`."""

    def __init__(
        self, inputs: int, width: int, layers: int, heads: int, inner: int, outputs: int, positions: bool
    ) -> None:
        super().__init__()
        self.positions = positions
        self.embed = nn.Linear(inputs, width)
        self.blocks = nn.ModuleList(Block(width, heads, inner, nn.GELU()) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, outputs)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return [B, n, outputs] for x [B, n, inputs]; what the mask [B, n] hides is not looked at."""
        hidden = torch.where(mask, 0.0, -1e4)[:, None, None, :]  # [B, 1, 1, n]
        x = self.embed(x)  # [B, n, d]
        if self.positions:
            x = x + sinusoids(x)
        for block in self.blocks:
            x = block(x, hidden)
        y: Tensor = self.out(self.norm(x))
        return y


def sinusoids(x: Tensor) -> Tensor:
    """Return the positions of Vaswani et al. (2017) for x [B, n, d], as [n, d]."""
    place = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)[:, None]  # [n, 1]
    rates = torch.exp(torch.arange(0, x.shape[2], 2, device=x.device, dtype=x.dtype) * (-math.log(1e4) / x.shape[2]))
    return torch.cat([torch.sin(place * rates), torch.cos(place * rates)], dim=1)


class Scorer(nn.Module):
    """First-level vectors and features to one score a sentence: all that is needed at inference."""

    def __init__(self, config: Config, columns: int) -> None:
        super().__init__()
        network = config.network
        self.value, self.strength = network.value, network.strength
        inputs = columns + sum(COLUMNS[name] for name in config.features)
        self.transformer = Transformer(
            inputs, network.width, network.layers, network.heads, network.inner, 1, network.positions
        )

    def forward(self, vectors: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return scores [B, n] for vectors [B, n, d] and features [B, n, f]."""
        scores: Tensor = self.transformer(torch.cat([vectors, features], dim=-1), mask).squeeze(-1)
        return scores

    def values(self, scores: Tensor, lengths: Tensor, coverage: Tensor) -> Tensor:
        """Return the positive values that a knapsack adds up, from scores, lengths and coverage, all [B, n]."""
        if self.value == "sigmoid":
            return torch.sigmoid(scores)
        if self.value == "coverage_exp":
            return coverage * torch.exp((self.strength * scores).clamp(-3, 3))
        # A value beyond these bounds would drown all others in rounding.
        grown = torch.exp(scores.clamp(-15, 15))
        return grown * lengths if self.value == "length_exp" else grown


class Siamese(nn.Module):
    """The second-level encoder, one for both sides, and the predictor of one side."""

    def __init__(self, config: SiameseConfig, columns: int) -> None:
        super().__init__()
        size = config.width, config.layers, config.heads, config.inner
        width = config.width if config.encoder else columns
        self.encoder = Transformer(columns, *size, width, config.positions) if config.encoder else None
        self.predictor = Transformer(width, *size, width, config.positions) if config.predictor else None

    def encode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return second-level vectors [B, n, d']; without an encoder, the first-level ones."""
        return vectors if self.encoder is None else self.encoder(vectors, mask)

    def predict(self, encoded: Tensor, mask: Tensor, frozen: bool = False) -> Tensor:
        """Return the prediction [B, n, d'] of every sentence's vector.

        A frozen predictor passes gradients on to what it is given, and gets none itself: the paper's weight copy.
        """
        if self.predictor is None:
            return encoded
        weights: dict[str, Tensor] = dict(self.predictor.named_parameters())
        if frozen:
            weights = {name: weight.detach() for name, weight in weights.items()}
        predicted: Tensor = functional_call(self.predictor, weights, (encoded, mask))
        return predicted


class Model(nn.Module):
    """What is trained."""

    def __init__(self, config: Config, columns: int) -> None:
        super().__init__()
        self.scorer = Scorer(config, columns)
        self.siamese = Siamese(config.siamese, columns) if config.objective.siamese else None
