"""The two baselines that read the items one by one and learn from labels: FPTAS-NN and Neural Knapsack."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pack_padded_sequence

from tersely.learn.attention import sinusoids

_INFINITE = 2.0  # the size of a set that does not exist; the capacity is 1


class FptasCell(nn.Module):
    """One step of the dynamic program over rounded profits, in rectified linear units.

    The state f(p) is the least size of a set of the items so far whose profits reach p granules; an item of r granules
    and size s turns it into min(f(p), f(p - r) + s). The unit for p and k is f(p - k) minus twice |k - r|, which can be
    positive only for k = r, so these units sum to f(p - r). The width is the square of the number of granules.
    """

    steps: Tensor

    def __init__(self, granules: int) -> None:
        super().__init__()
        self.granules = granules
        # Descending, because the window below slides.
        self.register_buffer("steps", torch.arange(granules - 1, -1, -1, dtype=torch.float32), persistent=False)

    def forward(self, state: Tensor, whole: Tensor, size: Tensor) -> Tensor:
        """Add one item to each problem: state [B, P], granules and size of the item [B]."""
        off = whole[:, None] - self.steps  # [B, k]
        distance = off.relu() + (-off).relu()
        # f(p - k) for every p and k, 0 for p <= k: a window that slides over zeros and the state.
        reach = nn.functional.pad(state, (self.granules - 1, 0)).unfold(1, self.granules, 1)  # [B, p, k]
        with_item = (reach - _INFINITE * distance[:, None]).relu().sum(2) + size[:, None]
        least: Tensor = state - (state - with_item).relu()
        return least


class FptasNetwork(nn.Module):
    """FPTAS-NN with a transformer on top (Hertrich and Skutella, AAAI 2021; the summarization paper's Table 1).

    From the paper: a recurrent network of rectified linear units, constructed rather than trained, that reads the items
    and computes the values of the dynamic program for profits rounded down to 1/P of their sum; P bounds its width and
    its error. From the summarization paper: a transformer, trained on labels, that maps these vectors to a selection.
    Different here: profits sum to 1, so the granule is known from the start and never rescaled. The paper does not say
    what the transformer sees; here it sees, for each item, the vectors before it, after it and after all items, the
    value of the best set according to FPTAS-NN, the item's profit and size, and its position.
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
        room = (1 - self.values(profits, sizes)).relu()  # [B, n, P], the room left if p granules fit, else 0
        before = torch.cat([torch.zeros_like(room[:, :1]), room[:, :-1]], dim=1)
        last = room[:, -1:].expand_as(room)  # after all items, the output of FPTAS-NN; padding changes nothing
        best = (last > 0).to(room.dtype).mean(2)  # the value of the best set according to FPTAS-NN
        seen = torch.cat([room, before, last, torch.stack([profits, sizes, best], dim=2)], dim=2)
        hidden = self.enter(seen)  # [B, n, d]
        hidden = self.encoder(hidden + sinusoids(hidden), src_key_padding_mask=~mask)
        logits: Tensor = self.leave(hidden).squeeze(2)
        return logits

    def values(self, profits: Tensor, sizes: Tensor) -> Tensor:
        """Return the least size that reaches p granules of profit with the items up to each item, [B, n, P]."""
        whole = (profits * self.cell.granules).floor()
        state = torch.full_like(profits[:, :1], _INFINITE).repeat(1, self.cell.granules)
        states = []
        for item in range(profits.shape[1]):
            state = self.cell(state, whole[:, item], sizes[:, item])
            states.append(state)
        return torch.stack(states, dim=1)


class NeuralKnapsack(nn.Module):
    """Neural Knapsack: a memory of the items, and a decoder that decides them one by one (Nomer et al., 2020).

    From the paper and its code: each item enters as (value, weight, capacity), each divided by its range; a layer of
    rectified units turns the items into a memory; a GRU reads them all and hands its last state to the decoder, a GRU
    that reads them again; another GRU reads the outputs so far and informs the decoder; what is read from the memory
    (softmax of cosines) and the decoder's state decide; labels come from an exact solver. Different here: the range is
    that of the problem (its greatest value and weight), so that one network serves every capacity; there is one GRU for
    the outputs instead of two; and in training, too, it reads its own outputs, not the labels of the earlier items.
    """

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.memorize = nn.Linear(3, width, bias=False)
        self.encode = nn.GRU(3, width, batch_first=True)
        self.recall = nn.GRUCell(2, width)
        self.decode = nn.GRUCell(3 + width, width)
        self.leave = nn.Linear(2 * width, 1)

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of the items, [B, n]."""
        items = in_range(profits, sizes)
        memory = self.memorize(items).relu()  # [B, n, d]
        keys = normalize(memory, dim=2)
        # Packed, so that the last state is that of the last item, not of the padding.
        counts = mask.sum(1).clamp(min=1).cpu()
        _, last = self.encode(pack_padded_sequence(items, counts, batch_first=True, enforce_sorted=False))
        hidden, recalled = last[0], torch.zeros_like(last[0])  # [B, d] each
        logits = []
        for item in range(profits.shape[1]):
            hidden = self.decode(torch.cat([items[:, item], recalled], dim=1), hidden)
            cosines = torch.einsum("bd,bnd->bn", normalize(hidden, dim=1), keys)
            read = torch.einsum("bn,bnd->bd", cosines.masked_fill(~mask, -1e9).softmax(1), memory)
            logit = self.leave(torch.cat([hidden, read], dim=1))  # [B, 1]
            logits.append(logit)
            recalled = self.recall(torch.cat([logit.sigmoid(), (-logit).sigmoid()], dim=1), recalled)
        return torch.cat(logits, dim=1)


def in_range(profits: Tensor, sizes: Tensor) -> Tensor:
    """Return value, weight and capacity of each item, in units of the greatest value and weight, [B, n, 3]."""
    widest = sizes.amax(1, keepdim=True).clamp(min=1e-6)
    dearest = profits.amax(1, keepdim=True).clamp(min=1e-6)
    capacity = (1 / widest).expand_as(sizes)  # sizes are in units of it
    return torch.stack([profits / dearest, sizes / widest, capacity], dim=2)
