"""How sentences become the text of a summary: joining them, and how long the result is."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from tersely.errors import UsageError
from tersely.options import Options, Unit
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, measure, measurer
from tersely.text.sources import Collection, Source

# With headers, sources are a blank line apart.
_APART = "\n\n"


@dataclass(frozen=True)
class Layout:
    """How the sentences of a document are joined, and how long the result is in one unit."""

    document: Document
    unit: Unit
    options: Options = field(default_factory=Options)
    tokens: TokenCounter | None = None

    @cached_property
    def separator(self) -> str:
        """The text between two sentences."""
        chosen = self.options.separator
        return separator(self.document.language) if chosen is None else chosen

    @cached_property
    def labeled_texts(self) -> tuple[str, ...]:
        """The sentences as they are shown, each first one of a turn with its label."""
        texts = self.document.display_texts
        if not self.labeled:
            return texts
        firsts = [i == 0 or turn != self.turns[i - 1] for i, turn in enumerate(self.turns)]
        return tuple(
            label + text if first else text for label, text, first in zip(self.labels, texts, firsts, strict=True)
        )

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The length of each sentence as it is shown."""
        return tuple(map(measurer(self.unit, self.tokens), self.labeled_texts))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What comes before a sentence if the one before it is of another turn: when it is said, and who speaks."""
        colon = ": " if separator(self.document.language) else "："
        turns_said = zip(self.document.times, self.document.speakers, strict=True)
        return tuple(
            (f"[{time}] " if time and self.options.times else "")
            + (f"{speaker}{colon}" if speaker and self.options.speakers else "")
            for time, speaker in turns_said
        )

    @cached_property
    def labeled(self) -> bool:
        """Whether any sentence has a label."""
        return any(self.labels)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The number of each sentence's turn, which lasts as long as the speaker; without speakers, while the time."""
        document, numbers, number = self.document, list[int](), 0
        keys = list(zip(self._sources, document.speakers, document.times, strict=True))
        for i, (source, speaker, time) in enumerate(keys):
            if i and keys[i - 1] != (source, speaker, time):
                number += not speaker or keys[i - 1][:2] != (source, speaker)
            numbers.append(number)
        return tuple(numbers)

    @cached_property
    def gap(self) -> int:
        """The length a separator adds: 0 in sentences, and 0 in tokens, since token counts do not add up."""
        return 0 if self.unit in ("sentences", "tokens") else self.measure(self.separator)

    @cached_property
    def marked(self) -> bool:
        """Whether there is more in a summary than sentences and separators."""
        return bool(self._headers or self.options.omission or self.labeled)

    def join(self, sentences: Iterable[int]) -> str:
        """Join the sentences in the given order."""
        if not self.marked:
            return self.separator.join(self.document.display_texts[i] for i in sentences)
        pieces: list[str] = []
        before = None
        for i in sentences:
            label = self.labels[i] if before is None or self.turns[i] != self.turns[before] else ""
            pieces += [self._between(before, i), label, self.document.display_texts[i]]
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
            raise UsageError("`header` needs a list of texts: this is a single one")
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
    return re.sub(r"\{(?:id|title|number)\}", lambda match: values[match[0]], header)
