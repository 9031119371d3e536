"""Finds where the sentences of a text begin and end."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tersely.text.language import Language

if TYPE_CHECKING:
    from tersely.text.blocks import Block
    from tersely.text.split._marks import Scanner

# Enough characters to tell whether a text uses capitals.
_SAMPLE = 20_000
_PART = 1_000

# Blocks that are one sentence.
_WHOLE = frozenset(("heading", "row", "header", "page", "rule"))
_WITHOUT_CAPITALS = frozenset(("zh", "ja", "ko", "ar", "hi", "bn", "th"))
_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s*")

# Thai has no full stops: a space ends a sentence or only a phrase of it. What is long enough is cut at a space between
# two letters, unless the next word goes on; what is too long, at any space.
_LONG_ENOUGH, _TOO_LONG, _SHORTEST = 60, 300, 20
_GAP = re.compile(r"\s+")
_THAI_CUT = re.compile("(?<=[ก-ฮะ-ูเ-ๅ็-๎])\\s+(?=[ก-ฮเ-ไ])(?!ที่|ซึ่ง|และ|หรือ|ว่า|เพื่อ|กับ|จาก|ของ)")


def split_sentences(text: str, language: Language, most: int | None = None) -> list[tuple[int, int]]:
    """Return the spans of the sentences in `text`, in order, without surrounding white space.

    Every character except white space is in exactly one span. Any string works, in linear time. Splitting ends early
    once there are more than `most` sentences.

    >>> text = "Mr. Smith left at 5 p.m. Monday. Why?"
    >>> [text[start:end] for start, end in split_sentences(text, "en")]
    ['Mr. Smith left at 5 p.m. Monday.', 'Why?']
    """
    return split_blocks(text, find_blocks(text, language), language, most)


def find_blocks(text: str, language: Language) -> "tuple[Block, ...]":
    """Return the blocks of `text` by the form of its lines: paragraphs, headings, list items and more."""
    # Imported here, because compiling its patterns would add 20 ms to `import tersely`.
    from tersely.text.split._blocks import find_blocks

    return tuple(find_blocks(text, language))


def split_blocks(
    text: str, blocks: "Iterable[Block]", language: Language, most: int | None = None
) -> list[tuple[int, int]]:
    """Return the spans of the sentences in the blocks of `text`; no sentence goes on in another block.

    A heading or a row is one sentence, and so is each line of code. Splitting ends early once there are more than
    `most` sentences.
    """
    from tersely.text.split._lines import find_cuts, find_lines, part
    from tersely.text.split._marks import Scanner

    scanner = Scanner(text, language, uncased=_is_uncased(text[:_SAMPLE]))
    cuts = deque(() if language in _WITHOUT_CAPITALS else find_cuts(text, scanner.words.first))
    spans: list[tuple[int, int]] = []
    for kind, start, end, _, _ in blocks:
        if kind == "code":
            spans += [line[:2] for line in find_lines(text, start, end)]
        elif kind in _WHOLE:
            spans.append((start, end))
        else:
            for span in _split_block(text, start, end, scanner, most):
                spans += part(text, *span, cuts)
        if most is not None and len(spans) > most:
            break
    return [piece for span in spans for piece in _phrases(text, *span)] if language == "th" else spans


def _is_uncased(sample: str) -> bool:
    """Tell whether a text hardly uses capitals, so that a sentence may begin without one."""
    capitals = 0
    # Most texts show it at once.
    for start in range(0, len(sample), _PART):
        part = sample[start : start + _PART]
        if part == part.lower():
            continue
        capitals += sum(map(str.isupper, part))
        if capitals * 200 >= len(sample):
            return False
    return sample != sample.upper()


def _split_block(text: str, start: int, end: int, scanner: "Scanner", most: int | None) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text[start:end]`, a paragraph, a list item or a turn."""
    spans: list[tuple[int, int]] = []
    enclosed = deque([found.span() for found in scanner.enclosed.finditer(text, start, end)])
    word, quotes, counted = _first_word(text, start, end), 0, start
    quoted = text.find('"', start, end) >= 0
    for found in scanner.mark.finditer(text, start, end):
        if quoted:
            quotes += text.count('"', counted, found.start())
            counted = found.start()
        stop = scanner.end_of_sentence(found, start, end, quotes)
        # It is not a sentence until it has a word: "..." belongs to what follows.
        if stop <= word or _is_inside(stop, enclosed):
            continue
        spans.append((start, stop))
        if most is not None and len(spans) > most:
            return spans
        start = _skip_space(text, stop, end)
        word = _first_word(text, start, end)
    if spans and word >= end:
        spans[-1] = (spans[-1][0], end)
    elif start < end:
        spans.append((start, end))
    return spans


def _phrases(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a Thai sentence, none of them huge if there are spaces."""
    for gap in _GAP.finditer(text, start, end):
        size = gap.start() - start
        if end - gap.end() < _SHORTEST or size < _LONG_ENOUGH:
            continue
        if size >= _TOO_LONG or _THAI_CUT.match(text, gap.start()):
            yield start, gap.start()
            start = gap.end()
    yield start, end


def _first_word(text: str, start: int, end: int) -> int:
    found = _WORD.search(text, start, end)
    return found.start() if found else end


def _skip_space(text: str, start: int, end: int) -> int:
    found = _SPACE.match(text, start, end)
    return found.end() if found else start


def _is_inside(position: int, spans: deque[tuple[int, int]]) -> bool:
    """Tell whether `position` lies inside a span; positions come in order, so spans behind it are dropped."""
    while spans and spans[0][1] <= position:
        spans.popleft()
    return bool(spans) and spans[0][0] < position
