"""Finds where the sentences of a text begin and end, even where the text has lost its line ends."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tersely.languages import HAN, Language, alternatives, pack, pattern

if TYPE_CHECKING:
    from tersely.text.blocks import Block
    from tersely.text.split._marks import Scanner

# Enough characters to tell whether a text uses capitals.
_SAMPLE = 20_000
_PART = 1_000

# Blocks that are one sentence.
_UNDIVIDED = frozenset(("heading", "row", "header", "page", "rule"))
_WORD = pattern(r"\w")
_SPACE = pattern(r"\s*")

# Thai has no full stops: a space ends a sentence or only a phrase of it. What is long enough is cut at a space between
# two letters, unless the next word goes on; what is too long, at any space.
_LONG_ENOUGH, _TOO_LONG, _SHORTEST = 60, 300, 20
_GAP = pattern(r"\s+")
_THAI_CUT = pattern("(?<=[ก-ฮะ-ูเ-ๅ็-๎])\\s+(?=[ก-ฮเ-ไ])(?!ที่|ซึ่ง|และ|หรือ|ว่า|เพื่อ|กับ|จาก|ของ)")

# "SALES ROSEThe shop", "- The winners -Anna", "(图1:会场)大会": a heading or a caption at the start of a sentence.
_SHOUTED = pattern(r"(?:[A-Z\d][A-Z\d'’,:&-]{0,24}\s){1,12}[A-Z]{2,24}(?=[A-Z][a-z]{2,}\s)")
_SET_APART = pattern(
    lambda: (
        r"-\s?[A-ZÀ-Þ][^-.!?\n]{2,70}\s-(?=[A-ZÀ-Þ])|"
        rf"[（(](?:{alternatives('lines.credits')})[^（）()\n]{{2,60}}[）)](?=\w)|"
        rf"[（(](?:[{HAN}]{{2,4}}[ 、\u3000]){{1,8}}[{HAN}]{{2,4}}[）)](?=\w)"
    ),
)
# "the endThe next": a word that begins sentences, and any word after a year, though no space is before it.
_GLUED = pattern(r"[A-Z](?<=[a-z\d][A-Z])[a-z]{2,9}(?=\s)")
# How such a heading begins.
_OPENS, _SHOUTS = frozenset("-(（"), frozenset(" ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTER = pattern(r"\w")
_YEAR_BEFORE = pattern(r"\b(?:19|20)\d\d\Z")
_LETTERS = pattern(r"[a-z]{2}\Z")
# The picture that ends a post.
_PICTURE = pattern(r"pic\.twitter\.com/\w{10}(?=\s?[A-Z])")


def split_sentences(text: str, language: Language, most: int | None = None) -> list[tuple[int, int]]:
    """Return the spans of the sentences in `text`, in order, without surrounding white space.

    Every character is in exactly one span, except white space and, in a conversation, what nobody says: stamps, the
    names of speakers, lines that a program has written, and sentences that are only sounds. Any string works, in linear
    time. Splitting ends early once there are more than `most` sentences.

    >>> text = "Mr. Smith left at 5 p.m. Monday. Why?"
    >>> [text[start:end] for start, end in split_sentences(text, "en")]
    ['Mr. Smith left at 5 p.m. Monday.', 'Why?']
    """
    return split_blocks(text, find_blocks(text, language), language, most)


def find_blocks(text: str, language: Language) -> "tuple[Block, ...]":
    """Return the blocks of `text` by the form of its lines: paragraphs, headings, list items and more."""
    if len(text.splitlines()) < 2:
        from tersely.text.blocks import Block

        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return (Block("prose", start, end),) if start < end else ()
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
    from tersely.text.split._marks import Scanner

    scanner = Scanner(text, language, uncased=_is_uncased(text[:_SAMPLE]))
    cuts = deque(_find_cuts(text, scanner.words.first) if pack(language).capitals else ())
    spans: list[tuple[int, int]] = []
    for block in blocks:
        kind, end = block.kind, block.end
        start = _skip_space(text, block.start + block.label, end) if block.label else block.start
        if start >= end:
            continue  # nothing is said
        if kind == "code":
            from tersely.text.split._lines import find_lines

            spans += [line[:2] for line in find_lines(text, start, end)]
        elif kind in _UNDIVIDED:
            spans.append((start, end))
        else:
            parted = _split_block(text, start, end, scanner, most)
            if cuts or any(_glued_heading(text, span[0]) for span in parted):
                parted = [piece for span in parted for piece in _pieces(text, *span, cuts)]
            if kind == "turn":
                from tersely.text.split._talk import is_said

                parted = [piece for piece in parted if is_said(text, *piece, language)]
            spans += parted
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
    enclosed: deque[tuple[int, int]] | None = None
    word, quotes, counted = _first_word(text, start, end), 0, start
    quoted = text.find('"', start, end) >= 0
    for mark in scanner.mark.finditer(text, start, end):
        if mark.end() >= end:
            break
        plain = mark.lastgroup == "plain" and scanner.ends_plainly(mark, start)
        if plain:
            stop = mark.end()
        else:
            if quoted:
                quotes += text.count('"', counted, mark.start())
                counted = mark.start()
            stop = scanner.end_of_sentence(mark, start, end, quotes)
        # It is not a sentence until it has a word: "..." belongs to what follows.
        if stop <= word:
            continue
        if enclosed is None:
            enclosed = deque([match.span() for match in scanner.enclosed.finditer(text, start, end)])
        if enclosed and _is_inside(stop, enclosed):
            continue
        spans.append((start, stop))
        if most is not None and len(spans) > most:
            return spans
        if plain:  # a space comes next, and then a word or its quotation mark
            start = word = stop + 1
        else:
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
    word = _WORD.search(text, start, end)
    return word.start() if word else end


def _skip_space(text: str, start: int, end: int) -> int:
    space = _SPACE.match(text, start, end)
    return space.end() if space else start


def _is_inside(position: int, spans: deque[tuple[int, int]]) -> bool:
    """Tell whether `position` lies inside a span; positions come in order, so spans behind it are dropped."""
    while spans and spans[0][1] <= position:
        spans.popleft()
    return bool(spans) and spans[0][0] < position


def _find_cuts(text: str, first: frozenset[str]) -> list[int]:
    """Return where a text is glued together, ascending; `first` has the words that begin sentences.

    >>> _find_cuts("We saw the endThe next came.", frozenset({"the"}))
    [14]
    """
    cuts = [word.start() for word in _GLUED.finditer(text) if _is_glued(text, word, first)]
    if "pic.twitter.com/" in text:
        cuts = sorted([*cuts, *(picture.end() for picture in _PICTURE.finditer(text))])
    return cuts


def _is_glued(text: str, word: re.Match[str], first: frozenset[str]) -> bool:
    start = max(0, word.start() - 5)
    if _YEAR_BEFORE.search(text, start, word.start()):
        return True
    return word[0].lower() in first and bool(_LETTERS.search(text, start, word.start()))


def _glued_heading(text: str, start: int) -> re.Pattern[str] | None:
    """Return what a heading that is glued to a sentence would look like, by its first two characters."""
    if text[start] in _OPENS:
        return _SET_APART
    return _SHOUTED if text[start + 1 : start + 2] in _SHOUTS else None


def _pieces(text: str, start: int, end: int, cuts: deque[int]) -> list[tuple[int, int]]:
    """Return the pieces of a sentence: the heading that is glued to it, and what the cuts leave of it."""
    while cuts and cuts[0] <= start:
        cuts.popleft()
    form = _glued_heading(text, start)
    head = form.match(text, start, end) if form else None
    stops = [head.end()] if head else []
    while cuts and cuts[0] < end:
        stops.append(cuts.popleft())
    pieces: list[tuple[int, int]] = []
    for stop in stops:
        rest = _LETTER.search(text, stop, end)
        if stop > start and rest:
            pieces.append((start, stop))
            start = stop + len(text[stop : rest.start()]) - len(text[stop : rest.start()].lstrip())
    return [*pieces, (start, end)]
