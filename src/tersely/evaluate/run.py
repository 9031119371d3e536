"""Run systems over records, and keep the figures of every document so that systems can be compared in pairs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.evaluate.measures import RougeScore, Tokenization, Tokens, ngrams, rouge
from tersely.evaluate.record import Record
from tersely.evaluate.systems import load_system
from tersely.options import Budget
from tersely.workers.ordered import ordered
from tersely.workers.process import cores

# It takes longer to start other processes than to measure fewer documents than these.
_FEW = 8


def evaluate(
    records: Iterable[Record],
    systems: Sequence[str],
    budgets: Sequence[Budget],
    tokenization: Tokenization | None = None,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
    alternatives: bool = False,
) -> "list[SystemResult]":
    """Run every system at every budget over the records that have a reference.

    With `alternatives`, a list of references is not one summary, sentence by sentence, but several: the one that
    matches best counts.

    After each document, `progress` gets the number of documents done so far. `workers` is the number of processes, by
    default one per core, or one for a few documents; with one, everything runs in this process.
    """
    work = _Measuring(tuple(systems), tuple(budgets), tokenization or Tokenization(), alternatives)
    measure = work.load()  # an unknown name fails here, before any other work begins
    usable = (record for record in records if record.reference and len(record.document))
    first = list(islice(usable, _FEW))
    processes = workers or (cores() if len(first) == _FEW else 1)
    jobs, rows = chain(first, usable), list[list[DocumentOutcome]]()
    for row in map(measure, jobs) if processes == 1 else ordered(work, jobs, processes):
        rows.append(row)
        progress(len(rows))
    if not rows:
        raise InputError("the data has no document with a reference summary")
    pairs = [(system, budget) for budget in budgets for system in systems]
    return [SystemResult(s, b, tuple(row[k] for row in rows)) for k, (s, b) in enumerate(pairs)]


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


@dataclass(frozen=True)
class _Measuring:
    """The work of one process: every system at every budget on one document after another."""

    systems: tuple[str, ...]
    budgets: tuple[Budget, ...]
    tokenization: Tokenization
    alternatives: bool = False

    def load(self) -> Callable[[Record], list[DocumentOutcome]]:
        systems = [load_system(spec) for spec in self.systems]

        def measure(record: Record) -> list[DocumentOutcome]:
            document = record.document
            tokens = [self.tokenization.tokens(sentence, document.language) for sentence in record.reference]
            references = [[one] for one in tokens] if self.alternatives else [tokens]
            sentences = [self.tokenization.tokens(sentence, document.language) for sentence in document.texts]
            outcomes = []
            for budget in self.budgets:
                for system in systems:
                    extract = system.extract(record, budget)
                    summary = [sentences[i] for i in extract.chosen]
                    outcomes.append(
                        DocumentOutcome(
                            scores=_best([rouge(reference, summary) for reference in references]),
                            length=extract.length,
                            characters=len(extract.text),
                            capacity=budget.capacity(document.text),
                            redundancy=_redundancy(summary),
                            positions=extract.chosen,
                        )
                    )
            return outcomes

        return measure


def _best(scores: list[dict[str, RougeScore]]) -> dict[str, RougeScore]:
    """Return for each measure the score against the reference that matches best."""
    return {measure: max((one[measure] for one in scores), key=lambda score: score.f1) for measure in scores[0]}


def _redundancy(summary: Sequence[Tokens]) -> float:
    pairs = sum((ngrams(tokens, 2) for tokens in summary), start=ngrams([], 2))
    return 1 - len(pairs) / pairs.total() if pairs else 0.0
