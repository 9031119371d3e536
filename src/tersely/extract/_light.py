"""reStructuredText and AsciiDoc: light mark-up, in which the form of the lines says what each block is.

Both are read line by line, from the first to the last. What is left open goes on to the end of the file.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tersely.extract import RawFile
from tersely.extract._plain import decode_file
from tersely.extract.extracted import Contents, Piece, at_most, tidied

if TYPE_CHECKING:
    from tersely.text.blocks import Kind

# All searches within a line are bounded, so that no line can be made to take forever.
_UNDERLINE = re.compile(r"([!-/:-@[-`{-~])\1{2,}\s*")
_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+\s*")
_RST_ITEM = re.compile(r"(?:[-*+•]|(?:\d{1,3}|#|[A-Za-z]|[ivxlc]{1,5})[.)]|\((?:\d{1,3}|[a-z])\))\s+(?=\S)")
_FIELD = re.compile(r":(?![\s:])[^:`\n]{1,80}:(?:\s+|$)")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|([^|]{1,80})\|\s+)?([\w:.+-]{1,60})::(?:\s+|$)(.*)")
_NOTE = re.compile(r"\.\.\s+\[([^\]]{1,60})\]\s*(.*)")
_RST_CODE = frozenset(
    "code code-block sourcecode parsed-literal literalinclude math doctest prompt productionlist".split()
)
_RST_LEFT_OUT = frozenset(
    "image contents toctree include raw meta index tabularcolumns highlight default-role role header footer module "
    "currentmodule automodule autoclass autofunction autosummary only target-notes sectnum graphviz plot".split()
)
_RST_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"``([^`]+(?:`[^`]+){0,9})``"), r"\1"),
    (re.compile(r" ?\[(?:\d{1,4}|[#*][\w-]{0,40})\]_(?!\w)"), ""),
    (re.compile(r"(?::[A-Za-z][\w.+:-]{0,60}:)?`[~!]?([^`<>]*[^`<>\s])\s*(?:<[^`<>]*>)?`(?:__?(?!\w))?"), r"\1"),
    (re.compile(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)([A-Za-z0-9]{1,80}(?:[.-][A-Za-z0-9]{1,80}){0,5})__?(?![\w.*])(?=\W|$)"), r"\1"),
    (re.compile(r"\\(?=\s)\s|\\(?=\S)"), ""),
)
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)")
_ADOC_ITEM = re.compile(r"\s*(?:\*{1,5}|-|\.{1,5}|\d{1,3}\.|<(?:\d{1,3}|\.)>)\s+(?=\S)")
_ADOC_TERM = re.compile(r"(\S[^:;\n]{0,199})(?:::+|;;)(?:\s+(.*))?")
_ADOC_DELIMITER = re.compile(r"(?:([-.=*_+/])\1{3,}|--|```.{0,60}|[|,:!]===)\s*")
_ADOC_MACRO = re.compile(r"[a-z]\w{0,30}::[^\s\[]{0,2000}\[.*\]\s*")
_ADOC_ATTRIBUTE = re.compile(r":!?([\w-]{1,80})!?:(?:\s+(.{0,200}).*)?")
_ADOC_STYLE = re.compile(r"\[([^\[\]\n]{0,200})\]\s*|\[\[[^\]]{0,200}\]\]\s*")
_LABEL = re.compile(r"(?:NOTE|TIP|WARNING|IMPORTANT|CAUTION):\s+")
_ADOC_NOTE = re.compile(r"footnote(?:ref)?:[\w-]{0,60}\[([^\[\]]{0,2000})\]")
_ADOC_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:image|icon|anchor|indexterm2?):[^\s\[\]]{0,500}\[[^\[\]]{0,500}\]|\[\[[^\[\]]{0,200}\]\]"), ""),
    (re.compile(r"(?:link|xref|mailto|kbd|btn|menu|pass|stem|https?|ftp):[^\s\[\]]{0,500}\[([^\[\]]{1,500})\]"), r"\1"),
    (re.compile(r"(?:link|xref|mailto):([^\s\[\]]{0,500})\[\]|(https?:[^\s\[\]]{0,500})\[\]"), r"\1\2"),
    (re.compile(r"<<[^<>,]{0,200},\s*([^<>]{1,500})>>"), r"\1"),
    (re.compile(r"<<#?([^<>]{0,200})>>"), r"\1"),
    (re.compile(r"\(\(\([^()]{0,500}\)\)\)"), ""),
    (re.compile(r"\(\(([^()]{0,500})\)\)"), r"\1"),
    (re.compile(r'"`([^`"]+)`"'), r"“\1”"),
    (re.compile(r"(?<![\w`])``?\+?([^`]+?)\+?``?(?![\w`])"), r"\1"),
    (re.compile(r"(?:\[[^\[\]]{0,100}\])?(?<![\w#])##?(?=\S)([^#]+)(?<=\S)##?(?!\w)"), r"\1"),
    (re.compile(r"(?<![\w*])\*\*?(?=\S)([^*]+)(?<=\S)\*\*?(?!\w)"), r"\1"),
    (re.compile(r"(?<!\w)__?(?=[^\s_])([^_]+)(?<=\S)__?(?!\w)"), r"\1"),
    (re.compile(r" \+$", re.MULTILINE), ""),
)
_RST_NAME = re.compile(r"\|([^|\s][^|]{0,79})\|")
_ADOC_NAME = re.compile(r"\{([\w-]{1,80})\}")
_MOST_MARKS = 2_000  # in a paragraph; one with more is taken as it is


def read_rst(file: RawFile) -> Contents:
    """Read the text of reStructuredText without its marks, which say what each block is."""
    text, notes = decode_file(file)
    return Contents(at_most(_Rst(text.expandtabs(4).split("\n")).read()), notes)


def read_asciidoc(file: RawFile) -> Contents:
    """Read the text of AsciiDoc without its marks, which say what each block is."""
    text, notes = decode_file(file)
    return Contents(at_most(_AsciiDoc(text.expandtabs(4).split("\n")).read()), notes)


class _Lines:
    """Lines that are read one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def _line(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else ""

    def _take(self, belongs: Callable[[str], bool]) -> list[str]:
        """Take the next lines as long as they belong to a block."""
        start = self._at
        while self._at < len(self._lines) and belongs(self._lines[self._at]):
            self._at += 1
        return self._lines[start : self._at]

    def _take_deeper(self, indent: int) -> list[str]:
        """Take the lines that are indented more, and the blank ones between them."""
        return self._take(lambda line: not line.strip() or _indent(line) > indent)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _code(lines: list[str]) -> Piece:
    indent = min((_indent(line) for line in lines if line.strip()), default=0)
    return Piece("code", "\n".join(line[indent:].rstrip() for line in lines).strip("\n"))


def _row(cells: list[str]) -> Piece:
    return Piece("row", " | ".join(text for cell in cells if (text := " ".join(cell.split()))))


def _inline(text: str, patterns: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    """Return a text without the marks in its lines."""
    if sum(map(text.count, "*`_[<#")) <= _MOST_MARKS:
        for pattern, replacement in patterns:
            text = pattern.sub(replacement, text)
    return tidied(text)


class _Rst(_Lines):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self._styles: list[tuple[str, bool]] = []  # of headings, the highest first
        self._owners: list[tuple[int, Kind]] = []  # the lists and directives to which indented lines may belong
        self._names: dict[str, str] = {}
        self._has_text = False

    def read(self) -> Iterator[Piece]:
        """Yield the blocks."""
        while self._at < len(self._lines):
            line = self._line()
            if not line.strip():
                self._at += 1
            elif (heading := self._heading()) is not None:
                yield heading
            elif line.lstrip().startswith((".. ", "__ ")) or line.strip() == "..":
                yield from self._explicit(_indent(line))
            elif line.lstrip().startswith(("+-", "+=")):
                yield from self._grid()
            elif _SIMPLE_BORDER.fullmatch(line.strip()):
                yield from self._simple_table()
            elif _UNDERLINE.fullmatch(line) and not self._line(1).strip():
                self._at += 1
                yield Piece("rule", line)
            else:
                yield from self._paragraph()

    def _heading(self) -> Piece | None:
        first, second, third = self._line(), self._line(1), self._line(2)
        over = _UNDERLINE.fullmatch(first)
        if over and second.strip() and third[:1] == first[:1] and _UNDERLINE.fullmatch(third):
            title, style, size = second, (first[0], True), 3
        elif not over and not first.startswith(" ") and _UNDERLINE.fullmatch(second):
            if len(second.rstrip()) < min(4, len(first.rstrip())):
                return None
            title, style, size = first, (second[0], False), 2
        else:
            return None
        self._at += size
        self._owners.clear()
        if style not in self._styles:
            self._styles.append(style)
        return Piece("heading", self._text(title.strip()), min(self._styles.index(style) + 1, 6))

    def _explicit(self, indent: int) -> Iterator[Piece]:
        """Read a directive, a note, or else a comment or a target."""
        line = self._line().strip()
        self._at += 1
        if note := _NOTE.match(line):
            texts = [note[2], *self._take_deeper(indent)]
            yield Piece("caption", self._text("\n".join(texts)))
            return
        directive = _DIRECTIVE.match(line)
        if directive is None:
            self._take_deeper(indent)
            return
        replaced, name, argument = directive[1], directive[2].lower(), directive[3]
        if replaced is not None:
            self._names[replaced] = argument[:200] if name == "replace" else ""
        if replaced is not None or name in _RST_LEFT_OUT or name.startswith("auto"):
            self._take_deeper(indent)
            return
        options = self._take(lambda line: _indent(line) > indent and bool(_FIELD.match(line.strip())))
        if name.rpartition(":")[2] in _RST_CODE:
            yield _code(self._take_deeper(indent))
        elif name in ("list-table", "csv-table", "table"):
            yield Piece("caption", self._text(argument))
            if name != "table":
                yield from self._listed(self._take_deeper(indent), name)
        else:
            is_caption = name in ("figure", "sidebar")
            self._enter(indent, "caption" if is_caption else "prose")
            if argument and not options and name not in ("figure", "admonition", "topic", "versionadded", "class"):
                more = self._take(lambda line: _indent(line) > indent)
                yield Piece("prose", self._text("\n".join([argument, *more])))

    def _listed(self, lines: list[str], name: str) -> Iterator[Piece]:
        cells: list[str] = []
        for line in map(str.strip, lines):
            if name == "csv-table" or line.startswith("* -"):
                yield _row(cells)
                cells = line.replace('"', "").split(",") if name == "csv-table" else [self._text(line[3:])]
            elif line:
                cells.append(self._text(line.removeprefix("-")))
        yield _row(cells)

    def _grid(self) -> Iterator[Piece]:
        columns: list[list[str]] = []
        for line in (line.strip() for line in self._take(lambda line: line.lstrip()[:1] in ("+", "|"))):
            if line.startswith("+"):
                yield _row([self._text(" ".join(column)) for column in columns])
                columns = []
                continue
            cells = line.strip("|").split("|")
            if len(columns) != len(cells):
                columns += [[] for _ in range(len(cells) - len(columns))]
            for column, cell in zip(columns, cells, strict=False):
                column.append(cell)
        yield _row([self._text(" ".join(column)) for column in columns])

    def _simple_table(self) -> Iterator[Piece]:
        borders = 0
        while self._at < len(self._lines) and not (borders > 1 and not self._line().strip()):
            line = self._line().strip()
            self._at += 1
            if _SIMPLE_BORDER.fullmatch(line):
                borders += 1
            elif not line.startswith("--"):
                yield _row([self._text(cell) for cell in line.split("  ")])

    def _enter(self, indent: int, kind: "Kind") -> None:
        while self._owners and self._owners[-1][0] >= indent:
            self._owners.pop()
        self._owners.append((indent, kind))

    def _kind(self, indent: int) -> "Kind":
        while self._owners and self._owners[-1][0] >= indent:
            self._owners.pop()
        return self._owners[-1][1] if self._owners else "quote" if indent else "prose"

    def _paragraph(self) -> Iterator[Piece]:
        indent = _indent(self._line())
        first = self._line().strip()
        if first.startswith(">>>"):
            yield _code(self._take(lambda line: bool(line.strip())))
            return
        kind = self._kind(indent)
        if _FIELD.match(first):
            kind = "item" if self._has_text else "header"
            self._at += 1
            lines = [_FIELD.sub("", first, count=1) if kind == "item" else first, *self._take_more(indent)]
        elif mark := _RST_ITEM.match(first):
            kind = "item"
            self._at += 1
            self._enter(indent, kind)
            lines = [first[mark.end() :], *self._take_more(indent)]
        elif self._line(1).strip() and _indent(self._line(1)) > indent and kind != "caption":
            self._at += 1  # a term, and what it means
            kind = "item"
            self._enter(indent, kind)
            lines = [first, *self._take_more(indent)]
        else:
            lines = self._take(lambda line: bool(line.strip()) and _indent(line) == indent)
            lines = [line.strip().removeprefix("| ") for line in lines]
        text = "\n".join(lines).rstrip()
        self._has_text = self._has_text or kind != "header"
        if text.endswith("::"):
            text = text[:-2] if text[-3:-2] in ("", " ", "\n") else text[:-1]
            yield Piece(kind, self._text(text))
            yield _code(self._take_deeper(indent))
        else:
            yield Piece(kind, self._text(text))

    def _take_more(self, indent: int) -> list[str]:
        """Take the lines of an item that are indented more than its mark, up to a blank line or an item below it."""
        return self._take(
            lambda line: bool(line.strip()) and _indent(line) > indent and not _RST_ITEM.match(line.strip())
        )

    def _text(self, text: str) -> str:
        replaced = _RST_NAME.sub(lambda name: self._names.get(name[1], name[0]), text)
        return _inline(replaced, _RST_INLINE)


class _AsciiDoc(_Lines):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self._open: list[tuple[str, Kind]] = []  # the delimiters of the blocks that enclose a line
        self._style = ""
        self._names: dict[str, str] = {}
        self._notes: list[Piece] = []

    def read(self) -> Iterator[Piece]:
        """Yield the blocks."""
        while self._at < len(self._lines):
            line = self._line().rstrip()
            if (delimiter := _ADOC_DELIMITER.fullmatch(line)) is not None:
                yield from self._delimited(delimiter[0].rstrip())
            elif heading := _ADOC_HEADING.fullmatch(line):
                self._at += 1
                yield Piece("heading", self._text(heading[2]), len(heading[1]))
                if len(heading[1]) == 1 and heading[1] == "=":
                    yield from self._header()
            elif not line or line == "+" or line.startswith("//") or line in ("'''", "<<<"):
                self._at += 1
            elif attribute := _ADOC_ATTRIBUTE.fullmatch(line):
                self._at += 1
                self._names[attribute[1]] = attribute[2] or ""
            elif style := _ADOC_STYLE.fullmatch(line):
                self._at += 1
                self._style = (style[1] or "").partition(",")[0].strip().lower()
            elif _ADOC_MACRO.fullmatch(line):
                self._at += 1
            else:
                yield from self._paragraph(line)
            yield from self._notes
            self._notes = []

    def _header(self) -> Iterator[Piece]:
        for line in self._take(lambda line: bool(line.strip())):
            if attribute := _ADOC_ATTRIBUTE.fullmatch(line):
                self._names[attribute[1]] = attribute[2] or ""
            elif not line.startswith("//"):
                yield Piece("header", self._text(line))

    def _delimited(self, delimiter: str) -> Iterator[Piece]:
        self._at += 1
        style, self._style = self._style, ""
        end = "```" if delimiter.startswith("```") else delimiter
        if delimiter[0] in "-.`+/|,:!" and delimiter != "--":
            lines = self._take(lambda line: line.rstrip() != end)
            self._at += 1
            if delimiter[0] in "-.`":
                yield _code(lines)
            elif delimiter[0] not in "+/":
                yield from self._table(lines)
        elif self._open and self._open[-1][0] == delimiter:
            self._open.pop()
        else:
            is_quote = delimiter[0] == "_" or style in ("quote", "verse")
            self._open.append((delimiter, "quote" if is_quote else "prose"))

    def _table(self, lines: list[str]) -> Iterator[Piece]:
        """Yield the rows of a table: its lines, or its paragraphs if each of their lines is a cell."""
        group: list[list[str]] = []
        for line in [*lines, ""]:
            if line.strip():
                group.append([self._text(cell) for cell in line.split("|")[1:]] or [self._text(line)])
                continue
            if all(len(cells) == 1 for cells in group):
                group = [[cells[0] for cells in group]]
            yield from map(_row, group)
            group = []

    def _paragraph(self, line: str) -> Iterator[Piece]:
        kind: Kind = self._open[-1][1] if self._open else "prose"
        style, self._style = self._style, ""
        if line.startswith(".") and line[1:2] not in ("", ".", " "):
            self._at += 1
            yield Piece("caption", self._text(line[1:]))
            return
        if mark := _ADOC_ITEM.match(line):
            self._at += 1
            lines = [line[mark.end() :], *self._take(self._goes_on)]
            yield Piece("item", self._text("\n".join(lines)))
        elif term := _ADOC_TERM.fullmatch(line):
            self._at += 1
            lines = [term[2] or "", *self._take(self._goes_on)]
            yield Piece("item", self._text("\n".join([term[1], *lines])))
        elif line.startswith(" ") or style in ("source", "listing", "literal", "stem", "latexmath", "asciimath"):
            yield _code(self._take(lambda line: bool(line.strip())))
        else:
            self._at += 1
            text = _LABEL.sub("", "\n".join([line, *self._take(self._goes_on)]), count=1)
            yield Piece("quote" if style in ("quote", "verse") else kind, self._text(text))

    def _goes_on(self, line: str) -> bool:
        return (
            bool(line.strip())
            and line.strip() != "+"
            and not (_ADOC_ITEM.match(line) or _ADOC_DELIMITER.fullmatch(line) or _ADOC_TERM.fullmatch(line))
        )

    def _text(self, text: str) -> str:
        lines = "\n".join(line for line in text.split("\n") if not line.startswith("//"))
        self._notes += [Piece("caption", _inline(note, _ADOC_INLINE)) for note in _ADOC_NOTE.findall(lines)]
        replaced = _ADOC_NAME.sub(lambda name: self._names.get(name[1], name[0]), _ADOC_NOTE.sub("", lines))
        return _inline(replaced, _ADOC_INLINE)
