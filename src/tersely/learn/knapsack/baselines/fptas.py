"""FPTAS-NN of Hertrich and Skutella, and a transformer that reads a selection from it."""

import torch
from torch import Tensor, nn

_INFINITE = 2.0  # the size of a set that does not exist; the capacity is 1


class FptasCell(nn.Module):
    """One step of the dynamic program over rounded profits, in rectified linear units.

    The state f(p) is the least size of a set of the items so far whose profits reach p granules; an item of r granules
    and size s makes it min(f(p), f(p - r) + s). A unit for every p and k has f(p - k) less twice |k - r|, which is
    positive at most for k = r: the sum of these units is f(p - r). So the width is the square of the granules.
    """

    steps: Tensor

    def __init__(self, granules: int) -> None:
        super().__init__()
        self.granules = granules
        # Descending, as the window below slides.
        self.register_buffer("steps", torch.arange(granules - 1, -1, -1, dtype=torch.float32), persistent=False)

    def forward(self, state: Tensor, whole: Tensor, size: Tensor) -> Tensor:
        """Add one item to each problem: state [B, P], granules and size of the item [B]."""
        off = whole[:, None] - self.steps  # [B, k]
        distance = off.relu() + (-off).relu()
        # f(p - k) for every p and k, and 0 for p <= k: a window that slides over zeros and the state.
        reach = nn.functional.pad(state, (self.granules - 1, 0)).unfold(1, self.granules, 1)  # [B, p, k]
        with_item = (reach - _INFINITE * distance[:, None]).relu().sum(2) + size[:, None]
        least: Tensor = state - (state - with_item).relu()
        return least


class Fptas(nn.Module):
    """FPTAS-NN with a transformer on top (Hertrich and Skutella, AAAI 2021; the summarization paper's Table 1).

    From the paper: a recurrent network of rectified linear units, built and not trained, that goes through the items
    and computes the dynamic program's values for profits rounded down to 1/P of their sum; P bounds width and error.
    From the summarization paper: a transformer, trained on the labels, that maps these vectors to the selection.
    Different here: profits sum to 1, so the granule is known from the start and never re-scaled. What the transformer
    sees is not told in print: here, for each item, the vectors before it, after it and after all items, the value of
    the best set that FPTAS-NN tells, the item's own profit and size, and where in the sequence it stands.
    """

    def __init__(self, width: int = 64, layers: int = 3, heads: int = 4, granules: int = 32) -> None:
        super().__init__()
        self.cell = FptasCell(granules)
        self.enter = nn.Linear(3 * granules + 3, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.leave = nn.Linear(width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of the items, [B, n]."""
        room = (1 - self.values(profits, sizes)).relu()  # [B, n, P], what is left where p granules fit, and else 0
        before = torch.cat([torch.zeros_like(room[:, :1]), room[:, :-1]], dim=1)
        last = room[:, -1:].expand_as(room)  # with all items in: the output of FPTAS-NN; padding changes nothing
        best = (last > 0).to(room.dtype).mean(2)  # the value of the best set, as FPTAS-NN tells it
        seen = torch.cat([room, before, last, torch.stack([profits, sizes, best], dim=2)], dim=2)
        hidden = self.enter(seen) + sinusoids(profits.shape[1], self.enter.out_features, profits)
        hidden = self.encoder(hidden, src_key_padding_mask=~mask)
        logits: Tensor = self.leave(hidden).squeeze(2)
        return logits

    def values(self, profits: Tensor, sizes: Tensor) -> Tensor:
        """Return the least size that reaches p granules of profit with the items up to each, [B, n, P]."""
        whole = (profits * self.cell.granules).floor()
        state = torch.full_like(profits[:, :1], _INFINITE).repeat(1, self.cell.granules)
        states = []
        for item in range(profits.shape[1]):
            state = self.cell(state, whole[:, item], sizes[:, item])
            states.append(state)
        return torch.stack(states, dim=1)


def sinusoids(count: int, width: int, like: Tensor) -> Tensor:
    """Return the position codes of Vaswani et al., [count, width]."""
    rates = torch.exp(torch.arange(0, width, 2, device=like.device) * (-9.21 / width))
    angles = torch.arange(count, device=like.device)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1).to(like.dtype)
