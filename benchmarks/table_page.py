"""The page of Tables 2 to 5: what was measured, the paper's figures beside it, and paired differences."""

import json
import pickle
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from table_measured import MEASURES, Measured, difference, first_three, places
from table_rows import BASELINES, PAIRS, PLANS, Plan, Row, rows
from tersely.datasets import SUITE
from tersely.learn.bias import bias_of, halves
from tersely.options import Budget
from tersely.paper.published import published

INTRO = """# Tables 2 to 5 with our rows

Written by `make tables` (`python benchmarks/tables.py`): every row except *supervised* is trained without labels, sized
for one core; then all rows and baselines of a dev set are measured in one run. [siamese.md](siamese.md) says what we
learned from it, and [experiments.md](experiments.md) lists single experiments.

* **Size.** Siamese rows: width 64, scorer of 2 layers, siamese networks of 1 layer, 200 steps of 16 documents at 2e-4.
  All other rows: width 64, 2 layers, features `position length words`, 300 steps of 32 documents at 1e-3. Vectors of
  `use`; seed 42, and for eight English rows 1 and 2, too. English rows saw the 1,147 CNN/DailyMail texts of the
  training file, Chinese ones 600 each of PKU and Xinwen Lianbo. The paper trained far larger networks for far longer
  on far more texts: **its figures are for orientation only. They were measured on other documents; do not compare
  digits.**
* **Measures.** R-1, R-2, R-L (summary level) F1 x 100. *Δ R-1*: compared with `lead` (which skips what does not fit) on
  the same documents, 95 % interval of a paired bootstrap with 10,000 draws. *places*: the sentences chosen most often,
  counted from 1, and their share of all choices. *shuffled*: R-1 on the same documents with their sentences in random
  order, where a scorer of positions does no better than `random`. *over*: summaries over budget. *sentences*: the mean
  number of sentences per summary.
* **Selection at inference** is the exact knapsack on the values for all trained rows ("+ DP"), which is top-k if the
  budget counts sentences. The baselines have their own selectors, see [results.md](results.md); `textrank` and
  `lexrank` use the exact knapsack, too.
* **Sentences of a Chinese summary.** Two, here and in `tersely reproduce`. The paper names no number for CNewSum. Two
  of its mean sentences are 139 characters, and its own rows of Table 2 are those of its Table 5 within 150 characters,
  136 on average (TextRank 28.3 and 28.6, Ours 32.8 and 32.7), not those within 200 (Ours 30.6).
* *supervised* was trained on labels of dev_cnn, and is measured only on dev_cnndm; no document is in both.
"""


def write_page(out: Path, folder: Path, data: Path) -> None:
    """Write the page from the results."""
    parts = [INTRO]
    for plan in PLANS.values():
        for dev in plan.devs:
            file = folder / plan.language / f"{dev}.pickle"
            if file.exists():
                results, mixed = pickle.loads(file.read_bytes())
                parts.append(section(plan, dev, Measured(results, mixed, folder / plan.language)))
    parts.append(bias(data))
    out.write_text("\n".join(parts), encoding="utf-8")


def section(plan: Plan, dev: str, measured: Measured) -> str:
    """Return the tables of one dev set."""
    near = dev in ("dev_cnndm", "dev_pku", "dev_xinwenlianbo")
    dataset = plan.dataset if near else ""
    skipped = {"supervised"} if dev != "dev_cnndm" else set()
    own = [row for row in rows(plan, 42) if row.name not in skipped and measured.models(row)]
    number = plan.length_table[-1]
    return "\n".join(
        [
            f"## {dev}: {measured.documents} documents\n",
            f"### Table 2: {plan.sentences} sentences\n",
            *methods(plan, measured, own, dataset),
            f"\n### Table 3: ablations and readings of the siamese objectives, {plan.sentences} sentences\n",
            *ablations(plan, measured, own, dataset),
            f"\n### Table {number}: within a length\n",
            *lengths(plan, measured, own, dataset),
            "\n### What length control in training adds: R-1 of *+ KT... + DP* less that of *+ DP*\n",
            *gains(plan, measured),
            "",
        ]
    )


def methods(plan: Plan, measured: Measured, own: Iterable[Row], dataset: str) -> Iterable[str]:
    """Yield Table 2."""
    budget = plan.all_budgets[0]
    yield f"| system | R-1 | R-2 | R-L | Δ R-1 (95 %) | places | shuffled | paper{f', {dataset}' * bool(dataset)} |"
    yield "|---|" + "---:|" * 4 + "---|---:|---:|"
    for name, (method, _) in BASELINES.items():
        yield _line(measured, name, f"`{name}`", budget, _paper("table2", dataset, method))
    for row in own:
        if row.table == "objectives":
            for model in measured.models(row):
                yield _line(measured, model, _title(row, model), budget, _paper("table2", dataset, row.method))
    yield from _three_best(measured, budget)


def _three_best(measured: Measured, budget: Budget) -> Iterable[str]:
    """Yield the row of the paper's protocol: the mean result of the three best checkpoints."""
    names = [name for name in ("both-42", "both-42/best-2", "both-42/best-3") if (name, budget) in measured.results]
    if len(names) == 3:
        found = [measured.results[name, budget] for name in names]
        cells = " | ".join(f"{np.mean([result.mean(measure) for result in found]):.2f}" for measure in MEASURES)
        each = ", ".join(f"{result.mean('rouge1'):.1f}" for result in found)
        one = np.mean([result.f1("rouge1") for result in found], axis=0)
        delta = difference(one, measured.results["lead", budget].f1("rouge1"))
        yield f"| siamese, mean of the three best checkpoints ({each}) | {cells} | {delta} | | | |"


def _line(measured: Measured, name: str, title: str, budget: Budget, paper: str) -> str:
    delta, found = measured.delta(name, "lead", budget), places(measured.results[name, budget])
    cells = measured.figures(name, budget)
    return f"| {title} | {cells} | {delta} | {found} | {measured.shuffled(name)} | {paper} |"


def ablations(plan: Plan, measured: Measured, own: Iterable[Row], dataset: str) -> Iterable[str]:
    """Yield Table 3; the cosines are from the validation with the lowest loss, whose weights the model has."""
    budget = plan.all_budgets[0]
    yield "| | Rest-Ext + / − | Ext-Doc + / − | R-1 | R-2 | R-L | first three | places | shuffled | paper |"
    yield "|---|---|---|" + "---:|" * 4 + "---|---:|---:|"
    for row in own:
        if row.table in ("ablations", "readings") or row.name == "both":
            method = "Default" if row.name == "both" else row.method
            for model in measured.models(row):
                curve = map(json.loads, (measured.folder / model / "log.jsonl").read_text().splitlines())
                at = min(curve, key=lambda point: point["validation_loss"])
                cosines = (f"{at[term]:.2f} / {at[term + '_negative']:.2f}" for term in ("rest_ext", "ext_doc"))
                result = measured.results[model, budget]
                yield (
                    f"| {'as printed' if row.name == 'both' else row.title}{_seed(model)} | {' | '.join(cosines)} "
                    f"| {measured.figures(model, budget)} | {first_three(result):.0%} | {places(result)} "
                    f"| {measured.shuffled(model)} | {_paper('table3', dataset, method)} |"
                )


def lengths(plan: Plan, measured: Measured, own: Iterable[Row], dataset: str) -> Iterable[str]:
    """Yield Table 4 or 5."""
    yield "| budget | system | R-1 | R-2 | R-L | Δ R-1 (95 %) | length (sd) | fill | over | sentences | paper |"
    yield "|---:|---|" + "---:|" * 9
    trained = [row for row in own if row.table in ("objectives", "length")]
    for limit in plan.budgets:
        budget = Budget(limit, "chars")
        named = [(f"`{name}`", name, method) for name, (_, method) in BASELINES.items()]
        for row in trained:
            method = "Ours + DP" if row.name == "both" else row.method
            named += [(f"{_title(row, model)} + DP", model, method) for model in measured.models(row)]
        for title, name, method in named:
            result = measured.results[name, budget]
            yield (
                f"| {limit} | {title} | {measured.figures(name, budget)} | {measured.delta(name, 'lead', budget)} "
                f"| {result.lengths.mean():.0f} ({result.lengths.std():.0f}) | {result.fill:.0%} | {result.violations} "
                f"| {np.mean([len(outcome.positions) for outcome in result.outcomes]):.1f} "
                f"| {_paper(plan.length_table, dataset, method, limit)} |"
            )


def gains(plan: Plan, measured: Measured) -> Iterable[str]:
    """Yield the gain from training through a selection within a length, at each budget."""
    titles = {row.name: row.title for row in rows(plan, 42)}
    yield "| with | without | " + " | ".join(f"{limit} characters" for limit in plan.budgets) + " |"
    yield "|---|---|" + "---:|" * len(plan.budgets)
    for without, controlled in PAIRS:
        for name in controlled:
            seeds = [seed for seed in measured.seeds(name) if seed in measured.seeds(without)]
            for several in [*([seed] for seed in seeds), seeds][: len(seeds) + (len(seeds) > 1)]:
                title = f", mean of {len(several)} seeds" if len(several) > 1 else _seed(f"-{several[0]}")
                cells = []
                for limit in plan.budgets:
                    pair = (measured.mean(row, several, Budget(limit, "chars")) for row in (name, without))
                    cells.append(difference(*pair))
                yield f"| {titles[name]}{title} | {titles[without]} | {' | '.join(cells)} |"


def bias(data: Path) -> str:
    """Return the position bias that the texts of each dev set show, without labels."""
    lines = [
        "## The position bias that texts alone show\n",
        "What `bias_of` in `bias.py` finds in the texts of each dev set, for summaries of a fifth of a text: *t* is",
        "Student's t of how much more of its repeated words a text says in its first half than in its second. From 2",
        "on there is a bias to the beginning (positive), from -2 down one to the end (negative).\n",
        "| texts | documents | mean sentences | t | bias |",
        "|---|---:|---:|---:|---:|",
    ]
    for dev in SUITE:
        documents = [record.document for record in dev.records(data) if len(record.document) >= 4]
        mean = np.mean([len(document) for document in documents])
        found = f"{halves(documents):.1f} | {bias_of(documents, 0.2):g}"
        lines.append(f"| {dev.name} | {len(documents)} | {mean:.1f} | {found} |")
    return "\n".join(lines) + "\n"


def _paper(table: str, dataset: str, method: str, budget: int | None = None) -> str:
    """Return the published figures of a method, if any."""
    for row in published(table).rows:
        if row.method == method and row.dataset == dataset and row.budget == budget:
            return " / ".join(f"{figure:.1f}" for figure in row.figures[:3])
    return ""


def _title(row: Row, model: str) -> str:
    return row.title + _seed(model)


def _seed(model: str) -> str:
    seed = model.rpartition("-")[2]
    return "" if seed == "42" else f", seed {seed}"
