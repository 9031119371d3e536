"""Values, lengths and a budget become the chosen sentences."""

from tersely.registry import Registry
from tersely.select.frontier import solver
from tersely.select.problem import Problem, Selection, Selector
from tersely.select.redundancy import blocking_trigrams, without_duplicates

SELECTORS: Registry[Selector] = Registry(
    "selector", __name__, skip=("core", "expected", "frontier", "perturbed", "problem", "redundancy", "search", "table")
)

__all__ = [
    "SELECTORS",
    "Problem",
    "Selection",
    "Selector",
    "blocking_trigrams",
    "solver",
    "without_duplicates",
]
