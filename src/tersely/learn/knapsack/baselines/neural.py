"""Neural Knapsack of Nomer et al."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pack_padded_sequence


class Neural(nn.Module):
    """Neural Knapsack: a memory of the items, and a decoder that decides them one by one (Nomer et al., 2020).

    From the paper and its code: each item enters as (value, weight, capacity), each divided by its range; a layer of
    rectified units makes a memory of the items; a GRU reads them all and hands its last state to the decoder, a GRU
    that goes through them again; another GRU goes through the outputs so far and tells the decoder of them; what is
    read from the memory (softmax of cosines) and the decoder's state decide; labels come from an exact solver.
    Different here: the range is the problem's own (its greatest value and weight), so that one network serves every
    capacity; one GRU for the outputs and not two; and it runs on its own outputs in training as in use, where the
    paper's is trained on the labels of the earlier items.
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
        # Packed, so that the last state is that of a problem's last item, not of its padding.
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
