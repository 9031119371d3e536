"""The knapsack transformer: problems like the paper's, networks that learn to solve them, and their measures."""

from tersely.learn.knapsack.folder import load_folder, measure_folder
from tersely.learn.knapsack.network import CompactTransformer, KnapsackTransformer
from tersely.learn.knapsack.simulate import CNEWSUM, CNNDM, Batch, Distribution, Simulation

__all__ = [
    "CNEWSUM",
    "CNNDM",
    "Batch",
    "CompactTransformer",
    "Distribution",
    "KnapsackTransformer",
    "Simulation",
    "load_folder",
    "measure_folder",
]
