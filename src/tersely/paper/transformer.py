"""The transformer encoder that the scorer, the siamese networks and the compact knapsack network are made of."""

import math

import torch
from torch import Tensor, nn


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
