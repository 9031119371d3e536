"""One block of a transformer, for every network here."""

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """Attention with a bias, then two linear layers, each normed before and added after."""

    def __init__(self, width: int, heads: int, inner: int, activation: nn.Module) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.attend = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.think = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, inner), activation, nn.Linear(inner, width))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return x [B, n, d], changed; the bias, [B, heads, n, n] or broadcast to it, is added to the attention."""
        split = self.attend(self.norm(x)).unflatten(2, (3, self.heads, -1))  # [B, n, 3, heads, d / heads]
        query, key, value = split.permute(2, 0, 3, 1, 4)  # each [B, heads, n, d / heads]
        scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5 + bias
        mixed = torch.softmax(scores, dim=-1) @ value  # [B, heads, n, d / heads]
        x = x + self.merge(mixed.transpose(1, 2).flatten(2))
        moved: Tensor = x + self.think(x)
        return moved
