"""How sentences become a summary's text: the options that hold for any budget, joining, and lengths."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Literal

from tersely.errors import UsageError
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, Unit, measure

Order = Literal["document", "rank"]
Redundancy = Literal["duplicates", "trigrams", "off"]
Coherence = Literal["strict", "soft", "off"]


@dataclass(frozen=True)
class Options:
    """How to assemble a summary, for any budget.

    `include` and `exclude` are sentence indices. The default separator is a space, or nothing in Chinese and Japanese.
    As `redundancy`, `duplicates` leaves out sentences that nearly repeat another one; `trigrams` also leaves out
    those that share three words in a row with one. As `coherence`, `strict` takes a sentence only together with what
    it needs to be understood, and `soft` halves the value of a sentence that needs another one; both leave out noise,
    such as captions, if there is anything else. `off` takes sentences as they are.
    """

    order: Order = "document"
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    separator: str | None = None
    redundancy: Redundancy = "duplicates"
    coherence: Coherence = "off"

    @classmethod
    def of(
        cls,
        order: Order = "document",
        include: int | Iterable[int] = (),
        exclude: int | Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        coherence: Coherence = "off",
    ) -> "Options":
        """Build the options from a caller's arguments: `include` and `exclude` may be one index or several."""
        pins = _indices("include", include), _indices("exclude", exclude)
        return cls(order, *pins, separator, redundancy, coherence)

    def __post_init__(self) -> None:
        for name, value, known in (
            ("order", self.order, ("document", "rank")),
            ("redundancy", self.redundancy, ("duplicates", "trigrams", "off")),
            ("coherence", self.coherence, ("strict", "soft", "off")),
        ):
            if value not in known:
                raise UsageError(f"{name} must be {' or '.join(known)}, not '{value}'")
        if not isinstance(self.separator, str | None):
            raise UsageError(f"separator must be a string, not {self.separator!r}")


def _indices(name: str, given: int | Iterable[int]) -> frozenset[int]:
    try:
        return frozenset(map(index, given if isinstance(given, Iterable) else (given,)))
    except TypeError:
        raise UsageError(f"{name} must be sentence indices, whole numbers counted from 0, not {given!r}") from None


@dataclass(frozen=True)
class Layout:
    """How the sentences of a document are joined, and how long the result is in one unit."""

    document: Document
    unit: Unit
    options: Options = Options()
    tokens: TokenCounter | None = None

    @cached_property
    def separator(self) -> str:
        """The text between two sentences."""
        chosen = self.options.separator
        return separator(self.document.language) if chosen is None else chosen

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The length of each sentence as it is shown."""
        return tuple(map(self.measure, self.document.shown))

    @cached_property
    def gap(self) -> int:
        """The length a separator adds: 0 in sentences, and 0 in tokens, since token counts do not add up."""
        return 0 if self.unit in ("sentences", "tokens") else self.measure(self.separator)

    def join(self, sentences: Iterable[int]) -> str:
        """Join the sentences in the given order."""
        return self.separator.join(self.document.shown[i] for i in sentences)

    def length(self, sentences: tuple[int, ...]) -> int:
        """Return the length of the joined sentences."""
        return len(sentences) if self.unit == "sentences" else self.measure(self.join(sentences))

    def measure(self, text: str) -> int:
        """Return the length of a text."""
        return measure(text, self.unit, self.tokens)
