"""How sentences become the text of a summary: joining them, and how long the result is."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from tersely.errors import UsageError
from tersely.options import ACCOUNT, Options, Unit
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, measure, measurer
from tersely.text.sources import Collection, Source, located

# With headers, sources are a blank line apart.
_APART = "\n\n"
# An account of what is left out has this many words, or a heading of this many characters.
_MOST_WORDS, _LONGEST_TOPIC = 3, 40


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
        return "".join(pieces) + ("" if before is None else self._tail(before))

    def _between(self, before: int | None, i: int) -> str:
        """Return what comes before a sentence, given the one that precedes it in the summary."""
        source = self._sources[i]
        if before is None or (self._headers and source != self._sources[before]):
            header = self._headers[source] if self._headers else ""
            header += self._head(i)
            return header if before is None else self._tail(before) + _APART + header
        if source != self._sources[before]:
            return self._tail(before) + self.separator + self._head(i)
        if self.options.omission and i != before + 1:
            mark = self._account(before + 1, i) if self._accounts else self.options.omission
            return self.separator + mark + self.separator
        return self.separator

    @cached_property
    def _accounts(self) -> bool:
        """Whether what is left out is accounted for: also before the first and after the last sentence of a source."""
        if self.options.omission != ACCOUNT:
            return False
        if self.options.order != "document":
            raise UsageError("an account of what is left out needs the order of the text: leave out `order`")
        return True

    def _head(self, i: int) -> str:
        first = bisect_left(self._sources, self._sources[i])
        return self._account(first, i) + self.separator if self._accounts and first < i else ""

    def _tail(self, i: int) -> str:
        end = bisect_right(self._sources, self._sources[i])
        return self.separator + self._account(i + 1, end) if self._accounts and i + 1 < end else ""

    def _account(self, first: int, end: int) -> str:
        """Return the place, the heading or best words, and the number of sentences that are left out."""
        if (first, end) not in self._known_accounts:
            start, stop = located(self.document, first)[0], located(self.document, end - 1)[1]
            count = f"{end - first:,} sentence{'s' * (end - first > 1)}"
            self._known_accounts[first, end] = f"[{start:,}-{stop:,}: {self._topic(first, end)}{count}]"
        return self._known_accounts[first, end]

    @cached_property
    def _known_accounts(self) -> dict[tuple[int, int], str]:
        return {}

    def _topic(self, first: int, end: int) -> str:
        """Return the first heading of some sentences, or else the words that are theirs more than the document's."""
        document = self.document
        headings = (document.display_texts[i] for i in range(first, end) if document.kinds[i] == "heading")
        if topic := " ".join(re.sub(r"[\[\]#*_]", " ", next(headings, "")).split()):
            return f"{topic if len(topic) <= _LONGEST_TOPIC else topic[: _LONGEST_TOPIC - 1].rstrip() + '…'}, "
        stems = [stem for i in range(first, end) for stem in document.stems[i]]
        words = [word for i in range(first, end) for word in document.words[i]]
        shown_as = dict(zip(reversed(stems), reversed(words), strict=True))  # as the word that comes first
        counts = Counter(stem for stem in stems if stem in self._frequencies and not stem.isdecimal())
        ranked = sorted(counts, key=lambda stem: -(counts[stem] ** 2) / self._frequencies[stem])
        return "".join(f"{shown_as[stem]}, " for stem in ranked[:_MOST_WORDS])

    @cached_property
    def _frequencies(self) -> Counter[str]:
        """In how many sentences each content word's stem is."""
        terms = self.document.terms
        return Counter(terms.vocabulary[number] for number in terms.flat.tolist())

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
