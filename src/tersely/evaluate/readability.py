"""How summaries read, by labels: unmet needs, noise, the main point, the editor's choice, people and things."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.datasets import Record
from tersely.errors import InputError, UsageError
from tersely.evaluate import csv_table, describe, markdown_table
from tersely.evaluate.annotation import LabeledRecord
from tersely.evaluate.measures import Difference
from tersely.evaluate.run import Experiment, difference
from tersely.evaluate.systems import Extract, System
from tersely.io.files import write_whole
from tersely.io.lines import to_json
from tersely.options import Budget
from tersely.text import Document

Cells = list[tuple[str, ...]]
MEANINGS = {
    "unmet": "% of summaries with a sentence that lacks what it needs",
    "noise": "% with noise",
    "flawed": "% with either",
    "main": "% with a sentence that says the main point",
    "choice": "weight of the editor's sentences taken, % of the most that fits",
    "dangling": "% of summaries with a pronoun whose nearest full mention is missing",
    "salience": "% of the salience of who and what is mentioned",
    "fill": "share of the budget used",
    "other": "% for which a budget of exactly the length used gives another summary",
}
# These figures are tested against the baseline.
COMPARED = frozenset({"flawed", "choice", "dangling", "salience"})


class LanguageBudget(NamedTuple):
    """A budget, and the one that replaces it for Chinese texts, where a character says more."""

    usual: Budget
    chinese: Budget | None = None

    def of(self, document: Document) -> Budget:
        """Return the budget of a document."""
        return self.chinese if self.chinese and document.language == "zh" else self.usual

    def __str__(self) -> str:
        if self.chinese is None or self.chinese == self.usual:
            return describe(self.usual)
        return f"{describe(self.usual)} (zh {self.chinese.limit})"


DEFAULT_BUDGETS = tuple(LanguageBudget(Budget(3 * n, "chars"), Budget(n, "chars")) for n in (100, 200))


def pair_budgets(usual: Sequence[Budget], chinese: Sequence[Budget]) -> tuple[LanguageBudget, ...]:
    """Pair each budget with the one for Chinese texts; without any budget, return the default pairs."""
    if not chinese:
        return tuple(map(LanguageBudget, usual)) or DEFAULT_BUDGETS
    if len(chinese) != len(usual):
        raise UsageError(f"there are {len(usual)} budgets, but {len(chinese)} for Chinese texts: give as many of both")
    return tuple(map(LanguageBudget, usual, chinese))


@dataclass(frozen=True)
class ReadingOutcome:
    """How one summary reads: its `figures` by name, and the `causes` of its unmet needs.

    `sentences` is the number of its sentences, and `kind` the kind of the document.
    """

    figures: Mapping[str, float]
    causes: frozenset[str] = frozenset()
    sentences: int = 0
    kind: str = ""


@dataclass(frozen=True)
class ReadingResult:
    """One system at one budget, with one outcome per document, in the order of the documents."""

    system: str
    budget: LanguageBudget
    outcomes: tuple[ReadingOutcome, ...]

    @property
    def names(self) -> list[str]:
        """The figures that every document has."""
        first = self.outcomes[0].figures
        return [name for name in first if all(name in outcome.figures for outcome in self.outcomes)]

    @property
    def sentences(self) -> float:
        """The mean number of sentences."""
        return float(np.mean([outcome.sentences for outcome in self.outcomes]))

    def values(self, figure: str) -> NDArray[np.float64]:
        """Return a figure of each document."""
        return np.array([outcome.figures[figure] for outcome in self.outcomes], dtype=np.float64)

    def percent(self, figure: str) -> float:
        """Return the mean of a figure, times 100."""
        return 100 * float(self.values(figure).mean())

    def cause_percent(self, cause: str) -> float:
        """Return the share of summaries with an unmet need of this cause, times 100."""
        return 100 * sum(cause in outcome.causes for outcome in self.outcomes) / len(self.outcomes)


def evaluate_reading(
    items: Iterable[LabeledRecord],
    systems: Sequence[str],
    budgets: Sequence[LanguageBudget] = DEFAULT_BUDGETS,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[ReadingResult]:
    """Run all `systems` at all `budgets` over the labeled `items`; only the oracle needs references.

    `workers` and `progress` are those of `evaluate`.
    """
    experiment = _ReadingExperiment(tuple(systems), tuple(budgets))
    results = [ReadingResult(*result) for result in experiment.run(items, workers, progress)]
    if any(not result.outcomes for result in results):
        raise InputError("the data has no document")
    return results


class _ReadingExperiment(Experiment[LabeledRecord, LanguageBudget, ReadingOutcome]):
    """Systems compared by the labels of sentences."""

    def prepare(self, job: LabeledRecord) -> Callable[[System, LanguageBudget], ReadingOutcome]:
        """Check that the oracle has its reference."""
        if "oracle" in self.systems and not job.record.reference:
            raise InputError(f"the oracle needs references, but document {job.record.id} has none")
        return lambda system, budget: _outcome(job, system, budget.of(job.record.document))


def _outcome(item: LabeledRecord, system: System, budget: Budget) -> ReadingOutcome:
    document = item.record.document
    extract = system.extract(item.record, budget)
    chosen = item.labels.covered(document.sentences[i] for i in extract.chosen)
    figures = item.labels.figures(chosen, document, budget)
    figures["fill"] = extract.length / max(budget.capacity(document.text), 1)
    figures["other"] = _depends_on_room(item.record, system, budget, extract)
    return ReadingOutcome(figures, item.labels.unmet_causes(chosen), len(extract.chosen), item.kind)


def _depends_on_room(record: Record, system: System, budget: Budget, extract: Extract) -> bool:
    """Tell whether the system makes another summary than `extract` if it may be exactly as long as that."""
    if extract.length in (0, budget.capacity(record.document.text)):
        return False
    return system.extract(record, Budget(extract.length, budget.counts)).text != extract.text


def footnote(results: Sequence[ReadingResult], baseline: str) -> str:
    """Return the line below every table: what was measured, and how."""
    meanings = "; ".join(f"{name}: {MEANINGS[name]}" for name in results[0].names)
    return (
        f"{len(results[0].outcomes)} documents. {meanings}; sentences: per summary. Δ and p: against "
        f"{baseline} on the same documents, paired bootstrap, 10,000 draws, seed 42."
    )


def reading_table(results: Sequence[ReadingResult], baseline: str) -> Cells:
    """Return the cells of the table with its header; the figures in `COMPARED` are compared with the `baseline`."""
    header = ["budget", "system"]
    for name in results[0].names:
        header += [name, f"Δ {name} (95 %)", "p"] if name in COMPARED else [name]
    cells = [(*header, "sentences")]
    for result in results:
        row = [str(result.budget), result.system]
        for name in result.names:
            row.append(_percent(result, name))
            if name in COMPARED:
                row += _difference(_compare(result, results, baseline, name))
        cells.append((*row, f"{result.sentences:.1f}"))
    return cells


def kinds_table(results: Sequence[ReadingResult], by: str) -> Cells:
    """Return the figures of each kind of document, the field `by`; each kind has too few documents for tests."""
    cells = [(by, "budget", "system", "documents", *results[0].names, "sentences")]
    for kind in sorted({outcome.kind for outcome in results[0].outcomes}):
        for result in results:
            part = replace(result, outcomes=tuple(outcome for outcome in result.outcomes if outcome.kind == kind))
            names = kind or "(none)", str(part.budget), part.system, str(len(part.outcomes))
            cells.append((*names, *(_percent(part, name) for name in result.names), f"{part.sentences:.1f}"))
    return cells


def causes_table(results: Sequence[ReadingResult]) -> Cells:
    """Return in % how many summaries of each system have an unmet need of each cause, the most frequent first.

    There is nothing but the header if the labels name no causes.
    """
    causes = Counter(cause for result in results for outcome in result.outcomes for cause in outcome.causes if cause)
    cells = [("budget", "unmet cause", *dict.fromkeys(result.system for result in results))]
    for budget in dict.fromkeys(result.budget for result in results):
        row = [result for result in results if result.budget == budget]
        for cause, _ in sorted(causes.items(), key=lambda pair: (-pair[1], pair[0])):
            cells.append((str(budget), cause, *(f"{result.cause_percent(cause):.1f}" for result in row)))
    return cells


def tables(results: Sequence[ReadingResult], baseline: str, by: str | None) -> list[tuple[Cells, int]]:
    """Return all tables that have rows, each with the number of its columns that are names."""
    all_tables = [(reading_table(results, baseline), 2), (causes_table(results), 2)]
    if by:
        all_tables.append((kinds_table(results, by), 3))
    return [(cells, names) for cells, names in all_tables if len(cells) > 1]


def save(folder: Path, results: Sequence[ReadingResult], baseline: str, source: str, by: str | None) -> None:
    """Write the results to a folder as Markdown, CSV and JSON; `source` says where the labels come from."""
    note = footnote(results, baseline)
    text = "\n".join(markdown_table(cells, names) for cells, names in tables(results, baseline, by))
    data = {"labels": source, "settings": note, "results": [_data(result, results, baseline) for result in results]}
    texts = {
        "readability.md": f"{source}\n\n{text}\n{note}\n",
        "readability.csv": csv_table(reading_table(results, baseline)),
        "readability.json": to_json(data, indent=1),
    }
    for name, content in texts.items():
        write_whole(folder / name, content.encode())


def _data(result: ReadingResult, results: Sequence[ReadingResult], baseline: str) -> dict[str, Any]:
    figures = {}
    for name in result.names:
        delta = _compare(result, results, baseline, name)
        figures[name] = {
            "mean": round(result.percent(name), 4),
            "difference": delta._asdict() if delta else None,
            "documents": [round(value, 4) for value in result.values(name).tolist()],
        }
    return {
        "system": result.system,
        "budget": str(result.budget),
        "figures": figures,
        "sentences": round(result.sentences, 4),
        "causes": [sorted(outcome.causes - {""}) for outcome in result.outcomes],
        "kinds": [outcome.kind for outcome in result.outcomes],
    }


def _percent(result: ReadingResult, name: str) -> str:
    return f"{result.percent(name):.0f}%" if name == "fill" else f"{result.percent(name):.1f}"


def _difference(delta: Difference | None) -> list[str]:
    return [f"{delta.mean:+.1f} ({delta.low:+.1f}, {delta.high:+.1f})", f"{delta.p:.4f}"] if delta else ["", ""]


def _compare(result: ReadingResult, results: Sequence[ReadingResult], baseline: str, figure: str) -> Difference | None:
    return difference(result, results, baseline, lambda compared: 100 * compared.values(figure))
