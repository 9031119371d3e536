"""A text and the spans of its sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from tersely.text.language import Language, detect_language
from tersely.text.split import split_sentences
from tersely.text.words import Terms, all_words, sentence_terms, stems


class Sentence(NamedTuple):
    """A span of the original text, in Unicode code points: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A text, its language, and the spans of its sentences.

    >>> document = Document.from_text("One fish. Two fish.")
    >>> document.texts
    ('One fish.', 'Two fish.')
    >>> document.sentences[1]
    Sentence(start=10, end=19)
    """

    text: str
    language: Language
    sentences: tuple[Sentence, ...]

    @classmethod
    def from_text(cls, text: str, language: Language | None = None) -> "Document":
        """Split `text` into sentences; the language is detected unless given."""
        language = language or detect_language(text)
        spans = split_sentences(text, language)
        return cls(text, language, tuple(Sentence(start, end) for start, end in spans))

    @classmethod
    def from_sentences(cls, sentences: Sequence[str], language: Language | None = None) -> "Document":
        """Keep the given sentences as they are; the text has one per line.

        >>> Document.from_sentences(["No. 5 wins.", "It rains."]).sentences
        (Sentence(start=0, end=11), Sentence(start=12, end=21))
        """
        spans, start = [], 0
        for sentence in sentences:
            spans.append(Sentence(start, start + len(sentence)))
            start += len(sentence) + 1
        text = "\n".join(sentences)
        return cls(text, language or detect_language(text), tuple(spans))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The sentences, verbatim."""
        return tuple(self.text[start:end] for start, end in self.sentences)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence in lowercase; in Chinese, pairs of characters."""
        return tuple(tuple(all_words(text, self.language)) for text in self.texts)

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        """The stems of each sentence's words."""
        flat = iter(stems([word for words in self.words for word in words], self.language))
        return tuple(tuple(islice(flat, len(words))) for words in self.words)

    @cached_property
    def terms(self) -> Terms:
        """The distinct stems of each sentence's content words."""
        return sentence_terms(self.words, self.stems, self.language)

    def __len__(self) -> int:
        return len(self.sentences)
