"""The knapsack transformer: problems like the paper's, networks that learn to solve them, and how well they do."""

from tersely.learn.knapsack.folder import load_folder, measure_folder
from tersely.learn.knapsack.labels import Problems
from tersely.learn.knapsack.network import CompactTransformer, KnapsackTransformer
from tersely.learn.knapsack.simulate import CNEWSUM, CNNDM, Distribution, Simulation

__all__ = [
    "CNEWSUM",
    "CNNDM",
    "CompactTransformer",
    "Distribution",
    "KnapsackTransformer",
    "Problems",
    "Simulation",
    "load_folder",
    "measure_folder",
]
