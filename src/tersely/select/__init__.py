"""Chooses sentences, given their values, their lengths and a budget."""

from tersely.select._problem import Problem, Selection, Selector, Values, solver
from tersely.select._redundancy import Trigrams, blocking_trigrams, distinct, sharing_trigrams
from tersely.settings import Registry

SELECTORS: Registry[Selector] = Registry(
    "selector",
    {
        "coverage": "tersely.select.coverage:GreedyCoverage",
        "density": "tersely.select.ranked:Density",
        "greedy": "tersely.select.ranked:Greedy",
        "knapsack": "tersely.select.knapsack:Knapsack",
        "top": "tersely.select.ranked:Top",
    },
)

__all__ = [
    "SELECTORS",
    "Problem",
    "Selection",
    "Selector",
    "Trigrams",
    "Values",
    "blocking_trigrams",
    "distinct",
    "sharing_trigrams",
    "solver",
]
