"""The measured rows of Tables 2 to 5, and paired differences, for the files in results/."""

import json
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pages import Line, update_rows
from table_rows import BASELINES, CONTROLS, PAIRS, PLANS, Plan, rows
from tersely.datasets import SUITE
from tersely.evaluate import describe
from tersely.evaluate.measures import paired_bootstrap
from tersely.evaluate.run import SystemResult
from tersely.learn.bias import bias_of, halves
from tersely.options import Budget
from tersely.paper.published import published

MEASURES = {"r1": "rouge1", "r2": "rouge2", "rl": "rougeLsum"}
THREE_BEST = ("both-42", "both-42/best-2", "both-42/best-3")


def write_results(folder: Path, data: Path) -> None:
    """Write all that was measured: tables.csv, length-control.csv and position-bias.csv.

    folder: the training runs, with one pickle of results for each dev set
    data: the documents of the dev sets
    """
    for plan in PLANS.values():
        for dev in plan.devs:
            file = folder / plan.name / f"{dev}.pickle"
            if file.exists():
                results, mixed = pickle.loads(file.read_bytes())
                measured = Measured(results, mixed, folder / plan.name)
                update_rows("tables.csv", ("set", "budget", "system", "seed"), list(system_rows(plan, dev, measured)))
                update_rows(
                    "length-control.csv",
                    ("study", "set", "row", "without", "seeds", "budget"),
                    list(gains(plan, dev, measured)),
                )
    update_rows("position-bias.csv", ("set",), list(bias(data)))


class Measured:
    """The results of one dev set, by system and budget."""

    def __init__(self, results: Sequence[SystemResult], mixed: Sequence[SystemResult], folder: Path) -> None:
        self.folder = folder
        self.results = {(result.system, result.budget): result for result in results}
        self.mixed = {(result.system, result.budget): result for result in mixed}
        self.documents = len(results[0].outcomes)

    def seeds(self, row: str) -> list[int]:
        """Return the seeds of a row."""
        names = dict.fromkeys(name for name, _ in self.results if "/" not in name)
        return [int(name.rpartition("-")[2]) for name in names if name.rpartition("-")[0] == row]

    def mean(self, row: str, seeds: Sequence[int], budget: Budget) -> NDArray[np.float64]:
        """Return the R-1 of each document, averaged over the seeds."""
        scores = [self.results[f"{row}-{seed}", budget].f1("rouge1") for seed in seeds]
        averaged: NDArray[np.float64] = np.mean(scores, axis=0)
        return averaged

    def row(self, name: str, budget: Budget) -> Line:
        """Return the figures of one system at one budget."""
        result = self.results[name, budget]
        figures = {column: f"{result.mean(measure):.2f}" for column, measure in MEASURES.items()}
        if name != "lead":
            figures |= difference(result.f1("rouge1"), self.results["lead", budget].f1("rouge1"))
        figures |= self._shuffled(name, budget)
        if budget.unit == "sentences":
            return figures | {"places": places(result)}
        return figures | {
            "length": f"{result.lengths.mean():.0f}",
            "length_sd": f"{result.lengths.std():.0f}",
            "fill": f"{100 * result.fill:.0f}",
            "over": str(result.violations),
            "sentences": f"{np.mean([len(outcome.positions) for outcome in result.outcomes]):.1f}",
        }

    def _shuffled(self, name: str, budget: Budget) -> Line:
        """Return R-1 on the shuffled documents, and of what is trained also how far it is above the best control."""
        if (name, budget) not in self.mixed:
            return {}
        scores = self.mixed[name, budget].f1("rouge1")
        figures = {"shuffled": f"{scores.mean():.1f}"}
        if name in CONTROLS:
            return figures
        control = max(CONTROLS, key=lambda control: self.mixed[control, budget].mean("rouge1"))
        over = paired_bootstrap(scores, self.mixed[control, budget].f1("rouge1"))
        return figures | {"control": control, "over_control": str(over)}


def system_rows(plan: Plan, dev: str, measured: Measured) -> Iterator[Line]:
    """Yield the rows of Tables 2 to 5 of one dev set."""
    dataset = "" if dev == "dev_cnn" else plan.dataset
    for budget in plan.all_budgets:
        shared = {"set": dev, "documents": str(measured.documents), "budget": describe(budget)}
        for name, methods in BASELINES.items():
            paper = _paper(plan, dataset, methods[budget.unit != "sentences"], budget)
            yield {**shared, "system": name, "seed": "", **measured.row(name, budget), "paper": paper}
        for row in rows(plan, 42):
            if row.name == "supervised" and dev != "dev_cnndm":
                continue  # it learned from labels of dev_cnn
            for seed in measured.seeds(row.name):
                model, figures = f"{row.name}-{seed}", {}
                if budget.unit == "sentences" and (row.name == "both" or row.table in ("ablations", "readings")):
                    figures = objective_figures(measured, model, budget)
                method = "Ours + DP" if row.name == "both" and budget.unit != "sentences" else row.method
                figures = measured.row(model, budget) | figures | {"paper": _paper(plan, dataset, method, budget)}
                yield {**shared, "system": row.name, "seed": str(seed), **figures}
        if all((name, budget) in measured.results for name in THREE_BEST) and budget.unit == "sentences":
            yield {**shared, "system": "both, mean of three checkpoints", "seed": "42", **three_best(measured, budget)}


def three_best(measured: Measured, budget: Budget) -> Line:
    """Return the figures by the paper's protocol: the mean result of the three best checkpoints."""
    results = [measured.results[name, budget] for name in THREE_BEST]
    means = {
        column: f"{np.mean([result.mean(measure) for result in results]):.2f}" for column, measure in MEASURES.items()
    }
    scores = np.mean([result.f1("rouge1") for result in results], axis=0)
    return means | difference(scores, measured.results["lead", budget].f1("rouge1"))


def objective_figures(measured: Measured, model: str, budget: Budget) -> Line:
    """Return the cosines at the validation with the lowest loss, whose weights the model has."""
    curve = map(json.loads, (measured.folder / model / "log.jsonl").read_text().splitlines())
    best = min(curve, key=lambda point: point["validation_loss"])
    terms = ("rest_ext", "rest_ext_negative", "ext_doc", "ext_doc_negative")
    chosen = [place for outcome in measured.results[model, budget].outcomes for place in outcome.positions]
    first = f"{100 * np.mean([place < 3 for place in chosen]):.0f}"
    return {"first_three": first, **{term: f"{best[term]:.2f}" for term in terms}}


def gains(plan: Plan, dev: str, measured: Measured) -> Iterator[Line]:
    """Yield what training through a selection within a length adds, at each budget, by seed and for all seeds."""
    for without, controlled in PAIRS:
        for name in controlled:
            seeds = [seed for seed in measured.seeds(name) if seed in measured.seeds(without)]
            for group in [*([seed] for seed in seeds), seeds][: len(seeds) + (len(seeds) > 1)]:
                pair = {"study": "tables", "set": dev, "row": name, "without": without}
                for limit in plan.budgets:
                    budget = Budget(limit, "chars")
                    gain = difference(*(measured.mean(row, group, budget) for row in (name, without)))
                    yield {**pair, "seeds": " ".join(map(str, group)), "budget": describe(budget), **gain}


def difference(scores: NDArray[np.float64], baseline: NDArray[np.float64]) -> Line:
    """Return the mean difference of paired scores, and its 95 % interval."""
    gap = paired_bootstrap(scores, baseline)
    return {"delta": f"{gap.mean:+.2f}", "low": f"{gap.low:+.2f}", "high": f"{gap.high:+.2f}"}


def places(result: SystemResult) -> str:
    """Name the three places chosen most often, from 1, and their shares."""
    chosen = [place for outcome in result.outcomes for place in outcome.positions]
    numbers, counts = np.unique(chosen, return_counts=True)
    best = np.argsort(-counts, kind="stable")[:3]
    return ", ".join(f"{numbers[i] + 1}: {counts[i] / len(chosen):.0%}" for i in best)


def bias(data: Path) -> Iterator[Line]:
    """Yield the position bias that the texts of each dev set show, without labels."""
    for dev in SUITE:
        documents = [record.document for record in dev.records(data) if len(record.document) >= 4]
        mean = np.mean([len(document) for document in documents])
        figures = {"t": f"{halves(documents):.1f}", "bias": f"{bias_of(documents, 0.2):g}"}
        yield {"set": dev.name, "documents": str(len(documents)), "sentences": f"{mean:.1f}", **figures}


def _paper(plan: Plan, dataset: str, method: str, budget: Budget) -> str:
    """Return the published figures of a method, if any."""
    counted = budget.unit == "sentences"
    for table in ("table2", "table3") if counted else (plan.length_table,):
        for row in published(table).rows:
            if (row.method, row.dataset, row.budget) == (method, dataset, None if counted else budget.limit):
                return " / ".join(f"{figure:.1f}" for figure in row.figures[:3])
    return ""
