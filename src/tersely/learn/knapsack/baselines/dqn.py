"""The baseline that learns from rewards: deep Q-learning for the knapsack (Yildiz)."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

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
        taken = nn.functional.one_hot(items, self.free.shape[1]).bool() & playing[:, None]
        return self._replace(free=self.free & ~taken, room=self.room - (self.sizes * taken).sum(1))

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
        which = moves.byte().topk(max(int(count.max()), 1), dim=1).indices
        seen = torch.stack([feature.gather(1, which) for feature in features], dim=2)
        absent = ~moves.gather(1, which) & (count > 0)  # without a move, something must still be attended to
        follows = self.leave(self.encoder(self.enter(seen), src_key_padding_mask=absent)).squeeze(2)
        worth: Tensor = game.profits + torch.zeros_like(game.profits).scatter(1, which, follows)
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
        """Play to the end without exploring; return +1 for what was taken and -1 for the rest, [B, n]."""
        game, order = Game.start(profits, sizes, mask)
        with torch.no_grad():
            while (playing := game.moves.any(1)).any():
                game = game.take(self.online(game).argmax(1), playing)
        taken = torch.zeros_like(mask).scatter(1, order, mask.gather(1, order) & ~game.free)
        return taken.to(profits.dtype) * 2 - 1

    def loss(self, profits: Tensor, sizes: Tensor, mask: Tensor, explore: float, generator: torch.Generator) -> Tensor:
        """Play, exploring with that probability, and return the mean squared temporal difference of all moves."""
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
