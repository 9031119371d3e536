"""The results of one dev set, by system and budget, as cells of a table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_rows import Row
from tersely.evaluate.measures import paired_bootstrap
from tersely.evaluate.run import SystemResult
from tersely.options import Budget

MEASURES = ("rouge1", "rouge2", "rougeLsum")


class Measured:
    """The results of one dev set, by system and budget."""

    def __init__(self, results: Sequence[SystemResult], mixed: Sequence[SystemResult], folder: Path) -> None:
        self.folder = folder
        self.results = {(result.system, result.budget): result for result in results}
        self.mixed = {result.system: result for result in mixed}
        self.documents = len(results[0].outcomes)

    def models(self, row: Row) -> list[str]:
        """Return the models of a row, one per seed."""
        own = [name for name, _ in self.results if name.rpartition("-")[0] == row.name and "/" not in name]
        return list(dict.fromkeys(own))

    def seeds(self, row: str) -> list[int]:
        """Return the seeds of a row."""
        names = dict.fromkeys(name for name, _ in self.results if "/" not in name)
        return [int(name.rpartition("-")[2]) for name in names if name.rpartition("-")[0] == row]

    def mean(self, row: str, seeds: Sequence[int], budget: Budget) -> NDArray[np.float64]:
        """Return the R-1 of each document, averaged over the seeds."""
        scores = [self.results[f"{row}-{seed}", budget].f1("rouge1") for seed in seeds]
        averaged: NDArray[np.float64] = np.mean(scores, axis=0)
        return averaged

    def figures(self, name: str, budget: Budget) -> str:
        """Return the ROUGE cells."""
        result = self.results[name, budget]
        return " | ".join(f"{result.mean(measure):.2f}" for measure in MEASURES)

    def delta(self, name: str, other: str, budget: Budget) -> str:
        """Return the paired difference of R-1 and its interval."""
        one, two = (self.results[key, budget].f1("rouge1") for key in (name, other))
        return "" if name == other else difference(one, two)

    def shuffled(self, name: str) -> str:
        """Return R-1 on shuffled documents, if it was measured."""
        return f"{self.mixed[name].mean('rouge1'):.1f}" if name in self.mixed else ""


def difference(one: NDArray[np.float64], two: NDArray[np.float64]) -> str:
    """Return a mean difference and its interval."""
    found = paired_bootstrap(one, two)
    return f"{found.mean:+.2f} ({found.low:+.2f}, {found.high:+.2f})"


def places(result: SystemResult) -> str:
    """Name the three places chosen most often, from 1, and their shares."""
    chosen = [place for outcome in result.outcomes for place in outcome.positions]
    found, counts = np.unique(chosen, return_counts=True)
    best = np.argsort(-counts, kind="stable")[:3]
    return ", ".join(f"{found[i] + 1}: {counts[i] / len(chosen):.0%}" for i in best)


def first_three(result: SystemResult) -> float:
    """Return the share of all choices that are among the first three sentences."""
    return float(np.mean([place < 3 for outcome in result.outcomes for place in outcome.positions]))
