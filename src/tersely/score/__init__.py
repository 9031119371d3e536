"""A document and its vectors become one value a sentence."""

from tersely.registry import Registry
from tersely.score.scorer import Scorer, Values

SCORERS: Registry[Scorer] = Registry("scorer", __name__, skip=("scorer", "graph"))

__all__ = ["SCORERS", "Scorer", "Values"]
