"""Values, lengths and a budget become the chosen sentences."""

from tersely.registry import Registry
from tersely.select._problem import Problem, Selection, Selector, solver
from tersely.select._redundancy import blocking_trigrams, without_duplicates

SELECTORS: Registry[Selector] = Registry("selector", __name__)

__all__ = ["SELECTORS", "Problem", "Selection", "Selector", "blocking_trigrams", "solver", "without_duplicates"]
