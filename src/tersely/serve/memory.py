"""Keeping the last documents, split and scored, so that a second budget for a text costs only the solver."""

from collections import OrderedDict
from dataclasses import dataclass, field, fields

from tersely.score import Values
from tersely.summarizer import Summarizer
from tersely.text import Document, Language


@dataclass(frozen=True)
class Scored(Document):
    """A document that carries the values it was given, by the fingerprint of who gave them."""

    values: dict[str, Values] = field(default_factory=dict, compare=False, repr=False)


class Remembering(Summarizer):
    """A summarizer that scores a `Scored` document once; summaries are the same either way."""

    @classmethod
    def of(cls, summarizer: Summarizer) -> "Remembering":
        """Return one that gives the same summaries."""
        return cls(**{part.name: getattr(summarizer, part.name) for part in fields(summarizer)})

    def score(self, document: Document) -> Values:
        """Return one value a sentence."""
        if not isinstance(document, Scored):
            return super().score(document)
        if self.fingerprint not in document.values:
            document.values[self.fingerprint] = super().score(document)
        return document.values[self.fingerprint]


class Memory:
    """The last documents, as many as `characters` have room for, and the very last in any case.

    >>> memory = Memory(characters=20)
    >>> memory.document("One fish. Two fish.", None) is memory.document("One fish. Two fish.", None)
    True
    """

    def __init__(self, characters: int = 500_000) -> None:
        self._characters, self._used = characters, 0
        self._kept: OrderedDict[tuple[str, Language | None], Scored] = OrderedDict()

    def document(self, text: str, language: Language | None) -> Scored:
        """Return the document of a text, the same one where it was among the last."""
        key = (text, language)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        split = Document.from_text(text, language)
        document = self._kept[key] = Scored(split.text, split.language, split.sentences)
        self._used += len(text)
        while self._used > self._characters and len(self._kept) > 1:
            (dropped, _), _ = self._kept.popitem(last=False)
            self._used -= len(dropped)
        return document
