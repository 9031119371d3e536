"""What a text is made of: paragraphs, headings, rows of tables, turns of speakers and more, and its sections."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

from tersely.errors import UsageError
from tersely.languages import FIELDS, packs

Kind = Literal[
    "prose",
    "heading",
    "item",
    "row",
    "code",
    "caption",
    "turn",
    "quote",
    "reply",
    "signature",
    "header",
    "page",
    "rule",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Kinds that belong in no summary if there is anything else.
NOISE: frozenset[Kind] = frozenset(
    ("heading", "row", "code", "caption", "reply", "signature", "header", "page", "rule")
)
# Kinds whose blocks stand on neighboring lines, as in a list; other blocks have a blank line between them.
_CLOSE: frozenset[Kind] = frozenset(("item", "row", "code", "turn", "signature", "header"))
_UNCOUNTED: frozenset[Kind] = frozenset(("heading", "header", "page", "rule"))

# The pattern is compiled when it is first used, so that `import tersely` stays fast.
_NUMBERING = (
    r"(?:[#*_\s]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[ivxlcIVXLC]{1,6}|[A-Za-z])[.)、．]?\s+|\d{1,3}[.、．]|"
    r"[（(]?[一二三四五六七八九十]{1,3}[）)、.．]|第[一二三四五六七八九十\d]{1,3}[章节]\s*)*"
)
_HEADINGS = "headings."
_LONGEST = 60  # characters of a heading that says its role
_MOST_REFERENCES = 0.5  # a larger part of the text is no bibliography


class Block(NamedTuple):
    """A part of a text, `text[start:end]`, and what it is.

    A turn has its `speaker`, if known, and its `time`, as it stands in the text. A heading has its `level`, 1 for the
    highest. The first `label` characters say who speaks and when, or a program has written them: no sentence has them.
    """

    kind: Kind
    start: int
    end: int
    speaker: str = ""
    level: int = 0
    label: int = 0
    time: str = ""


class Part(NamedTuple):
    """The text of a block, before it has a place in a document."""

    kind: Kind
    text: str
    speaker: str = ""
    level: int = 0
    time: str = ""


class Place(NamedTuple):
    """Where a sentence stands: the number of its section, and its own number in it, both from 0.

    Headings, rules and page numbers are not counted: they have the place of the sentence after them.
    """

    section: int
    place: int


def join_parts(parts: Iterable[Part]) -> tuple[str, tuple[Block, ...]]:
    """Join the texts of blocks, and say where each stands; those without a character are left out.

    >>> text, blocks = join_parts([Part("heading", "Fish", level=1), Part("prose", "Two swim.")])
    >>> text, blocks[1]
    ('Fish\\n\\nTwo swim.', Block(kind='prose', start=6, end=15, speaker='', level=0, label=0, time=''))
    """
    texts: list[str] = []
    blocks: list[Block] = []
    end = 0
    for kind, text, speaker, level, time in (Part(*part) for part in parts):
        if kind not in KINDS:
            raise UsageError(f"the kind of a block must be one of {', '.join(KINDS)}, not '{kind}'")
        if not (body := text.strip()):
            continue
        if blocks:
            close = kind == blocks[-1].kind and kind in _CLOSE
            texts.append("\n" if close else "\n\n")
            end += len(texts[-1])
        texts.append(body)
        has_label = speaker and kind == "turn" and body.startswith((f"{speaker}:", f"{speaker}："))
        blocks.append(Block(kind, end, end + len(body), speaker, level, len(speaker) + 1 if has_label else 0, time))
        end += len(body)
    return "".join(texts), tuple(blocks)


@cache
def _roles_by_heading() -> dict[str, str]:
    """Return the roles that headings of all languages give to their sections."""
    fields = [name for name in FIELDS if name.startswith(_HEADINGS)]
    return {
        heading: name.removeprefix(_HEADINGS) for entry in packs() for name in fields for heading in entry.words(name)
    }


def role_of(heading: str) -> str:
    """Return the role that a heading gives to its section, or nothing.

    >>> role_of("2. Materials and Methods"), role_of("五、结论"), role_of("What the neighbors say")
    ('method', 'conclusion', '')
    """
    if len(heading) > _LONGEST:
        return ""
    start = re.match(_NUMBERING, heading)
    name = heading[start.end() if start else 0 :].strip(" \t*_#:：.。—–-").casefold()
    return _roles_by_heading().get(" ".join(name.split()), "")


def places(kinds: Sequence[Kind]) -> tuple[Place, ...]:
    """Return the place of each sentence; a section begins with a heading.

    >>> [tuple(place) for place in places(("prose", "heading", "prose", "prose"))]
    [(0, 0), (1, 0), (1, 0), (1, 1)]
    """
    numbers: list[Place] = []
    section = place = 0
    for i, kind in enumerate(kinds):
        if kind == "heading" and i and kinds[i - 1] != "heading":
            section, place = section + 1, 0
        numbers.append(Place(section, place))
        place += kind not in _UNCOUNTED
    return tuple(numbers)


def roles(
    texts: Sequence[str], kinds: Sequence[Kind], starts: Sequence[bool], judgment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return for each sentence the role of its section, or nothing if no heading says it.

    `texts` and `kinds` are those of the sentences, and `starts` says which of them begin a block. In a judgment without
    headings, the patterns of `judgment` say how the sentences open its parts, by role.
    """
    by_sentence: list[str] = []
    role = block_role = ""  # the second one is that of "Methods: We asked all swimmers."
    order = False  # whether the decision comes next
    for i, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        if starts[i]:
            colon = text.find(":", 0, _LONGEST)
            block_role = role_of(text[:colon]) if colon > 0 else ""
        if kind == "heading":
            # "Methods" stays in force below "Methods, in detail", as long as no sentence came between them.
            heading_role = role_of(text)
            role = heading_role if heading_role or not (i and kinds[i - 1] == "heading") else role
            block_role = ""
        elif judgment:
            openings = (name for name, opening in judgment.items() if name != "order" and re.match(opening, text))
            role = "order" if order else next(openings, role)
            decided = re.search(judgment["order"], text)
            order = decided is not None and decided.end() == len(text)
            role = "order" if decided and not order else role
        by_sentence.append(block_role or role)
    listed = by_sentence.count("references")
    if listed > _MOST_REFERENCES * len(by_sentence):
        by_sentence = ["" if role == "references" else role for role in by_sentence]
    return tuple(by_sentence)
