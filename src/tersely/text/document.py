"""A text and the spans of its sentences."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.languages import HAN, Language, pack, pattern
from tersely.text.blocks import Block, Kind, Part, Place, join_parts, places, roles
from tersely.text.language import detect_language
from tersely.text.split import find_blocks, split_blocks
from tersely.text.words import Numbered, Terms, content_terms, find_chunks, find_tokens, stems

# Between two of these, characters and marks of Chinese and Japanese, no space is shown for a line break.
_DENSE = pattern(rf"[{HAN}\u3000-\u30ff\uff00-\uff65“”‘’—…]")


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
    blocks: tuple[Block, ...] = ()

    @classmethod
    def from_text(cls, text: str, language: Language | None = None, most: int | None = None) -> "Document":
        """Split `text` into blocks and sentences; the language is detected unless given.

        Splitting ends early once there are more than `most` sentences.
        """
        language = language or detect_language(text)
        return cls.split(text, find_blocks(text, language), language, most)

    @classmethod
    def from_blocks(cls, parts: Iterable[Part], language: Language | None = None) -> "Document":
        """Join the texts of blocks whose kinds are known, and split each into sentences.

        A line break within a block ends no sentence, except in code.

        >>> document = Document.from_blocks([Part("heading", "Fish", level=1), Part("prose", "One swims. Two do not.")])
        >>> document.texts, document.kinds
        (('Fish', 'One swims.', 'Two do not.'), ('heading', 'prose', 'prose'))
        """
        text, blocks = join_parts(parts)
        return cls.split(text, blocks, language or detect_language(text))

    @classmethod
    def split(cls, text: str, blocks: tuple[Block, ...], language: Language, most: int | None = None) -> "Document":
        """Split each of the blocks of `text` into sentences by the rules of `language`.

        Splitting ends early once there are more than `most` sentences.
        """
        spans = split_blocks(text, blocks, language, most)
        return cls(text, language, tuple(starmap(Sentence, spans)), blocks)

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
    def voiced(self) -> tuple[str, ...]:
        """The sentences as a reader of the text meets them: one that follows a speaker's name with that name."""
        if not any(block.label for block in self.blocks):
            return self.texts
        owners, colon = self._owners, "：" if pack(self.language).dense else ": "
        return tuple(
            owner.speaker + colon + text if owner.label and (i == 0 or owners[i - 1] is not owner) else text
            for i, (owner, text) in enumerate(zip(owners, self.texts, strict=True))
        )

    @cached_property
    def display_texts(self) -> tuple[str, ...]:
        """The sentences as a summary shows them: a line break within one is a space, or nothing in Chinese.

        In a conversation, sounds such as "[laughter]" and "um" are left out. Sentences that were given one by one
        are shown as they are.
        """
        if not self.blocks:
            return self.texts
        texts = map(on_one_line, self.texts, self.kinds)
        if "turn" not in self.kinds and not any(block.label for block in self.blocks):
            return tuple(texts)
        from tersely.text.split._talk import without_sounds  # its patterns take time to compile

        return tuple(
            without_sounds(text, self.language) if kind in ("turn", "prose") else text
            for text, kind in zip(texts, self.kinds, strict=True)
        )

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each sentence's block; prose if the blocks are not known."""
        return tuple(block.kind for block in self._owners)

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """Who says each sentence, where blocks are turns of speakers; else nothing."""
        return tuple(block.speaker for block in self._owners)

    @property
    def start(self) -> int:
        """Where the first sentence begins, with the label before it if it begins a turn."""
        first = self.sentences[0].start if self.sentences else 0
        labeled = (block.start for block in self.blocks if block.start < first < block.end and block.label)
        return next(labeled, first)

    @cached_property
    def times(self) -> tuple[str, ...]:
        """When each sentence is said, as the text writes it, where a turn has a stamp; else nothing."""
        return tuple(block.time for block in self._owners)

    @cached_property
    def sections(self) -> tuple[Place, ...]:
        """The section of each sentence, and its place in it; sections begin with headings."""
        return places(self.kinds)

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """What the section of each sentence is for, such as "abstract", "method" or "references", if it says so."""
        owners = self._owners
        starts = [i == 0 or owners[i - 1] is not owner for i, owner in enumerate(owners)]
        entry = pack(self.language)
        judgment = entry.judgment if entry.judgment_mark and entry.judgment_mark in self.text else {}
        return roles(self.texts, self.kinds, starts, judgment)

    @cached_property
    def block_numbers(self) -> NDArray[np.intp]:
        """The number of each sentence's block, from 0; only blocks with a sentence are counted."""
        owners = self._owners
        return np.array([i > 0 and owner is not owners[i - 1] for i, owner in enumerate(owners)], np.intp).cumsum()

    @cached_property
    def _owners(self) -> tuple[Block, ...]:
        """The block in which each sentence begins."""
        unknown, owners, at = Block("prose", 0, len(self.text)), [], 0
        for start, _ in self.sentences:
            while at < len(self.blocks) and self.blocks[at].end <= start:
                at += 1
            owners.append(self.blocks[at] if at < len(self.blocks) and self.blocks[at].start <= start else unknown)
        return tuple(owners)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence in lowercase; in Chinese, pairs of characters."""
        return self.numbered.rows(len(self))

    @cached_property
    def numbered(self) -> Numbered:
        """The words of all sentences as numbers."""
        return Numbered.read(self.texts, self.language, self.tokens)

    @cached_property
    def chunks(self) -> Numbered:
        """The chunks of all sentences as numbers: what stands between white space, see `find_chunks`."""
        return Numbered.of(find_chunks(text, self.language) for text in self.texts)

    @cached_property
    def tokens(self) -> Numbered:
        """The words and marks of all sentences, as they are spelled, as numbers."""
        return Numbered.of(find_tokens(text, self.language) for text in self.texts)

    def part(self, sentences: Sequence[int]) -> "Document":
        """Return the same text with only some of its sentences, ascending; their words are known."""
        part = replace(self, sentences=tuple(self.sentences[i] for i in sentences))
        vars(part)["numbered"] = self.numbered.part(np.array(sentences, np.intp))
        return part

    @cached_property
    def numbered_stems(self) -> Numbered:
        """The stems of all words as numbers."""
        return self.renamed(stems)

    def renamed(self, name: Callable[[Sequence[str], Language], list[str]]) -> Numbered:
        """Return all words under the names that a function gives to words of a language."""
        return self.numbered.renamed(name(self.numbered.vocabulary, self.language))

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        """The stems of each sentence's words."""
        return self.numbered_stems.rows(len(self))

    @cached_property
    def terms(self) -> Terms:
        """The distinct stems of each sentence's content words."""
        return content_terms(self.numbered, self.numbered_stems, self.language, len(self))

    def __len__(self) -> int:
        return len(self.sentences)


def on_one_line(text: str, kind: Kind = "prose") -> str:
    """Return a sentence without the line breaks within it, and in a quotation without the marks before each line.

    >>> on_one_line("A wrapped\\n  line."), on_one_line("今天\\n下雨。")
    ('A wrapped line.', '今天下雨。')
    """
    lines = text.splitlines()
    if len(lines) < 2:
        return text
    pieces: list[str] = []
    for line in lines:
        line = line.lstrip("> \t") if pieces and kind in ("quote", "reply") else line
        if not (line := line.strip()):
            continue
        if pieces and not (_DENSE.match(pieces[-1][-1]) and _DENSE.match(line)):
            pieces.append(" ")
        pieces.append(line)
    return "".join(pieces)
