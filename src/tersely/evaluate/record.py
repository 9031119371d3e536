"""One document of a dataset with its reference summary, and which part of it an experiment shows to its systems."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from tersely.errors import UsageError
from tersely.text import Document, Sentence
from tersely.text.language import HAN, KANA
from tersely.text.length import TokenCounter, count_words

# A Han character is a word of its own; any other word ends at the next white space or Han character.
_REST_OF_WORD = re.compile(rf"(?<=[{HAN}{KANA}])|[^\s{HAN}{KANA}]*")


@dataclass(frozen=True)
class Record:
    """A document, the sentences of its reference, and the indices of labeled sentences if the dataset has them.

    `fields` has whatever else the dataset says about the document, by its names there.
    """

    id: str
    document: Document
    reference: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class SourceLimits:
    """Limits on the sentences that a system gets to see; the text and the reference stay whole.

    They apply in PreSumm's order: sentences of fewer than `min_words` words are dropped, longer ones are cut after
    `max_words` words, the first `max_sentences` are kept, and of these the ones within the first `max_tokens` tokens.
    A document never becomes empty: if no sentence has `min_words` words, all are kept, and the first sentence is kept
    however many tokens it has. Tokens are words unless `count_tokens` counts something else.

    The paper uses `SourceLimits(max_tokens=512)`, PreSumm `SourceLimits(512, 100, min_words=6, max_words=200)`.
    """

    max_tokens: int | None = None
    max_sentences: int | None = None
    min_words: int = 0
    max_words: int | None = None
    count_tokens: TokenCounter = field(default=count_words, repr=False)

    def __post_init__(self) -> None:
        for name in ("max_tokens", "max_sentences", "max_words"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}: it must be at least 1")
        if self.min_words < 0 or (self.max_words is not None and self.max_words < self.min_words):
            raise UsageError(f"min_words is {self.min_words}: it must be between 0 and max_words")

    def apply(self, record: Record) -> Record:
        """Return the record with the sentences that remain; labels of the others are dropped."""
        kept = list(self._within(record.document, islice(self._usable(record.document), self.max_sentences)))
        places = {index: place for place, (index, _) in enumerate(kept)}
        labels = tuple(places[label] for label in record.labels if label in places)
        document = replace(record.document, sentences=tuple(sentence for _, sentence in kept))
        return replace(record, document=document, labels=labels)

    def _usable(self, document: Document) -> Iterator[tuple[int, Sentence]]:
        """Yield each sentence that is long enough, cut if it is too long, with its index."""
        lengths = [count_words(text) for text in document.texts]
        shortest = self.min_words if max(lengths, default=0) >= self.min_words else 0
        for index, (sentence, length) in enumerate(zip(document.sentences, lengths, strict=True)):
            if length < shortest:
                continue
            if self.max_words is not None and length > self.max_words:
                yield index, _cut(document.text, sentence, self.max_words)
            else:
                yield index, sentence

    def _within(self, document: Document, sentences: Iterator[tuple[int, Sentence]]) -> Iterator[tuple[int, Sentence]]:
        used = 0
        for place, (index, sentence) in enumerate(sentences):
            if self.max_tokens is not None:
                used += self.count_tokens(document.text[sentence.start : sentence.end])
                if place and used > self.max_tokens:
                    return
            yield index, sentence


def _cut(text: str, sentence: Sentence, words: int) -> Sentence:
    """End a sentence after the given number of words."""
    whole = text[sentence.start : sentence.end]
    # The shortest beginning with that many words ends inside the last of them.
    size = bisect_left(range(len(whole)), words, key=lambda size: count_words(whole[:size]))
    rest = _REST_OF_WORD.match(whole, size)
    return Sentence(sentence.start, sentence.start + (rest.end() if rest else size))
