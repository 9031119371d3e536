"""The knapsack transformer: the paper's, and a compact one that starts from what a solver would look at first."""

import torch
from torch import Tensor, nn

from tersely.errors import unknown_name
from tersely.learn.block import Block
from tersely.learn.knapsack.core import CORES, ITEM_FEATURES, PAIR_FEATURES, pair_features
from tersely.learn.knapsack.view import view

# Problems are decided in this many groups, from few to many open items, so that there is little padding.
GROUPS = 4


class KnapsackTransformer(nn.Module):
    """The paper's: each item's profit and size, a transformer encoder without positions, one logit an item."""

    def __init__(self, width: int = 768, layers: int = 8, heads: int = 8) -> None:
        super().__init__()
        self.embed = nn.Linear(2, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.decide = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return logits [B, n] for profits [B, n] that sum to 1, sizes [B, n] over the capacity and a mask [B, n]."""
        x = self.embed(torch.stack([profits, sizes], dim=-1))  # [B, n, d]
        x = self.encoder(x, src_key_padding_mask=~mask)  # [B, n, d]
        logits: Tensor = self.decide(x).squeeze(-1)  # [B, n]
        return logits


class CompactTransformer(nn.Module):
    """A knapsack transformer on the core: what a bound settles is settled, and a small transformer decides the rest.

    An item's features are its bounds, reduced cost and place in density order; the attention between two open items
    has a bias made from whether they fit together and what their exchange would gain. No solution is among the
    inputs, only worths and sums. `labels` says which solver is learned, as each settles other items.
    """

    def __init__(self, labels: str, width: int = 64, layers: int = 3, heads: int = 4, pairs: int = 16) -> None:
        super().__init__()
        if labels not in CORES:
            raise unknown_name("kind of labels", labels, CORES)
        self.labels = labels
        self.embed = nn.Linear(ITEM_FEATURES[labels], width)
        self.pair = nn.Sequential(nn.Linear(PAIR_FEATURES, pairs), nn.ReLU(), nn.Linear(pairs, heads * layers))
        self.blocks = nn.ModuleList(Block(width, heads, 4 * width, nn.ReLU()) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.decide = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return logits [B, n] for profits [B, n] that sum to 1, sizes [B, n] over the capacity and a mask [B, n]."""
        seen = view(profits, sizes, mask)
        core, pairs = CORES[self.labels](seen), pair_features(seen)
        decide = self._decide if torch.compiler.is_exporting() else self._decide_open
        return torch.where(core.open, decide(core.items, pairs, core.open), core.logits)

    def _decide_open(self, items: Tensor, pairs: Tensor, is_open: Tensor) -> Tensor:
        """Decide as `_decide`, but only for the open items, which are few, and for problems with as many together."""
        order = is_open.sum(1).argsort()
        logits = torch.zeros_like(items[:, :, 0])
        for rows in order.chunk(GROUPS):
            count = max(int(is_open[rows].sum(1).max()), 1)
            which = is_open[rows].float().topk(count, dim=1).indices  # [b, m]
            row, mine, other = rows[:, None], which[:, :, None], which[:, None, :]
            decided = self._decide(items[row, which], pairs[row[:, :, None], mine, other], is_open[row, which])
            logits = logits.index_put((row, which), decided)
        return logits

    def _decide(self, items: Tensor, pairs: Tensor, is_open: Tensor) -> Tensor:
        hidden = torch.where(is_open, 0.0, -1e4)[:, None, None, :]  # [B, 1, 1, n]
        bias = self.pair(pairs).unflatten(3, (len(self.blocks), -1)).permute(3, 0, 4, 1, 2)  # [L, B, heads, n, n]
        x = self.embed(items)  # [B, n, d]
        for number, block in enumerate(self.blocks):
            x = block(x, bias[number] + hidden)
        logits: Tensor = self.decide(self.norm(x)).squeeze(-1)
        return logits
