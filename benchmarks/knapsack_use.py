"""The shipped knapsack networks in use: on problems of real documents, and their gradients."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import torch

from tersely.models import model_folder
from tersely.paper.knapsack_measure import Evaluation, evaluate, load_folder
from tersely.paper.knapsack_problems import Simulation
from tersely.paper.train_knapsack import tensors

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
LANGUAGES = {"cnndm": "en", "cnewsum": "zh"}
NETWORKS = ("cnndm-dp", "cnewsum-dp", "cnndm-density", "cnewsum-density")


def main() -> None:
    """Print both tables as Markdown."""
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    torch.set_num_threads(1)
    print("| network | error rate | matched | matched, repaired | value, repaired |\n|---|---|---|---|---|")
    for name in NETWORKS:
        print(f"| {name} | {on_documents(name)} |", flush=True)
    print("\n| network | own gradient positive | zero |\n|---|---|---|")
    for name in NETWORKS:
        positive, zero = own_gradients(name)
        print(f"| {name} | {positive:.0%} | {zero:.0%} |", flush=True)


def on_documents(name: str, problems: int = 4000) -> str:
    """Measure on problems drawn from real documents, with values of the coverage scorer."""
    network, config = load_folder(model_folder(f"knapsack-{name}"))
    corpus = str(DATA / LANGUAGES[config.data.distribution] / "train.jsonl.gz")
    source = replace(config.data, corpus=corpus, documents=1500).source()
    found = evaluate(network, Evaluation.of(Simulation(source, 3).batch(0, problems), config.data.labels))
    rates = (
        found.rounded.error_rate,
        found.rounded.matched_rate,
        found.repaired.matched_rate,
        found.repaired.value_ratio,
    )
    return " | ".join(f"{100 * rate:.1f} %" for rate in rates)


def own_gradients(name: str, problems: int = 300) -> tuple[float, float]:
    """Return how often the derivative of an item's probability by its profit is positive, and how often it is zero."""
    network, config = load_folder(model_folder(f"knapsack-{name}"))
    profits, sizes, mask = tensors(config.data.simulation().fixed(problems))
    profits.requires_grad_()
    chosen = torch.sigmoid(network(profits, sizes, mask))  # [B, n]
    own = torch.zeros_like(profits)
    for item in range(profits.shape[1]):
        (gradient,) = torch.autograd.grad(chosen[:, item].sum(), profits, retain_graph=True)
        own[:, item] = gradient[:, item]
    there = own[mask]
    return float((there > 0).float().mean()), float((there == 0).float().mean())


if __name__ == "__main__":
    main()
