"""Coverage that reads the document first: where it says what matters, and how."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.score import Matrix, Values
from tersely.score._cues import ABSTRACT, Wording
from tersely.score.coverage import Coverage
from tersely.text.document import Document
from tersely.text.words import term_weights

__all__ = ["Auto"]

# A summary that keeps this much of a text gets no bias, since it no longer matters where a sentence stands; of a long
# text, which says something else on every page, this much.
_MUCH, _MUCH_OF_LONG = 0.45, 0.1
# A summary that keeps less than this cannot say what happens, only what it is about.
_LITTLE = 0.03
# Texts of more sentences are long enough to show themselves where they say what matters.
_LONG = 60
# In shorter texts the bias is this number divided by the number of sentences, but at most the second number.
_SHORT, _STEEPEST = 15.0, 2.5
# What a text shows is mixed with what most texts show, as if it were seen in so many more sentences. Early content
# below the first number gives a bias, which grows by the second, up to the third.
_MOST_TEXTS, _SENTENCES = -0.2, 15
_EARLY, _SLOPE, _STEEP = 0.05, 3.0, 0.4
# What counts more, or less, because of the section that it is in.
_ROLES = {"abstract": 1.5, "conclusion": 1.3, "method": 0.8, "holding": 2.0, "order": 3.0, "facts": 0.7, "defense": 0.7}
# Where texts begin with what matters, the first sentence is what an editor takes.
_FIRST = 1.5
# A sentence of fewer content words counts less.
_FULL = 6


@dataclass(frozen=True)
class Lean:
    """Where a text says what matters: the bias of a short summary, why, and the factor of the first full sentence.

    `opening` is the bias of a tiny summary where there is none otherwise: what opens a story says what it is about.
    A summary that keeps `much` of the text gets no bias.
    """

    bias: float
    why: str
    first: float = 1.0
    opening: float = 0.0
    much: float = _MUCH

    def __str__(self) -> str:
        where = "the end" if self.bias < 0 else "the beginning" if self.bias > 0 else "no place"
        return f"{self.why}; {where} counts most" + (f" (bias {self.bias:g})" if self.bias else "")


@dataclass(frozen=True)
class Leaning:
    """The values of a document's sentences, which depend on the share of the text that a summary keeps."""

    document: Document
    lean: Lean
    worded: Values  # a factor for each sentence, whatever the share

    def __call__(self, share: float) -> Values:
        """Return positive values."""
        place = max(1 - (share / self.lean.much) ** 2, 0.0)
        bias = self.lean.bias * place or self.lean.opening * max(1 - share / _LITTLE, 0.0)
        found: Values = Coverage(bias).values(self.document) * self.worded
        found[_first_full(self.document)] *= self.lean.first**place
        return found


@dataclass(frozen=True)
class Auto:
    """Coverage with a position bias that depends on the text, times cues: how sentences that matter are worded.

    The bias is that of `coverage`; unless it is given, it is found in the document. A conversation and a short text say
    early what they are about. In a long text, the bias depends on whether sentences that say much of what the text
    keeps coming back to stand early. The larger the share of the text that a summary keeps, the less the place counts.
    """

    bias: float | None = None
    cues: float = 1.0

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "consensus"

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return positive values for a short summary."""
        return self.by_share(document)(0.0)

    def by_share(self, document: Document) -> "Leaning":
        """Return a function from the share of the text that a summary keeps to the values."""
        wording = Wording(document)
        worded = np.exp(self.cues * wording.cues) * _fullness(document)
        worded *= np.array([_ROLES.get(role, 1.0) for role in document.roles])
        return Leaning(document, self._lean(document, wording), worded)

    def lean(self, document: Document) -> Lean:
        """Return where the document says what matters."""
        return self._lean(document, Wording(document))

    def _lean(self, document: Document, wording: Wording) -> Lean:
        count = len(document)
        if self.bias is not None:
            return Lean(self.bias, "given")
        if _decides(document):
            return Lean(-0.4, "a judgment, which ends with what it decides")
        if document.is_conversation:
            return Lean(1.0, "a conversation, which says early what it is about")
        if count > _LONG and wording.is_judgment:
            return Lean(0.0, "a judgment, which argues to its end", opening=_STEEP, much=_MUCH_OF_LONG)
        if count > _LONG:
            early = (count * early_content(document) + _SENTENCES * _MOST_TEXTS) / (count + _SENTENCES)
            bias = round(min(_SLOPE * max(_EARLY - early, 0.0), _STEEP), 3)
            what = "those at its beginning say most" if bias else "nothing more at its beginning than elsewhere"
            return Lean(bias, f"{count} sentences, and {what}", opening=_STEEP, much=_MUCH_OF_LONG)
        if wording.is_research:
            return Lean(0.2 if count <= ABSTRACT else 0.4, f"research in {count} sentences")
        if wording.is_message:
            return Lean(_STEEPEST, "a message, which begins with what it is about")
        if wording.is_spoken:
            return Lean(0.3, f"{count} sentences of somebody who speaks")
        bias = round(min(_SHORT / max(count, 1), _STEEPEST), 3)
        return Lean(bias, f"{count} sentences, which begin with what matters", _FIRST)


def early_content(document: Document) -> float:
    """Return the correlation of place and content, from -1 to 1: below 0, early sentences say most.

    The content of a sentence is the weight of the words that the text repeats, for its length; the place is counted on
    a scale of logarithms.
    """
    weights = term_weights(document.terms, once=0.0)
    content = document.terms.sums(weights) / np.array([max(len(text), 1) for text in document.texts]) ** 0.7
    place = np.log1p(np.arange(len(document)))
    content, place = content - content.mean(), place - place.mean()
    spread = float((content @ content) * (place @ place))
    return float(content @ place) / spread**0.5 if spread > 0 else 0.0


def _fullness(document: Document) -> Values:
    """Return a factor that is below 1 for a sentence of few content words: "That is all."

    Chinese has no words here but pairs of characters, and a short sentence says as much as others.
    """
    if document.language == "zh":
        return np.ones(len(document))
    return np.clip(document.terms.lengths / _FULL, 0.1, 1.0)


def _decides(document: Document) -> bool:
    """Tell whether the text is a Chinese judgment with its parts: what the court holds, or what it orders."""
    return document.language == "zh" and not {"holding", "order"}.isdisjoint(document.roles)


def _first_full(document: Document) -> int:
    """Return the first sentence that is no heading, dateline or greeting, going by its number of content words."""
    return int(np.argmax(document.terms.lengths >= _FULL))
