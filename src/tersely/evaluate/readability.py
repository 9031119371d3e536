"""How summaries read: the share with a sentence that lacks what it needs, or with noise, and the editor's choice found.

Labels say it, or else our own detector does.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.budget import Budget
from tersely.errors import InputError, UsageError
from tersely.evaluate import csv_table, describe, markdown_table
from tersely.evaluate.annotation import Annotation, Item
from tersely.evaluate.measures import Difference, paired_bootstrap
from tersely.evaluate.systems import load_system
from tersely.io.files import write_whole
from tersely.io.lines import to_json
from tersely.text import Document
from tersely.workers.ordered import ordered
from tersely.workers.process import cores

OWN = "our own detector: an optimistic figure for ~strict and ~soft, which choose their sentences by it"


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
    """Return each budget with its own for Chinese texts; without any, the default ones."""
    if not chinese:
        return tuple(map(LanguageBudget, usual)) or DEFAULT_BUDGETS
    if len(chinese) != len(usual):
        raise UsageError(f"there are {len(usual)} budgets, but {len(chinese)} for Chinese texts: give as many of both")
    return tuple(map(LanguageBudget, usual, chinese))


@dataclass(frozen=True)
class ReadingOutcome:
    """How one summary reads, how much of its budget it fills, and how many sentences it has.

    `kind` is that of the document.
    """

    unmet: bool
    noise: bool
    choice: float
    fill: float
    sentences: int
    kind: str = ""

    @property
    def flawed(self) -> bool:
        """Whether a reader stumbles."""
        return self.unmet or self.noise


@dataclass(frozen=True)
class ReadingResult:
    """One system at one budget, with one outcome per document, in the order of the documents."""

    system: str
    budget: LanguageBudget
    outcomes: tuple[ReadingOutcome, ...]

    def each(self, figure: str) -> NDArray[np.float64]:
        """Return a figure of each document."""
        return np.array([getattr(outcome, figure) for outcome in self.outcomes], dtype=np.float64)

    def percent(self, figure: str) -> float:
        """Return the mean of a figure, times 100."""
        return 100 * float(self.each(figure).mean())


def evaluate_reading(
    items: Iterable[Item],
    systems: Sequence[str],
    budgets: Sequence[LanguageBudget] = DEFAULT_BUDGETS,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[ReadingResult]:
    """Run every system at every budget, as `evaluate` does; references are needed for the oracle only."""
    work = _Reading(tuple(systems), tuple(budgets))
    measure = work.load()
    processes = workers or cores()
    rows: list[list[ReadingOutcome]] = []
    for row in map(measure, items) if processes == 1 else ordered(work, items, processes):
        rows.append(row)
        progress(len(rows))
    if not rows:
        raise InputError("the data has no document")
    pairs = [(system, budget) for budget in budgets for system in systems]
    return [ReadingResult(s, b, tuple(row[k] for row in rows)) for k, (s, b) in enumerate(pairs)]


@dataclass(frozen=True)
class _Reading:
    """The work of one process."""

    systems: tuple[str, ...]
    budgets: tuple[LanguageBudget, ...]

    def load(self) -> Callable[[Item], list[ReadingOutcome]]:
        systems = [load_system(spec) for spec in self.systems]

        def measure(item: Item) -> list[ReadingOutcome]:
            record, document = item.record, item.record.document
            if "oracle" in self.systems and not record.reference:
                raise InputError(f"the oracle needs references, but document {record.id} has none")
            labels = item.labels or Annotation.detected(document)
            outcomes = []
            for budget in (choice.of(document) for choice in self.budgets):
                for system in systems:
                    extract = system.extract(record, budget)
                    chosen = labels.covered(document.sentences[i] for i in extract.chosen)
                    outcomes.append(
                        ReadingOutcome(
                            unmet=labels.has_unmet_need(chosen),
                            noise=not labels.noise.isdisjoint(chosen),
                            choice=labels.choice_found(chosen, document, budget),
                            fill=extract.length / max(budget.capacity(document.text), 1),
                            sentences=len(extract.chosen),
                            kind=item.kind,
                        )
                    )
            return outcomes

        return measure


def footnote(documents: int, baseline: str, choice: bool) -> str:
    """Return the line below every table: what was measured, and how."""
    chosen = "choice: weight of the editor's sentences found, % of the most that fits; " if choice else ""
    return (
        f"{documents} documents. unmet: % of summaries with a sentence that lacks what it needs; noise: % with noise; "
        f"flawed: % with either; {chosen}fill: share of the budget used; sentences: per summary. Δ and p: against "
        f"{baseline} on the same documents, paired bootstrap, 10,000 draws, seed 42."
    )


def reading_table(results: Sequence[ReadingResult], baseline: str, choice: bool) -> list[tuple[str, ...]]:
    """Return the cells of the table with its header; `choice` tells whether an editor chose."""
    compared = ("flawed", "choice") if choice else ("flawed",)
    header = [part for figure in compared for part in (figure, f"Δ {figure} (95 %)", "p")]
    cells = [("budget", "system", "unmet", "noise", *header, "fill", "sentences")]
    for result in results:
        row = [str(result.budget), result.system, f"{result.percent('unmet'):.1f}", f"{result.percent('noise'):.1f}"]
        for figure in compared:
            row.append(f"{result.percent(figure):.1f}")
            delta = _compare(result, results, baseline, figure)
            row += [f"{delta.mean:+.1f} ({delta.low:+.1f}, {delta.high:+.1f})", f"{delta.p:.4f}"] if delta else ["", ""]
        cells.append((*row, f"{result.percent('fill'):.0f}%", f"{result.each('sentences').mean():.1f}"))
    return cells


def kinds_table(results: Sequence[ReadingResult], by: str, choice: bool) -> list[tuple[str, ...]]:
    """Return the figures of each kind of document; they are too few each for tests."""
    figures = ("unmet", "noise", "flawed", *(("choice",) if choice else ()))
    cells = [(by, "budget", "system", "documents", *figures, "fill", "sentences")]
    for kind in sorted({outcome.kind for outcome in results[0].outcomes}):
        for result in results:
            own = replace(result, outcomes=tuple(outcome for outcome in result.outcomes if outcome.kind == kind))
            numbers = [f"{own.percent(figure):.1f}" for figure in figures]
            last = f"{own.percent('fill'):.0f}%", f"{own.each('sentences').mean():.1f}"
            cells.append((kind or "(none)", str(own.budget), own.system, str(len(own.outcomes)), *numbers, *last))
    return cells


def save(folder: Path, results: Sequence[ReadingResult], baseline: str, source: str, by: str | None) -> None:
    """Write the results to a folder as Markdown, CSV and JSON; `source` says where the labels come from."""
    choice = source != OWN
    table, note = reading_table(results, baseline, choice), footnote(len(results[0].outcomes), baseline, choice)
    kinds = markdown_table(kinds_table(results, by, choice), names=3) + "\n" if by else ""
    data = {
        "labels": source,
        "settings": note,
        "results": [
            {
                "system": result.system,
                "budget": str(result.budget),
                "figures": {
                    figure: {
                        "mean": round(result.percent(figure), 4),
                        "difference": delta._asdict() if delta else None,
                        "documents": [round(value, 4) for value in result.each(figure).tolist()],
                    }
                    for figure in ("unmet", "noise", "flawed", "choice", "fill")
                    if choice or figure != "choice"
                    for delta in [_compare(result, results, baseline, figure)]
                },
                "sentences": round(float(result.each("sentences").mean()), 4),
                "kinds": [outcome.kind for outcome in result.outcomes],
            }
            for result in results
        ],
    }
    texts = {
        "readability.md": f"{source}\n\n{markdown_table(table)}\n{kinds}{note}\n",
        "readability.csv": csv_table(table),
        "readability.json": to_json(data, indent=1),
    }
    for name, text in texts.items():
        write_whole(folder / name, text.encode())


def _compare(result: ReadingResult, results: Sequence[ReadingResult], baseline: str, figure: str) -> Difference | None:
    base = next(r for r in results if r.system == baseline and r.budget == result.budget)
    return None if base is result else paired_bootstrap(100 * result.each(figure), 100 * base.each(figure))
