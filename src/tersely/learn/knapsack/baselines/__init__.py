"""The other rows of the paper's Table 1, trained and measured as the knapsack transformer is: by `python -m` this."""

from tersely.learn.knapsack.baselines.dqn import Dqn
from tersely.learn.knapsack.baselines.fptas import Fptas
from tersely.learn.knapsack.baselines.neural import Neural

__all__ = ["Dqn", "Fptas", "Neural"]
