"""How sentences become the text of a summary: joining them, and how long the result is."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from tersely.errors import UsageError
from tersely.options import ACCOUNT, Options, Unit
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, first_word, last_word, measure, measurer
from tersely.text.logs import LogLines, read_lines
from tersely.text.sources import Collection, Source, has_lines, located, parts_of

# With headers, sources are a blank line apart.
_APART = "\n\n"
# An account of what is left out has this many words, or a heading of this many characters.
_MOST_WORDS, _LONGEST_TOPIC = 3, 40
# Gaps from one sentence on are remembered once so many of them were asked for.
_OFTEN = 8
# How many words or tokens may disappear where a sentence is joined; with an account that changes, about this many more.
_MERGED, _ACCOUNT_LENGTH = 8, 40


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
        if self.in_lines:
            if self.options.order != "document" or "\n" not in (chosen or "\n"):
                raise UsageError("lines stay in their order, and each stays a line: leave out `order` and `separator`")
            return chosen or "\n"
        return separator(self.document.language) if chosen is None else chosen

    @cached_property
    def in_lines(self) -> bool:
        """Whether lines are chosen, not sentences."""
        return has_lines(self.document)

    @cached_property
    def lines(self) -> LogLines:
        """What is known of the lines, if those are chosen."""
        ends = accumulate(map(len, parts_of(self.document)))
        return read_lines(self.document.texts, tuple(ends), self.options.include)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The sentences as a summary shows them; a line that stands for similar ones says for how many."""
        texts = self.document.display_texts
        if not self.in_lines or self.options.redundancy == "off":
            return texts
        similar = self.lines.similar
        marks = {i: f"\n[... {count:,} similar line{'s' * (count > 1)}]" for i, count in similar.items()}
        return tuple(text + marks.get(i, "") for i, text in enumerate(texts))

    @cached_property
    def labeled_texts(self) -> tuple[str, ...]:
        """The sentences as they are shown, each first one of a turn with its label."""
        texts = self.texts
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
        keys = list(zip(self.sources, document.speakers, document.times, strict=True))
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
            return self.separator.join(self.texts[i] for i in sentences)
        pieces: list[str] = []
        before = None
        for i in sentences:
            pieces += [self.between(before, i), self.texts[i]]
            before = i
        return "".join(pieces) + ("" if before is None else self.tail(before))

    def between(self, before: int | None, i: int) -> str:
        """Return what comes before a sentence, given the one that precedes it in the summary."""
        label = self.labels[i] if before is None or self.turns[i] != self.turns[before] else ""
        return self._gap_before(before, i) + label

    def _gap_before(self, before: int | None, i: int) -> str:
        source = self.sources[i]
        if before is None or (self._headers and source != self.sources[before]):
            header = (self._headers[source] if self._headers else "") + self._head(i)
            return header if before is None else self.tail(before) + _APART + header
        if source != self.sources[before]:
            return self.tail(before) + self.separator + self._head(i)
        if self.options.omission and i != before + 1:
            return self.separator + self._account(before + 1, i) + self.separator if self._accounts else self._omission
        return self.separator

    @cached_property
    def _omission(self) -> str:
        return self.separator + (self.options.omission or "") + self.separator

    @cached_property
    def _accounts(self) -> bool:
        """Whether what is left out is accounted for: also before the first and after the last sentence of a source."""
        if self.options.omission != ACCOUNT:
            return False
        if self.options.order != "document":
            raise UsageError("an account of what is left out needs the order of the text: leave out `order`")
        return True

    def _head(self, i: int) -> str:
        first = bisect_left(self.sources, self.sources[i])
        return self._account(first, i) + self.separator if self._accounts and first < i else ""

    def tail(self, i: int) -> str:
        """Return what comes after a sentence that is the last of a summary or of its source there."""
        end = bisect_right(self.sources, self.sources[i])
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
        at = bisect_left(self._headings, first)
        headings = (self.document.display_texts[i] for i in self._headings[at : at + 1] if i < end)
        if topic := " ".join(re.sub(r"[\[\]#*_]", " ", next(headings, "")).split()):
            return f"{topic if len(topic) <= _LONGEST_TOPIC else topic[: _LONGEST_TOPIC - 1].rstrip() + '…'}, "
        return "".join(f"{word}, " for word in self._growing(first, end).best(end - first))

    def _growing(self, first: int, end: int) -> "_GrowingGap":
        """Return a gap that grows to this one with the least work; one that is asked for often is remembered."""
        gaps = []
        for start, step in ((first, 1), (end - 1, -1)):
            gap = self._gaps.get((start, step)) or _GrowingGap(self.document, self._frequencies, start, step)
            self._requests[start, step] += 1
            if self._requests[start, step] >= _OFTEN:
                self._gaps[start, step] = gap
                gaps.append(gap)
        return max(gaps or [gap], key=lambda gap: min(gap.size, end - first))

    @cached_property
    def _gaps(self) -> "dict[tuple[int, int], _GrowingGap]":
        return {}

    @cached_property
    def _requests(self) -> Counter[tuple[int, int]]:
        return Counter()

    @cached_property
    def _headings(self) -> list[int]:
        return [i for i, kind in enumerate(self.document.kinds) if kind == "heading"]

    @cached_property
    def _frequencies(self) -> Counter[str]:
        """In how many sentences each content word's stem is."""
        terms = self.document.terms
        return Counter(terms.vocabulary[number] for number in terms.flat.tolist())

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """The number of each sentence's source."""
        parts = parts_of(self.document)
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
        """Return the length of the joined sentences: none have none, even if a tokenizer counts one for no text."""
        countable = self.unit == "sentences" or not sentences
        return len(sentences) if countable else self.measure(self.join(sentences))

    def alone(self, sentence: int) -> int:
        """Return the length of a summary of one sentence."""
        return self.length((sentence,)) if self.marked else self.lengths[sentence]

    @cached_property
    def adds_up(self) -> bool:
        """Whether a summary is as long as its sentences and separators."""
        if self.unit == "sentences":
            return True
        apart = self.unit == "words" and self.separator.isspace()
        return not self.marked and (apart or self.unit in ("chars", "bytes"))

    @cached_property
    def merging(self) -> int:
        """About how many words or tokens fewer a summary may have with a sentence more."""
        if self._accounts:
            return _MERGED + _ACCOUNT_LENGTH
        return _MERGED + (self.measure(self._omission) if self.options.omission else 0)

    def measure(self, text: str) -> int:
        """Return the length of a text."""
        return measure(text, self.unit, self.tokens)


class _GrowingGap:
    """The words that are a gap's more than its document's, as the gap grows from a sentence on, forward or backward.

    Only the words of the sentence that is added can become better, so the time is that of reading the gap once.
    """

    def __init__(self, document: Document, frequencies: Counter[str], start: int, step: int) -> None:
        self._document, self._frequencies, self._start, self._step = document, frequencies, start, step
        self._counts: Counter[str] = Counter()
        self._shown: dict[str, tuple[int, int, str]] = {}  # where a stem comes first, and as which word
        self._best: list[tuple[str, ...]] = [()]
        self._stems: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many sentences it has so far."""
        return len(self._best) - 1

    def best(self, size: int) -> tuple[str, ...]:
        """Return the best words of its first sentences, each as it is written where it comes first."""
        while self.size < size:
            self._grow(self._start + self._step * self.size)
        return self._best[size]

    def _grow(self, sentence: int) -> None:
        pairs = zip(self._document.stems[sentence], self._document.words[sentence], strict=True)
        added: dict[str, tuple[int, int, str]] = {}
        for place, (stem, word) in enumerate(pairs):
            if stem in self._frequencies and not stem.isdecimal():
                self._counts[stem] += 1
                added.setdefault(stem, (sentence, place, word))
        for stem, place_and_word in added.items():
            if self._step < 0 or stem not in self._shown:
                self._shown[stem] = place_and_word
        rivals = dict.fromkeys((*self._stems, *added))
        ranked = sorted(
            rivals, key=lambda stem: (-(self._counts[stem] ** 2) / self._frequencies[stem], self._shown[stem])
        )
        self._stems = tuple(ranked[:_MOST_WORDS])
        self._best.append(tuple(self._shown[stem][2] for stem in self._stems))


class Insertion:
    """How long a summary becomes by one more sentence, known from its neighbors there, without joining it anew.

    `sentences` is the summary in its order, `length` its length, and `ranks` are all sentences by rank if that is the
    order. What a source's sentences have before and after them does not depend on where the source stands.
    """

    def __init__(self, layout: Layout, sentences: Sequence[int], length: int, ranks: Sequence[int] | None) -> None:
        self._layout, self._sentences, self._length = layout, sentences, length
        self._rank = None if ranks is None else {i: rank for rank, i in enumerate(ranks)}
        self._sizes: dict[str, int] = {}

    def length_with(self, sentence: int) -> int | None:
        """Return the length with a sentence that is not in the summary; None if only the joined text can tell."""
        layout = self._layout
        if layout.adds_up or not self._sentences:
            gap = layout.gap if self._sentences else 0
            unit = layout.unit == "sentences"
            return self._length + (1 if unit else layout.alone(sentence) + gap)
        if not self._is_local:
            return None
        at = self._place(sentence)
        before = self._sentences[at - 1] if at else None
        after = self._sentences[at] if at < len(self._sentences) else None
        start, text = layout.between(before, sentence), layout.texts[sentence]
        if after is not None:
            replaced, end = layout.between(before, after), layout.between(sentence, after)
        else:
            replaced, end = "" if before is None else layout.tail(before), layout.tail(sentence)
        if layout.unit != "words":
            added = self._size(start) + layout.measure(text) + self._size(end)
            return self._length + added - self._size(replaced)
        left, right = self._ends[at], self._starts[at]
        joined = f"{left}{start}{text}{end}{right}"
        return self._length + layout.measure(joined) - layout.measure(left + replaced + right)

    @cached_property
    def _is_local(self) -> bool:
        """Whether the neighbors of a sentence decide: tokens may differ anywhere, and words where sources move."""
        layout = self._layout
        if layout.unit != "words" or self._rank is None or not isinstance(layout.document, Collection):
            return layout.unit != "tokens"
        return bool(layout.options.header) or any(map(str.isspace, layout.separator))

    def _place(self, sentence: int) -> int:
        """Return where a sentence would stand; a source that is not in the summary yet may stand at its end."""
        if self._rank is None:
            return bisect_left(self._sentences, sentence)
        start, end = self._groups.get(self._layout.sources[sentence], (len(self._sentences),) * 2)
        return bisect_left(self._sentences, self._rank[sentence], start, end, key=self._rank.__getitem__)

    @cached_property
    def _groups(self) -> dict[int, tuple[int, int]]:
        """Where the sentences of a source stand in the summary."""
        groups: dict[int, tuple[int, int]] = {}
        for at, i in enumerate(self._sentences):
            source = self._layout.sources[i]
            groups[source] = groups.get(source, (at, at))[0], at + 1
        return groups

    def _size(self, text: str) -> int:
        if text not in self._sizes:
            self._sizes[text] = self._layout.measure(text)
        return self._sizes[text]

    @cached_property
    def _ends(self) -> list[str]:
        """The last word before each place, as far as it matters for counting words."""
        ends, before = [""], None
        for i in self._sentences:
            ends.append(last_word(ends[-1] + self._layout.between(before, i) + self._layout.texts[i]))
            before = i
        return ends

    @cached_property
    def _starts(self) -> list[str]:
        """The first word after each place, as far as it matters for counting words."""
        starts, after, following = [""], "", None
        for i in reversed(self._sentences):
            gap = self._layout.tail(i) if following is None else self._layout.between(i, following)
            after = first_word(self._layout.texts[i] + gap + after)
            starts.append(after)
            following = i
        return starts[::-1]


def _filled(header: str, number: int, source: Source) -> str:
    # Not `str.format`, with which a header could reach into objects or ask for a billion spaces.
    values = {"{id}": source.id, "{title}": source.heading, "{number}": str(number)}
    return re.sub(r"\{(?:id|title|number)\}", lambda match: values[match[0]], header)
