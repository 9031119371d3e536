"""Finds the blocks of a plain text by the form of its lines."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from tersely.languages import HAN, Language, alternatives, pattern
from tersely.text.blocks import Block, Kind, role_of
from tersely.text.split._lines import (
    CLOSED,
    ITEM,
    Form,
    Line,
    continues,
    find_lines,
    is_cased,
    is_interrupted,
    line_form,
    mark_code,
    settle_columns,
    wrap_width,
)
from tersely.text.split._talk import Turn, find_chat, find_labels, find_speakers, mark_mail, mark_silent

_QUOTED = pattern(r"[>\s]*")
_MARKUP = pattern(r"(#{1,6}|={2,6})\s")
_BOLD = pattern(r"(\*\*|__)[^*_\n]{1,100}\1:?")
_CHAPTER = pattern(
    lambda: (
        rf"(?:{alternatives('lines.chapters')})\s(?:\d{{1,3}}|[ivxlc]{{1,6}}|[a-z])\b|"
        rf"{alternatives('lines.chapter_patterns')}"
    ),
    re.IGNORECASE,
)
_DEPTH = pattern(
    r"(\d{1,3}(?:\.\d{1,3}){0,4})[.)]?\s|([IVX]{1,5})[.)]\s|([一二三四五六七八九十]{1,3})、|[（(][一二三四五六七八九十]{1,3}[）)]"
)
_PAUSE = pattern(r"[,，、—–-]\Z")
_INNER_END = pattern(r"。|[a-z]{3}\. ")
_DIGITS = pattern(r"\d+")
_HAN = pattern(f"[{HAN}]")
# A heading has at most so many characters, words and Chinese characters; one with mark-up may be longer.
_LONGEST_HEADING, _MOST_WORDS, _MOST_HAN, _LONGEST_MARKED = 90, 14, 30, 200
_MOST_STACKED = 3  # headings above one paragraph
_PARAGRAPH, _PARAGRAPH_HAN = 60, 25  # characters of a paragraph, at least
_AGAIN = 3  # times that a running header comes, at least
_SAMPLE = 5_000
_TEXT_KINDS = frozenset(("prose", "item", "turn", "quote", "reply"))
# Lines of these forms are blocks by themselves; neighboring lines of code are one.
_ALONE = frozenset(("row", "code", "caption", "signature", "header", "page", "rule", "heading"))


def find_blocks(text: str, language: Language) -> list[Block]:
    """Return the blocks of a text, in order; every character except white space is in one.

    >>> [(block.kind, block.start, block.end) for block in find_blocks("# Fish\\n\\nOne.\\n- two", "en")]
    [('heading', 0, 6), ('prose', 8, 12), ('item', 13, 18)]
    """
    lines = find_lines(text)
    if len(lines) < 2:
        return [Block("prose", start, end) for start, end, _ in lines]
    forms = [line_form(text, lines, i) for i in range(len(lines))]
    settle_columns(forms)
    mark_code(text, lines, forms)
    _mark_underlined(text, lines, forms)
    turns = chat = find_chat(text, lines, forms)
    if not chat:
        labels = find_labels(text, lines, forms)
        mark_mail(text, lines, forms, labels)
        turns = find_speakers(text, lines, forms, labels)
    mark_silent(text, lines, forms, turns)
    blocks = _joined(text, lines, forms, turns, language)
    _hand_on_turns(text, blocks, bool(chat))
    _name_headings(text, blocks, _PARAGRAPH_HAN if language == "zh" else _PARAGRAPH)
    return blocks


def _mark_underlined(text: str, lines: Sequence[Line], forms: list[Form]) -> None:
    """Mark the headings that have a rule right below them."""
    for i in range(1, len(lines)):
        if forms[i] != "rule" or lines[i].apart or forms[i - 1]:
            continue
        start, end, apart = lines[i - 1]
        if (apart or i == 1) and end - start <= _LONGEST_HEADING and _is_open(text[start:end]):
            forms[i - 1] = "heading"


def _joined(
    text: str, lines: Sequence[Line], forms: Sequence[Form], turns: dict[int, Turn], language: Language
) -> list[Block]:
    """Join the lines that go on, and give each block the kind that its lines say."""
    marks = ("quote", "reply")
    inner = list(lines)
    if not set(marks).isdisjoint(forms):
        inner = [_inside(text, line) if form in marks else line for line, form in zip(lines, forms, strict=True)]
    width = wrap_width(
        text, [line for line, form in zip(inner, forms, strict=True) if form not in _ALONE and _full(line)]
    )
    cased = is_cased(text, inner)
    quoted = [line != text_line for line, text_line in zip(lines, inner, strict=True)]
    blocks: list[Block] = []
    bare = False  # whether the block has nothing but a label or the mark of a quotation so far
    label_end = 0  # of the last turn; a name and its time may take two lines
    for i, line in enumerate(lines):
        if line.end <= label_end:
            blocks[-1] = blocks[-1]._replace(end=line.end)
            continue
        form, turn = forms[i], turns.get(i)
        silent = i > 0 and i - 1 in turns and turns[i - 1].silent
        if blocks and not turn and not silent and (form == forms[i - 1] or (not form and forms[i - 1] == "caption")):
            if form == "code":
                blocks[-1] = blocks[-1]._replace(end=line.end)
                continue
            if form not in _ALONE and (
                bare or (quoted[i] == quoted[i - 1] and _goes_on(text, inner[i - 1], inner[i], width, language, cased))
            ):
                blocks[-1] = blocks[-1]._replace(end=line.end)
                bare = bare and not _full(inner[i])
                continue
        if bare:  # a label above nothing
            blocks[-1] = blocks[-1]._replace(kind="header")
        if turn:
            label_end, bare = turn.end, not turn.silent and turn.end >= line.end
            kind, speaker = ("header", "") if turn.silent else ("turn", turn.speaker)
            blocks.append(Block(cast(Kind, kind), *line[:2], speaker, label=label_end - line.start, time=turn.time))
            continue
        kind = form or ("item" if ITEM.match(text, line.start, line.end) else "prose")
        level = (1 if text[lines[i + 1].start] == "=" else 2) if kind == "heading" else 0
        blocks.append(Block(cast(Kind, kind), line.start, line.end, level=level))
        bare = not _full(inner[i])
    if bare:
        blocks[-1] = blocks[-1]._replace(kind="header")
    return blocks


def _inside(text: str, line: Line) -> Line:
    """Return a line without the marks of a quotation before it."""
    marks = _QUOTED.match(text, line.start, line.end)
    return line._replace(start=marks.end()) if marks else line


def _full(line: Line) -> bool:
    return line.start < line.end


def _goes_on(text: str, line: Line, after: Line, width: int, language: Language, cased: bool) -> bool:
    if not _full(after):
        return True  # a lone mark of a quotation parts paragraphs, and belongs to the one before it
    if not _full(line) or after.apart:
        return _full(line) and cased and is_interrupted(text, line, after)
    return continues(text, line, after, width, language)


def _hand_on_turns(text: str, blocks: list[Block], chat: bool) -> None:
    """Give the paragraphs between two turns to the speaker of the first, in a chat also those after the last turn.

    If somebody without a name speaks right above the first turn, it is not known whose the others are.
    """
    turns = [i for i, block in enumerate(blocks) if block.kind == "turn"]
    before = blocks[turns[0] - 1] if turns and turns[0] else None
    unnamed = not chat and before is not None and before.kind == "prose" and _is_closed(text, before)
    unnamed = unnamed and text.count("\n", before.end if before else 0, blocks[turns[0]].start) == 1
    for first, last in pairwise([*turns, len(blocks)] if chat else turns):
        for i in range(first + 1, last):
            if blocks[i].kind == "prose":
                speaker = "" if unnamed else blocks[first].speaker
                blocks[i] = blocks[i]._replace(kind="turn", speaker=speaker, time=blocks[first].time)


def _name_headings(text: str, blocks: list[Block], paragraph: int) -> None:
    """Turn the blocks that are headings, or the running headers of pages, into what they are.

    `paragraph` is the least length of a block below a heading that does not end with a mark.
    """
    texts = {
        i: text[start:end]
        for i, (kind, start, end, *_) in enumerate(blocks)
        if kind in ("prose", "item") and end - start <= _LONGEST_MARKED
    }
    short = {i: line for i, line in texts.items() if len(line) <= _LONGEST_HEADING and _is_open(line)}
    again = Counter(_DIGITS.sub("0", line) for i, line in short.items() if blocks[i].kind == "prose")
    paragraphs = [block for block in blocks if block.kind in _TEXT_KINDS and block.end - block.start >= paragraph]
    marked = 2 * sum(_is_closed(text, block) for block in paragraphs) > len(paragraphs)
    sample = text[:_SAMPLE] if any(map(str.isupper, short.values())) else ""
    shouted = sum(map(str.isupper, sample)) > sum(map(str.islower, sample))
    stacked = 0  # headings above the next paragraph
    for i in range(len(blocks) - 1, -1, -1):
        block, after = blocks[i], blocks[i + 1] if i + 1 < len(blocks) else None
        if i in texts and (level := _level(text, texts[i], i in short, after, paragraph)):
            blocks[i] = block._replace(kind="heading", level=level)
        elif i in short and after and block.kind == "prose":
            line = short[i]
            if again[_DIGITS.sub("0", line)] >= _AGAIN:
                blocks[i] = block._replace(kind="header")
            elif not shouted and line.isupper() and sum(map(str.isupper, line)) > max(3, len(line) // 2):
                blocks[i] = block._replace(kind="heading", level=1)
            elif marked and stacked < _MOST_STACKED and _is_title(line) and _leads(text, after, paragraph):
                blocks[i] = block._replace(kind="heading", level=2)
        stacked = stacked + 1 if blocks[i].kind == "heading" else 0


def _level(text: str, line: str, short: bool, after: Block | None, paragraph: int) -> int:
    """Return the level of a heading that says that it is one, or 0; `short` if it is, and ends without a mark."""
    if line[0] in "#=" and (markup := _MARKUP.match(line)):
        return len(markup[1])
    if line[0] in "*_" and _BOLD.fullmatch(line):
        return 3
    role = role_of(line)
    if not role and not (short and after):
        return 0
    numbered = _DEPTH.match(line)
    depth = (1 + numbered[1].count(".") if numbered[1] else 1 if numbered[2] or numbered[3] else 2) if numbered else 1
    if role:
        listed = after is not None and after.kind == "item" and text[after.start] == line[0]
        return 0 if listed else depth
    assert after is not None  # else it was no heading
    if _CHAPTER.match(line):
        return 2 if "节" in line[:6] or line[:7].casefold() == "section" else 1
    follows = after.kind == "prose" and not _DEPTH.match(text, after.start, after.end)
    return depth if numbered and follows and _is_title(line[numbered.end() :]) and _leads(text, after, paragraph) else 0


def _is_open(line: str) -> bool:
    """Tell whether a line ends without any mark."""
    return not (CLOSED.search(line, max(0, len(line) - 8)) or _PAUSE.search(line))


def _is_title(line: str) -> bool:
    """Tell whether a line without a closing mark is short enough for a heading, and begins like one."""
    han = len(_HAN.findall(line))
    if _INNER_END.search(line):
        return False
    if 2 * han > len(line):
        return han <= _MOST_HAN
    first = line.lstrip("([¿¡ ")[:1]
    words = line.split()
    return first.isalnum() and not first.islower() and len(words) <= _MOST_WORDS and any(map(str.isalpha, line))


def _leads(text: str, after: Block, paragraph: int) -> bool:
    """Tell whether a heading may stand above a block: text that is long or closed, or another heading."""
    if after.kind in ("heading", "caption", "code", "turn"):
        return True
    return after.kind in _TEXT_KINDS and (after.end - after.start >= paragraph or _is_closed(text, after))


def _is_closed(text: str, block: Block) -> bool:
    return bool(CLOSED.search(text, max(block.start, block.end - 8), block.end))
