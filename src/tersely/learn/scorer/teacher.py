"""The teacher that a scorer can learn from without labels: a scorer on words and a selector, tuned to the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.errors import UsageError
from tersely.learn.news import bias_of
from tersely.learn.scorer.config import ScorerConfig
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
        """Create both by name."""
        part = SCORERS.create(scorer)
        if part.encoder is not None:
            raise UsageError(f"the teacher '{scorer}' needs vectors: choose one that works on words")
        return cls(part, SELECTORS.create(selector))

    @property
    def specs(self) -> tuple[str, str]:
        """The specs that create both again."""
        return SCORERS.spec(self.scorer), SELECTORS.spec(self.selector)

    def values(self, document: Document) -> Values:
        """Return its values of the sentences."""
        return self.scorer.score(document, np.empty((len(document), 0), np.float32))

    def choose(self, document: Document, values: Values, capacity: int) -> tuple[int, ...]:
        """Return the sentences that it selects within a budget in characters."""
        chars = np.array([len(text) for text in document.texts], dtype=np.int64)
        return self.selector(Problem(values, chars, capacity, separator(document), document=document)).chosen

    def tuned(self, documents: Sequence[Document], share: float) -> "Teacher":
        """Give coverage the position bias of the documents, for summaries that keep this share of a text."""
        if not isinstance(self.scorer, Coverage):
            raise UsageError("only the teacher 'coverage' can be tuned to the corpus: set teacher_tuned to false")
        return replace(self, scorer=Coverage(bias_of(documents, share)))


def make_teacher(config: ScorerConfig, documents: Sequence[Document], budgets: Sequence[int]) -> Teacher | None:
    """Return the teacher, tuned to documents and the budgets of their summaries; None if nobody asks for one."""
    settings = config.objective
    if not (settings.imitation or settings.words) and config.network.value != "coverage_exp":
        return None
    teacher = Teacher.load(settings.teacher_scorer, settings.teacher_select)
    if not settings.teacher_tuned:
        return teacher
    shares = [min(budget / len(document.text), 1.0) for document, budget in zip(documents, budgets, strict=True)]
    return teacher.tuned(documents, sum(shares) / len(shares))


def make_words(config: ScorerConfig, teacher: Teacher | None) -> Coverage | None:
    """Return what weighs the words of a document; None if the objective `words` is not used."""
    if teacher is None or not config.objective.words:
        return None
    if not isinstance(teacher.scorer, Coverage):
        raise UsageError("the objective 'words' counts as coverage does: set teacher_scorer to 'coverage'")
    return teacher.scorer


def separator(document: Document) -> int:
    """Return the length of what separates two sentences."""
    return 0 if document.language == "zh" else 1
