"""The rows of Table 1 that are not the knapsack transformer's, as Markdown."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.learn.knapsack.labels import density
from tersely.learn.knapsack.measure import Evaluation
from tersely.learn.knapsack.simulate import DISTRIBUTIONS, Simulation, Space

_NAMES = {
    "fptas": "FPTAS-NN + transformer",
    "neural": "Neural Knapsack",
    "dqn": "Reinforcement learning (DQN)",
    "density": "Density greedy",
}
_RATES = ("error_rate", "matched_rate", "feasible_rate", "value_ratio")


def read_figures(folder: Path) -> dict[str, Any]:
    """Return what a finished training measured."""
    try:
        figures: dict[str, Any] = json.loads((folder / "measures.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{folder} holds no finished training of a baseline") from None
    return figures


def greedy_figures(distribution: str, samples: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Measure density greedy against the exact solution; it sees no samples, has no weights and always fits."""
    problems = Evaluation.of(Simulation(DISTRIBUTIONS[distribution], seed, Space.TEST).batch(0, samples), "dp")
    rates = asdict(problems.measure(density(problems.batch)))
    about = {"kind": "density", "distribution": distribution, "samples": samples, "seen": 0, "parameters": 0}
    return about | {"rounded": rates, "repaired": rates}


def render(rows: Iterable[dict[str, Any]]) -> str:
    """Print the rows, one way of choosing beside the other."""
    lines = [
        "| method | distribution | error rate | matched rate | feasible | value | matched, repaired | value, repaired "
        "| samples seen | parameters |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rates = [row["rounded"][rate] for rate in _RATES]
        rates += [row["repaired"][rate] for rate in ("matched_rate", "value_ratio")]
        shown = " | ".join(f"{100 * rate:.1f} %" for rate in rates)
        size = f"{row['seen']:,} | {row['parameters']:,}"
        lines.append(f"| {_NAMES[row['kind']]} | {row['distribution']} | {shown} | {size} |")
    return "\n".join(lines)
