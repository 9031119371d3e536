"""Times of 512 knapsack problems for each solver and network, and the learning curves of the shipped networks.

Prints Markdown; with --plot FILE it draws the matched rate against the samples seen instead, from the models' logs.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from tersely.models import model_folder
from tersely.paper.knapsack_measure import Evaluation, load_folder, worth
from tersely.paper.knapsack_network import KnapsackTransformer, bounds, density_core, dp_core, view
from tersely.paper.knapsack_problems import DISTRIBUTIONS, Problems, Simulation, density, dp
from tersely.paper.perturbed import perturbed_knapsack
from tersely.paper.train_knapsack import tensors

PAPER = {  # matched rates of the paper's Table 1
    "knapsack-cnndm-dp": 0.821,
    "knapsack-cnewsum-dp": 0.938,
    "knapsack-cnndm-density": 0.932,
    "knapsack-cnewsum-density": 0.968,
}
BATCH = 512


def main() -> None:
    """Print the times, or draw the curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves of the shipped networks")
    parser.add_argument(
        "--repeats", type=int, default=9, help="print the median of this many runs, or of as many as take 5 seconds"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads for PyTorch; the solvers that make labels use one"
    )
    args = parser.parse_args()
    if args.plot:
        plot(args.plot)
        return
    torch.set_num_threads(args.threads)
    labels_per_second()
    without_network()
    forward_times(args.repeats, args.threads)


def labels_per_second() -> None:
    """Print how fast labels are made, on one core."""
    print("| labels per second, one core | CNNDM | CNewSum |\n|---|---|---|")
    for name, solver in (("exact DP", dp), ("density greedy", density)):
        rates = []
        for paper in DISTRIBUTIONS.values():
            batch = Simulation(paper, seed=1).batch(0, 20_000)
            rates.append(len(batch.mask) / median(partial(solver, batch), 5))
        print(f"| {name} | " + " | ".join(f"{rate:,.0f}" for rate in rates) + " |")
    print()


def without_network() -> None:
    """Print how far the bounds of the compact networks get without a network, on 5,000 problems."""
    rows: dict[str, list[float]] = {}
    for paper in DISTRIBUTIONS.values():
        problems = Evaluation.of(Simulation(paper, seed=1).batch(0, 5000), "dp")
        batch, greedy = problems.batch, density(problems.batch)
        seen = view(*tensors(batch))
        with_it, without_it = bounds(seen, include=True).lower, bounds(seen, include=False).lower
        best = (torch.maximum(with_it, without_it) * seen.mask).amax(1).numpy() / batch.mask.sum(1)
        for labels, core in (("DP", dp_core(seen)), ("density", density_core(seen))):
            is_open = core.open.numpy() & batch.mask
            rows.setdefault(f"items that are settled, {labels} labels", []).append(1 - is_open.sum() / batch.mask.sum())
            rows.setdefault(f"problems with nothing open, {labels} labels", []).append((~is_open.any(1)).mean())
        regret = torch.where(dp_core(seen).open, with_it > without_it, dp_core(seen).chosen).numpy()
        optimum = worth(problems.best, batch)
        for name, rate in (
            ("matched with DP: density greedy", problems.measure(greedy).matched_rate),
            ("matched with DP: open items by the sign of their regret", problems.measure(regret).matched_rate),
            ("the best lower bound is the optimum", float((np.abs(best - optimum) < 1e-5).mean())),
        ):
            rows.setdefault(name, []).append(rate)
    print("| without a network | CNNDM | CNewSum |\n|---|---|---|")
    for name, rates in rows.items():
        print(f"| {name} | " + " | ".join(f"{100 * rate:.1f} %" for rate in rates) + " |")
    print()


def forward_times(repeats: int, threads: int) -> None:
    """Print the time of a batch for each way to choose."""
    print(f"| forward, {BATCH} problems, {threads} thread(s) | CNNDM | CNewSum |\n|---|---|---|", flush=True)
    rows: dict[str, list[str]] = {}
    for name, paper in DISTRIBUTIONS.items():
        batch = Simulation(paper, seed=1).batch(0, BATCH)
        for way, run in ways(name, batch).items():
            rows.setdefault(way, []).append(f"{1000 * median(run, repeats):,.1f} ms")
    for way, cells in rows.items():
        print(f"| {way} | " + " | ".join(cells) + " |")


def ways(distribution: str, batch: Problems) -> dict[str, Callable[[], object]]:
    """Return every way to choose for the batch, by name."""
    inputs = tensors(batch)
    lengths, capacities = torch.from_numpy(batch.lengths), torch.from_numpy(batch.capacities)
    networks = {
        "compact network, DP labels": load_folder(model_folder(f"knapsack-{distribution}-dp"))[0],
        "compact network, density labels": load_folder(model_folder(f"knapsack-{distribution}-density"))[0],
        "paper-size network (8 layers, width 768)": KnapsackTransformer().eval(),
    }

    def forward(network: torch.nn.Module) -> Callable[[], object]:
        def run() -> object:
            with torch.no_grad():
                return network(*inputs)

        return run

    return {
        "exact DP": lambda: dp(batch),
        "perturbed exact DP, 16 samples": lambda: perturbed_knapsack(
            inputs[0], lengths, capacities, inputs[2], samples=16
        ),
    } | {name: forward(network) for name, network in networks.items()}


def median(run: Callable[[], object], repeats: int) -> float:
    """Return the median time of a call in seconds, after one to warm up; slow ones are called less often."""
    run()
    times: list[float] = []
    while len(times) < repeats and sum(times) < 5:
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def plot(file: Path) -> None:
    """Draw the matched rate of each shipped network against the samples it has seen, beside the paper's rate."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), dpi=110)
    for name, rate in PAPER.items():
        points = [json.loads(line) for line in (model_folder(name) / "log.jsonl").read_text().splitlines()]
        samples, matched = np.array([(point["samples"], 100 * point["matched_rate"]) for point in points]).T
        (line,) = axes.plot(samples / 1e6, matched, label=name.removeprefix("knapsack-"))
        axes.axhline(100 * rate, color=line.get_color(), linestyle=":", linewidth=1)
    axes.set(xlabel="samples seen, millions", ylabel="matched rate, %", ylim=(80, 100.3), xlim=0)
    axes.legend(title="dotted: the paper, 6 million")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file)


if __name__ == "__main__":
    main()
