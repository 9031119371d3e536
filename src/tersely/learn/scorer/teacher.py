"""Whom a scorer may learn from without labels: a scorer on words and a selector, tuned to the corpus by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.errors import UsageError
from tersely.learn.scorer.bias import bias_of
from tersely.score import SCORERS, Scorer, Values
from tersely.score.coverage import Coverage
from tersely.select import SELECTORS, Problem, Selector
from tersely.text import Document


@dataclass(frozen=True)
class Teacher:
    """A scorer on words and a selector."""

    scorer: Scorer
    selector: Selector

    @classmethod
    def load(cls, scorer: str, selector: str) -> "Teacher":
        """Make both by their names."""
        part = SCORERS.create(scorer)
        if part.encoder is not None:
            raise UsageError(f"the teacher '{scorer}' needs vectors: choose one that works on the words")
        return cls(part, SELECTORS.create(selector))

    @property
    def specs(self) -> tuple[str, str]:
        """The specs that make both again."""
        return SCORERS.spec(self.scorer), SELECTORS.spec(self.selector)

    def values(self, document: Document) -> Values:
        """Return its values of the sentences."""
        return self.scorer.score(document, np.empty((len(document), 0), np.float32))

    def choose(self, document: Document, values: Values, capacity: int) -> tuple[int, ...]:
        """Return what it selects within a budget in characters."""
        chars = np.array([len(text) for text in document.texts], dtype=np.int64)
        return self.selector(Problem(values, chars, capacity, separator(document), document=document)).chosen

    def tuned(self, documents: Sequence[Document], share: float) -> "Teacher":
        """Let coverage find the corpus's bias of position, for summaries that are such a share of their texts."""
        if not isinstance(self.scorer, Coverage):
            raise UsageError("only the teacher 'coverage' can be tuned to the corpus: set teacher_tuned to false")
        return replace(self, scorer=Coverage(bias_of(documents, share)))


def separator(document: Document) -> int:
    """Return how long what stands between two sentences is."""
    return 0 if document.language == "zh" else 1
