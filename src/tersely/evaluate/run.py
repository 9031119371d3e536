"""Running systems over records, each document's figures kept so that systems can be compared in pairs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from tersely.budget import Budget
from tersely.errors import InputError
from tersely.evaluate.record import Record
from tersely.evaluate.room import Room
from tersely.evaluate.rouge import Score, ngrams, rouge
from tersely.evaluate.systems import System, load_system
from tersely.evaluate.tokens import Tokenization
from tersely.processes import cores, deaf_to_interrupts, end_with_parent

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Outcome:
    """One system's summary of one document: its scores, its length, and where its sentences stand."""

    scores: dict[str, Score]
    length: int
    characters: int
    capacity: int
    redundancy: float
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """One system at one budget over all documents, in the documents' order."""

    system: str
    budget: Budget
    outcomes: tuple[Outcome, ...]

    def f1(self, measure: str) -> NDArray[np.float64]:
        """Return the F1 of each document, times 100."""
        return 100 * np.array([outcome.scores[measure].f1 for outcome in self.outcomes])

    def mean(self, measure: str, part: str = "f1") -> float:
        """Return the mean precision, recall or F1, times 100."""
        return 100 * float(np.mean([getattr(outcome.scores[measure], part) for outcome in self.outcomes]))

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The length of each summary, in characters: what the paper's last column shows."""
        return np.array([outcome.characters for outcome in self.outcomes], dtype=np.float64)

    @property
    def fill(self) -> float:
        """The mean part of the budget that is used."""
        return float(np.mean([outcome.length / max(outcome.capacity, 1) for outcome in self.outcomes]))

    @property
    def violations(self) -> int:
        """How many summaries are longer than allowed."""
        return sum(outcome.length > outcome.capacity for outcome in self.outcomes)

    @property
    def redundancy(self) -> float:
        """The mean share of repeated bigrams, times 100."""
        return 100 * float(np.mean([outcome.redundancy for outcome in self.outcomes]))

    def positions(self, first: int = 10) -> list[int]:
        """Count how often each of the first places was chosen; the last number is for all places after them."""
        places = [min(place, first) for outcome in self.outcomes for place in outcome.positions]
        return [places.count(place) for place in range(first + 1)]


def evaluate(
    records: Iterable[Record],
    systems: Sequence[str],
    budgets: Sequence[Budget],
    tokenization: Tokenization | None = None,
    workers: int | None = None,
    progress: Progress = lambda _: None,
) -> list[Result]:
    """Run every system at every budget over the records; `progress` is told the number of documents done."""
    tokenization = tokenization or Tokenization()
    for spec in systems:
        load_system(spec)  # an unknown name is said before any work begins
    rows: list[list[Outcome]] = []
    for row in _rows(records, (tuple(systems), tuple(budgets), tokenization), workers or cores()):
        rows.append(row)
        progress(len(rows))
    if not rows:
        raise InputError("the data has no document with a reference summary")
    pairs = [(system, budget) for budget in budgets for system in systems]
    return [Result(s, b, tuple(row[k] for row in rows)) for k, (s, b) in enumerate(pairs)]


_Setup = tuple[tuple[str, ...], tuple[Budget, ...], Tokenization]
_setup: _Setup


def _rows(records: Iterable[Record], setup: _Setup, workers: int) -> Iterator[list[Outcome]]:
    usable = (record for record in records if record.reference and len(record.document))
    if workers == 1:
        _start(setup)
        yield from map(_outcomes, usable)
        return
    # Spawned, not forked: a fork would copy the threads of a BLAS library half way through their work.
    try:
        with ProcessPoolExecutor(workers, get_context("spawn"), _start, (setup,)) as pool:
            while batch := list(islice(usable, 64 * workers)):
                with deaf_to_interrupts():  # processes are started as work comes for them
                    outcomes = pool.map(_outcomes, batch)
                yield from outcomes
    except BrokenProcessPool:
        raise InputError("a process was killed, perhaps for want of memory: try fewer --workers") from None


def _start(setup: _Setup) -> None:
    global _setup
    _setup = setup
    end_with_parent()


def _outcomes(record: Record) -> list[Outcome]:
    systems, budgets, tokenization = _setup
    language = record.document.language
    reference = [tokenization.tokens(sentence, language) for sentence in record.reference]
    sentences = [tokenization.tokens(sentence, language) for sentence in record.document.texts]
    outcomes = []
    for budget in budgets:
        room, characters = Room(record.document, budget), Room(record.document, Budget(1, "chars"))
        for spec in systems:
            chosen = tuple(_system(spec).choose(record, budget))
            summary = [sentences[i] for i in chosen]
            outcomes.append(
                Outcome(
                    scores=rouge(reference, summary),
                    length=room.length(chosen),
                    characters=characters.length(chosen),
                    capacity=budget.capacity(record.document.text),
                    redundancy=_redundancy(summary),
                    positions=chosen,
                )
            )
    return outcomes


_systems: dict[str, System] = {}


def _system(spec: str) -> System:
    if spec not in _systems:
        _systems[spec] = load_system(spec)
    return _systems[spec]


def _redundancy(summary: list[list[str]]) -> float:
    pairs = sum((ngrams(tokens, 2) for tokens in summary), start=ngrams([], 2))
    return 1 - len(pairs) / pairs.total() if pairs else 0.0
