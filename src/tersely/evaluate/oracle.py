"""The ceiling of extraction: sentences chosen with the reference in hand."""

from collections import Counter
from dataclasses import dataclass, field

from tersely.budget import Budget
from tersely.evaluate.record import Record
from tersely.evaluate.room import Room
from tersely.evaluate.rouge import ngrams
from tersely.evaluate.tokens import Tokenization

# As in the common protocol, the oracle looks at the first hundred sentences.
_FIRST = 100


@dataclass(frozen=True)
class Oracle:
    """Greedily adds the sentence that most raises ROUGE-1 plus ROUGE-2 F1, while it fits and raises it."""

    tokenization: Tokenization = field(default_factory=Tokenization)
    name: str = "oracle"

    def choose(self, record: Record, budget: Budget) -> list[int]:
        """Return the chosen sentences, ascending."""
        document = record.document
        target = _Grams.of([t for s in record.reference for t in self.tokenization.tokens(s, document.language)])
        sentences = [_Grams.of(self.tokenization.tokens(s, document.language)) for s in document.texts[:_FIRST]]
        room = Room(document, budget)
        chosen: list[int] = []
        covered, best = _Grams.of([]), 0.0
        while True:
            candidates = [i for i in range(len(sentences)) if i not in chosen and room.fits([*chosen, i])]
            gains = [(target.f1(covered + sentences[i]), -i) for i in candidates]
            if not gains or max(gains)[0] <= best:
                return sorted(chosen)
            best, negative = max(gains)
            chosen.append(-negative)
            covered = covered + sentences[-negative]


@dataclass(frozen=True)
class _Grams:
    """The one- and two-token runs of some sentences; runs never cross from one sentence into the next."""

    ones: Counter[tuple[str, ...]]
    twos: Counter[tuple[str, ...]]

    @classmethod
    def of(cls, tokens: list[str]) -> "_Grams":
        return cls(ngrams(tokens, 1), ngrams(tokens, 2))

    def __add__(self, other: "_Grams") -> "_Grams":
        return _Grams(self.ones + other.ones, self.twos + other.twos)

    def f1(self, other: "_Grams") -> float:
        return _dice(self.ones, other.ones) + _dice(self.twos, other.twos)


def _dice(one: Counter[tuple[str, ...]], two: Counter[tuple[str, ...]]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0
