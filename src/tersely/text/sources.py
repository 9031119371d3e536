"""Several texts as one document, in which every sentence knows where it comes from."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tersely.errors import UsageError
from tersely.languages import LANGUAGES, Language, pattern
from tersely.text.blocks import Block
from tersely.text.document import Document, Sentence
from tersely.text.language import detect_language
from tersely.text.words import Numbered, find_chunks

# Texts meet in a blank line, so that no sentence crosses from one into the next.
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class Source:
    """One of several texts: its name, its text, and a title if it has one."""

    id: str
    text: str
    title: str | None = None

    @property
    def heading(self) -> str:
        """The title, or else the name: both say what the text is about."""
        return self.title if self.title is not None else self.id


# The weight of a word that only one source has: it says little about them all.
_SINGLE_SOURCE = 0.1
# Above the first share of words in common, sources are about one thing; below the second, about several. Three texts of
# different kinds share 9 to 23 % of their words, parts of one news text and reviews of one product 28 to 66 %.
_RELATED, _UNRELATED = 0.3, 0.2
# In sources about several things, what the next best sentence of a source is worth beside the one before it. Chosen on
# triples of `labels/written.jsonl.gz`, of which 0.3 to 0.6 gave the most main points.
_NEXT_BEST = 0.4

# The line ends that Python knows.
_LINE = pattern("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")

# What can be one of several texts, and what can be summarized.
AnySource = str | Document | Source | Mapping[str, object]
Text = AnySource | Iterable[AnySource]


@dataclass(frozen=True)
class Collection(Document):
    """The texts of several sources, one after another; each was split into sentences by itself.

    >>> collection = Collection.gather(["One fish. Two fish.", Source("b", "Red fish.")])
    >>> collection.texts
    ('One fish.', 'Two fish.', 'Red fish.')
    >>> collection.place(2)
    (1, 0)
    """

    sources: tuple[Source, ...] = ()
    parts: tuple[Document, ...] = ()

    @classmethod
    def gather(cls, texts: Iterable[AnySource], language: Language | None = None) -> "Collection":
        """Split each text into sentences; one without a name is called by its number, from 1."""
        sources: list[Source] = []
        parts: list[Document] = []
        for number, text in enumerate(texts, 1):
            source, part = _source_and_document(text, number, language)
            sources.append(source)
            parts.append(part)
        ids: set[str] = set()
        for source in sources:
            if source.id in ids:
                raise UsageError(f"two sources have the id '{source.id}': give each its own")
            ids.add(source.id)
        joined = _BETWEEN.join(part.text for part in parts)
        spoken = {part.language for part in parts if len(part)}
        sentences, offset = [], 0
        for part in parts:
            sentences += [Sentence(start + offset, end + offset) for start, end in part.sentences]
            offset += len(part.text) + len(_BETWEEN)
        return cls(
            text=joined,
            language=language or (spoken.pop() if len(spoken) == 1 else detect_language(joined)),
            sentences=tuple(sentences),
            sources=tuple(sources),
            parts=tuple(parts),
        )

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The number of the first sentence of each source."""
        return tuple(accumulate((len(part) for part in self.parts), initial=0))[:-1]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where the text of each source begins."""
        return tuple(accumulate((len(part.text) + len(_BETWEEN) for part in self.parts), initial=0))[:-1]

    def place(self, sentence: int) -> tuple[int, int]:
        """Return the number of a sentence's source, and its place in there, both from 0."""
        source = bisect_right(self.firsts, sentence) - 1
        return source, sentence - self.firsts[source]

    @cached_property
    def in_common(self) -> NDArray[np.float64]:
        """How much of what the sources have in common is in each sentence, above 0.

        It is the number of sources that have a word, summed over the sentence's content words; a word of only one
        source hardly counts.

        >>> Collection.gather(["Cheap. Works well.", "It works.", "Works for me."]).in_common.round(1).tolist()
        [0.1, 3.0, 3.0, 3.0]
        """
        weights = np.where(self._spread > 1, self._spread, _SINGLE_SOURCE)
        return self.terms.sums(weights) + 1e-3

    @cached_property
    def _spread(self) -> NDArray[np.intp]:
        """The number of sources that have each term."""
        size = max(len(self.terms.vocabulary), 1)
        source = np.repeat(np.arange(len(self.parts)), list(map(len, self.parts)))[self.terms.sentence]
        return np.bincount(np.unique(source * size + self.terms.flat) % size, minlength=len(self.terms.vocabulary))

    def together(self, by_source: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return values for the sentences of several sources, given their values within each source.

        Sources that share many words are about one thing: a sentence is worth what it has in common with them. Sources
        that share few are about several things: the best sentence of each source comes first, then the second best,
        and so on. In between, both count.
        """
        if len(by_source) == 1:
            return by_source[0]
        terms = self.terms.flat
        shared = float((self._spread[terms] > 1).mean()) if len(terms) else 0.0
        apart = min(max((_RELATED - shared) / (_RELATED - _UNRELATED), 0.0), 1.0)
        combined: NDArray[np.float64] = self.in_common ** (1 - apart) * _in_turn(by_source) ** apart
        return combined

    @cached_property
    def display_texts(self) -> tuple[str, ...]:
        """The sentences as a summary shows them."""
        return tuple(text for part in self.parts for text in part.display_texts)

    @property
    def start(self) -> int:
        """Where the first sentence begins, with the label before it if it begins a turn."""
        parts = zip(self.offsets, self.parts, strict=True)
        return next((offset + part.start for offset, part in parts if len(part)), 0)

    @cached_property
    def _owners(self) -> tuple[Block, ...]:
        """The block of its source in which each sentence begins."""
        return tuple(owner for part in self.parts for owner in part._owners)

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """What the section of each sentence is for, if it says so."""
        return tuple(role for part in self.parts for role in part.roles)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence, by the language of its source."""
        return self.numbered.rows(len(self))

    @cached_property
    def numbered(self) -> Numbered:
        """The words of all sentences as numbers."""
        return Numbered.merged(list(self._by_language.values()))

    def renamed(self, name: Callable[[Sequence[str], Language], list[str]]) -> Numbered:
        """Return all words under the names that a function gives them, by the language of their source."""
        groups = self._by_language.items()
        return Numbered.merged(
            [(places, words.renamed(name(words.vocabulary, language))) for language, (places, words) in groups]
        )

    @cached_property
    def _by_language(self) -> dict[Language, tuple[NDArray[np.intp], Numbered]]:
        """For each language, the sentences of its sources and their words: together, they are read faster."""
        places: dict[Language, list[int]] = {}
        for first, part in zip(self.firsts, self.parts, strict=True):
            if len(part):
                places.setdefault(part.language, []).extend(range(first, first + len(part)))
        groups = ((language, np.array(group)) for language, group in places.items())
        return {
            language: (group, (self.chunks.part(group) if len(places) > 1 else self.chunks).words_inside(language))
            for language, group in groups
        }

    @cached_property
    def chunks(self) -> Numbered:
        """The chunks of all sentences as numbers."""
        return Numbered.of(find_chunks(text, part.language) for part in self.parts for text in part.texts)


class Log(Document):
    """A text whose units are its lines, each with its indentation; blank lines are none.

    >>> Log.from_text("INFO up\\n\\n  at main()").texts
    ('INFO up', '  at main()')
    """

    @classmethod
    def from_text(cls, text: str, language: Language | None = None, most: int | None = None) -> "Log":
        """Split `text` into lines; splitting ends early once there are more than `most`."""
        spans = ((line.start(), line.start() + len(line[0].rstrip())) for line in _LINE.finditer(text))
        lines = (Sentence(start, end) for start, end in spans if start < end)
        return cls(text, language or detect_language(text), tuple(islice(lines, None if most is None else most + 1)))


def in_lines(document: Document) -> Document:
    """Return a text, or several sources, with lines in place of sentences."""
    if isinstance(document, Log):
        return document
    if not isinstance(document, Collection):
        return Log.from_text(document.text, document.language)
    pairs = zip(document.sources, document.parts, strict=True)
    logs = [{"id": source.id, "title": source.title, "text": in_lines(part)} for source, part in pairs]
    return Collection.gather(logs, document.language)


def has_lines(document: Document) -> bool:
    """Tell whether the units of a text, or of all of several sources, are lines."""
    parts = parts_of(document)
    return bool(parts) and all(isinstance(part, Log) for part in parts)


def parts_of(document: Document) -> tuple[Document, ...]:
    """Return the documents of several sources, or the one of a single text."""
    return document.parts if isinstance(document, Collection) else (document,)


def _in_turn(by_source: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return values that are 1 for the best sentence of each source, and fall from one to the next best."""
    values = []
    for inside in by_source:
        positive = np.maximum(inside, 1e-9)
        ranks = np.empty(len(inside))
        ranks[np.argsort(-positive, kind="stable")] = np.arange(len(inside))
        values.append(positive / positive.max(initial=1e-9) * np.maximum(_NEXT_BEST**ranks, 1e-9))
    return np.concatenate(values)


def as_document(text: Text, language: Language | None = None) -> Document:
    """Turn a text or several sources into a `Document`; return a `Document` unchanged.

    >>> as_document({"id": "a", "text": "One fish."}).sources
    (Source(id='a', text='One fish.', title=None),)
    """
    if isinstance(text, Document):
        return text
    if language is not None and language not in LANGUAGES:
        raise UsageError(f"language must be one of {', '.join(LANGUAGES)}, not '{language}'")
    if isinstance(text, str):
        return Document.from_text(text, language)
    if isinstance(text, Source | Mapping):
        return Collection.gather([text], language)
    if isinstance(cast(object, text), bytes | bytearray) or not isinstance(cast(object, text), Iterable):
        raise UsageError(f"the text must be a string or a list of sources, not {type(text).__name__}")
    return Collection.gather(text, language)


def located(document: Document, i: int) -> tuple[int, int, str | None]:
    """Return where a sentence begins and ends in the text that it comes from, and the id of that source if it has one.

    >>> located(Collection.gather(["One fish.", Source("b", "Red fish. Blue fish.")]), 2)
    (10, 20, 'b')
    """
    start, end = document.sentences[i]
    if not isinstance(document, Collection):
        return start, end, None
    source, _ = document.place(i)
    offset = document.offsets[source]
    return start - offset, end - offset, document.sources[source].id


def all_located(document: Document) -> list[tuple[int, int, str | None]]:
    """Return what `located` says of each sentence."""
    if not isinstance(document, Collection):
        return [(start, end, None) for start, end in document.sentences]
    sources = zip(document.parts, document.sources, strict=True)
    return [(start, end, source.id) for part, source in sources for start, end in part.sentences]


def _source_and_document(text: AnySource, number: int, language: Language | None) -> tuple[Source, Document]:
    if isinstance(text, Document):
        return Source(str(number), text.text), text
    if isinstance(text, Mapping) and isinstance(document := text.get("text"), Document):
        return _from_mapping({**text, "text": document.text}, number), document
    if isinstance(text, str):
        source = Source(str(number), text)
    elif isinstance(text, Source):
        source = text
    elif isinstance(text, Mapping):
        source = _from_mapping(text, number)
    else:
        raise UsageError(f"source {number} must be a string, a Document, a Source or a mapping with 'text'")
    for name, value in (("id", source.id), ("text", source.text), ("title", source.title or "")):
        if not isinstance(value, str):
            raise UsageError(f"source {number}: {name} must be a string, not {type(value).__name__}")
    return source, Document.from_text(source.text, language)


def _from_mapping(mapping: Mapping[str, object], number: int) -> Source:
    if "text" not in mapping:
        raise UsageError(f"source {number} has no 'text'")
    name = mapping.get("id")
    if name is None or type(name) is int:  # as many databases number their records
        name = str(number if name is None else name)
    # Whatever else the mapping says is not about the text.
    return Source(name, mapping["text"], mapping.get("title"))  # type: ignore[arg-type]
