"""How sentences become a summary's text: the options that hold for any budget, joining, and lengths."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Literal

from tersely.errors import UsageError
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, Unit, measure, measurer
from tersely.text.sources import Collection, Source

Order = Literal["document", "rank"]
Redundancy = Literal["duplicates", "trigrams", "off"]
Coherence = Literal["strict", "soft", "off"]

# With headers, sources are a blank line apart.
_APART = "\n\n"


@dataclass(frozen=True)
class Options:
    """How to assemble a summary, for any budget.

    `include` and `exclude` are sentence indices. The default separator is a space, or nothing in Chinese and Japanese.
    As `redundancy`, `duplicates` leaves out sentences that nearly repeat another one; `trigrams` also leaves out
    those that share three words in a row with one. As `coherence`, `strict` makes a sentence that cannot be
    understood alone worth little or nothing without the one it needs, and `soft` worth less; both leave out noise,
    such as captions, if there is anything else. `off` takes sentences as they are.

    With several sources, `header` comes before the sentences of each one; in it, `{id}`, `{title}` and `{number}` stand
    for the source's own. `omission` comes between two sentences of a source where others are left out. With a `query`,
    sentences are chosen to answer it, by their words and, if an `encoder` is named, by its vectors.
    """

    order: Order = "document"
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    separator: str | None = None
    redundancy: Redundancy = "duplicates"
    coherence: Coherence | None = None
    header: str | None = None
    omission: str | None = None
    query: str | None = None
    encoder: str | None = None

    @classmethod
    def of(
        cls,
        order: Order = "document",
        include: int | Iterable[int] = (),
        exclude: int | Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        coherence: Coherence | None = None,
        header: str | None = None,
        omission: str | None = None,
        query: str | None = None,
        encoder: str | None = None,
    ) -> "Options":
        """Build the options from a caller's arguments: `include` and `exclude` may be one index or several."""
        pins = _indices("include", include), _indices("exclude", exclude)
        return cls(order, *pins, separator, redundancy, coherence, header, omission, query, encoder)

    def __post_init__(self) -> None:
        for name, value, known in (
            ("order", self.order, ("document", "rank")),
            ("redundancy", self.redundancy, ("duplicates", "trigrams", "off")),
            ("coherence", "off" if self.coherence is None else self.coherence, ("strict", "soft", "off")),
        ):
            if value not in known:
                raise UsageError(f"{name} must be {' or '.join(known)}, not '{value}'")
        for name in ("separator", "header", "omission", "query", "encoder"):
            if not isinstance(given := getattr(self, name), str | None):
                raise UsageError(f"{name} must be a string, not {given!r}")
        if self.query is not None and not self.query.strip():
            raise UsageError("the query is empty: ask something, or leave it out")
        if self.encoder is not None and self.query is None:
            raise UsageError("an encoder is for a query: give one, or load a summarizer with that encoder")


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
        return tuple(map(measurer(self.unit, self.tokens), self.document.display_texts))

    @cached_property
    def gap(self) -> int:
        """The length a separator adds: 0 in sentences, and 0 in tokens, since token counts do not add up."""
        return 0 if self.unit in ("sentences", "tokens") else self.measure(self.separator)

    @cached_property
    def marked(self) -> bool:
        """Whether there is more in a summary than sentences and separators."""
        return bool(self._headers or self.options.omission)

    def join(self, sentences: Iterable[int]) -> str:
        """Join the sentences in the given order."""
        if not self.marked:
            return self.separator.join(self.document.display_texts[i] for i in sentences)
        pieces: list[str] = []
        before = None
        for i in sentences:
            pieces += [self._between(before, i), self.document.display_texts[i]]
            before = i
        return "".join(pieces)

    def _between(self, before: int | None, i: int) -> str:
        """Return what comes before a sentence, given the one that precedes it in the summary."""
        source = self._sources[i]
        if before is None or (self._headers and source != self._sources[before]):
            header = self._headers[source] if self._headers else ""
            return header if before is None else _APART + header
        if self.options.omission and i != before + 1 and source == self._sources[before]:
            return self.separator + self.options.omission + self.separator
        return self.separator

    @cached_property
    def _sources(self) -> tuple[int, ...]:
        """The number of each sentence's source."""
        parts = self.document.parts if isinstance(self.document, Collection) else (self.document,)
        return tuple(number for number, part in enumerate(parts) for _ in range(len(part)))

    @cached_property
    def _headers(self) -> tuple[str, ...]:
        """The header of each source; empty without headers."""
        header = self.options.header
        if not header:
            return ()
        if not isinstance(self.document, Collection):
            raise UsageError("a header is for sources: give a list of them")
        return tuple(_filled(header, number, source) for number, source in enumerate(self.document.sources, 1))

    def length(self, sentences: tuple[int, ...]) -> int:
        """Return the length of the joined sentences."""
        return len(sentences) if self.unit == "sentences" else self.measure(self.join(sentences))

    def measure(self, text: str) -> int:
        """Return the length of a text."""
        return measure(text, self.unit, self.tokens)


def _filled(header: str, number: int, source: Source) -> str:
    # Not `str.format`, with which a header could reach into objects or ask for a billion spaces.
    values = {"{id}": source.id, "{title}": source.heading, "{number}": str(number)}
    return re.sub(r"\{(?:id|title|number)\}", lambda found: values[found[0]], header)
