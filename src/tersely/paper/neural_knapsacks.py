"""The other methods of Table 1: FPTAS-NN, Neural Knapsack, and deep Q-learning.

The first two read the items one by one and learn from labels. The third learns from rewards.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pack_padded_sequence

from tersely.paper.transformer import sinusoids

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

    def forward(self, state: Tensor, profit: Tensor, size: Tensor) -> Tensor:
        """Add one item to each problem: state [B, P], granules and size of the item [B]."""
        off = profit[:, None] - self.steps  # [B, k]
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
        inputs = torch.cat([room, before, last, torch.stack([profits, sizes, best], dim=2)], dim=2)
        hidden = self.enter(inputs)  # [B, n, d]
        hidden = self.encoder(hidden + sinusoids(hidden), src_key_padding_mask=~mask)
        logits: Tensor = self.leave(hidden).squeeze(2)
        return logits

    def values(self, profits: Tensor, sizes: Tensor) -> Tensor:
        """Return the least size that reaches p granules of profit with the items up to each item, [B, n, P]."""
        granules = (profits * self.cell.granules).floor()
        state = torch.full_like(profits[:, :1], _INFINITE).repeat(1, self.cell.granules)
        states = []
        for item in range(profits.shape[1]):
            state = self.cell(state, granules[:, item], sizes[:, item])
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


_NEVER = -1e9


class Game(NamedTuple):
    """B knapsacks being packed; items are sorted by density, the highest first."""

    profits: Tensor  # [B, n]
    sizes: Tensor  # [B, n], in units of the capacity
    free: Tensor  # bool [B, n], neither padding nor taken yet
    room: Tensor  # [B], the capacity that is left

    @classmethod
    def start(cls, profits: Tensor, sizes: Tensor, mask: Tensor) -> tuple["Game", Tensor]:
        """Return empty knapsacks and the order of their items, [B, n]."""
        density = (profits / sizes.clamp(min=1e-6)).masked_fill(~mask, -1)
        order = density.argsort(dim=1, descending=True, stable=True)
        sorted_mask = mask.gather(1, order)
        return cls(profits.gather(1, order), sizes.gather(1, order), sorted_mask, torch.ones_like(sizes[:, 0])), order

    @property
    def moves(self) -> Tensor:
        """Which items may be taken: the free ones that fit, with a tolerance because sizes are rounded."""
        return self.free & (self.sizes <= self.room[:, None] + 1e-6)

    def take(self, items: Tensor, playing: Tensor) -> "Game":
        """Take an item [B] in each game that is still being played."""
        new = nn.functional.one_hot(items, self.free.shape[1]).bool() & playing[:, None]
        return self._replace(free=self.free & ~new, room=self.room - (self.sizes * new).sum(1))

    def rows(self, keep: Tensor) -> "Game":
        """Return some of the games."""
        return Game(*(field[keep] for field in self))


class Estimator(nn.Module):
    """Estimates the total profit at the end of the game if an item is taken: attention among items, layers on each.

    The item's own profit is known, so only what follows is estimated.
    """

    def __init__(self, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.enter = nn.Linear(6, width)
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.leave = nn.Linear(width, 1)

    def forward(self, game: Game) -> Tensor:
        """Return the worth of each move, [B, n]; anything that is not a move gets a very low worth."""
        moves = game.moves
        room = game.room[:, None].expand_as(game.sizes)
        place = moves.cumsum(1) / moves.sum(1, keepdim=True).clamp(min=1)  # by density, among the moves
        filled = (game.sizes * moves).cumsum(1) - room  # how far taking all up to here would overflow
        count = moves.sum(1, keepdim=True)
        features = [game.profits * count, game.sizes, room, game.sizes - room, place, filled.clamp(-2, 2)]
        # Ever fewer items fit as a game proceeds, so only these are gathered, [B, m, 6].
        places = moves.byte().topk(max(int(count.max()), 1), dim=1).indices
        inputs = torch.stack([feature.gather(1, places) for feature in features], dim=2)
        absent = ~moves.gather(1, places) & (count > 0)  # without a move, something must still be attended to
        follows = self.leave(self.encoder(self.enter(inputs), src_key_padding_mask=absent)).squeeze(2)
        worth: Tensor = game.profits + torch.zeros_like(game.profits).scatter(1, places, follows)
        return worth.masked_fill(~moves, _NEVER)


class DeepQ(nn.Module):
    """Reinforcement learning for the knapsack: a deep Q-network with attention (Yildiz, 2022).

    From the paper, of which we had only the abstract: deep Q-learning in a knapsack environment, with attention in the
    estimator; no labels, only rewards. The rules of the game are ours: it shows the items by density and the remaining
    capacity, a move takes an item that fits, its profit is the reward, and the game ends when nothing fits. The loss is
    the squared temporal difference to a target network (double DQN), with occasional random moves. Fresh games played
    side by side replace a replay memory, as no problem need be seen twice; and the estimator adds to an item's profit,
    which is known, only what will follow.
    """

    def __init__(self, width: int = 32, layers: int = 2, heads: int = 2, refresh: float = 0.02) -> None:
        super().__init__()
        self.online = Estimator(width, layers, heads)
        self.target = Estimator(width, layers, heads).requires_grad_(False)
        self.target.load_state_dict(self.online.state_dict())
        self.refresh = refresh

    def forward(self, profits: Tensor, sizes: Tensor, mask: Tensor) -> Tensor:
        """Play to the end without exploring; return +1 for each item that was taken and -1 for the others, [B, n]."""
        game, order = Game.start(profits, sizes, mask)
        with torch.no_grad():
            while (playing := game.moves.any(1)).any():
                game = game.take(self.online(game).argmax(1), playing)
        packed = torch.zeros_like(mask).scatter(1, order, mask.gather(1, order) & ~game.free)
        return packed.to(profits.dtype) * 2 - 1

    def loss(self, profits: Tensor, sizes: Tensor, mask: Tensor, explore: float, generator: torch.Generator) -> Tensor:
        """Play the problems, and return the mean squared temporal difference of all moves.

        `profits`, `sizes` and `mask` are [B, n]. A move is random with the probability `explore`; `generator` draws it.
        """
        game, _ = Game.start(profits, sizes, mask)
        total, moves = profits.new_zeros(()), 0
        worth = self.online(game)
        while (playing := game.moves.any(1)).any():
            game, worth = game.rows(playing), worth[playing]
            chance = torch.rand(worth.shape, generator=generator).masked_fill(~game.moves, -1)
            bold = torch.rand(len(worth), generator=generator) < explore
            item = torch.where(bold, chance.argmax(1), worth.detach().argmax(1))
            after = game.take(item, torch.ones_like(bold))
            worth_after = self.online(after)
            with torch.no_grad():
                # One network chooses and the other judges: a maximum of noisy estimates is too high (double DQN).
                ahead = _at(self.target(after), worth_after.argmax(1)).clamp(min=0)  # 0 where nothing more fits
            off = _at(worth, item) - _at(game.profits, item) - ahead
            total, moves = total + off.square().sum(), moves + len(off)
            game, worth = after, worth_after
        return total / max(moves, 1)

    def follow(self) -> None:
        """Move the target network a little toward the online network; called once before every step."""
        with torch.no_grad():
            for target, online in zip(self.target.parameters(), self.online.parameters(), strict=True):
                target.lerp_(online, self.refresh)


def _at(worth: Tensor, items: Tensor) -> Tensor:
    """Pick one item of each row, [B]."""
    return worth.gather(1, items[:, None]).squeeze(1)
