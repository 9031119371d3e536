"""What can be compared: our own systems by a short spec, model folders, the oracle, and other tools."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tersely.budget import Budget
from tersely.encode import Recent
from tersely.errors import UsageError
from tersely.evaluate.oracle import Oracle
from tersely.evaluate.peers import PEERS, Peer
from tersely.evaluate.record import Record
from tersely.models import shipped_models
from tersely.score import SCORERS
from tersely.summarizer import Summarizer


class System(Protocol):
    """Chooses sentences of a record within a budget."""

    @property
    def name(self) -> str:
        """The spec it was made from."""
        ...

    def choose(self, record: Record, budget: Budget) -> Sequence[int]:
        """Return the indices of the chosen sentences."""
        ...


@dataclass(frozen=True)
class Ours:
    """One of our own, by way of the library."""

    name: str
    summarizer: Summarizer

    def choose(self, record: Record, budget: Budget) -> Sequence[int]:
        """Return what the library chooses."""
        limit = {"ratio" if budget.unit == "ratio" else f"max_{budget.unit}": budget.limit}
        summary = self.summarizer.summarize(record.document, **limit)  # type: ignore[arg-type]
        return sorted(sentence.index for sentence in summary.sentences)


def load_system(spec: str) -> System:
    """Return the system of a spec: `scorer[+selector][@encoder]`, `model[+selector]`, `oracle`, or another tool's.

    A name means what is known by it, even where there is a folder of that name: that is `./lead`.

    >>> load_system("textrank+greedy@tfidf").summarizer.selector
    Greedy()
    >>> load_system("news+knapsack").summarizer.selector
    Knapsack()
    """
    if spec == "oracle":
        return Oracle()
    if spec in PEERS:
        return Peer(spec)
    model, _, selector = (spec, "", "") if Path(spec).is_dir() else spec.partition("+")
    if model in shipped_models() or (Path(model).is_dir() and model not in SCORERS.names()):
        return Ours(spec, _remembering(Summarizer.load(model, select=selector or None)))
    scorer, _, encoder = spec.partition("@")
    scorer, _, selector = scorer.partition("+")
    return Ours(spec, _remembering(Summarizer.load(scorer=scorer, encoder=encoder or None, select=selector or None)))


def parse_systems(specs: str) -> list[str]:
    """Split a comma-separated list of specs; a comma inside a spec's settings is kept.

    >>> parse_systems("lead,pacsum:beta=0,lambda1=0.7@use,oracle")
    ['lead', 'pacsum:beta=0,lambda1=0.7@use', 'oracle']
    """
    found: list[str] = []
    for part in specs.split(","):
        if found and "=" in part and ":" not in part.split("=")[0]:
            found[-1] += "," + part
        elif part.strip():
            found.append(part.strip())
    if len(set(found)) != len(found) or not found:
        raise UsageError(f"name one system or more, each once, not '{specs}'")
    return found


_recent: dict[str, Recent] = {}


def _remembering(summarizer: Summarizer) -> Summarizer:
    """Let all systems share one memory of the last documents' vectors."""
    encoder = summarizer.encoder
    if encoder is None:
        return summarizer
    return replace(summarizer, encoder=_recent.setdefault(encoder.fingerprint, Recent(encoder, size=4)))
