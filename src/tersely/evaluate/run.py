"""Run systems over documents, and keep the figures of every document so that systems can be compared in pairs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tersely.datasets import Record
from tersely.errors import InputError
from tersely.evaluate.measures import Difference, RougeScore, Tokenization, Tokens, ngrams, paired_bootstrap, rouge
from tersely.evaluate.systems import System, load_system
from tersely.layout import Layout
from tersely.options import Budget
from tersely.workers.ordered import ordered
from tersely.workers.process import cores

# It takes longer to start more processes than to measure fewer documents than these.
_FEW = 8

Job = TypeVar("Job")
Limit = TypeVar("Limit")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Experiment(ABC, Generic[Job, Limit, Outcome]):
    """Every system at every budget, on one document after another; a process loads each system once."""

    systems: tuple[str, ...]
    budgets: tuple[Limit, ...]

    @abstractmethod
    def prepare(self, job: Job) -> Callable[[System, Limit], Outcome]:
        """Return a function that measures one system at one budget on the document of `job`."""

    def load(self) -> Callable[[Job], list[Outcome]]:
        """Load the systems, and return a function that measures all of them at all budgets on one document."""
        systems = [load_system(spec) for spec in self.systems]

        def measure(job: Job) -> list[Outcome]:
            outcome = self.prepare(job)
            return [outcome(system, budget) for budget in self.budgets for system in systems]

        return measure

    def run(
        self, jobs: Iterable[Job], workers: int | None, progress: Callable[[int], None]
    ) -> list[tuple[str, Limit, tuple[Outcome, ...]]]:
        """Return each system with each budget and its outcomes, one per document, in the order of the documents.

        After each document, `progress` gets the number of documents measured so far. `workers` is the number of
        processes, by default one per core, or one for a few documents; with one, everything runs in this process.
        """
        measure = self.load()  # an unknown name fails here, before any other work begins
        remaining = iter(jobs)
        first = list(islice(remaining, _FEW))
        processes = workers or (cores() if len(first) == _FEW else 1)
        rows: list[list[Outcome]] = []
        all_jobs = chain(first, remaining)
        for row in map(measure, all_jobs) if processes == 1 else ordered(self, all_jobs, processes):
            rows.append(row)
            progress(len(rows))
        pairs = [(system, budget) for budget in self.budgets for system in self.systems]
        return [(system, budget, tuple(row[k] for row in rows)) for k, (system, budget) in enumerate(pairs)]


def evaluate(
    records: Iterable[Record],
    systems: Sequence[str],
    budgets: Sequence[Budget],
    tokenization: Tokenization | None = None,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
    alternatives: bool = False,
) -> list["SystemResult"]:
    """Run all `systems` at all `budgets` over the `records` that have a reference.

    `tokenization` decides what ROUGE counts. With `alternatives`, a list of references is not one summary, sentence by
    sentence, but several: the one that matches best counts. `workers` is the number of processes, by default one per
    core, or one for a few documents. After each document, `progress` gets the number of documents measured so far.
    """
    experiment = _RougeExperiment(tuple(systems), tuple(budgets), tokenization or Tokenization(), alternatives)
    usable = (record for record in records if record.reference and len(record.document))
    results = [SystemResult(*result) for result in experiment.run(usable, workers, progress)]
    if any(not result.outcomes for result in results):
        raise InputError("the data has no document with a reference summary")
    return results


@dataclass(frozen=True)
class DocumentOutcome:
    """One system's summary of one document: its scores, its lengths, and the indices of its sentences."""

    scores: dict[str, RougeScore]
    length: int
    characters: int
    capacity: int
    redundancy: float
    positions: tuple[int, ...]


@dataclass(frozen=True)
class SystemResult:
    """One system at one budget, with one outcome per document, in the order of the documents."""

    system: str
    budget: Budget
    outcomes: tuple[DocumentOutcome, ...]

    def f1(self, measure: str) -> NDArray[np.float64]:
        """Return the F1 of each document, times 100."""
        return 100 * np.array([outcome.scores[measure].f1 for outcome in self.outcomes])

    def mean(self, measure: str, part: str = "f1") -> float:
        """Return the mean precision, recall or F1, times 100."""
        return 100 * float(np.mean([getattr(outcome.scores[measure], part) for outcome in self.outcomes]))

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The length of each summary in characters: the last column of the paper's tables."""
        return np.array([outcome.characters for outcome in self.outcomes], dtype=np.float64)

    @property
    def fill(self) -> float:
        """The mean share of the budget that is used."""
        return float(np.mean([outcome.length / max(outcome.capacity, 1) for outcome in self.outcomes]))

    @property
    def violations(self) -> int:
        """The number of summaries that are longer than allowed."""
        return sum(outcome.length > outcome.capacity for outcome in self.outcomes)

    @property
    def redundancy(self) -> float:
        """The mean share of repeated bigrams, times 100."""
        return 100 * float(np.mean([outcome.redundancy for outcome in self.outcomes]))

    def positions(self, first: int = 10) -> list[int]:
        """Count how often each of the first places was chosen; the last number counts all later places."""
        places = [min(place, first) for outcome in self.outcomes for place in outcome.positions]
        return [places.count(place) for place in range(first + 1)]


class _Measured(Protocol):
    @property
    def system(self) -> str: ...

    @property
    def budget(self) -> object: ...


Result = TypeVar("Result", bound=_Measured)


def difference(
    result: Result, results: Sequence[Result], baseline: str, values: Callable[[Result], NDArray[np.float64]]
) -> Difference | None:
    """Compare the `values` of a result with those of the `baseline` system at the same budget.

    There is no difference for the baseline itself.
    """
    base = next(
        candidate for candidate in results if candidate.system == baseline and candidate.budget == result.budget
    )
    return None if base is result else paired_bootstrap(values(result), values(base))


@dataclass(frozen=True)
class _RougeExperiment(Experiment[Record, Budget, DocumentOutcome]):
    """Systems compared by ROUGE; `alternatives` is explained at `evaluate`."""

    tokenization: Tokenization
    alternatives: bool = False

    def prepare(self, job: Record) -> Callable[[System, Budget], DocumentOutcome]:
        """Tokenize the document and its references once for all systems."""
        document = job.document
        tokens = [self.tokenization.tokens(sentence, document.language) for sentence in job.reference]
        references = [[sentence] for sentence in tokens] if self.alternatives else [tokens]
        layout, tokens_of = (
            Layout(document, "chars"),
            cache(partial(self.tokenization.tokens, language=document.language)),
        )

        def outcome(system: System, budget: Budget) -> DocumentOutcome:
            extract = system.extract(job, budget)
            summary = list(map(tokens_of, layout.spoken(extract.chosen)))  # in a conversation, with names
            return DocumentOutcome(
                scores=_best([rouge(reference, summary) for reference in references]),
                length=extract.length,
                characters=len(extract.text),
                capacity=budget.capacity(document.text),
                redundancy=_redundancy(summary),
                positions=extract.chosen,
            )

        return outcome


def _best(scores: list[dict[str, RougeScore]]) -> dict[str, RougeScore]:
    """Return for each measure the score against the reference that matches best."""
    return {
        measure: max((by_measure[measure] for by_measure in scores), key=lambda score: score.f1)
        for measure in scores[0]
    }


def _redundancy(summary: Sequence[Tokens]) -> float:
    pairs = sum((ngrams(tokens, 2) for tokens in summary), start=ngrams([], 2))
    return 1 - len(pairs) / pairs.total() if pairs else 0.0
